"""Tensors after `tf.experimental.numpy.experimental_enable_numpy_behavior`, against what TensorFlow gave."""

import json

import numpy as np
import pytest
from recording.numpy_behavior import GOLDEN, PARTS, evaluated

import tfcompat as tf
from tfcompat.experimental.numpy import _behavior


@pytest.fixture
def behavior():
    yield tf.experimental.numpy.experimental_enable_numpy_behavior
    _behavior._disable()


@pytest.mark.parametrize("part", PARTS)
def test_expressions(behavior, part):
    expected = json.loads(GOLDEN.read_text())[part]
    found = evaluated(tf, np, part)
    assert found.keys() == expected.keys()
    different = {}
    for expression, value in found.items():
        other = expected[expression]
        if isinstance(value, list) and isinstance(value[0], str) and not value[0].startswith(("complex", "string")):
            same = value[0] == other[0] and np.shape(value[1]) == np.shape(other[1])
            same = same and np.allclose(value[1], other[1], rtol=1e-6)
        else:
            same = value == other
        if not same:
            different[expression] = (value, other)
    assert not different


def test_inside_a_function(behavior):
    behavior()

    @tf.function
    def f(a, rows):
        return (a.T @ a)[rows] + a.mean(), a.reshape(-1)[1:] * 2.5, a.astype(tf.float64) * 2, (a.size, a.ndim)

    a = np.array([[0.5, 1.5, -2.5], [3.0, 0.0, 1.0]], np.float32)
    gram, tail, wide, sizes = f(tf.constant(a), tf.constant([1, 0]))
    np.testing.assert_allclose(gram, (a.T @ a)[[1, 0]] + a.mean(), rtol=1e-6)
    np.testing.assert_allclose(tail, a.reshape(-1)[1:] * 2.5, rtol=1e-6)
    assert wide.dtype == tf.float64 and [int(size) for size in sizes] == [6, 2]


def test_modes(behavior):
    whole, half = tf.constant([1, 2]), tf.constant([0.5, 1.5])
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        _ = half.T
    behavior(dtype_conversion_mode="off")
    assert half.T.shape == [2] and half[[1]].shape == [1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        whole + half
    behavior()
    assert (whole + half).dtype == tf.float64
    with pytest.raises(ValueError, match="does not exist"):
        behavior(dtype_conversion_mode="some")
    behavior(dtype_conversion_mode="safe")
    with pytest.raises(TypeError, match="is disallowed"):
        whole + half
    behavior(dtype_conversion_mode="all")
    assert (whole + half).dtype == tf.float32
    _behavior._disable()
    assert "weak" not in repr(tf.constant(1)) and not hasattr(half, "mean")
    with pytest.raises(tf.errors.InvalidArgumentError):
        whole + half
    assert not hasattr(half, "T")
