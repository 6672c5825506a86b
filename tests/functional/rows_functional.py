"""Rows: models made with inputs and outputs, from KerasTensors to summaries, values, gradients and training."""

import numpy as np
from rows import names, ones, printed, raised, row, row_for
from training._cases import random

X, Y = random("functional x", (6, 4)), random("functional y", (6, 3))


def dense(tf, units=3, name=None, **options):
    def start(shape, dtype=None, **_):
        return tf.constant(random(f"start {list(shape)}", [int(n) for n in shape], "float64", -0.5, 0.5), dtype)

    return tf.keras.layers.Dense(units, kernel_initializer=start, name=name, **options)


def two_branches(tf):
    """Two inputs, a shared layer, a skip connection, two outputs."""
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((4,), name="b")
    shared = dense(tf, 4, "shared", activation="tanh")
    u, v = shared(a), shared(b)
    joined = tf.keras.layers.Concatenate(name="joined")([u, v, a])
    hidden = dense(tf, 3, "hidden")(joined)
    first = dense(tf, 3, "first")(tf.keras.layers.Add(name="sum")([hidden, dense(tf, 3, "skip")(u)]))
    second = dense(tf, 1, "second", activation="sigmoid")(hidden)
    return tf.keras.Model([a, b], [first, second], name="branches")


def shown(t):
    return [list(t.shape), t.dtype.name]


@row
def tensors_and_what_made_them(tf):
    a = tf.keras.Input((4,), name="a")
    b = tf.keras.Input((4,), batch_size=2, dtype="int32")
    layer = dense(tf, 3, "d")
    h, g = layer(a), layer(tf.keras.Input((4,)))
    return [
        [repr(x) for x in (a, b, h, tf.shape(h), tf.shape(h)[0])],
        [tf.is_tensor(h), tf.keras.backend.is_keras_tensor(h), isinstance(h, tf.Tensor)],
        [x._keras_history.layer.name for x in (a, h)],
        [x._keras_history.node_index for x in (a, h, g)],
        layer.input_shape,
        layer.output_shape,
        layer.get_output_at(1) is g,
        len(layer.inbound_nodes),
        len(layer.outbound_nodes),
        [repr(tf.keras.Input(type_spec=tf.TensorSpec((None, 2), tf.float64), name="spec")), layer.input is a],
        names(layer.weights),
        layer.get_output_shape_at(0),
        layer.input_mask,
    ]


@row
def what_a_symbol_refuses(tf):
    a = tf.keras.Input((4,), name="a")
    unused = tf.keras.layers.Dense(2, name="unused")
    return [
        raised(lambda: len(a)),
        raised(lambda: bool(a)),
        raised(lambda: list(a), "Cannot iterate over a Tensor with unknown first dimension."),
        raised(lambda: np.array(a)),
        raised(lambda: hash(a), "Tensors are unhashable"),
        raised(lambda: a.numpy()),
        raised(lambda: a + ones(7), "[7]"),
        raised(lambda: a + tf.ones(4, tf.float64)),
        raised(lambda: tf.keras.layers.Conv2D(2, 3)(a), "expected min_ndim=4, found ndim=2. Full shape", "(None, 4)"),
        raised(lambda: unused.input, "Layer unused is not connected, no input to return."),
        raised(lambda: unused.output, "Layer unused has no inbound nodes."),
        raised(lambda: unused.input_shape, 'The layer "unused" has never been called'),
        raised(lambda: unused.output_shape, 'The layer "unused" has never been called'),
        raised(lambda: unused.get_input_at(0), "The layer unused has never been called"),
        raised(lambda: unused.get_output_shape_at(0), "The layer unused has never been called"),
        raised(tf.keras.Input, "Please provide to Input a `shape`"),
    ]  # fmt: skip


