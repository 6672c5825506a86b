"""Ops on the bits of integers, element by element."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core import operators as _operators
from tfcompat._core.op import INTEGER as _INTEGER
from tfcompat._core.op import op as _op
from tfcompat.math import _compare, _host

_INTEGERS = {"tensors": ("x", "y"), "dtypes": _INTEGER, "gradient": "none"}



@_op("tf.bitwise.bitwise_and", kernel="BitwiseAnd", host=_host.binary(np.bitwise_and), **_INTEGERS)
def bitwise_and(x, y):
    """Bits that both have.

    Args:
      x: integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ or are not integer, or shapes do not broadcast.

    TF: `tf.bitwise.bitwise_and`; no known difference.
    """
    return jnp.bitwise_and(x, y)


@_op("tf.bitwise.bitwise_or", kernel="BitwiseOr", host=_host.binary(np.bitwise_or), **_INTEGERS)
def bitwise_or(x, y):
    """Bits that either has.

    Args:
      x: integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ or are not integer, or shapes do not broadcast.

    TF: `tf.bitwise.bitwise_or`; no known difference.
    """
    return jnp.bitwise_or(x, y)


@_op("tf.bitwise.bitwise_xor", kernel="BitwiseXor", host=_host.binary(np.bitwise_xor), **_INTEGERS)
def bitwise_xor(x, y):
    """Bits that exactly one has.

    Args:
      x: integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ or are not integer, or shapes do not broadcast.

    TF: `tf.bitwise.bitwise_xor`; no known difference.
    """
    return jnp.bitwise_xor(x, y)


@_op(
    "tf.bitwise.invert",
    kernel="Invert",
    tensors=("x",),
    dtypes=_INTEGER,
    gradient="none",
    host=_host.unary(np.invert),
)
def invert(x):
    """Every bit flipped.

    Args:
      x: integer tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: the dtype is not integer.

    TF: `tf.bitwise.invert`; no known difference.
    """
    return jnp.invert(x)


def _limited(x, y):
    """Both shapes made equal; the shift limited to 0 ... bits - 1, as TF does."""
    x, y = jnp.broadcast_arrays(x, y)
    return x, jnp.clip(y, 0, np.iinfo(x.dtype).bits - 1)


@_op("tf.bitwise.left_shift", kernel="LeftShift", **_INTEGERS)
def left_shift(x, y):
    """Bits moved left by `y` places.

    Args:
      x: integer tensor.
      y: tensor of the same dtype; the shapes broadcast. Negative shifts count as 0, too large ones as bits -
        1.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ or are not integer, or shapes do not broadcast.

    TF: `tf.bitwise.left_shift`; no known difference.
    """
    return lax.shift_left(*_limited(x, y))


@_op("tf.bitwise.right_shift", kernel="RightShift", **_INTEGERS)
def right_shift(x, y):
    """Bits moved right by `y` places; the sign stays.

    Args:
      x: integer tensor.
      y: tensor of the same dtype; the shapes broadcast. Negative shifts count as 0, too large ones as bits -
        1.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ or are not integer, or shapes do not broadcast.

    TF: `tf.bitwise.right_shift`; no known difference.
    """
    x, y = _limited(x, y)
    signed = np.issubdtype(x.dtype, np.signedinteger)
    return lax.shift_right_arithmetic(x, y) if signed else lax.shift_right_logical(x, y)


# The operators of bools are those of logic.


def _logical_or_bitwise(logical, bitwise):
    def operator(x, y):
        return logical(x, y) if x.dtype.is_bool else bitwise(x, y)

    return operator


def _invert(self):
    x = _operators.operand(self)
    return _compare.logical_not(x) if x.dtype.is_bool else invert(x)


_operators.bind_binary("and", _logical_or_bitwise(_compare.logical_and, bitwise_and))
_operators.bind_binary("or", _logical_or_bitwise(_compare.logical_or, bitwise_or))
_operators.bind_binary("xor", _logical_or_bitwise(_compare.logical_xor, bitwise_xor))
_operators.bind("invert", _invert)
