"""Isotonic regression."""

import collections

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import FLOATING, op
from tfcompat.array import transpose
from tfcompat.math import negative

IsotonicRegression = collections.namedtuple("IsotonicRegression", ["output", "segments"])
_TAKEN = FLOATING | {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}
_RESULTS = {dtypes.int8: dtypes.float32, dtypes.int16: dtypes.float32, dtypes.int32: dtypes.float64,
            dtypes.int64: dtypes.float64}  # fmt: skip


def _pools(row):
    """For each element of a vector, the number of the pool it is in: neighbours out of order share one."""
    size = row.shape[0]

    def push(n, carry):
        sums, counts, top = carry
        sums, counts = sums.at[top].set(row[n]), counts.at[top].set(1)

        def out_of_order(carry):
            sums, counts, top = carry
            before = jnp.maximum(top - 1, 0)
            return (top > 0) & (sums[before] / counts[before] < sums[top] / counts[top])

        def merge(carry):
            sums, counts, top = carry
            sums = sums.at[top - 1].add(sums[top])
            return sums, counts.at[top - 1].add(counts[top]), top - 1

        sums, counts, top = lax.while_loop(out_of_order, merge, (sums, counts, top))
        return sums, counts, top + 1

    start = (jnp.zeros(size, row.dtype), jnp.ones(size, row.dtype), 0)
    _, counts, top = lax.fori_loop(0, size, push, start)
    ends = jnp.cumsum(jnp.where(jnp.arange(size) < top, counts, 0))
    return jnp.searchsorted(ends, jnp.arange(size, dtype=row.dtype), side="right").astype(np.int32)


@op("_isotonic", kernel="IsotonicRegression", tensors=("input",), dtypes=_TAKEN)
def _isotonic(input, dtype):
    values = input.astype(dtype)
    if not values.size or not values.ndim:
        return values, jnp.zeros(values.shape, np.int32)
    rows = values.reshape(-1, values.shape[-1])
    segments = jax.vmap(_pools)(lax.stop_gradient(rows).astype(np.float64))

    def means(row, segment):
        sums = jax.ops.segment_sum(row, segment, row.shape[0])
        counts = jax.ops.segment_sum(jnp.ones_like(row), segment, row.shape[0])
        return (sums / jnp.maximum(counts, 1))[segment]

    result = jax.vmap(means)(rows, segments)
    return result.reshape(values.shape), segments.reshape(values.shape)


def isotonic(input, dtype=dtypes.float32):
    """`isotonic_regression` along the last axis, of the dtype `dtype`, as the raw op has it."""
    return IsotonicRegression(*_isotonic(input, dtypes.as_dtype(dtype).np))


@takes_composites("tf.nn.isotonic_regression")
def isotonic_regression(inputs, decreasing=True, axis=-1):
    """The nearest sequence, by least squares, that nowhere rises: neighbours out of order get their mean.

    Args:
      inputs: floating or signed integer tensor, any shape.
      decreasing: False for one that nowhere falls.
      axis: int, along which the sequences lie.

    Returns:
      `(result, segments)`: a tensor of the shape of `inputs` and its dtype, float32 for small integers and float64
      for int32 and int64; and an int32 tensor with the number of the mean that each element got.

    Raises:
      tf.errors.InvalidArgumentError: another dtype; `axis` out of range.

    Gradient: the mean over each segment.
    TF: `tf.nn.isotonic_regression`; no known difference.
    """
    inputs = convert_to_tensor(inputs)
    rank, axis = inputs.ndim, int(static_value(axis))
    if not -rank <= axis < rank and (rank or axis not in (-1, 0)):
        raise when_run(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. "
            f"Received: dim={axis}"
        )
    order = None
    if rank and axis % rank != rank - 1:
        order = list(range(rank))
        order[axis % rank], order[-1] = order[-1], order[axis % rank]
        inputs = transpose(inputs, order)
    falling = inputs if decreasing else negative(inputs)
    result, segments = _isotonic(falling, _RESULTS.get(inputs.dtype, inputs.dtype).np)
    result = result if decreasing else negative(result)
    if order is None:
        return IsotonicRegression(result, segments) if decreasing else (result, segments)
    return transpose(result, order), transpose(segments, order)