@row
def models_that_cannot_be(tf):
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((4,), name="b")
    h, g = dense(tf, name="h")(a), dense(tf, name="g")(b)
    model = tf.keras.Model
    return [
        raised(lambda: model(a, g), "Graph disconnected: cannot obtain value for tensor"),
        raised(lambda: model(a, tf.ones(3)), "must be the output of a TensorFlow `Layer`"),
        raised(lambda: model([a, a], h), "the same input multiple times"),
        raised(lambda: model(tf.ones(3), h), "Found unexpected instance while processing input tensors"),
        raised(lambda: model(a, dense(tf, name="h")(h)), 'The name "h" is used 2 times in the model.'),
        raised(lambda: model(h, g + 1.0), "Found input tensor cannot be reached given provided output tensors."),
        raised(lambda: model(inputs=a, outputs=h, foo=3), "foo"),
        raised(lambda: model(a, h)(ones(2, 5)), "expected shape=(None, 4), found shape=(2, 5)"),
        raised(lambda: model([a, b], [h, g])(ones(2, 4)), 'expects 2 input(s), but it received 1 input tensors.'),
        raised(lambda: model([a, b], [h, g])({"a": ones(2, 4)}), 'Missing data for input "b".'),
        raised(lambda: model(a, h).get_layer("x"), "No such layer: x. Existing layers are: ['a', 'h']."),
    ]


@row
def layers_names_shapes_and_order(tf):
    model = two_branches(tf)
    x = {"a": X, "b": X[::-1]}
    return [
        names(model.layers),
        names(model.weights),
        names(model.trainable_variables),
        model.name,
        model.built,
        model.input_names,
        model.output_names,
        model.input_shape,
        model.output_shape,
        [repr(t) for t in model.inputs + model.outputs],
        [layer.output_shape for layer in model.layers],
        model.count_params(),
        [spec.name for spec in model.input_spec],
        [str(shape) for shape in model.compute_output_shape([(5, 4), (5, 4)])],
        model.get_layer("joined").input_shape,
        model([X, X]),
        model(x),
        model([X[:1], X[1:2]], training=True),
        type(model).__name__,
        isinstance(model, tf.keras.Model),
        [layer.name for layer in model.get_layer("shared").outbound_nodes[0].layer.inbound_nodes[0].inbound_layers],
    ]


@row
def summaries(tf):
    model = two_branches(tf)
    inputs = x = tf.keras.Input((8, 8, 1), name="image")
    x = tf.keras.layers.Conv2D(2, 3, name="conv")(x)
    x = tf.keras.layers.BatchNormalization(name="norm")(x)
    x = tf.keras.layers.Flatten(name="flat")(tf.nn.relu(x))
    chain = tf.keras.Model(inputs, tf.keras.Sequential([dense(tf, 2, "in_stack")], name="stack")(x), name="chain")
    chain.get_layer("conv").trainable = False
    outer = tf.keras.Model(inputs, chain(inputs) * 2.0 + chain(inputs + 1.0), name="outer")
    return [
        printed(model.summary),
        printed(lambda: model.summary(line_length=120, show_trainable=True)),
        printed(chain.summary),
        printed(lambda: chain.summary(expand_nested=True, show_trainable=True)),
        printed(outer.summary),
        printed(lambda: outer.summary(expand_nested=True)),
    ]


