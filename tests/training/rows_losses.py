"""Rows: losses by name, their configurations, errors, masks, and losses of one's own."""

import warnings

import numpy as np
from rows import ones, raised, row


def _quietly(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


@row
def losses_by_name(tf):
    losses = tf.keras.losses
    listed = (
        "mse MSE mae mape msle hinge squared_hinge categorical_hinge logcosh log_cosh huber kld poisson bce "
        "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy cosine_similarity"
    ).split()
    return (
        [losses.get(name).__name__ for name in listed],
        [type(losses.get(name)).__name__ for name in ("MeanSquaredError", "Huber", "KLDivergence")],
        losses.get(None),
        losses.get(losses.mse) is losses.mse,
        [losses.mse is losses.MSE, losses.kld is losses.kl_divergence],
        [
            raised(lambda: losses.get("nope"), "Unknown loss function: 'nope'"),
            raised(lambda: losses.get(3), "Could not interpret loss function identifier: 3"),
            raised(lambda: losses.MeanSquaredError(reduction="nope"), "Invalid Reduction Key: nope"),
        ],
    )


@row
def losses_written_down(tf):
    losses = tf.keras.losses
    made = [losses.MeanSquaredError(), losses.BinaryCrossentropy(True, 0.25), losses.Huber(2.0, "sum", "h")]
    again = [losses.deserialize(losses.serialize(loss)) for loss in made]
    return (
        [losses.serialize(loss) for loss in made],
        [loss.get_config() for loss in again],
        _quietly(lambda: losses.serialize(losses.mean_squared_error)),
        losses.get({"class_name": "MeanSquaredError", "config": {"reduction": "sum"}}).reduction,
    )


@row
def losses_of_lists(tf):
    losses = tf.keras.losses
    return [
        losses.mean_squared_error([[0.0, 1.0]], [[1.0, 3.0]]),
        losses.mean_squared_error([[0, 1]], [[1, 4]]),
        losses.mean_absolute_error(np.array([1.0]), np.array([3.0])),
        losses.MeanSquaredError()([[0, 1]], [[1.0, 3.0]]),
        losses.MeanSquaredError()([[0, 1]], [[1, 3]]),
        losses.MeanSquaredError()([0.0, 1.0], [[1.0], [3.0]]),
        losses.MeanSquaredError()(tf.constant([0.0, 1.0]), tf.constant([[1.0], [3.0]])),
        losses.MeanSquaredError()(ones(0, 3), ones(0, 3)),
        losses.SparseCategoricalCrossentropy()([1, 0], [[0.1, 0.9], [0.6, 0.4]]),
        losses.BinaryCrossentropy()([0, 1], [0.25, 0.75]),
        losses.categorical_crossentropy([[0, 1]], [[0.25, 0.75]]),
        losses.huber([0, 4], [1, 1], delta=2),
        losses.hinge([0, 1], [0.5, -0.5]),
    ]


@row
def probabilities_of_a_sigmoid_are_seen_through(tf):
    losses, activations = tf.keras.losses, tf.keras.activations
    p = activations.sigmoid(tf.constant([[30.0], [-30.0]]))
    q = activations.softmax(tf.constant([[30.0, -30.0]]))

    @tf.function
    def traced(x):
        return losses.BinaryCrossentropy()([[0.0], [1.0]], tf.sigmoid(x))

    dense = tf.keras.layers.Dense(1, "sigmoid", kernel_initializer="ones")
    return [
        losses.BinaryCrossentropy()([[0.0], [1.0]], p),
        losses.BinaryCrossentropy()([[0.0], [1.0]], tf.identity(p)),
        losses.CategoricalCrossentropy()([[0.0, 1.0]], q),
        losses.SparseCategoricalCrossentropy()([1], q),
        losses.SparseCategoricalCrossentropy()([1], tf.identity(q)),
        traced(tf.constant([[30.0], [-30.0]])),
        losses.binary_crossentropy([[0.0]], dense(tf.constant([[40.0]]))),
    ]


@row
def losses_that_do_not_fit(tf):
    losses = tf.keras.losses
    return [
        raised(lambda: losses.mean_squared_error(ones(2, 3), ones(2, 2)), "Incompatible shapes: [2,2] vs. [2,3]"),
        raised(lambda: losses.MeanSquaredError()(ones(2, 3), ones(2, 3), ones(5)), "Incompatible shapes"),
        raised(lambda: losses.categorical_crossentropy(ones(2, 3), ones(2, 2)), "are incompatible"),
        raised(lambda: losses.categorical_crossentropy(ones(2, 3), ones(2, 3), axis=True), "`axis` must be of type"),
        raised(lambda: losses.Loss()(1.0, 2.0), "Must be implemented in subclasses"),
    ]


@row
def own_losses(tf):
    class Largest(tf.keras.losses.Loss):
        def __init__(self, power=1.0, **options):
            super().__init__(**options)
            self.power = power

        def call(self, y_true, y_pred):
            return tf.reduce_max(tf.abs(y_true - y_pred), -1) ** self.power

    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[0.0, 4.0], [3.0, 5.0]])
    return [
        Largest()(a, b),
        Largest(2.0, reduction="none")(a, b),
        Largest(reduction="sum")(a, b, [1.0, 0.0]),
        Largest().get_config(),
        tf.keras.losses.MeanSquaredError(name="mine").name,
    ]


@row
def weights_of_samples(tf):
    loss = tf.keras.losses.MeanSquaredError(reduction="none")
    a, b = ones(2, 3, 4), 2 * ones(2, 3, 4)
    return [
        loss(a, b, 2.0),
        loss(a, b, ones(2, 1)),
        loss(a, b, 3 * ones(2, 3)),
        loss(a, b, 3 * ones(2, 3, 1)),
        loss(a, b, ones(2, 3, dtype="int32")),
        tf.keras.losses.MeanSquaredError()(a, b, [[1.0], [0.0]]),
    ]


@row
def classes_to_ignore(tf):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1)
    logits = tf.constant([[1.0, 2.0], [0.5, 0.0], [3.0, 1.0]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        value = loss([0, -1, 1], logits)
    every = tf.keras.losses.sparse_categorical_crossentropy([0, -1, 1], logits, True, ignore_class=-1)
    return value, tape.gradient(value, logits), every
