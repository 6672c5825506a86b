"""Rows: Sequential, subclassed models, batch normalization inside them, and training them with a tape."""

import io

from rows import names, ones, printed, raised, row, row_for


def _stack(tf, **options):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Dense(3, activation="relu"), layers.BatchNormalization(), layers.Dense(2)], **options
    )


@row
def sequential_before_and_after_the_first_call(tf):
    model = _stack(tf)
    told = "Weights for model 'sequential' have not yet been created."
    before = [
        model.name,
        model.built,
        names(model.layers),
        model.inputs,
        raised(lambda: model.weights, told),
        raised(lambda: model.trainable_variables, told),
        raised(model.summary, "This model has not yet been built."),
        raised(lambda: model.output_shape),
    ]
    model(ones(4, 5))
    shapes = [model.input_shape, model.output_shape]
    model(ones(7, 5))
    return [
        before,
        names(model.weights),
        names(model.trainable_variables),
        names(model.non_trainable_variables),
        model.built,
        shapes,
        model.input_shape,
        model.output_shape,
        [layer.output_shape for layer in model.layers],
    ]


@row
def sequential_with_input_shape(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(3, input_shape=(5,)), layers.Dense(2, name="out")], name="mine")
    return [
        model.built,
        model.name,
        names(model.weights),
        model.input_shape,
        model.output_shape,
        names(model.layers),
        [str(t.shape) for t in (*model.inputs, *model.outputs)],
        model.count_params(),
        raised(lambda: model(ones(7, 6)), "expected shape=(None, 5), found shape=(7, 6)"),
        raised(lambda: model(ones(5)), "expected min_ndim=2, found ndim=1"),
        model(ones(1, 5, dtype="int32")).dtype.name,
    ]


@row
def sequential_with_input(tf):
    model = tf.keras.Sequential()
    model.add(tf.keras.Input(shape=(4,), name="x"))
    model.add(tf.keras.layers.Dense(2))
    with_layer = tf.keras.Sequential([tf.keras.layers.InputLayer(input_shape=(4,)), tf.keras.layers.Dense(2)])
    whole = tf.keras.Sequential([tf.keras.Input((2,), dtype="int32"), tf.keras.layers.Activation("linear")])
    return [
        names(model.layers),
        names(model.weights),
        model.built,
        model.input_shape,
        names(with_layer.layers),
        with_layer.output_shape,
        whole(1.7 * ones(1, 2)),
        repr(tf.keras.Input((3,), batch_size=2, name="n")),
        raised(lambda: tf.keras.Input(), "Please provide to Input a `shape`"),
    ]


@row
def sequential_built_by_hand(tf):
    model = _stack(tf)
    model.build((None, 4))
    listed = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    listed.build([2, 3])
    before = listed.input_shape
    listed(ones(5, 3))
    return [
        names(model.weights),
        model.input_shape,
        model.output_shape,
        model.built,
        before,
        listed.input_shape,
        raised(lambda: _stack(tf).build(), "You must provide an `input_shape` argument."),
    ]


@row
def sequential_add_and_pop(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(2)])
    model(ones(1, 3))
    model.add(layers.Dense(1))
    seen = [model.built, model.output_shape, names(model.weights), model(ones(1, 3)).shape.as_list()]
    model.pop()
    seen += [model.output_shape, names(model.weights)]
    model.pop()
    return [
        *seen,
        names(model.layers),
        model.built,
        raised(model.pop, "There are no layers in the model."),
        tf.keras.Sequential()(ones(2, dtype="float64")),
        raised(lambda: tf.keras.Sequential([3]), "The added layer must be an instance of class Layer"),
        raised(
            lambda: tf.keras.Sequential([layers.Dense(1, name="a"), layers.Dense(1, name="a")]),
            'should have unique names. Name "a" is already the name of a layer in this model.',
        ),
    ]


@row
def sequential_in_a_sequential(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(2), tf.keras.Sequential([layers.Dense(4), layers.Dense(1)])])
    model(ones(2, 3))
    built = tf.keras.Sequential([tf.keras.Sequential([layers.Dense(1, input_shape=(2,))]), layers.Dense(3)])
    return (
        names(model.weights),
        names(model.layers),
        model.name,
        built.built,
        built.input_shape,
        names(built.weights),
    )


