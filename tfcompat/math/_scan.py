"""Running sums and products along an axis."""

import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.op import FLOATING, NUMERIC, op
from tfcompat.array._arguments import as_axis
from tfcompat.math._derivative import with_tangent


def _scanned(scan, x, axis, exclusive, reverse, start):
    """`scan` along `axis`; shifted by one, with `start` in front, if `exclusive`."""
    axis = as_axis(axis, x.ndim)
    if not exclusive:
        return scan(x, axis=axis, reverse=bool(reverse))
    size = x.shape[axis]
    if not size:
        return x
    shape = [*x.shape[:axis], 1, *x.shape[axis + 1 :]]
    edge = jnp.full(shape, start, x.dtype)
    inner = (
        lax.slice_in_dim(x, 1, size, axis=axis) if reverse else lax.slice_in_dim(x, 0, size - 1, axis=axis)
    )
    inner = scan(inner, axis=axis, reverse=bool(reverse)) if size > 1 else inner
    return lax.concatenate([inner, edge] if reverse else [edge, inner], axis)


def _host_cumsum(x, axis, exclusive, reverse):
    return NotImplemented if exclusive or reverse or x.ndim != 1 or axis not in (0, -1) else np.cumsum(x, dtype=x.dtype)


@op("tf.math.cumsum", "tf.cumsum", kernel="Cumsum", tensors=("x",), dtypes=NUMERIC, host=_host_cumsum)
def cumsum(x, axis=0, exclusive=False, reverse=False):
    """Running sum along an axis.

    Args:
      x: numeric tensor of rank at least 1.
      axis: integer.
      exclusive: whether each sum leaves out its own element.
      reverse: whether to sum from the end.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: the axis is out of range, or the dtype is bool.

    TF: `tf.math.cumsum`; no known difference.
    """
    return _scanned(lax.cumsum, x, axis, exclusive, reverse, 0)


@op("tf.math.cumprod", kernel="Cumprod", tensors=("x",), dtypes=NUMERIC)
def cumprod(x, axis=0, exclusive=False, reverse=False):
    """Running product along an axis.

    Args:
      x: numeric tensor of rank at least 1.
      axis: integer.
      exclusive: whether each product leaves out its own element.
      reverse: whether to multiply from the end.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: the axis is out of range, or the dtype is bool.

    Gradient: as in TF, by an element that is 0 it is 0, whatever the products.
    TF: `tf.math.cumprod`; no known difference.
    """
    return cumulative_product(as_axis(axis, x.ndim), bool(exclusive), bool(reverse))(x)


@functools.cache
def cumulative_product(axis, exclusive, reverse):
    """The running product of an array along an axis, as a function of the array."""

    # TF, `_CumprodGrad`: div_no_nan(cumsum(prod * grad), x), neither factor conjugated.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py
    def tangent_of(result, primals, moving):
        (x,), ((_, tangent),) = primals, moving
        if jnp.iscomplexobj(x):
            x, result = lax.conj(x), lax.conj(result)
        zero = x == 0
        relative = jnp.where(zero, jnp.zeros((), x.dtype), tangent) / jnp.where(
            zero, jnp.ones((), x.dtype), x
        )
        return result * _scanned(lax.cumsum, relative, axis, exclusive, reverse, 0)

    return with_tangent(tangent_of)(lambda x: _scanned(lax.cumprod, x, axis, exclusive, reverse, 1))


@op("tf.math.cumulative_logsumexp", kernel="CumulativeLogsumexp", tensors=("x",), dtypes=FLOATING)
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False):
    """Running `log(sum(exp(x)))` along an axis, without overflow.

    Args:
      x: floating tensor of rank at least 1.
      axis: integer.
      exclusive: whether each sum leaves out its own element; the first is -infinity then.
      reverse: whether to sum from the end.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: the axis is out of range, or the dtype is not floating.

    TF: `tf.math.cumulative_logsumexp`; no known difference.
    """
    return _scanned(lax.cumlogsumexp, x, axis, exclusive, reverse, -np.inf)
