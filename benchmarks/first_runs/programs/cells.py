"""Forty cells of a notebook that have nothing to do with each other, each run once."""

import numpy as np
import tensorflow as tf

numbers = np.random.RandomState(0)
results = []


def cell(function):
    """Runs a cell as it comes, and shows its result."""
    results.append(np.asarray(function()).tolist())


cell(lambda: tf.constant([[1.0, 2.0], [3.0, 4.0]]) @ tf.constant([[0.5], [0.25]]))
cell(lambda: tf.reduce_mean(tf.square(tf.range(10.0))))
cell(lambda: tf.reshape(tf.range(12), [3, -1]))
cell(lambda: tf.transpose(tf.ones([2, 3, 4]), [2, 0, 1]))
cell(lambda: tf.concat([tf.zeros([2, 2]), tf.ones([2, 1])], axis=1))
cell(lambda: tf.stack([tf.range(3), tf.range(3, 6)], axis=1))
cell(lambda: tf.one_hot([0, 2, 1], 4))
cell(lambda: tf.argmax(numbers.randn(4, 5), axis=1))
cell(lambda: tf.nn.softmax(tf.constant([1.0, 2.0, 3.0])))
cell(lambda: tf.cast(tf.constant([1.7, -1.7]), tf.int32))
cell(lambda: tf.where(tf.constant([True, False, True]), 1.0, -1.0))
cell(lambda: tf.gather(tf.constant([10, 20, 30, 40]), [3, 0, 0]))
cell(lambda: tf.boolean_mask(tf.range(6), [True, False, True, True, False, False]))
cell(lambda: tf.einsum("ij,kj->ik", numbers.randn(2, 3), numbers.randn(4, 3)))
cell(lambda: tf.linalg.inv(tf.constant([[2.0, 1.0], [1.0, 3.0]])))
cell(lambda: tf.linalg.det(numbers.randn(3, 3)))
cell(lambda: tf.sort(numbers.randn(7), direction="DESCENDING"))
cell(lambda: tf.cumsum(tf.constant([1, 2, 3, 4]), reverse=True))
cell(lambda: tf.tile([[1, 2]], [2, 2]))
cell(lambda: tf.pad([[1.0, 2.0]], [[1, 1], [0, 2]]))
cell(lambda: tf.clip_by_value([-2.0, 0.5, 2.0], -1.0, 1.0))
cell(lambda: tf.math.segment_sum([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 2]))
cell(lambda: tf.nn.conv2d(tf.ones([1, 5, 5, 1]), tf.ones([3, 3, 1, 2]), 1, "SAME"))
cell(lambda: tf.nn.max_pool2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID"))
cell(lambda: tf.math.top_k(numbers.randn(8), 3).values)
cell(lambda: tf.unique([1, 1, 2, 4, 4]).y)
cell(lambda: tf.math.reduce_logsumexp(numbers.randn(3, 4), axis=0))
cell(lambda: tf.math.bincount([1, 1, 2, 5]))
cell(lambda: tf.strings.length(["one", "three"]))
cell(lambda: tf.abs(tf.signal.fft(tf.complex([1.0, 2.0, 3.0, 4.0], [0.0] * 4))))
cell(lambda: tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 1], [1, 2]], [3.0, 4.0], [2, 3])))
cell(lambda: tf.ragged.constant([[1, 2], [], [3]]).to_tensor())
cell(lambda: tf.image.flip_left_right(tf.reshape(tf.range(6.0), [1, 3, 2])))
cell(lambda: [float(batch[0]) for batch in tf.data.Dataset.range(6).map(lambda n: n * 2).batch(2)])


def derivative():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**3 - 2.0 * x
    return tape.gradient(y, x)


def second_derivative():
    x = tf.constant(0.5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.sin(x) * tf.exp(x)
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


def jacobian():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cumsum(x * x)
    return tape.jacobian(y, x)


def regression():
    x, w = tf.constant(numbers.randn(20, 2), tf.float32), tf.Variable([[0.0], [0.0]])
    y = x @ tf.constant([[2.0], [-1.0]])
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w - y) ** 2)
        w.assign_sub(0.3 * tape.gradient(loss, w))
    return w


def function():
    @tf.function
    def hypotenuse(a, b):
        return tf.sqrt(a * a + b * b)

    return hypotenuse(tf.constant(3.0), tf.constant(4.0))


def layer():
    dense = tf.keras.layers.Dense(2, "relu", kernel_initializer="ones")
    return dense(tf.constant([[1.0, -3.0, 4.0]]))


for late in (derivative, second_derivative, jacobian, regression, function, layer):
    cell(late)
report = {"cells": len(results), "results": results}