@row
def sequential_in_a_model(tf):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.net = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dense(2)])
            self.last = tf.keras.layers.Dense(1)

        def call(self, inputs):
            return self.last(self.net(inputs))

    with tf.name_scope("outer"):
        net = Net()
        net(ones(1, 2))
        model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
        model(ones(1, 2))
    return names(net.weights), names(model.weights)


@row
def sequential_keeps_the_dtype_of_the_first_call(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    return (
        model(ones(2, 2, dtype="int64")),
        model(0.5 * ones(2, 2)),
        model(0.5 * ones(3, 2)),
        model(0.5 * ones(2, 2)),
    )


@row
def sequential_adds_and_drops_a_last_axis_of_one(tf):
    model = tf.keras.Sequential(
        [tf.keras.layers.Flatten(), tf.keras.layers.Dense(2, kernel_initializer="ones")]
    )
    model(ones(3, 4))
    explicit = tf.keras.Sequential(
        [tf.keras.Input((1,)), tf.keras.layers.Dense(2, kernel_initializer="ones")]
    )
    return model(ones(3, 4, 1)), model.input_shape, explicit(ones(3)), explicit(ones(3, 1, 1))


@row
def sequential_configuration(tf):
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(2, input_shape=(3,), activation="relu"), tf.keras.layers.ReLU(6.0)]
    )
    config = model.get_config()
    again = tf.keras.Sequential.from_config(config)
    return [
        config["name"],
        [layer["class_name"] for layer in config["layers"]],
        config["layers"][0],
        config["layers"][1],
        again.name,
        names(again.weights),
        again.output_shape,
    ]


@row
def get_layer(tf):
    model = _stack(tf)
    return [
        model.get_layer("batch_normalization").name,
        model.get_layer(index=0).name,
        raised(lambda: model.get_layer("nope"), "No such layer: nope. Existing layers are: ['dense'"),
        raised(
            lambda: model.get_layer(index=9),
            "Was asked to retrieve layer at index 9 but model only has 3 layers.",
        ),
        raised(model.get_layer, "Provide either a layer name or layer index"),
        raised(lambda: model.get_layer("dense", 0), "Provide only a layer name or a layer index."),
    ]


@row
def summary_of_a_sequential(tf):
    model = _stack(tf)
    model(ones(4, 5))
    inner = tf.keras.Sequential(
        [tf.keras.layers.Dense(2, input_shape=(3,)), _stack(tf), tf.keras.layers.Activation("relu")]
    )
    lines = []
    inner.summary(line_length=44, print_fn=lines.append)
    return [
        printed(model.summary),
        printed(lambda: inner.summary(expand_nested=True, show_trainable=True)),
        lines,
        printed(lambda: model.summary(layer_range=["batch.*", "dense_1"])),
    ]


def _net(tf):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(3, kernel_initializer="ones")
            self.unused = tf.keras.layers.Dense(1)
            self.norm = tf.keras.layers.BatchNormalization()
            self.factor = tf.Variable(2.0)

        def call(self, inputs, training=None):
            return self.factor * self.norm(self.dense(inputs))

    return Net


@row
def summary_of_a_model(tf):
    model = _net(tf)()
    told = raised(model.summary, "This model has not yet been built.")
    model(ones(2, 3))
    return told, printed(model.summary)


@row
def model_weights_layers_and_defaults(tf):
    model = _net(tf)()
    before = names(model.weights)
    model(ones(2, 3))
    return [
        before,
        names(model.weights),
        names(model.trainable_weights),
        names(model.non_trainable_weights),
        names(model.layers),
        model.name,
        model.built,
        model.inputs,
        model.outputs,
        model.losses,
        model.metrics,
        model.stop_training,
        raised(lambda: model.input_shape),
        model.get_config(),
        model.dtype,
    ]


