"""Dilation and erosion of images."""

import itertools

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.op import REAL, op
from tfcompat.array import reverse
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.errors import UnimplementedError
from tfcompat.math import negative
from tfcompat.nn._windows import check_positive, fitting, pads, per_axis


def _lowest(dtype):
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


@op("_dilation2d", kernel="Dilation2D", tensors=("input", "filters"), dtypes=REAL)
def _dilation2d(input, filters, strides, padding, dilations):
    if input.ndim != 4:
        raise invalid(f"input must be 4-dimensional: {show_shape(input.shape)}")
    if filters.ndim != 3:
        raise invalid(f"filter must be 3-dimensional: {show_shape(filters.shape)}")
    if input.shape[3] != filters.shape[2]:
        raise invalid(f"input and filter must have the same depth: {input.shape[3]} vs {filters.shape[2]}")
    for argument, numbers in (("strides", strides), ("rates", dilations)):
        if len(numbers) < 4:
            raise invalid(f"Length for attr '{argument}' of {len(numbers)} must be at least minimum 4")
        if numbers[0] != 1 or numbers[3] != 1:
            raise UnimplementedError(None, None, "Stride is only supported across spatial dimensions.")
    steps = check_positive(per_axis(strides, 2, False, "strides"), "Stride")
    rates = check_positive(per_axis(dilations, 2, False, "rates"), "Rate")
    reach = tuple((size - 1) * rate + 1 for size, rate in zip(filters.shape, rates, strict=False))
    around = ((0, 0), *pads(padding, input.shape[1:3], reach, steps, False), (0, 0))
    padded = jnp.pad(input, around)
    inside = np.pad(np.ones((1, *input.shape[1:3], 1), bool), around[:1] + around[1:3] + ((0, 0),))
    counts = [fitting(*each) for each in zip(padded.shape[1:3], reach, steps, strict=True)]
    result = jnp.full((input.shape[0], *counts, input.shape[3]), _lowest(input.dtype), input.dtype)
    for row, column in itertools.product(*map(range, filters.shape[:2])):
        at = [place * rate if count else 0 for place, rate, count in zip((row, column), rates, counts, strict=True)]
        ends = [
            start + (count - 1) * step + 1 if count else 0 for start, count, step in zip(at, counts, steps, strict=True)
        ]
        part = lax.slice(padded, (0, *at, 0), (padded.shape[0], *ends, padded.shape[3]), (1, *steps, 1))
        known = inside[:, at[0] : ends[0] : steps[0], at[1] : ends[1] : steps[1]]
        value = part + filters[row, column]
        # The first of equal ones has the gradient, as in TF.
        result = jnp.where(known & (value > result), value, result)
    return result


def dilation(input, filters, strides, dilations, padding):
    """`dilation2d` with the arguments of the raw op."""
    return _dilation2d(input, filters, strides, padding, dilations)


def _check_format(data_format):
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than NHWC are not supported. Received: data_format={data_format}")


@takes_composites("tf.nn.dilation2d")
def dilation2d(input, filters, strides, padding, data_format, dilations, name=None):
    """Greyscale dilation: the largest sum of image and filter over each window.

    Args:
      input: real tensor of shape `[batch, height, width, channels]`.
      filters: tensor of shape `[height, width, channels]`, same dtype.
      strides: how far the window moves, a list of 4.
      padding: "VALID" or "SAME".
      data_format: "NHWC".
      dilations: distance between elements of the window, a list of 4.
      name: ignored.

    Returns:
      Tensor of rank 4 and the dtype of `input`.

    Raises:
      ValueError: another `data_format`.
      tf.errors.InvalidArgumentError: shapes or windows that do not fit.

    Gradient: to the first of equal sums.
    TF: `tf.nn.dilation2d`; it has second derivatives here.
    """
    _check_format(data_format)
    return _dilation2d(input, filters, strides, padding, dilations)


@takes_composites("tf.nn.erosion2d")
def erosion2d(value, filters, strides, padding, data_format, dilations, name=None):
    """Greyscale erosion: the smallest difference of image and filter over each window.

    Args:
      value: real tensor of shape `[batch, height, width, channels]`.
      filters: tensor of shape `[height, width, channels]`, same dtype.
      strides: how far the window moves, a list of 4.
      padding: "VALID" or "SAME".
      data_format: "NHWC".
      dilations: distance between elements of the window, a list of 4.
      name: ignored.

    Returns:
      Tensor of rank 4 and the dtype of `value`.

    Raises:
      ValueError: another `data_format`.
      tf.errors.InvalidArgumentError: shapes or windows that do not fit.

    Gradient: to one of equal differences, as in TF.
    TF: `tf.nn.erosion2d`; it has second derivatives here.
    """
    _check_format(data_format)
    return negative(_dilation2d(negative(value), reverse(filters, [0, 1]), strides, padding, dilations))
