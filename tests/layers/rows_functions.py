"""Rows: activations, regularizers and constraints by name, their configurations, and custom objects."""

import json

import numpy as np
from rows import names, ones, raised, row

_X = np.array([[-7.0, -3.0, -1.0, 0.0, 0.25, 2.0, 7.0]], np.float32)
_W = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


@row
def activations_by_name(tf):
    activations = tf.keras.activations
    listed = (
        "elu exponential gelu hard_sigmoid leaky_relu linear log_softmax mish relu relu6 selu sigmoid silu "
        "softmax softplus softsign swish tanh"
    ).split()
    return [activations.get(name)(tf.constant(_X)) for name in listed], activations.get(
        None
    ) is activations.linear


@row
def activations_with_options(tf):
    activations, x = tf.keras.activations, tf.constant(_X)
    return [
        activations.relu(x, alpha=0.1),
        activations.relu(x, max_value=3.0),
        activations.relu(x, threshold=1.0),
        activations.relu(x, 0.1, 3.0, 0.2),
        activations.relu(x, max_value=6.0),
        activations.elu(x, 0.5),
        activations.gelu(x, True),
        activations.softmax(tf.constant(_W), axis=0),
        activations.relu([1.0, -1.0]),
        activations.softmax(tf.ones((2, 3)), axis=(0, 1)),
        activations.relu(tf.constant([1, -1])),
    ]