@row
def model_built_by_hand(tf):
    class Listed(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        def call(self, inputs):
            return sum(self.dense(x) for x in inputs)

    class Needs(Listed):
        def call(self, inputs, other, training):
            return self.dense(inputs)

    class NeedsTraining(Listed):
        def call(self, inputs, training):
            return self.dense(inputs)

    model, listed, training = _net(tf)(), Listed(), NeedsTraining()
    model.build((None, 3))
    listed.build([(None, 3), (None, 3)])
    training.build((None, 3))
    return [
        names(model.weights),
        model.built,
        model.norm.get_weights(),
        names(listed.weights),
        names(training.weights),
        raised(lambda: _net(tf)().build(None), "Input shape must be defined when calling `build()`"),
        raised(lambda: _net(tf)().build(3), "Specified input shape is not one of the valid types"),
        raised(lambda: Needs().build((None, 3)), "Currently, you cannot build your model if it has"),
    ]


@row
def model_with_a_build_of_its_own(tf):
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        def build(self, input_shape):
            self.w = self.add_weight("w", (input_shape[-1],))
            self.dense.build(input_shape)

        def call(self, inputs):
            return self.dense(inputs)

    own = Own()
    told = raised(lambda: own.weights, "Weights for model 'own' have not yet been created.")
    own(ones(1, 3))
    return told, names(own.weights)


@row
def model_mistakes(tf):
    class Forgets(tf.keras.Model):
        def __init__(self):
            self.dense = tf.keras.layers.Dense(2)
            super().__init__()

    class Nothing(tf.keras.Model):
        pass

    return [
        raised(Forgets, "you forgot to call `super().__init__()`"),
        raised(lambda: Nothing()(ones(2)), "Unimplemented `tf.keras.Model.call()`"),
        raised(lambda: tf.keras.Model(foo=1), "Keyword argument not understood:"),
        raised(lambda: setattr(Nothing(), "layers", []), "Can't set the attribute"),
    ]


@row
def model_configuration(tf):
    class Own(tf.keras.Model):
        def __init__(self, units, name=None):
            super().__init__(name=name)
            self.dense = tf.keras.layers.Dense(units)

        def call(self, inputs):
            return self.dense(inputs)

    class Complex(Own):
        def __init__(self, f):
            super().__init__(2)

    return (
        Own(3).get_config(),
        Own.from_config(Own(3, name="n").get_config()).name,
        Complex(io.StringIO()).get_config(),
    )


@row
def trainable_of_one_layer(tf):
    model = _stack(tf)
    model(ones(4, 5))
    model.layers[0].trainable = False
    with tf.GradientTape() as tape:
        tf.reduce_sum(model(ones(4, 5)))
    watched = names(tape.watched_variables())
    model.trainable = False
    return (
        names(model.trainable_variables),
        watched,
        [layer.trainable for layer in model.layers],
        names(model.weights),
    )


@row
def frozen_batch_normalization(tf):
    norm = tf.keras.layers.BatchNormalization()
    norm(2.0 * ones(4, 2), training=True)
    moved = norm.get_weights()
    norm.trainable = False
    result = norm(2.0 * ones(4, 2), training=True)
    after = norm.get_weights()
    norm.trainable = True
    norm(2.0 * ones(4, 2), training=True)
    return moved, result, after, norm.get_weights(), names(norm.trainable_variables)


@row
def averages_do_not_connect(tf):
    results = []
    for shape in ((4, 2), (2, 2, 1, 2)):
        norm = tf.keras.layers.BatchNormalization()
        x = tf.reshape(tf.range(8.0), shape)
        norm(x)
        averages = [norm.moving_mean, norm.moving_variance]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, *averages])
            by_batch = norm(x, training=True)
            after = norm.moving_mean * 1.0
            by_averages = norm(x, training=False)
        results += [
            tape.gradient(by_batch, averages),
            tape.gradient(after, x),
            tape.gradient(by_averages, averages),
        ]
    return results


@row
def batch_normalization_mixes_examples(tf):
    x = tf.reshape(tf.range(6.0), (3, 2)) ** 2
    norm = tf.keras.layers.BatchNormalization()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = norm(x, training=True)
    return tape.jacobian(y, x), tape.batch_jacobian(y, x)


@row
def training_loop(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Dense(4, activation="tanh", kernel_initializer="ones"),
            layers.BatchNormalization(),
            layers.Dense(1, kernel_initializer="ones", kernel_regularizer="l2"),
        ]
    )
    x = tf.reshape(tf.sin(tf.range(24.0)), (8, 3))
    y = tf.reduce_sum(x, 1, keepdims=True)
    losses = []
    for step in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
            variable.assign_sub(0.1 / (step + 1) * gradient)
        losses.append(float(loss))
    return losses, model.get_weights(), model(x)


