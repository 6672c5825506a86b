"""Pooling over windows of unequal sizes, whose places are random."""

import collections
import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes, engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import op
from tfcompat.array._arguments import invalid
from tfcompat.engine import function_trace
from tfcompat.errors import UnimplementedError
from tfcompat.random._philox_host import philox_words
from tfcompat.random._seed import entropy_state, get_seed

FractionalMaxPool = collections.namedtuple(
    "FractionalMaxPool", ["output", "row_pooling_sequence", "col_pooling_sequence"]
)
FractionalAvgPool = collections.namedtuple(
    "FractionalAvgPool", ["output", "row_pooling_sequence", "col_pooling_sequence"]
)
_TAKEN = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64})


class _Stream:
    """The numbers of TF's generator for two seeds, 256 blocks apart for each that is asked for."""

    def __init__(self, key, counter):
        self.key, self.counter = key, counter

    def take(self, count):
        words = philox_words(self.key, self.counter, count)
        self.counter += -(-count // 4)
        return words


def _random_sizes(size, parts, stream):
    """`parts` sizes that add up to `size`, in random order. TF: `GeneratePoolingSequenceRandom`."""
    small, larger = divmod(size, parts)
    sizes = [small + (n < larger) for n in range(parts)]
    words = stream.take(parts)
    for n in range(parts - 1):
        other = n + int(words[n]) % (parts - n)
        sizes[n], sizes[other] = sizes[other], sizes[n]
    return sizes


def _even_sizes(size, parts, stream):
    """`parts` sizes that add up to `size`, as even as they can be. TF: `GeneratePoolingSequencePseudoRandom`."""
    ratio, small = size / parts, size // parts
    largest = min((small + 2) / ratio - 1, (size + 1 - small) / ratio - (parts - 1))
    first, second = (int(word) for word in stream.take(2))
    share = np.uint64((0x3FF << 52) | (first & 0xFFFFF) << 32 | second).view(np.float64) - 1
    start = share * largest
    ends = [1, *(math.ceil(ratio * (n + start)) for n in range(1, parts)), size + 1]
    return [after - before for before, after in zip(ends, ends[1:], strict=False)]


def _sequence(size, parts, stream, even):
    sizes = (_even_sizes if even else _random_sizes)(size, parts, stream)
    if size % parts == 0:  # the stream moves on all the same
        sizes = [size // parts] * parts
    return np.cumsum([0, *sizes]).astype(np.int64)


def _windows(sequence, size, overlapping):
    """For each window, the places of its elements, padded to [parts, longest], and a mask of those that count."""
    starts, ends = sequence[:-1], np.minimum(sequence[1:] - 1 + bool(overlapping), size - 1)
    places = starts[:, None] + np.arange((ends - starts).max() + 1)
    return np.minimum(places, size - 1), places <= ends[:, None]


@op("_fractional_pool", kernel="FractionalMaxPool", tensors=("value",), dtypes=_TAKEN)
def fractional_pool(value, rows, columns, overlapping, largest):
    """The largest element, or the mean, of each window between places of two sequences."""
    rows, in_rows = _windows(np.array(rows), value.shape[1], overlapping)
    columns, in_columns = _windows(np.array(columns), value.shape[2], overlapping)
    integer = jnp.issubdtype(value.dtype, jnp.integer)
    if largest:
        result = None
        for row in range(rows.shape[1]):
            for column in range(columns.shape[1]):
                part = value[:, rows[:, row]][:, :, columns[:, column]]
                inside = in_rows[:, row, None, None] & in_columns[:, column, None]
                # The first of equal ones has the gradient, as in TF.
                result = part if result is None else jnp.where(inside & (part > result), part, result)
        return result
    down, across = in_rows.astype(value.dtype), in_columns.astype(value.dtype)
    parts = value[:, rows] * down[:, :, None, None]
    sums = (parts.sum(2, dtype=value.dtype)[:, :, columns] * across[:, :, None]).sum(3, dtype=value.dtype)
    counts = (in_rows.sum(1)[:, None] * in_columns.sum(1))[..., None].astype(value.dtype)
    return lax.div(sums, jnp.broadcast_to(counts, sums.shape)) if integer else sums / counts


def pooled(value, pooling_ratio, pseudo_random, overlapping, seed, kernel, largest):
    """The result of fractional pooling, and the places where windows begin."""
    value = convert_to_tensor(value)
    for ratio in pooling_ratio:
        if ratio < 1:
            raise ValueError(f"`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio={pooling_ratio}")
    if len(pooling_ratio) != 4 or pooling_ratio[0] != 1 or pooling_ratio[-1] != 1:
        raise ValueError(
            "`pooling_ratio` should have first and last elements with value 1.0. "
            f"Received: pooling_ratio={pooling_ratio}"
        )
    if seed == 0:
        if function_trace(engine.state.graph) is not None:
            raise UnimplementedError(
                None, None, f"tf.nn.{kernel}: windows drawn anew by each call of a tf.function; use a seed"
            )
        first, second = (int(word) for word in entropy_state(2))
    else:
        (first, second), _ = get_seed(seed)
    if value.ndim != 4:
        raise invalid("tensor_in must be 4-dimensional")
    stream, sequences = _Stream(first, second << 64), []
    for axis in (1, 2):
        size, ratio = value.shape[axis], pooling_ratio[axis]
        if ratio > size:
            raise invalid(
                f"Pooling ratio is higher than input dimension size for dimension {axis}. Input dim size: {size} "
                f"pooling ratio: {ratio:g}"
            )
        if not value.shape[3]:
            raise when_run(
                "Pooling ratio is higher than input dimension size for dimension 3. Input dim size: 0 pooling ratio: 1"
            )
        sequences.append(_sequence(size, int(size / ratio), stream, pseudo_random))
    rows, columns = (tuple(sequence.tolist()) for sequence in sequences)
    output = fractional_pool(value, rows, columns, bool(overlapping), largest)
    return output, *(host_constant(sequence) for sequence in sequences)


@takes_composites("tf.nn.fractional_max_pool")
def fractional_max_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None):
    """The largest element of each window; windows differ in size by one, so the image shrinks by any ratio.

    Args:
      value: float32, float64, int32 or int64 tensor of shape `[batch, height, width, channels]`.
      pooling_ratio: by how much height and width shrink: a number at least 1, two of them, or a list of 4 that begins
        and ends with 1.
      pseudo_random: whether sizes alternate as evenly as they can, rather than in random order.
      overlapping: whether a window has the first row and column of the next.
      seed: int; 0 for windows drawn anew by each call.
      name: ignored.

    Returns:
      `(output, row_pooling_sequence, col_pooling_sequence)`: a tensor of the dtype of `value`, and two int64 vectors
      that say where windows begin and the last one ends.

    Raises:
      ValueError: ratios below 1, or of batch and channels.
      tf.errors.InvalidArgumentError: another rank or dtype; a ratio larger than the image.
      tf.errors.UnimplementedError: no seed in a traced function.

    Gradient: to the first of equal elements.
    TF: `tf.nn.fractional_max_pool`; the same windows for the same seed.
    """
    if isinstance(pooling_ratio, list | tuple):
        if len(pooling_ratio) == 1:
            pooling_ratio = [1.0, pooling_ratio[0], pooling_ratio[0], 1.0]
    else:
        pooling_ratio = [1.0, pooling_ratio, pooling_ratio, 1.0]
    return FractionalMaxPool(
        *pooled(value, pooling_ratio, pseudo_random, overlapping, seed, "fractional_max_pool", True)
    )


@takes_composites("tf.nn.fractional_avg_pool")
def fractional_avg_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None):
    """The mean of each window; windows differ in size by one, so the image shrinks by any ratio.

    Args:
      value: float32, float64, int32 or int64 tensor of shape `[batch, height, width, channels]`.
      pooling_ratio: by how much height and width shrink: a list of 4 numbers that begins and ends with 1.
      pseudo_random: whether sizes alternate as evenly as they can, rather than in random order.
      overlapping: whether a window has the first row and column of the next.
      seed: int; 0 for windows drawn anew by each call.
      name: ignored.

    Returns:
      `(output, row_pooling_sequence, col_pooling_sequence)`, as `fractional_max_pool`.

    Raises:
      TypeError: `pooling_ratio` is no list.
      ValueError: ratios below 1, or of batch and channels.
      tf.errors.InvalidArgumentError: another rank or dtype; a ratio larger than the image.
      tf.errors.UnimplementedError: no seed in a traced function.

    TF: `tf.nn.fractional_avg_pool`; the same windows for the same seed.
    """
    if not isinstance(pooling_ratio, list | tuple):
        raise TypeError(f"Expected list for 'pooling_ratio' argument to 'fractional_avg_pool' Op, not {pooling_ratio}.")
    return FractionalAvgPool(
        *pooled(value, pooling_ratio, pseudo_random, overlapping, seed, "fractional_avg_pool", False)
    )
