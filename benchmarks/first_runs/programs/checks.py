"""150 checks as of a test suite: each another shape, operation, reduction and axis, with its gradient."""

import numpy as np
import tensorflow as tf

CHECKS = 150
OPERATIONS = [
    tf.sin, tf.exp, tf.tanh, tf.sigmoid, tf.square, tf.math.softplus, tf.abs, tf.nn.relu, tf.nn.elu, tf.math.erf,
    lambda x: tf.sqrt(x * x + 1.0), lambda x: tf.math.log(tf.abs(x) + 1.0), tf.nn.softmax, tf.cumsum,
    lambda x: x / (1.0 + tf.abs(x)),
]  # fmt: skip
REDUCTIONS = [tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_logsumexp]
numbers = np.random.RandomState(0)

values, gradients = [], []
for check in range(CHECKS):
    shape = numbers.randint(1, 8, 1 + check % 4)
    operation = OPERATIONS[check % len(OPERATIONS)]
    reduction = REDUCTIONS[(check // 3) % len(REDUCTIONS)]
    axis = int(numbers.randint(len(shape)))
    x = tf.constant(numbers.randn(*shape), tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        reduced = reduction(operation(x), axis=axis)
    gradient = tape.gradient(reduced, x).numpy()
    assert reduced.shape == np.delete(shape, axis).tolist() and gradient.shape == x.shape
    values.append(float(np.sum(reduced.numpy())))
    gradients.append(float(np.sum(gradient * np.cos(np.arange(gradient.size).reshape(gradient.shape)))))
report = {"values": values, "gradients": gradients}