@row
def hessian_of_a_layer(tf):
    first = tf.keras.layers.Dense(2, activation="elu", kernel_initializer="ones")
    second = tf.keras.layers.Dense(2, activation="elu", kernel_initializer="ones")
    x = tf.reshape(tf.cos(tf.range(6.0)), (3, 2))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_mean(second(first(x)) ** 2)
        gradient = inner.gradient(loss, first.kernel)
    return outer.jacobian(gradient, first.kernel)


@row
def forward_over_weights(tf):
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
    dense.build([None, 2])
    x = tf.constant([[2.0, 3.0], [1.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(dense.kernel, tf.constant([[1.0], [0.0]])) as accumulator:
        loss = tf.reduce_sum((dense(x) - 1.0) ** 2)
    return accumulator.jvp(loss)


@row
def gradient_penalty(tf):
    critic = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(3, activation="tanh", kernel_initializer="ones"),
            tf.keras.layers.Dense(1, kernel_initializer="ones"),
        ]
    )
    x = tf.reshape(tf.sin(tf.range(8.0)), (4, 2))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            score = critic(x, training=True)
        slopes = inner.gradient(score, x)
        penalty = tf.reduce_mean((tf.norm(slopes, axis=1) - 1.0) ** 2)
    return penalty, outer.gradient(penalty, critic.trainable_variables)


@row
def dropout_draws_anew(tf):
    layer = tf.keras.layers.Dropout(0.5)
    seeded = [tf.keras.layers.Dropout(0.5, seed=5) for _ in range(2)]
    return [layer(ones(2, 8), training=True) for _ in range(2)], [
        d(ones(2, 8), training=True) for d in seeded for _ in range(2)
    ]


@row
def seeded_dropout_in_a_sequential(tf):
    def stack():
        inner = tf.keras.Sequential([tf.keras.layers.Dropout(0.5, seed=2)])
        return tf.keras.Sequential(
            [tf.keras.layers.Dropout(0.5, seed=1), inner, tf.keras.layers.Dropout(0.0)]
        )

    trained, inferred, built = stack(), stack(), stack()
    built.build((None, 8))
    inferred(ones(2, 8))
    return [model(ones(n, 8), training=True) for model in (trained, inferred, built) for n in (2, 2, 3)]


@row
def function_of_a_model(tf):
    model = _net(tf)()

    @tf.function
    def run(x, training):
        return model(x, training=training)

    x = tf.reshape(tf.range(6.0), (2, 3))
    results = [run(x, True), run(x, False), run(x, tf.constant(True)), run(x, tf.constant(False))]
    return results, names(model.weights), model.norm.get_weights()


@row
def numbers_of_layers_made_in_calls(tf):
    """Each call on symbols, and each function, counts the layers made in it by itself."""
    layers = tf.keras.layers
    tf.keras.backend.clear_session()

    class Block(layers.Layer):
        def build(self, shape):
            self.first = layers.Dense(3)
            super().build(shape)

        def call(self, x):
            if not hasattr(self, "late"):
                self.late = layers.Dense(2)
            return self.late(self.first(x))

    class Late(tf.keras.Model):
        def call(self, x):
            if not hasattr(self, "late"):
                self.late = layers.Dense(2)
            return self.late(x)

    x = tf.keras.Input((4, 8))
    attended = layers.MultiHeadAttention(2, 4, dropout=0.1)(x, x)
    y = layers.Dense(3)(Block()(layers.Dense(3)(Block()(layers.Dropout(0.1)(attended)))))
    model = tf.keras.Model(x, y)
    eager, fitted = Block(), Late()
    eager(tf.ones((2, 3)))
    fitted.compile("sgd", "mse")
    fitted.fit(tf.ones((4, 3)), tf.ones((4, 2)), verbose=0)

    @tf.function
    def made(x):
        return layers.Dense(1).name

    return [
        [layer.name for layer in model.layers], names(model.weights), names(eager.weights), fitted.late.name,
        [str(made(number)) for number in (1, 2)], layers.Dense(1).name,
    ]


@row
def names_of_ops_on_symbols(tf):
    """TF names some after the functions of TF 1 that they call."""
    found = []
    for function in (
        tf.stop_gradient,
        lambda x: tf.tensor_scatter_nd_update(x, [[0]], x[:1]),
        lambda x: tf.linalg.global_norm([x]),
        lambda x: tf.debugging.check_numerics(x, "message"),
        lambda x: tf.math.unsorted_segment_sum(x, tf.cast(x, tf.int32) * 0, 2),
        lambda x: tf.squeeze(tf.expand_dims(x, 1), 1),
        lambda x: tf.gather(x, [0, 2], axis=1),
        lambda x: tf.gather_nd(x, [[0, 1]]),
        lambda x: tf.nn.embedding_lookup(tf.eye(7), tf.cast(x, tf.int32)),
        lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x),
        lambda x: tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x),
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.cast(x[:, 0] * 0, tf.int32), logits=x),
        lambda x: tf.nn.conv1d(x[..., None], tf.ones((2, 1, 1)), 1, "SAME"),
        lambda x: tf.nn.conv2d(x[..., None, None], tf.ones((1, 1, 1, 1)), 1, "SAME"),
        lambda x: tf.nn.depthwise_conv2d(x[..., None, None], tf.ones((1, 1, 1, 1)), [1, 1, 1, 1], "SAME"),
        lambda x: tf.nn.pool(x[..., None], [1], "MAX"),
    ):
        tf.keras.backend.clear_session()
        x = tf.keras.Input((3,))
        y = function(x)
        model = tf.keras.Model(x, y)
        again = tf.keras.Model.from_config(model.get_config())
        value = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        found.append(([layer.name for layer in model.layers], y.shape.as_list(), model(value), again(value)))
    return found


