"""Comparisons and logic."""

import jax.numpy as jnp
import numpy as np

from tfcompat._core.op import ANY, BOOL, FLOATING, REAL, STRING, op
from tfcompat.math import _host

_EQUALITY = {"tensors": ("x", "y"), "dtypes": ANY | STRING, "gradient": "none"}
_ORDER = {"tensors": ("x", "y"), "dtypes": REAL, "gradient": "none"}
_LOGIC = {"tensors": ("x", "y"), "dtypes": BOOL, "gradient": "none"}


@op("tf.math.equal", "tf.equal", kernel="Equal", host=_host.binary(np.equal), numpy=True, **_EQUALITY)
def equal(x, y):
    """Whether elements are equal.

    Args:
      x: tensor of any dtype.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      bool tensor of the common shape; NaN equals nothing.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.equal`; no known difference.
    """
    return jnp.equal(x, y)


@op("tf.math.not_equal", "tf.not_equal", kernel="NotEqual", host=_host.binary(np.not_equal), numpy=True, **_EQUALITY)
def not_equal(x, y):
    """Whether elements differ.

    Args:
      x: tensor of any dtype.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      bool tensor of the common shape; NaN differs from everything.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.not_equal`; no known difference.
    """
    return jnp.not_equal(x, y)


@op("tf.math.greater", "tf.greater", kernel="Greater", host=_host.binary(np.greater), numpy=True, **_ORDER)
def greater(x, y):
    """Whether `x > y`.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      bool tensor of the common shape.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.greater`; no known difference.
    """
    return jnp.greater(x, y)


@op(
    "tf.math.greater_equal",
    "tf.greater_equal",
    kernel="GreaterEqual",
    host=_host.binary(np.greater_equal),
    numpy=True,
    **_ORDER,
)
def greater_equal(x, y):
    """Whether `x >= y`.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      bool tensor of the common shape.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.greater_equal`; no known difference.
    """
    return jnp.greater_equal(x, y)


@op("tf.math.less", "tf.less", kernel="Less", host=_host.binary(np.less), numpy=True, **_ORDER)
def less(x, y):
    """Whether `x < y`.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      bool tensor of the common shape.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.less`; no known difference.
    """
    return jnp.less(x, y)


@op("tf.math.less_equal", "tf.less_equal", kernel="LessEqual", host=_host.binary(np.less_equal), numpy=True, **_ORDER)
def less_equal(x, y):
    """Whether `x <= y`.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      bool tensor of the common shape.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.less_equal`; no known difference.
    """
    return jnp.less_equal(x, y)


@op("tf.math.logical_and", "tf.logical_and", kernel="LogicalAnd", host=_host.binary(np.logical_and), numpy=True,
    **_LOGIC)  # fmt: skip
def logical_and(x, y):
    """Whether both are true.

    Args:
      x: bool tensor.
      y: bool tensor; the shapes broadcast.

    Returns:
      bool tensor of the common shape.

    Raises:
      tf.errors.InvalidArgumentError: a tensor is not bool, or shapes do not broadcast.

    TF: `tf.math.logical_and`; no known difference.
    """
    return jnp.logical_and(x, y)


@op("tf.math.logical_or", "tf.logical_or", kernel="LogicalOr", host=_host.binary(np.logical_or), numpy=True, **_LOGIC)
def logical_or(x, y):
    """Whether either is true.

    Args:
      x: bool tensor.
      y: bool tensor; the shapes broadcast.

    Returns:
      bool tensor of the common shape.

    Raises:
      tf.errors.InvalidArgumentError: a tensor is not bool, or shapes do not broadcast.

    TF: `tf.math.logical_or`; no known difference.
    """
    return jnp.logical_or(x, y)


@op("tf.math.logical_xor", kernel="LogicalXor", host=_host.binary(np.logical_xor), numpy=True, **_LOGIC)
def logical_xor(x, y, name="LogicalXor"):
    """Whether exactly one is true.

    Args:
      x: bool tensor.
      y: bool tensor; the shapes broadcast.
      name: ignored.

    Returns:
      bool tensor of the common shape.

    Raises:
      tf.errors.InvalidArgumentError: a tensor is not bool, or shapes do not broadcast.

    TF: `tf.math.logical_xor`; no known difference.
    """
    return jnp.logical_xor(x, y)


@op(
    "tf.math.logical_not",
    "tf.logical_not",
    kernel="LogicalNot",
    tensors=("x",),
    dtypes=BOOL,
    gradient="none",
    host=_host.unary(np.logical_not),
    numpy=True,
)
def logical_not(x):
    """Whether `x` is false.

    Args:
      x: bool tensor, any shape.

    Returns:
      bool tensor with the shape of `x`.

    Raises:
      tf.errors.InvalidArgumentError: `x` is not bool.

    TF: `tf.math.logical_not`; no known difference.
    """
    return jnp.logical_not(x)


@op("tf.math.is_nan", kernel="IsNan", tensors=("x",), dtypes=FLOATING, gradient="none")
def is_nan(x):
    """Whether elements are NaN.

    Args:
      x: floating tensor, any shape.

    Returns:
      bool tensor with the shape of `x`.

    TF: `tf.math.is_nan`; no known difference.
    """
    return jnp.isnan(x)


@op("tf.math.is_inf", kernel="IsInf", tensors=("x",), dtypes=FLOATING, gradient="none")
def is_inf(x):
    """Whether elements are infinite.

    Args:
      x: floating tensor, any shape.

    Returns:
      bool tensor with the shape of `x`.

    TF: `tf.math.is_inf`; no known difference.
    """
    return jnp.isinf(x)


@op("tf.math.is_finite", kernel="IsFinite", tensors=("x",), dtypes=FLOATING, gradient="none")
def is_finite(x):
    """Whether elements are neither infinite nor NaN.

    Args:
      x: floating tensor, any shape.

    Returns:
      bool tensor with the shape of `x`.

    TF: `tf.math.is_finite`; no known difference.
    """
    return jnp.isfinite(x)
