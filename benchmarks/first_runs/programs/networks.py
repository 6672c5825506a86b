"""A search over thirty networks of other widths and depths, ten steps of training each."""

import numpy as np
import tensorflow as tf

NETWORKS, STEPS, ROWS, FEATURES = 30, 10, 64, 8
numbers = np.random.RandomState(0)
x = tf.constant(numbers.randn(ROWS, FEATURES), tf.float32)
y = tf.constant(np.sin(x.numpy().sum(1, keepdims=True)), tf.float32)


def weight(*shape):
    return tf.Variable((numbers.randn(*shape) / np.sqrt(shape[0])).astype("float32"))


found = []
for _ in range(NETWORKS):
    widths = [FEATURES, *numbers.randint(4, 65, numbers.randint(1, 5)), 1]
    kernels = [weight(a, b) for a, b in zip(widths[:-1], widths[1:], strict=True)]
    biases = [tf.Variable(tf.zeros(width)) for width in widths[1:]]
    variables = kernels + biases
    for _ in range(STEPS):
        with tf.GradientTape() as tape:
            hidden = x
            for kernel, bias in zip(kernels[:-1], biases[:-1], strict=True):
                hidden = tf.tanh(hidden @ kernel + bias)
            loss = tf.reduce_mean((hidden @ kernels[-1] + biases[-1] - y) ** 2)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.05 * gradient)
    found.append(float(loss))
report = {"losses": found, "best": int(np.argmin(found))}