@row
def sizes_that_depend_on_values(tf):
    """A layer in a functional model whose result has as many rows as its values say."""
    layers = tf.keras.layers

    class Sorted(layers.Layer):
        def call(self, x):
            first, second = tf.dynamic_partition(x, tf.cast(x[:, 0] > 0, tf.int32), 2)
            return tf.concat([second, first], 0)

    class Positive(layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = layers.Dense(2, kernel_initializer="ones")

        def call(self, x):
            return tf.boolean_mask(self.inner(x), x[:, 0] > 0)

    x = tf.constant([[1.0, 2.0, 3.0], [-1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    inputs = tf.keras.Input((3,))
    ordered = Sorted()(inputs)
    model = tf.keras.Model(inputs, layers.Dense(1, kernel_initializer="ones")(ordered))
    model.compile("sgd", "mse")
    history = model.fit(x, x[:, :1], epochs=3, verbose=0, shuffle=False).history
    chosen = Positive()(inputs)
    unique = layers.Lambda(lambda x: tf.unique(tf.cast(x[:, 0], tf.int32)).y)(inputs)
    shapes = [symbol.shape.as_list() for symbol in (ordered, chosen, unique)]
    return shapes, history, model.predict(x, verbose=0), tf.keras.Model(inputs, [chosen, unique])(x)


@row
def sizes_that_depend_on_values_fit_each_other(tf):
    """Two tensors of as many rows as values say, which are added."""

    class Half(tf.keras.layers.Layer):
        def call(self, x):
            x, group = x
            group = tf.cast(group, tf.int32)
            counts = tf.math.segment_sum(tf.ones_like(group), group)
            kept = tf.cast(tf.math.ceil(0.5 * tf.cast(counts, tf.float32)), tf.int32)
            first = tf.cumsum(counts, exclusive=True)
            rows = tf.ragged.range(kept).flat_values + tf.repeat(first, kept)
            return tf.gather(x, rows), rows

    x, group = tf.keras.Input((3,)), tf.keras.Input((), dtype=tf.int64)
    chosen, rows = Half()((x, group))
    model = tf.keras.Model([x, group], [tf.keras.layers.Dense(2, kernel_initializer="ones")(chosen), rows])
    value = tf.reshape(tf.range(15.0), (5, 3))
    return chosen.shape.as_list(), rows.shape.as_list(), model([value, tf.constant([0, 0, 0, 1, 1], tf.int64)])


@row_for(base=["Module", "Layer", "Model"])
def variables_in_attributes_of_any_name_are_saved(tf, folder, base):
    class Named({"Module": tf.Module, "Layer": tf.keras.layers.Layer, "Model": tf.keras.Model}[base]):
        def __init__(self):
            super().__init__()
            for name in ("inputs", "outputs", "loss", "history", "state", "graph", "_nodes", "_steps"):
                setattr(self, name, tf.Variable([1.0]))

    path = tf.train.Checkpoint(Named()).write(f"{folder}/saved")
    return sorted(key for key, _ in tf.train.list_variables(path))