def _ops(tf):
    h = tf.keras.Input((3,), name="x")
    g = tf.keras.layers.Lambda(lambda t: t * 2.0, name="twice")(h)
    n = tf.shape(h)[0]
    return h, {
        "sum": h + g, "difference": 1.0 - h, "product": 2 * h, "quotient": h / g, "power": h**2, "floor": h // 0.3,
        "rest": h % 0.3, "matmul": h @ tf.ones((3, 2)), "negative": -h, "abs": abs(h), "less": h < g, "equal": h == h,
        "both": (h > 0) & ~(g > 0), "column": h[:, 0], "slice": h[:, 1:, tf.newaxis], "last": h[..., -1],
        "relu": tf.nn.relu(h), "concat": tf.concat([h, g], 1), "stack": tf.stack([h, g], axis=1),
        "mean": tf.reduce_mean(h, axis=-1, keepdims=True), "reshape": tf.reshape(h, [n, 3, 1]),
        "flat": tf.reshape(h, [-1]),
        "cast": tf.cast(h, tf.float64), "split": tf.split(h, 3, axis=1), "where": tf.where(h > 0, h, g),
        "transpose": tf.transpose(h, [1, 0]), "einsum": tf.einsum("bi,bj->bij", h, g), "softmax": tf.nn.softmax(h),
        "one hot": tf.one_hot(tf.cast(h, tf.int32), 3), "tile": tf.tile(h, [1, 2]), "expand": tf.expand_dims(h, 1),
        "array": np.ones(3, "float32") * h, "variable": h * tf.Variable(2.0), "norm": tf.norm(h, axis=1),
        "image": tf.image.resize(tf.reshape(h, [-1, 3, 1, 1]), [6, 2]), "gelu": tf.keras.activations.gelu(h),
        "loss": tf.keras.losses.mean_squared_error(h, g), "zeros": tf.zeros_like(h),
        "tensordot": tf.tensordot(h, g, [[1], [1]]), "pad": tf.pad(h, [[0, 0], [1, 1]]),
        "normal": tf.math.l2_normalize(h, 1), "size": tf.size(h), "max": tf.maximum(h, 0.1),
        "clip": tf.clip_by_value(h, -0.1, 0.2), "gather": tf.gather(h, [0, 2], axis=1),
    }  # fmt: skip


@row
def ops_on_symbols(tf):
    x, outputs = _ops(tf)
    outputs.pop("tensordot")
    model = tf.keras.Model(x, outputs)
    x = random("ops x", (5, 3), low=-1.0, high=1.0)
    seen = {name: tf.nest.map_structure(shown, t) for name, t in outputs.items()}
    return [seen, model(x), model.predict(x, verbose=0)]


@row
def names_of_op_layers(tf):
    _, outputs = _ops(tf)
    same = ["sum", "difference", "product", "quotient", "power", "floor", "rest", "matmul", "negative", "abs", "less",
            "equal", "both", "column", "slice", "relu", "concat", "stack", "mean", "reshape", "cast", "split", "where",
            "transpose", "einsum", "softmax", "one hot", "tile", "expand", "array", "variable", "norm", "image",
            "zeros", "pad", "normal", "max"]  # fmt: skip
    return [tf.nest.flatten(outputs[name])[0]._keras_history.layer.name for name in same]


@row
def gradients_through_a_model(tf):
    model = two_branches(tf)
    a, b = tf.constant(X), tf.constant(X[::-1].copy())

    def losses():
        first, second = model([a, b], training=True)
        return tf.reduce_sum(first**2) + tf.reduce_sum(second)

    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            loss = losses()
        gradients = tape.gradient(loss, [a, b, *model.trainable_variables])
        penalty = tf.add_n([tf.reduce_sum(g**2) for g in gradients[:2]])
    return loss, gradients, outer.gradient(penalty, model.trainable_variables), tf.function(losses)()


@row
def nested_inputs_and_outputs(tf):
    one, two, three = (tf.keras.Input((2,), name=name) for name in ("one", "two", "three"))
    model = tf.keras.Model({"p": one, "q": [two, three]}, {"s": one + two, "t": (two * three, one)})
    flat = tf.keras.Model({"k2": one, "k1": two}, one - two)
    tuples = tf.keras.Model((one, two), (two, one))
    x, y, z = ones(2, 2), 2 * ones(2, 2), 3 * ones(2, 2)
    return [
        model({"p": x, "q": [y, z]}),
        model.input_shape,
        model.output_shape,
        model.output_names,
        flat({"k1": x, "k2": y}),
        flat.input_names,
        tuples((x, y)),
        tuples([x, y]),
        model.input_spec is None,
        tf.keras.Model(one, one + 1.0)(ones(2)[:, None] * ones(1, 2, dtype="int32")),
    ]


