"""Sorting of every dtype against NumPy's, with what is hard to order."""

import numpy as np
import pytest

import tfcompat as tf

_LIMITS = {name: np.iinfo(name) for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()}
_ODD = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-7, -1e-7]


def _numbers(dtype):
    random = np.random.RandomState(0)
    if dtype in _LIMITS:
        low, high = _LIMITS[dtype].min, _LIMITS[dtype].max
        few = np.array([low, high, 0, 1, high - 1, low + 1], dtype)
        return random.permutation(np.concatenate([few, few, random.randint(0, 100, 19).astype(dtype)]))
    numbers = np.concatenate([_ODD, _ODD, random.randn(17)])
    return random.permutation(numbers).astype(tf.as_dtype(dtype).as_numpy_dtype)


def _descending_order(numbers):
    """Equal numbers in their order, NaNs first."""
    backwards = np.argsort(numbers[::-1], kind="stable")[::-1]
    return len(numbers) - 1 - backwards


@pytest.mark.parametrize("dtype", [*_LIMITS, "bfloat16", "float16", "float32", "float64"])
def test_order_of(dtype):
    numbers = _numbers(dtype)
    wide = numbers.astype(np.float32) if dtype == "bfloat16" else numbers
    rows = tf.constant(np.stack([numbers, numbers[::-1]], 1))
    orders = {"ASCENDING": lambda x: np.argsort(x, kind="stable"), "DESCENDING": _descending_order}
    for direction, order_of in orders.items():
        expected = np.stack([order_of(wide), order_of(wide[::-1])], 1)
        np.testing.assert_array_equal(tf.argsort(rows, 0, direction), expected)
        found = tf.sort(rows, 0, direction).numpy().astype(wide.dtype)
        np.testing.assert_array_equal(found, np.take_along_axis(np.stack([wide, wide[::-1]], 1), expected, 0))


def test_gradient_of_equal_numbers():
    x = tf.constant([[2.0, 1.0, 2.0, 1.0]])
    weights = tf.constant([[1.0, 2.0, 3.0, 4.0]])
    for direction, expected in (("ASCENDING", [3.0, 1.0, 4.0, 2.0]), ("DESCENDING", [1.0, 3.0, 2.0, 4.0])):
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = tf.sort(x, -1, direction) * weights
        np.testing.assert_array_equal(tape.gradient(result, x), [expected])


@pytest.mark.parametrize("k", [3, 63, 64, 100, 200])
def test_largest_of_many(k):
    x = np.random.RandomState(0).randint(0, 50, (2, 200)).astype(np.float32)
    values, indices = tf.math.top_k(x, k)
    expected = np.stack([_descending_order(row)[:k] for row in x])
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, 1))
