"""Sorting and searching: sort, argsort, searchsorted."""

import math

import jax
import jax.numpy as jnp

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import REAL, op
from tfcompat.array._arguments import as_int, invalid
from tfcompat.array._sorting_keys import order_along, sorted_along


def _sort_axis(values, axis):
    if axis is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
        )
    axis = as_int(axis, "axis", attribute=True)
    if not -values.ndim <= axis < values.ndim:
        raise invalid(f"`axis` {axis} of rank {values.ndim} tensor out of bounds.")
    return axis % values.ndim


def _descending(direction):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    return direction == "DESCENDING"


@op("tf.sort", kernel="TopKV2", tensors=("values",), dtypes=REAL)
def sort(values, axis=-1, direction="ASCENDING"):
    """Sorts along an axis.

    Args:
      values: real tensor, rank at least 1.
      axis: in [-rank, rank).
      direction: "ASCENDING" or "DESCENDING".

    Returns:
      Tensor with the shape and dtype of `values`.

    Raises:
      ValueError: another `direction`.
      tf.errors.InvalidArgumentError: `axis` out of range, or a dtype without an order.

    Gradient: goes back to where each element came from; equal elements keep their order.
    TF: `tf.sort`; NaNs come last in ascending order.
    """
    descending = _descending(direction)
    return sorted_along(values, _sort_axis(values, axis), descending)


@op("tf.argsort", kernel="TopKV2", tensors=("values",), dtypes=REAL, gradient="none")
def argsort(values, axis=-1, direction="ASCENDING", stable=False):
    """The indices that sort along an axis.

    Args:
      values: real tensor, rank at least 1.
      axis: in [-rank, rank).
      direction: "ASCENDING" or "DESCENDING".
      stable: has no effect: equal elements always keep their order.

    Returns:
      int32 tensor with the shape of `values`.

    Raises:
      ValueError: another `direction`.
      tf.errors.InvalidArgumentError: `axis` out of range, or a dtype without an order.

    Gradient: None.
    TF: `tf.argsort`; NaNs come last in ascending order.
    """
    descending = _descending(direction)
    return order_along(values, _sort_axis(values, axis), descending)


@takes_composites("tf.searchsorted")
def searchsorted(sorted_sequence, values, side="left", out_type=dtypes.int32, name=None):
    """Where values would be inserted into sorted sequences to keep them sorted.

    Args:
      sorted_sequence: tensor of shape `[..., n]`, ascending along the last axis.
      values: tensor of shape `[..., m]` and the same dtype.
      side: "left" to insert before equal elements, "right" to insert after them.
      out_type: int32 or int64.
      name: ignored.

    Returns:
      Tensor of dtype `out_type` with the shape of `values`.

    Raises:
      ValueError: another `side`.
      tf.errors.InvalidArgumentError: dtypes differ, a scalar, or leading sizes that do not fit.

    TF: `tf.searchsorted`; no known difference.
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    return _searchsorted(convert_to_tensor(sorted_sequence), convert_to_tensor(values), side, out_type)


def _count_of_rows(shape):
    """How many rows TensorFlow counts: one where neither the last axis nor those before it have an element."""
    return math.prod(shape[:-1]) or int(not shape[-1])


@op("_searchsorted", kernel="LowerBound", tensors=("sorted_sequence", "values"), gradient="missing")
def _searchsorted(sorted_sequence, values, side, out_type):
    out_type = dtypes.as_dtype(out_type)
    if out_type not in (dtypes.int32, dtypes.int64):
        raise invalid(f"`out_type` must be int32 or int64, got {out_type.name}")
    if not sorted_sequence.ndim or not values.ndim:
        raise invalid("searchsorted needs tensors of rank at least 1")
    count = _count_of_rows(sorted_sequence.shape)
    if count != _count_of_rows(values.shape):
        raise invalid("Leading dim_size of both tensors must match.")
    if not (sorted_sequence.size and values.size):
        return jnp.zeros(values.shape, out_type.np)
    sequences, rows_of_values = (x.reshape(count, x.shape[-1]) for x in (sorted_sequence, values))
    places = jax.vmap(lambda sequence, value: jnp.searchsorted(sequence, value, side=side))(sequences, rows_of_values)
    if side == "left" and jnp.issubdtype(values.dtype, jnp.floating):
        places = jnp.where(jnp.isnan(rows_of_values), 0, places)  # no element is less than NaN
    return places.reshape(values.shape).astype(out_type.np)
