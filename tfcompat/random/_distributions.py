"""Distributions that take a fixed number of words of the stream for each output, and shuffling.

Pure functions of a Philox state: `f(state, shape, dtype)`, `shape` a tuple of ints, `dtype` a NumPy dtype.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat.engine._policy import KERNELS
from tfcompat.random import _philox


def uniform(state, shape, dtype):
    """Floating numbers in [0, 1)."""
    count = math.prod(shape)
    if dtype.itemsize == 8:
        values = _philox.uniform_64(*_philox.words_64(state, count))
    elif dtype.itemsize == 4:
        values = _philox.uniform_32(_philox.words_32(state, count))
    else:
        values = _philox.uniform_16(_philox.words_32(state, count), dtype)
    return values.reshape(shape)


def full_range_integers(state, shape, dtype):
    """Integers of every value that `dtype` has."""
    count = math.prod(shape)
    if dtype.itemsize == 8:
        low, high = _philox.words_64(state, count)
        words = low.astype(jnp.uint64) | high.astype(jnp.uint64) << np.uint64(32)
    else:
        words = _philox.words_32(state, count)
    return lax.bitcast_convert_type(words, dtype).reshape(shape)


def integers(state, shape, low, high):
    """Integers in [low, high), scalars of one signed dtype; as in TF slightly biased."""
    unsigned = np.dtype(f"uint{8 * low.dtype.itemsize}")
    span = lax.bitcast_convert_type(high, unsigned) - lax.bitcast_convert_type(low, unsigned)
    words = full_range_integers(state, shape, unsigned) % span
    return lax.bitcast_convert_type(lax.bitcast_convert_type(low, unsigned) + words, low.dtype)


@_philox.drawn_once
def normal(state, shape, dtype):
    """Standard normal numbers; 16-bit dtypes are rounded float32 ones."""
    count = math.prod(shape)
    position = jnp.arange(count, dtype=jnp.uint64)
    is_cosine = (position & np.uint64(1)) == 1
    if dtype.itemsize == 8:
        values = _philox.normal_64(_philox.block(state, position >> np.uint64(1)), is_cosine)
    else:
        words = _philox.block(state, position >> np.uint64(2))
        values = _philox.normal_32(*_pair(words, (position & np.uint64(2)) == 2), is_cosine).astype(dtype)
    return values.reshape(shape)


def truncated_normal(state, shape, dtype):
    """Standard normal numbers redrawn until their magnitude is below 2.

    Each group of outputs (a block's worth) owns 256 words of the stream for each of them, and takes the first
    numbers that fall inside. All groups draw together until the last one is full.
    """
    count = math.prod(shape)
    double = dtype.itemsize == 8
    group = 2 if double else 4
    groups = -(-count // group)
    position = jnp.arange(groups * group, dtype=jnp.uint64)
    lane = position & np.uint64(group - 1)
    is_cosine = (lane & np.uint64(1)) == 1
    start = (position - lane) * np.uint64(_philox.BLOCKS_PER_OUTPUT // 4)

    def candidates(attempt):
        words = _philox.block(state, start + attempt)
        if double:
            values = _philox.normal_64(words, is_cosine)
        else:
            values = _philox.normal_32(*_pair(words, lane >= 2), is_cosine)
        return values.reshape(groups, group)

    # The next candidates are computed a turn ahead, so that they reach the placement as an array in memory:
    # fused into it they would be computed once for each place. The first turn places nothing: so there is one draw to
    # compile.
    def place(carry):
        attempt, filled, values, drawn = carry
        for column in range(group):
            candidate = drawn[:, column : column + 1]
            accepted = jnp.abs(candidate) < 2
            values = jnp.where(accepted & (filled == jnp.arange(group)), candidate, values)
            filled = filled + accepted
        return attempt + np.uint64(1), filled, values, candidates(attempt)

    none = jnp.full((groups, group), 2, jnp.float64 if double else jnp.float32)  # all refused
    first = (jnp.uint64(0), jnp.zeros((groups, 1), jnp.int32), jnp.zeros_like(none), none)
    _, _, values, _ = lax.while_loop(lambda carry: jnp.any(carry[1] < group), place, first)
    return values.reshape(-1)[:count].reshape(shape).astype(dtype)


def categorical(state, logits, count, dtype):
    """Class indices of shape [batch, count], by inverting each row's cumulative distribution in float64.

    Rows follow one another in the stream. TF splits large batches between threads and starts each part
    elsewhere, so its own numbers then depend on the number of threads.
    """
    batch, classes = logits.shape
    finite = jnp.isfinite(logits)
    lowest = jnp.finfo(logits.dtype).min.astype(logits.dtype)
    top = jnp.max(jnp.where(finite, logits, lowest), axis=1, keepdims=True).astype(jnp.float64)
    weights = jnp.where(finite, jnp.exp(logits.astype(jnp.float64) - top), 0.0)
    cumulative = jnp.cumsum(weights, axis=1)
    target = uniform(state, (batch, count), np.dtype(np.float64)) * cumulative[:, -1:]
    method = "compare_all" if classes <= KERNELS.few_classes else "scan"
    search = functools.partial(jnp.searchsorted, side="right", method=method)
    return jax.vmap(search)(cumulative, target).astype(dtype)


def permutation(state, size):
    """A permutation of range(size) as an int32 array: swaps of each place with a later one, first place
    first."""
    words = _philox.words_32(state, max(size - 1, 0))

    def swap(place, order):
        other = place + (words[place] % (np.uint32(size) - place.astype(jnp.uint32))).astype(jnp.int32)
        # One gather and one scatter: with two of each, XLA copies the whole array in every turn.
        places = jnp.stack([place, other])
        return order.at[places].set(order[places][::-1], mode="promise_in_bounds")

    return lax.fori_loop(jnp.int32(0), jnp.int32(max(size - 1, 0)), swap, jnp.arange(size, dtype=jnp.int32))


def _pair(words, is_second):
    """The words of the first or second Box-Muller pair of a block."""
    return jnp.where(is_second, words[2], words[0]), jnp.where(is_second, words[3], words[1])
