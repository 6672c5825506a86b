"""Rows: configurations of functional models whose classes have constructors of their own."""

from rows import raised, row, row_for


def _network(tf, units=1):
    inputs = tf.keras.Input((2,))
    return inputs, tf.keras.layers.Dense(units)(inputs)


@row_for(kind=["own arguments", "none of its own", "anything", "anything and more"])
def configurations_of_functional_subclasses(tf, kind):
    class Own(tf.keras.Model):
        def __init__(self, num_units=1, **kwargs):
            super().__init__(*_network(tf, num_units))

    class Plain(tf.keras.Model):
        pass

    class Anything(tf.keras.Model):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)

    class More(tf.keras.Model):
        def __init__(self, *args, extra=3, **kwargs):
            super().__init__(*args, **kwargs)
            self.extra = extra

    model = {
        "own arguments": lambda: Own(num_units=2),
        "none of its own": lambda: Plain(*_network(tf)),
        "anything": lambda: Anything(*_network(tf)),
        "anything and more": lambda: More(*_network(tf), extra=5),
    }[kind]()
    config = model.get_config()
    if kind.startswith("anything"):
        return sorted(config), raised(lambda: type(model).from_config(config), "Unable to revive model from config")
    return sorted(config), type(model).from_config(config).output_shape


@row
def an_optimizer_of_tf1_trains_a_model(tf, np):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    losses = []
    for optimizer in (
        tf.compat.v1.train.AdamOptimizer(0.1), tf.compat.v1.train.RMSPropOptimizer(0.01),
        tf.compat.v1.train.GradientDescentOptimizer(0.1),
    ):  # fmt: skip
        model.compile(optimizer, "mse")
        found = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0, epochs=2, batch_size=2).history["loss"]
        losses.append([found, model.optimizer.iterations])
    return losses, raised(lambda: model.optimizer.get_config())


@row_for(name=["mse", "mae", "mape", "msle", "binary_crossentropy", "categorical_crossentropy",
               "sparse_categorical_crossentropy"])  # fmt: skip
def losses_of_ragged_tensors(tf, name):
    loss = getattr(tf.keras.losses, name)
    true, predicted = tf.ragged.constant([[1.0, 0.0], [1.0]]), tf.ragged.constant([[0.5, 0.25], [0.75]])
    if name == "categorical_crossentropy":
        true = tf.ragged.constant([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0]]])
    if name.endswith("categorical_crossentropy"):
        predicted = tf.ragged.constant([[[0.5, 0.5], [0.25, 0.75]], [[0.75, 0.25]]])
    losses = loss(true, predicted)
    wrapped = tf.keras.losses.MeanSquaredError() if name == "mse" else tf.keras.losses.get(name)
    weighted = wrapped(true, predicted, sample_weight=tf.constant([1.0, 2.0])) if name == "mse" else ()
    return losses.to_list() if isinstance(losses, tf.RaggedTensor) else losses, weighted


@row
def a_model_of_ragged_tensors_is_trained(tf):
    inputs = tf.keras.Input((None, 2), ragged=True)
    outputs = tf.keras.layers.Dense(1, kernel_initializer="ones")(inputs)
    model = tf.keras.Model(inputs, outputs)
    model.compile(tf.keras.optimizers.legacy.SGD(0.01), "mse", metrics=["mae"])
    x = tf.RaggedTensor.from_row_lengths(tf.reshape(tf.range(12.0), (6, 2)), [1, 2, 3])
    y = tf.RaggedTensor.from_row_lengths(tf.reshape(tf.range(6.0), (6, 1)), [1, 2, 3])
    history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0).history
    return history, model.evaluate(x, y, verbose=0)


@row
def the_phase_of_a_model_reaches_its_layers(tf, np):
    class Phase(tf.keras.layers.Layer):
        def call(self, inputs):
            return tf.keras.backend.in_train_phase(lambda: tf.ones_like(inputs), lambda: tf.zeros_like(inputs))

    model = tf.keras.Sequential([Phase(input_shape=(2,))])
    model.compile("sgd", "mae")
    x, y = np.ones((4, 2)), np.ones((4, 1))
    return model.fit(x, y, validation_data=(x, y), verbose=0).history, model(x, training=True), model(x)


