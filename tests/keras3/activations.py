"""Calls of the activations that only Keras 3 has: of Keras 3 to record them, of tfcompat's light Keras to compare."""

import numpy as np

X = np.linspace(-4.0, 7.0, 12, dtype="float32").reshape(3, 4)

CALLS = {
    "celu": [{}, {"alpha": 0.5}],
    "glu": [{}, {"axis": 1}],
    "hard_shrink": [{}, {"threshold": 2.0}],
    "hard_silu": [{}],
    "hard_swish": [{}],
    "hard_tanh": [{}],
    "leaky_relu": [{}, {"negative_slope": 0.3}],
    "log_sigmoid": [{}],
    "log_softmax": [{}, {"axis": 0}],
    "relu6": [{}],
    "silu": [{}],
    "soft_shrink": [{}, {"threshold": 1.5}],
    "sparse_plus": [{}],
    "sparse_sigmoid": [{}],
    "squareplus": [{}, {"b": 1}],
    "tanh_shrink": [{}],
    "threshold": [{"threshold": 1.0, "default_value": 3.0}],
}


def computed(tf, activations):
    """Dict from names to value and gradient of each call, as flat lists."""
    result = {}
    for name, calls in CALLS.items():
        result[name] = []
        for options in calls:
            x = tf.constant(X)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = getattr(activations, name)(x, **options)
                loss = tf.reduce_sum(y * y)
            result[name] += [y.numpy().ravel().tolist(), tape.gradient(loss, x).numpy().ravel().tolist()]
    return result
