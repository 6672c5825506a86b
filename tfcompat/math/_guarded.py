"""Arithmetic that gives 0 where the plain formula has no value: divide_no_nan, xlogy...

Where TF's gradients of the complex cases are not conjugated, neither are ours.
"""

import jax.numpy as jnp
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import INEXACT, NUMERIC, op
from tfcompat.math._arithmetic import (
    as_floating,
    check_same_dtype,
    conjugated,
    converted_to_fit,
    quotient,
)
from tfcompat.math._derivative import with_partials


def quotient_or_zero(x, y):
    """`x / y` of floating or complex arrays, 0 where `y` is 0."""
    zero = y == 0
    return jnp.where(zero, jnp.zeros((), x.dtype), quotient(x, jnp.where(zero, jnp.ones((), y.dtype), y)))


@op("_divide_no_nan", kernel="DivNoNan", tensors=("x", "y"), dtypes=NUMERIC)
def _divide_no_nan(x, y):
    return quotient_or_zero(*as_floating(x, y))


@takes_composites("tf.math.divide_no_nan")
def divide_no_nan(x, y, name=None):
    """Quotient, and 0 where the denominator is 0.

    Args:
      x: numeric tensor.
      y: tensor of the same dtype; the shapes broadcast.
      name: ignored.

    Returns:
      Tensor of the common shape; dtype of `x`, for integers float32 (8 and 16 bits) or float64.

    Raises:
      TypeError: dtypes differ, or are not numeric.
      tf.errors.InvalidArgumentError: shapes do not broadcast.

    Gradient: 0 where `y` is 0.
    TF: `tf.math.divide_no_nan`; no known difference.
    """
    x = convert_to_tensor(converted_to_fit(x, y))
    y = convert_to_tensor(y, dtype_hint=x.dtype)
    check_same_dtype(x, y)
    return _divide_no_nan(x, y)


@with_partials(
    lambda z, x, y: conjugated(_product_or_zero(jnp.ones((), y.dtype), y)), lambda z, x, y: conjugated(x)
)
def _product_or_zero(x, y):
    zero = jnp.zeros((), x.dtype)
    return jnp.where(y == 0, zero, x * jnp.where(y == 0, zero, y))


@op("_multiply_no_nan", kernel="MulNoNan", tensors=("x", "y"), dtypes=INEXACT)
def _multiply_no_nan(x, y):
    return _product_or_zero(x, y)


@takes_composites("tf.math.multiply_no_nan")
def multiply_no_nan(x, y, name=None):
    """Product, and 0 where `y` is 0 even if `x` is infinite or NaN.

    Args:
      x: floating or complex tensor.
      y: tensor of the same dtype; the shapes broadcast.
      name: ignored.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      ValueError: dtypes differ.
      tf.errors.InvalidArgumentError: shapes do not broadcast, or the dtype is an integer one.

    Gradient: by `x` 0 where `y` is 0; by `y` it is `x`, also where that is not finite.
    TF: `tf.math.multiply_no_nan`; where the incoming gradient is 0 and `x` not finite TF's gradient by `y` is
      0, ours NaN.
    """
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, dtype=x.dtype)
    return _multiply_no_nan(x, y)


def _where_nonzero(x, value):
    return jnp.where(x == 0, jnp.zeros((), value.dtype), value)


def _one_where_nonzero(x):
    return (x != 0).astype(x.dtype)


@with_partials(
    lambda z, x, y: conjugated(xlogy_of(_one_where_nonzero(x), y)), lambda z, x, y: conjugated(xdivy_of(x, y))
)
def xlogy_of(x, y):
    """`x log(y)`, 0 where `x` is 0."""
    return _where_nonzero(x, x * lax.log(y))


@with_partials(
    lambda z, x, y: conjugated(xlog1py_of(_one_where_nonzero(x), y)),
    lambda z, x, y: conjugated(xdivy_of(x, y + 1)),
)
def xlog1py_of(x, y):
    """`x log(1 + y)`, 0 where `x` is 0."""
    return _where_nonzero(x, x * lax.log1p(y))


@with_partials(
    lambda z, x, y: conjugated(xdivy_of(_one_where_nonzero(x), y)),
    lambda z, x, y: conjugated(xdivy_of(-x, y * y)),
)
def xdivy_of(x, y):
    """`x / y`, 0 where `x` is 0."""
    return _where_nonzero(x, x / y)


@op("tf.math.xlogy", kernel="Xlogy", tensors=("x", "y"), dtypes=INEXACT)
def xlogy(x, y):
    """`x * log(y)`, and 0 where `x` is 0, whatever `y`.

    Args:
      x: floating or complex tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: 0 by both where `x` is 0.
    TF: `tf.math.xlogy`; no known difference.
    """
    return xlogy_of(x, y)


@op("tf.math.xlog1py", kernel="Xlog1py", tensors=("x", "y"), dtypes=INEXACT)
def xlog1py(x, y):
    """`x * log1p(y)`, and 0 where `x` is 0, whatever `y`.

    Args:
      x: floating or complex tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: 0 by both where `x` is 0.
    TF: `tf.math.xlog1py`; no known difference.
    """
    return xlog1py_of(x, y)


@op("tf.math.xdivy", kernel="Xdivy", tensors=("x", "y"), dtypes=INEXACT)
def xdivy(x, y):
    """`x / y`, and 0 where `x` is 0, whatever `y`.

    Args:
      x: floating or complex tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: 0 by both where `x` is 0.
    TF: `tf.math.xdivy`; no known difference.
    """
    return xdivy_of(x, y)