@row_for(name=["Accuracy", "BinaryAccuracy", "MeanSquaredError"])
def metrics_of_ragged_tensors(tf, name):
    metric = getattr(tf.keras.metrics, name)()
    metric.update_state(tf.ragged.constant([[1.0, 0.0], [1.0]]), tf.ragged.constant([[1.0, 0.25], [0.75]]))
    dense = raised(lambda: metric.update_state(tf.ragged.constant([[1.0]]), tf.constant([[1.0]])))
    return metric.result(), dense


@row
def weights_of_ragged_metrics(tf):
    metric = tf.keras.metrics.Accuracy()
    true, predicted = tf.ragged.constant([[1.0, 0.0], [1.0]]), tf.ragged.constant([[1.0, 0.25], [0.75]])
    metric.update_state(true, predicted, sample_weight=tf.ragged.constant([[0.5, 2.0], [1.5]]))
    return metric.result()


@row
def masks_of_symbols(tf):
    inputs = tf.keras.Input((4, 5))
    masked = tf.keras.layers.Masking()(inputs)
    layer = tf.keras.layers.Add()
    layer([masked, inputs])
    model = tf.keras.Model(inputs, masked)
    shapes = [None if mask is None else mask.shape.as_list() for mask in layer.input_mask]
    return shapes, layer.output_mask.shape.as_list(), model.output_mask.shape.as_list(), model.input_mask


@row
def a_layer_that_is_built_in_call_is_built_with_its_model(tf, np):
    class Twice(tf.keras.layers.Dense):
        def build(self, shape):
            self.second = tf.keras.layers.Dense(3)
            super().build(shape)

        def call(self, inputs):
            return self.second(super().call(inputs))

    model = tf.keras.Sequential([Twice(2), Twice(2)])
    model.build((None, 4))
    return [weight.shape.as_list() for weight in model.weights], model.output_shape


@row_for(method=["__call__", "call", None])
def a_module_in_a_sequential(tf, np, method):
    class Scale(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

    def scaled(self, x, training=None):
        return self.v * x + (1.0 if training else 0.0)

    if method is None:
        return raised(lambda: tf.keras.Sequential([Scale()]), "is not defined on object")
    setattr(Scale, method, scaled)
    model = tf.keras.Sequential([Scale()])
    model.compile(tf.keras.optimizers.legacy.SGD(0.1), "mse")
    x = np.ones((4, 1), np.float32)
    losses = model.fit(x, x, batch_size=2, verbose=0).history
    return losses, len(model.trainable_variables), model(x), model(x, training=True)


@row
def dicts_go_through_a_sequential(tf, np):
    class Flip(tf.keras.layers.Layer):
        def call(self, inputs):
            if not isinstance(inputs, dict):
                return inputs[:, ::-1]
            return {**inputs, "images": inputs["images"][:, ::-1]}

    class Scaled(tf.keras.layers.Layer):
        def build(self, shapes):
            self.w = self.add_weight("w", shapes["images"][-1:], initializer="ones")

        def call(self, inputs):
            return inputs["images"] * self.w + inputs["labels"]

    images = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    inputs = {"images": images, "labels": np.ones((2, 1), np.float32)}
    model = tf.keras.Sequential([Flip(), Flip()])
    first = model(inputs), model.inputs
    model.compile(loss="mse")
    loss = model.fit(x=inputs, y=inputs, verbose=0).history
    built = tf.keras.Sequential([Scaled()])
    built.build({"images": (None, 3), "labels": (None, 1)})
    return first, loss, len(built.weights), built(inputs)


@row
def several_outputs_in_a_sequential(tf, np):
    class Two(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs, inputs

    part = "should have a single output tensor"
    deferred = tf.keras.Sequential([Two(), tf.keras.layers.Dense(1)])
    return (
        raised(lambda: tf.keras.Sequential([Two(input_shape=(3,))]), part),
        raised(lambda: tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,)), Two()]), part),
        raised(lambda: deferred(np.ones((2, 3), np.float32))),
    )
