"""Rows: variables in functions of `Lambda`, shapes of its outputs, and ragged and sparse inputs that layers cast."""

from rows import ones, raised, row, row_for


@row_for(name=["made", "made by a layer", "set as an attribute"])
def a_lambda_makes_variables(tf, name):
    dense = tf.keras.layers.Dense(2, kernel_initializer="ones", name="inner")
    functions = {
        "made": lambda x: x * tf.Variable(2.0),
        "made by a layer": lambda x: dense(x),
        "set as an attribute": lambda x: dense(x),
    }
    layer = tf.keras.layers.Lambda(functions[name], name="shift")
    if name != "set as an attribute":
        parts = "Variables were created within a Lambda layer (shift)", "but are not tracked by said layer"
        return raised(lambda: layer(ones(1, 2)), *parts)
    layer.dense = dense
    return layer(ones(1, 2)), len(layer.weights)


@row
def a_lambda_warns_once_of_the_variables_it_uses(tf):
    class Told(tf.keras.layers.Lambda):
        def _warn(self, msg):
            told.append(msg.split("\n")[1])

    told, v = [], tf.Variable(2.0)
    layer, tracked = Told(lambda x: x * v, name="uses"), Told(lambda x: x * v)
    tracked.v = v
    return [layer(ones(1, 2)), layer(ones(1, 3)), tracked(ones(1, 2))], told


@row
def shapes_of_outputs_of_a_lambda(tf):
    layers = tf.keras.layers
    each = layers.Lambda(lambda x: x, output_shape=[(10,), (20,)])
    same = layers.Lambda(lambda x: x, output_shape=lambda shape: shape)
    unknown = layers.Lambda(lambda x: x, output_shape=(None, 10))
    config = layers.Lambda(lambda x: x, output_shape=lambda shape: shape).get_config()
    return (
        [tuple(shape) for shape in each.compute_output_shape([(10, 10), (10, 20)])],
        [tuple(shape) for shape in same.compute_output_shape([(10, 10), (10, 20)])],
        unknown.compute_output_shape((5, 10, 20)).as_list(),
        config["output_shape_type"],
        layers.Lambda(lambda x: x, output_shape=(1, 1)).get_config()["output_shape"],
    )


@row_for(kind=["ragged", "sparse", "list"])
def composite_inputs_are_cast(tf, kind):
    class Same(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs

    ragged, sparse = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.from_dense([[1.0, 0.0]])
    inputs = {"ragged": ragged, "sparse": sparse, "list": [ragged, tf.ones([2], tf.int32), tf.ones([2])]}[kind]
    outputs = Same(dtype="float64")(inputs)
    return [x.dtype.name for x in tf.nest.flatten(outputs)], Same(dtype="float64", autocast=False)(ragged).dtype.name


@row
def a_dense_layer_refuses_a_ragged_last_axis(tf):
    layer, inputs = tf.keras.layers.Dense(2), tf.ragged.constant([[1.0, 2.0], [3.0, 4.0, 5.0]])
    return (
        raised(lambda: layer(inputs), "The last dimension of the inputs to a Dense layer should be defined"),
        raised(lambda: layer.call(inputs), "Dense layer only supports RaggedTensors when the innermost dimension"),
    )


@row_for(shape=[(None, None, None, 1), (None, 5, None, 1), (2, None, None, 1)])
def a_model_is_built_for_sizes_below_a_window(tf, shape):
    class Pictures(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.convolution = tf.keras.layers.Conv2D(3, 4)
            self.pool = tf.keras.layers.MaxPool2D(2)
            self.second = tf.keras.layers.Conv2D(2, (1, 3))
            self.mean = tf.keras.layers.GlobalAveragePooling2D()

        def call(self, inputs):
            return self.mean(self.second(self.pool(self.convolution(inputs))))

    model = Pictures()
    model.build(shape)
    return model.built, [weight.shape.as_list() for weight in model.weights]