@row
def inputs_that_are_widened_and_cast(tf):
    flat, column = tf.keras.Input((), name="flat"), tf.keras.Input((1,), name="column", dtype="float64")
    number = tf.keras.Input((2,), name="number", dtype="int32")
    model = tf.keras.Model([flat, column, number], [flat * 1.0, column, number])
    return [
        model([ones(3, 1), ones(3), ones(3, 2)]),
        model([ones(3), ones(3, 1), ones(3, 2)]),
        raised(lambda: model([ones(3, 2), ones(3, 1), ones(3, 2)])),
    ]


@row
def layers_inside_of_models_as_outputs(tf):
    base = tf.keras.Sequential([dense(tf, 4, "one", activation="relu"), dense(tf, 2, "two")], name="base")
    before = [raised(lambda: base.output), raised(lambda: base.layers[0].output)]
    base.build((None, 4))
    features = tf.keras.Model(base.input, base.get_layer("one").output)
    head = tf.keras.Model(base.inputs, dense(tf, 1, "head")(base.layers[-1].output))
    middle = tf.keras.Model(base.layers[0].output, base.output)
    base.add(dense(tf, 5, "three"))
    x = tf.constant(X)
    return [
        before,
        features(x),
        head(x),
        middle(features(x)),
        base(x),
        names(features.layers),
        names(head.layers),
        [type(layer).__name__ for layer in middle.layers],
        head.get_layer("one") is base.layers[0],
        base.output_shape,
        [layer.output_shape for layer in base.layers],
        repr(base.output),
        len(base.layers[0].inbound_nodes),
    ]


@row
def features_of_a_called_stack(tf):
    stack = tf.keras.Sequential([tf.keras.layers.Flatten(name="f"), dense(tf, 2, "d")])
    stack(X)
    shapes = [stack.input_shape, repr(stack.layers[1].output)]
    stack(X[:2])
    features = tf.keras.Model(stack.input, stack.layers[0].output)
    return shapes, stack.input_shape, repr(stack.layers[0].input), features(X)


@row
def freezing_and_transfer(tf):
    inputs = tf.keras.Input((4,))
    x = dense(tf, 4, "one", activation="tanh")(inputs)
    base = tf.keras.Model(inputs, tf.keras.layers.BatchNormalization(name="norm")(x), name="base")
    base.trainable = False
    new = tf.keras.Input((4,), name="new")
    out = dense(tf, 3, "head")(base(new, training=False))
    model = tf.keras.Model(new, out)
    counts = [len(model.trainable_weights), len(model.non_trainable_weights), names(model.weights)]
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    before = base.get_weights()
    history = model.fit(X, Y, batch_size=2, epochs=3, shuffle=False, verbose=0).history
    same = all((a == b).all() for a, b in zip(before, base.get_weights(), strict=True))
    base.trainable = True
    base.get_layer("norm").trainable = False
    return counts, history, same, names(model.trainable_weights), model.evaluate(X, Y, verbose=0)


@row
def training_with_two_losses(tf):
    model = two_branches(tf)
    model.compile(
        tf.keras.optimizers.Adam(0.05), {"first": "mse", "second": "binary_crossentropy"},
        loss_weights={"first": 1.0, "second": 0.5}, metrics={"second": ["accuracy"], "first": "mae"},
    )  # fmt: skip
    x, y = {"a": X, "b": X[::-1]}, {"first": Y, "second": (Y[:, :1] > 0).astype("float32")}
    history = model.fit(x, y, batch_size=3, epochs=4, shuffle=False, verbose=0).history
    return history, model.metrics_names, model.predict([X, X], verbose=0), model.get_weights()


