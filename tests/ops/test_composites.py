"""Sparse and ragged tensors with tapes and functions."""

import numpy as np

import tfcompat as tf


def sparse(values):
    return tf.SparseTensor([[0, 2], [1, 0]], values, [3, 4])


def test_gradient_by_a_sparse_tensor_is_one():
    x = sparse([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sparse.to_dense(x) ** 2)
    gradient = tape.gradient(y, x)
    assert isinstance(gradient, tf.SparseTensor)
    np.testing.assert_array_equal(gradient.values.numpy(), [2.0, 4.0])


def test_gradient_by_a_ragged_tensor_among_others_is_one():
    rows, factor = tf.ragged.constant([[1.0, 2.0], [], [3.0]]), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = tf.reduce_sum(rows * rows * factor)
    gradient = tape.gradient(y, {"rows": rows, "factor": factor})
    assert gradient["rows"].to_list() == [[4.0, 8.0], [], [12.0]]
    assert gradient["factor"].numpy() == 14.0


def test_ragged_target():
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = tf.RaggedTensor.from_row_lengths(values, [2, 1]) ** 2.0
    np.testing.assert_array_equal(tape.gradient(rows, values).numpy(), [2.0, 4.0, 6.0])


def test_functions_take_and_return_them():
    @tf.function
    def product(x, dense):
        return tf.sparse.sparse_dense_matmul(x, dense)

    @tf.function
    def doubled(rows):
        return rows * 2.0

    @tf.function
    def constant_rows():
        return tf.reduce_sum(tf.ragged.constant([[1.0, 2.0], [], [3.0]]) * 2.0, axis=1)

    np.testing.assert_array_equal(product(sparse([1.0, 2.0]), tf.ones([4, 1])).numpy(), [[1.0], [2.0], [0.0]])
    assert doubled(tf.ragged.constant([[1.0, 2.0], [], [3.0]])).to_list() == [[2.0, 4.0], [], [6.0]]
    np.testing.assert_array_equal(constant_rows().numpy(), [6.0, 0.0, 6.0])


def test_partitions_of_arguments_are_known_while_tracing():
    def dense(rows):
        return rows.to_tensor()

    for rows in ([[1.0], [2.0, 3.0]], [[1.0, 2.0], []]):
        expected = [row + [0.0] * (2 - len(row)) for row in rows]
        for compiled in (tf.function(dense), tf.function(dense, jit_compile=True)):
            np.testing.assert_array_equal(compiled(tf.ragged.constant(rows)), expected)


def test_nothing_runs_to_find_a_handler():
    x = tf.RaggedTensor.from_row_lengths(tf.Variable([1.0, 2.0]) * 2.0, [1, 1])
    y = x + 1.0
    assert y.flat_values._node.value is None
    assert y.to_list() == [[3.0], [5.0]]
