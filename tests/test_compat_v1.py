"""`tf.compat.v1`: what means the same in eager TensorFlow 2, and clear refusals of the rest."""

import numpy as np
import pytest

import tfcompat as tf


def test_assignments_are_those_of_the_variable():
    v1, table = tf.compat.v1, tf.Variable([[1.0], [2.0], [3.0]])
    v1.scatter_update(table, [0], [[9.0]])
    v1.scatter_add(table, [2], [[1.0]])
    np.testing.assert_array_equal(table.numpy(), [[9.0], [2.0], [4.0]])
    number = tf.Variable(1.0)
    v1.assign(number, 2.0)
    v1.assign_add(number, 3.0)
    assert number.numpy() == 5.0


def test_names_that_mean_the_same():
    v1 = tf.compat.v1
    np.testing.assert_array_equal(v1.where([True, False], [1, 2], [3, 4]).numpy(), [1, 4])
    assert v1.executing_eagerly() and v1.resource_variables_enabled()
    assert v1.trainable_variables() == v1.get_collection(v1.GraphKeys.UPDATE_OPS) == []
    v1.enable_eager_execution()
    v1.assert_greater(2, 1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        v1.assert_less(2, 1)
    loss = v1.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]])
    np.testing.assert_allclose(loss.numpy(), np.log(2), rtol=1e-6)
    places = v1.SparseTensorValue(np.array([[0, 1]]), np.array([2.0], np.float32), np.array([1, 2]))
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.SparseTensor.from_value(places)).numpy(), [[0.0, 2.0]])


def test_graphs_are_refused():
    with pytest.raises(RuntimeError, match="function arguments"):
        tf.compat.v1.placeholder(tf.float32, [None])
    with pytest.raises(AttributeError, match="tf.function"):
        _ = tf.compat.v1.Session
    with pytest.raises(AttributeError, match="out of scope"):
        _ = tf.compat.v1.Coordinator


def test_hessians_inside_a_function():
    @tf.function
    def second(x):
        return tf.hessians(tf.reduce_sum(x**3), x)[0]

    np.testing.assert_allclose(second(tf.constant([1.0, 2.0])).numpy(), [[6.0, 0.0], [0.0, 12.0]], rtol=1e-6)


def test_static_values_inside_a_function():
    found = []

    @tf.function
    def function(x):
        found.append(tf.get_static_value(x))
        found.append(tf.get_static_value(tf.shape(x)))
        return x

    function(tf.constant([1.0, 2.0]))
    assert found[0] is None and found[1].tolist() == [2]