@row
def a_subclass_with_functional_constructor(tf):
    class Scaled(tf.keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = 2.0 * tf.reduce_mean((self(x, training=True) - y) ** 2)
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            return {"loss": loss}

    class Own(tf.keras.Model):
        def __init__(self, units):
            inputs = tf.keras.Input((4,))
            super().__init__(inputs=inputs, outputs=dense(tf, units)(inputs))
            self.units = units

    inputs = tf.keras.Input((4,))
    model = Scaled(inputs, dense(tf, 3)(inputs))
    model.compile(tf.keras.optimizers.SGD(0.1))
    own = Own(2)
    return (
        model.name, own.name, own(X), names(own.layers), own.units, own.output_shape,
        model.fit(X, Y, epochs=3, verbose=0, shuffle=False, batch_size=6).history,
    )  # fmt: skip


@row
def own_layers_between(tf):
    class Gate(tf.keras.layers.Layer):
        def __init__(self, **options):
            super().__init__(**options)
            self.inner = dense(tf, 4, "inner")

        def build(self, shape):
            self.scale = self.add_weight(name="scale", shape=(shape[-1],), initializer="ones")
            super().build(shape)

        def call(self, x, gate=None, training=None):
            x = self.inner(x) * self.scale
            if training:
                x = x + 1.0
            return (x, x * gate) if gate is not None else x

    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((4,), name="b")
    layer = Gate(name="gate")
    x, gated = layer(a, gate=b)
    alone = layer(gated)
    always = layer(a, training=True)
    model = tf.keras.Model([a, b], [x, gated, alone, always])
    return [
        [shown(t) for t in (x, gated, alone, always)],
        model([X, 2 * X]), model([X, X], training=True), names(model.weights), names(model.layers),
        len(layer.inbound_nodes), model.output_names, raised(lambda: layer.output_shape, "has multiple inbound nodes"),
    ]  # fmt: skip


@row
def unknown_sizes(tf):
    inputs = tf.keras.Input((None, None, 3))
    layers = tf.keras.layers
    x = layers.Conv2D(2, 3, strides=2, padding="same", kernel_initializer="ones")(inputs)
    pooled = layers.MaxPooling2D()(x)
    up = layers.UpSampling2D()(pooled)
    mean = layers.GlobalAveragePooling2D()(layers.Concatenate()([up, x]))
    model = tf.keras.Model(inputs, mean)
    series = tf.keras.Input((None, 4))
    length = tf.cast(tf.shape(series)[1], tf.float32)
    steps = tf.keras.Model(series, tf.reduce_sum(dense(tf, 2)(series), axis=1) / length)
    return [
        [shown(t) for t in (x, pooled, up, mean)],
        model(ones(2, 8, 8, 3)), model(ones(1, 12, 4, 3)), steps(ones(2, 5, 4)), steps.output_shape, model.input_shape,
        shown(tf.reshape(series, [tf.shape(series)[0], -1])),
    ]  # fmt: skip


@row
def losses_and_regularizers(tf):
    inputs = tf.keras.Input((4,))
    x = dense(tf, 3, "a", kernel_regularizer="l2", activity_regularizer=tf.keras.regularizers.L2(0.1))(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dropout(0.5)(x))
    model.compile("sgd", "mse")
    model(X)
    return len(model.losses), model.evaluate(X, Y, verbose=0)


@row
def losses_of_symbols(tf):
    """A variational autoencoder in the manner of 2020: its loss is made of tensors between the layers."""
    inputs = tf.keras.Input((4,), name="x")
    mean, scale = dense(tf, 2, "mean")(inputs), dense(tf, 2, "scale")(inputs)
    decoded = dense(tf, 4, "decoded")(mean + tf.exp(scale) * 0.1)
    model = tf.keras.Model(inputs, decoded, name="vae")
    model.add_loss(tf.reduce_mean(tf.square(inputs - decoded)))
    model.add_loss(-0.5 * tf.reduce_mean(1.0 + scale - mean**2 - tf.exp(scale)))
    model.compile(tf.keras.optimizers.SGD(0.1))
    history = model.fit(X, epochs=3, batch_size=3, shuffle=False, verbose=0).history
    clone = tf.keras.models.clone_model(model, clone_function=lambda layer: layer)
    return [
        names(model.layers), history, printed(model.summary), model.predict(X, verbose=0), names(clone.layers),
        [entry["class_name"] for entry in model.get_config()["layers"]], model.get_config()["layers"][-1]["config"],
        len(model.losses),
    ]  # fmt: skip


@row
def a_model_with_nothing_between(tf):
    inputs = tf.keras.Input((2,), name="x")
    unused = tf.keras.Input((3,), name="unused")
    model = tf.keras.Model([inputs, unused], inputs)
    same = tf.keras.Model(inputs, inputs)
    return names(model.layers), model([ones(1, 2), ones(1, 3)]), model.output_names, same(ones(1, 2))


@row
def stacks_and_models_inside_of_models(tf):
    inputs = tf.keras.Input((4,), name="inputs")
    stack = tf.keras.Sequential([dense(tf, 4, "one"), dense(tf, 3, "two")], name="stack")
    inner = tf.keras.Model(inputs, dense(tf, 4, "three")(inputs), name="inner")
    x = tf.keras.Input((4,), name="x")
    model = tf.keras.Model(x, stack(inner(x)) + stack(x))
    return [
        names(model.layers), names(model.weights), model(X), inner(X), stack(X), stack.output_shape, inner.input_shape,
        [len(stack.inbound_nodes), len(inner.inbound_nodes)],
    ]  # fmt: skip


@row
def a_model_cut_in_two(tf):
    inputs = tf.keras.Input((4,), name="inputs")
    middle = dense(tf, 3, "one")(inputs)
    model = tf.keras.Model(inputs, dense(tf, 2, "two")(middle))
    first = tf.keras.Model(model.input, middle)(X)
    second = tf.keras.Model(tf.keras.Input(tensor=middle), model.output)
    return first, second(first), second.input_shape


@row
def masks_of_symbols(tf):
    layers, seen = tf.keras.layers, []

    class Masked(layers.Layer):
        def call(self, x, mask=None):
            seen.append(mask is not None)
            return x if mask is None else x * tf.cast(mask[..., None], x.dtype)

    inputs = tf.keras.Input((None,), dtype="int32")
    embedding = layers.Embedding(5, 3, mask_zero=True)
    x = embedding(inputs)
    weighed = Masked()(x)
    model = tf.keras.Model(inputs, weighed)
    embedding.set_weights([np.arange(15.0).reshape(5, 3)])
    steps = layers.Masking()(tf.keras.Input((4, 3)))
    both = layers.Bidirectional(layers.GRU(2, return_sequences=True))(steps)
    return [
        shown(x._keras_mask), all(seen), hasattr(weighed, "_keras_mask"), model(np.array([[1, 2, 0], [3, 0, 0]])),
        shown(both._keras_mask), shown(layers.concatenate([both, both])._keras_mask),
        hasattr(layers.GRU(2)(both), "_keras_mask"),
    ]  # fmt: skip


@row
def backend_functions_on_symbols(tf):
    k = tf.keras.backend
    found = {}
    for name, function in {
        "mean": lambda x: k.mean(x, axis=1), "mean of bools": lambda x: k.mean(x > 0.5), "var": lambda x: k.var(x, 1),
        "std": lambda x: k.std(x, axis=-1, keepdims=True), "sqrt": k.sqrt, "dot": lambda x: k.dot(x, tf.ones((4, 2))),
        "batch_dot": lambda x: k.batch_dot(x, x, axes=1), "concatenate": lambda x: k.concatenate([x, x]),
        "switch": lambda x: k.switch(k.greater(x, 0.5), x, -x), "bias_add": lambda x: k.bias_add(x, tf.ones(4)),
        "binary_crossentropy": lambda x: k.binary_crossentropy(k.sigmoid(x), k.sigmoid(x)),
    }.items():  # fmt: skip
        inputs = tf.keras.Input((4,))
        found[name] = tf.keras.Model(inputs, function(inputs))(X)
    return found


@row_for(first=["vocabulary", "lookup", "hashes", "lengths"], tells_shape=[True, False])
def layers_of_programs_after_text_in_a_sequential(tf, first, tells_shape):
    class Rows(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.rows = self.add_weight("rows", (4, 3), initializer="ones")

        def call(self, inputs):
            return tf.gather(self.rows, inputs)

    class Told(Rows):
        def compute_output_shape(self, input_shape):
            return (*input_shape, 3)

    layers, texts = tf.keras.layers, tf.constant([["a"], ["b c"]])
    before = {
        "vocabulary": lambda: layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=2),
        "lookup": lambda: layers.StringLookup(vocabulary=["a", "b"]),
        "hashes": lambda: layers.Hashing(4),
        "lengths": lambda: layers.Lambda(tf.strings.length, dtype="string"),
    }[first]()
    lower, rows = layers.Lambda(tf.strings.lower, dtype="string"), (Told if tells_shape else Rows)()
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), lower, before, rows])
    return model(texts), model.output_shape, model.output.dtype.name


