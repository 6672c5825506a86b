"""Quotients are rounded once, also where XLA would multiply by a reciprocal: else what floors them is off by one."""

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.engine import _policy as policy

pytestmark = pytest.mark.optimized


@pytest.fixture(autouse=True)
def by_xla(steer):
    """Nothing is interpreted by NumPy."""
    steer(policy.COMPILING, kernel=0.0, program=0.0, operation=0.0)


CODE = {
    "floordiv": (lambda x, y: x // y, lambda x, y: np.floor(x / y)),
    "floor": (lambda x, y: tf.floor(x / y), lambda x, y: np.floor(x / y)),
    "cast": (lambda x, y: tf.cast(tf.divide(x, y), tf.int32), lambda x, y: (x / y).astype(np.int32)),
    "truncatediv": (lambda x, y: tf.truncatediv(x, y), lambda x, y: np.trunc(x / y)),
    "quotient": (lambda x, y: tf.realdiv(x, y), lambda x, y: x / y),
    "no_nan": (lambda x, y: tf.math.divide_no_nan(x, y), lambda x, y: x / y),
    "root": (lambda x, y: tf.floor(x / tf.sqrt(y * y)), lambda x, y: np.floor(x / np.sqrt(y * y))),
    "nested": (lambda x, y: x / (1.0 / y), lambda x, y: x / (x.dtype.type(1.0) / y)),
}
DIVISORS = {
    "scalar": lambda dtype: dtype(729), "row": lambda dtype: (dtype(3) ** np.arange(12)).astype(dtype),
    "column": lambda dtype: (np.arange(3000) % 97 + 1).astype(dtype)[:, None],
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("divisor", list(DIVISORS))
@pytest.mark.parametrize("code", list(CODE))
def test_quotients_are_those_of_numpy(code, divisor, dtype):
    function, exact = CODE[code]
    y = DIVISORS[divisor](dtype)
    x = (np.arange(1, 3001)[:, None] * np.array([1, 729, 49])[np.arange(12) % 3]).astype(dtype)
    wanted = exact(x, y)
    np.testing.assert_array_equal(tf.function(function, jit_compile=True)(tf.constant(x), tf.constant(y)), wanted)
    by_constant = tf.function(lambda x: function(x, tf.constant(y)))
    np.testing.assert_array_equal(by_constant(tf.constant(x)), wanted)


def test_quotients_of_integers():
    parts = tf.function(lambda n: tf.cast(n / 49, tf.int32), jit_compile=True)
    n = np.arange(20_000, dtype=np.int64)
    np.testing.assert_array_equal(parts(tf.constant(n * 49)), n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_numbers(dtype):
    x = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan], dtype)
    y = x[:, None]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(tf.function(lambda x, y: x / y, jit_compile=True)(x, y), x / y)