@row
def gradients_of_activations_at_kinks(tf):
    activations = tf.keras.activations
    x = tf.constant([-3.0, -1.0, 0.0, 1.0, 3.0, 6.0])
    results = []
    for function in (
        activations.relu,
        activations.elu,
        activations.hard_sigmoid,
        lambda v: activations.relu(v, threshold=1.0),
        lambda v: activations.relu(v, max_value=6.0),
        lambda v: activations.relu(v, alpha=0.2, max_value=1.0),
        lambda v: activations.elu(v, 0.5),
        activations.selu,
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        results.append(tape.gradient(y, x))
    return results


@row
def activations_of_unknown_name(tf):
    activations = tf.keras.activations
    return [
        raised(lambda: activations.get("nope"), "Unknown activation function 'nope' cannot be deserialized."),
        raised(lambda: activations.get(3), "Could not interpret activation function identifier: 3"),
        raised(lambda: activations.softmax(tf.ones(3)), "Cannot apply softmax to a tensor that is 1D"),
        raised(
            lambda: activations.serialize("abcd"), "Unknown activation function 'abcd' cannot be serialized"
        ),
    ]


@row
def activations_written_down(tf):
    activations = tf.keras.activations
    functions = [
        activations.relu,
        tf.nn.relu,
        tf.nn.silu,
        activations.swish,
        tf.nn.softmax,
        tf.tanh,
        tf.nn.leaky_relu,
    ]
    layer = activations.get({"class_name": "LeakyReLU", "config": {"alpha": 0.5}})
    return (
        [activations.serialize(f) for f in functions],
        layer(ones(1, 1) * -1),
        type(activations.get("ELU")).__name__,
    )


@row
def regularizers(tf):
    found = tf.keras.regularizers
    made = [
        found.L1(0.1),
        found.L2(0.1),
        found.L1L2(0.1, 0.2),
        found.l1_l2(),
        found.get("l1"),
        found.get("l2"),
        found.get("l1_l2"),
        found.get("L1L2"),
        found.L1(l=0.5),
        found.OrthogonalRegularizer(),
        found.OrthogonalRegularizer(mode="columns"),
        found.L1L2(l2=0.5),
    ]
    w = tf.constant(_W)
    return [(type(r).__name__, r(w), r.get_config(), found.serialize(r)) for r in made], found.get(None)


@row
def regularizers_of_another_dtype(tf):
    w = tf.cast(_W, tf.float64)
    return [tf.keras.regularizers.get(name)(w) for name in ("l1", "l2", "l1_l2")]


@row
def regularizers_mistaken(tf):
    found = tf.keras.regularizers
    return [
        raised(lambda: found.get(3), "Could not interpret regularizer identifier: 3"),
        raised(lambda: found.L1("a"), "Value a is not a valid regularization penalty number"),
        raised(lambda: found.L2(float("inf")), "an infinite number or NaN are not valid values"),
        raised(lambda: found.L1(foo=1), "Argument(s) not recognized:"),
        raised(lambda: found.Regularizer().get_config(), "does not implement get_config()"),
        raised(lambda: found.OrthogonalRegularizer()(tf.ones(3)), "must have rank 2"),
        found.get({"class_name": "L2", "config": {"l2": 0.3}}).get_config(),
    ]


@row
def constraints(tf):
    found = tf.keras.constraints
    made = [
        found.NonNeg(),
        found.MaxNorm(),
        found.MaxNorm(1.0, axis=1),
        found.UnitNorm(),
        found.UnitNorm(1),
        found.MinMaxNorm(1.0, 2.0, 0.5),
        *map(found.get, ("non_neg", "NonNeg", "max_norm", "unit_norm", "nonneg")),
    ]
    w = tf.abs(tf.constant(_W))
    return [(type(c).__name__, c(w), c.get_config(), found.serialize(c)) for c in made], found.get(None)


@row
def constraints_on_kernels(tf):
    radial = tf.keras.constraints.RadialConstraint()
    kernels = [tf.reshape(tf.range(float(n * n * 2)), (n, n, 1, 2)) for n in (2, 3, 4, 5, 6)]
    return [radial(kernel)[..., 0, :] for kernel in kernels], raised(
        lambda: radial(tf.ones((2, 2))), "must have rank 4"
    )


@row
def constraints_mistaken(tf):
    found = tf.keras.constraints
    return [
        raised(lambda: found.get("nope"), "Unknown constraint: 'nope'"),
        raised(lambda: found.get(3), "Could not interpret constraint function identifier: 3"),
    ]


@row
def custom_objects(tf):
    class Twice(tf.keras.layers.Layer):
        def call(self, inputs):
            return 2.0 * inputs

    def cubed(x):
        return x**3

    with tf.keras.utils.custom_object_scope({"cubed": cubed}):
        inside = tf.keras.layers.Activation("cubed")(2.0 * ones(1))
    layer = tf.keras.layers.deserialize({"class_name": "Twice", "config": {"name": "t"}}, {"Twice": Twice})
    written = tf.keras.layers.serialize(tf.keras.layers.ReLU(6.0))
    return [
        inside,
        layer(ones(1)),
        layer.name,
        written["class_name"],
        written["module"],
        written["registered_name"],
        raised(lambda: tf.keras.layers.Activation("cubed"), "Unknown activation function 'cubed'"),
    ]


@row
def configurations_of_layers(tf):
    layers = tf.keras.layers

    class Own(layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units

    class NotPlain(layers.Layer):
        def __init__(self, function):
            super().__init__()

    made = [
        layers.Dense(2, activation="relu", kernel_regularizer="l2", input_shape=(4,)),
        layers.Dropout(0.5, seed=1),
        layers.Flatten(),
        layers.Reshape((2, -1)),
        layers.Permute((2, 1)),
        layers.RepeatVector(3),
        layers.LeakyReLU(0.25),
        layers.ELU(),
        layers.Softmax(1),
        layers.Activation("swish"),
        layers.Embedding(3, 4),
        layers.Concatenate(1),
        layers.Dot((1, 2)),
        layers.BatchNormalization(momentum=0.5),
        layers.LayerNormalization(axis=[1, 2]),
        Own(3),
        layers.PReLU(shared_axes=1),
        layers.InputLayer((3,)),
        layers.ThresholdedReLU(0.5),
    ]
    return [json.dumps(layer.get_config(), sort_keys=True, default=str) for layer in made], raised(
        NotPlain(abs).get_config, "and therefore the layer must override `get_config()`"
    )


@row
def backend(tf):
    found = tf.keras.backend
    variable = tf.Variable([1.0, 2.0])
    found.set_value(variable, np.array([3.0, 4.0]))
    return [
        found.get_value(variable),
        found.get_value(3),
        found.batch_get_value([variable]),
        found.int_shape(variable),
        found.ndim(variable),
        found.dtype(variable),
        found.cast_to_floatx(np.array([1, 2])),
        found.get_uid("a"),
        found.get_uid("a"),
        found.learning_phase(),
        found.count_params(variable),
    ]


@row
def to_categorical(tf):
    return tf.keras.utils.to_categorical([0, 2, 1], 4), tf.keras.utils.to_categorical([[1], [0]])


@row
def modules(tf):
    keras = tf.keras
    return [
        keras.models.Sequential is keras.Sequential,
        keras.models.Model is keras.Model,
        keras.layers.Input is keras.Input,
        isinstance(keras.Sequential(), keras.Model),
        isinstance(keras.Model(), keras.layers.Layer),
        isinstance(keras.layers.Dense(1), tf.Module),
        keras.regularizers.l2 is keras.regularizers.L2,
        names([]),
    ]