@row
def objects_between_layers(tf):
    class Spread:
        """No tensor, but made into one where one is needed."""

        def __init__(self, middle, width):
            self.middle, self.width = middle, width

        shape = property(lambda self: self.middle.shape)
        dtype = property(lambda self: self.middle.dtype)

    class Registered(Spread):
        """Later layers get the object itself."""

    tf.register_tensor_conversion_function(Spread, lambda value, *args, **kwargs: value.middle)
    tf.keras.__internal__.utils.register_symbolic_tensor_type(Registered)

    class Widened(tf.keras.layers.Layer):
        """Its `__call__` gives less than its `call`."""

        def __init__(self, kind, **options):
            super().__init__(**options)
            self.kind = kind

        def __call__(self, inputs, *args, **kwargs):
            return super().__call__(inputs, *args, **kwargs)[0]

        def call(self, inputs):
            spread = self.kind(inputs, tf.abs(inputs) + 1.0)
            return spread, tf.convert_to_tensor(inputs)

    class Edge(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs.middle + inputs.width

    inputs = tf.keras.Input((4,))
    found = []
    for kind in (Spread, Registered):
        spread = Widened(kind)(dense(tf)(inputs))
        model = tf.keras.Model(inputs, spread)
        further = tf.keras.Model(inputs, dense(tf, 2)(spread))
        alone = tf.keras.Sequential([tf.keras.layers.InputLayer((4,)), dense(tf), Widened(kind)])
        model.compile("sgd", lambda y, spread: tf.reduce_mean((y - spread.middle) ** 2, axis=-1))
        found += [
            shown(spread), model(X).width, model.output_shape, further(X), further.predict(X, verbose=0),
            alone.output_shape, alone(X).middle, model.fit(X, Y, epochs=2, verbose=0).history["loss"],
        ]  # fmt: skip
    edge = tf.keras.Model(inputs, Edge()(Widened(Registered)(dense(tf)(inputs))))
    return found, shown(edge.output), edge(X)


@row
def objects_between_layers_of_a_sequential(tf):
    class Interval:
        def __init__(self, low, high):
            self.low, self.high = low, high

        shape = property(lambda self: self.low.shape)
        dtype = property(lambda self: self.low.dtype)

    class Around(tf.keras.layers.Layer):
        def call(self, inputs):
            return Interval(inputs - 1.0, inputs + 1.0)

    class Width(tf.keras.layers.Layer):
        def call(self, interval):
            return tf.abs(interval.high - interval.low)

    tf.register_tensor_conversion_function(Interval, lambda value, *args, **kwargs: value.low)
    tf.keras.__internal__.utils.register_symbolic_tensor_type(Interval)
    model = tf.keras.Sequential([tf.keras.layers.InputLayer((4,)), dense(tf), Around(), Width(), dense(tf, 2)])
    model.compile("sgd", "mse")
    history = model.fit(X, tf.ones((len(X), 2)), epochs=2, verbose=0).history
    wrong = tf.keras.Sequential([tf.keras.layers.InputLayer((4,)), dense(tf)])
    refused = raised(lambda: wrong.add(Width()))
    return model.output_shape, model.built, model(X), history, refused


@row
def an_optimizer_that_is_a_property(tf):
    class Several(tf.keras.Model):
        @property
        def optimizer(self):
            return self.all_optimizers[-1] if getattr(self, "all_optimizers", None) else None

        @optimizer.setter
        def optimizer(self, optimizers):
            if isinstance(optimizers, list):
                object.__setattr__(self, "all_optimizers", optimizers)

    inputs = tf.keras.Input((4,))
    model = Several(inputs, dense(tf)(inputs))
    before = model.optimizer
    model.compile([tf.keras.optimizers.SGD(0.5), tf.keras.optimizers.SGD(0.1)], "mse")
    losses = model.fit(X, Y, epochs=2, verbose=0).history["loss"]
    return before, len(model.all_optimizers), float(model.optimizer.learning_rate), losses


@row
def conversions_and_sizes_of_symbols(tf):
    inputs = tf.keras.Input((4,))
    converted = tf.keras.Model(inputs, tf.convert_to_tensor(inputs * 2.0, dtype_hint=tf.float64))
    again = tf.keras.Model.from_config(converted.get_config())
    sizes = tf.shape(inputs)
    padded = tf.keras.Model(inputs, tf.reshape(inputs, tf.pad(sizes, [[0, 1]], constant_values=1)))
    broadcast = tf.broadcast_dynamic_shape(sizes, tf.constant([1, 4]))
    reshaped = tf.keras.Model(inputs, tf.reshape(inputs, broadcast))
    return [
        converted(X), again(X), [layer.name for layer in converted.layers],
        shown(tf.convert_to_tensor([inputs, inputs])),
        padded(X), shown(broadcast), reshaped(X), tf.get_static_value(inputs), tf.get_static_value(sizes),
    ]  # fmt: skip


@row
def a_sequential_that_a_scalar_built(tf):
    stack = tf.keras.Sequential([tf.keras.layers.Activation("relu")])
    return [stack(tf.ones(shape)).shape.as_list() for shape in ((), (1,), (3,), (2, 1), ())]


@row
def a_sequential_of_an_input_alone(tf):
    stack = tf.keras.Sequential([tf.keras.Input((5,), name="a")])
    x = tf.ones((3, 5))
    return stack(x), stack([x]), stack({"a": x}), raised(lambda: stack({"b": x}), "Missing data for input")


@row
def a_stack_is_built_where_call_is_called_by_itself(tf):
    class Wrapper(tf.keras.Model):
        def __init__(self, base):
            super().__init__()
            self.base = base

        def call(self, x):
            return self.base.call(x)

    direct, inside, base = (tf.keras.Sequential([tf.keras.layers.Dense(2)]) for _ in range(3))
    direct.call(tf.constant(X))
    tf.function(inside.call)(tf.constant(X))
    wrapper = Wrapper(base)
    wrapper(X)
    made = [(model.built, len(model.weights), model.input_shape) for model in (direct, inside, base)]
    return made, len(wrapper.trainable_variables), direct.count_params()


@row
def a_stack_calls_a_layer_that_tells_its_shape_when_it_is_added(tf):
    class Inner(tf.keras.layers.Layer):
        def build(self, shape):
            self.dense = tf.keras.layers.Dense(3)

        def call(self, x):
            return self.dense(x)

        def compute_output_shape(self, shape):
            return (shape[0], 3)

    model = tf.keras.Sequential([tf.keras.Input((4,)), Inner()])
    return [weight.shape.as_list() for weight in model.weights], model.output_shape
