"""`tf.random.experimental.index_shuffle`: where an index goes in a shuffle that is never carried out.

A block cipher (Simon, with few rounds) on as many bits as the largest index needs, at least 16, is applied
until the result is in range. Source of the facts: `random_index_shuffle.cc` of TF 2.21.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import engine
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat.array import concat
from tfcompat.random._arguments import FULL_RANGE_INTEGERS, check_dtype, invalid, known_now, record, show

_KERNEL = "RandomIndexShuffle"
_CONSTANT = np.uint64(0xFFFFFFFC)
_SEQUENCE = 0x7369F885192C0EF5
_SEED_PREFIX = 498247692


def index_shuffle(index, seed, max_index):
    """The places of `index` in a random permutation of the numbers up to `max_index`.

    Args:
      index: scalar or vector of int32, int64, uint32 or uint64, none negative.
      seed: vector of shape [2] of these dtypes, or [n, 2] for an index of shape [n].
      max_index: of the dtype of `index`, scalar or vector; the largest index that takes part.

    Returns:
      Tensor of the shape and dtype of `index`.

    Raises:
      tf.errors.InvalidArgumentError: a shape or dtype is none of these; an index is larger than `max_index`
        (not raised where they are still to be computed).

    TF: `tf.random.experimental.index_shuffle`; the same numbers.
    """
    seed = convert_to_tensor(seed)
    check_dtype(seed.dtype, FULL_RANGE_INTEGERS, "Tseed")
    prefix = np.full([*seed.shape[:-1], 1], _SEED_PREFIX, seed.dtype.np)
    # TF puts the prefix before the first row of a matrix of seeds, not before each row, and then rejects the result.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/stateless_random_ops.py
    if seed.ndim == 2:
        got = show((seed.shape[0] + 1, seed.shape[1]))
        raise invalid(f"Seed must be a vector of size [3] or a matrix of size [n, 3] but got {got}.", _KERNEL)
    return random_index_shuffle(index, concat([prefix, seed], 0), max_index)


def random_index_shuffle(index, seed, max_index, rounds=4, name=None):
    """The places of `index` in a random permutation of the numbers up to `max_index`.

    Args:
      index: scalar or vector of int32, int64, uint32 or uint64, none negative.
      seed: vector of shape [3] of these dtypes, or [n, 3] for an index of shape [n].
      max_index: of the dtype of `index`, scalar or vector; the largest index that takes part.
      rounds: even int, at least 4.
      name: ignored.

    Returns:
      Tensor of the shape and dtype of `index`.

    Raises:
      tf.errors.InvalidArgumentError: a shape or dtype is none of these; an index is negative or larger than
        `max_index` (not raised where they are still to be computed).

    TF: `tf.random_index_shuffle`; the same numbers.
    """
    index = convert_to_tensor(index)
    max_index = convert_to_tensor(max_index, index.dtype)
    seed = convert_to_tensor(seed)
    check_dtype(index.dtype, FULL_RANGE_INTEGERS)
    check_dtype(seed.dtype, FULL_RANGE_INTEGERS, "Tseed")
    rounds = static_value(rounds)
    if rounds < 4 or rounds % 2:
        raise invalid(f"Rounds must be >= 4 and even but got {rounds}", _KERNEL)
    if index.ndim > 1 or index.ndim and not index.shape[0]:
        raise invalid("Index must be a scalar or vector.", _KERNEL)
    count = index.shape[0] if index.ndim else 1
    if tuple(seed.shape) not in ((3,), (count, 3)):
        message = (
            f"Seed must be a vector of size [3] or a matrix of size [{count}, 3] but got {show(seed.shape)}."
        )
        raise invalid(message, _KERNEL)
    if tuple(max_index.shape) not in ((), (count,)):
        raise invalid(
            f"Maxval must be a scalar or a vector of size [{count}], got {show(max_index.shape)}.", _KERNEL
        )
    places, last = known_now(index), known_now(max_index)
    if places is not None and last is not None and np.any(places > last):
        raise when_run(f"max_index must be >= index, but {np.min(last)} < {np.max(places)} [Op:{_KERNEL}]")
    if places is not None and np.size(places) and np.min(places) < 0:
        raise when_run(f"index must be >= 0 but was {np.min(places)} [Op:{_KERNEL}]")
    return record(_SHUFFLE, (index, seed, max_index), rounds)


def _shuffle(index, seed, max_index, *, rounds):
    last = max_index.astype(jnp.uint64)
    bits = np.uint64(64) - lax.clz(jnp.maximum(last, 1) - 1)
    half = jnp.maximum(bits + bits % np.uint64(2), np.uint64(16)) // np.uint64(2)
    mask = jnp.where(half == 64, ~np.uint64(0), (np.uint64(1) << half) - np.uint64(1))

    def left(x, count):
        return (x << np.uint64(count) | x >> (half - np.uint64(count))) & mask

    def right(x, count):
        return (x >> np.uint64(count) | x << (half - np.uint64(count))) & mask

    def mix(x):
        return left(x, 1) & left(x, 8) ^ left(x, 2)

    words = seed.astype(jnp.uint32).astype(jnp.uint64)
    keys = [words[..., place] & mask for place in range(3)]
    for turn in range(3, rounds):
        bit = np.uint64(_SEQUENCE >> turn - 3 & 1)
        keys.append((_CONSTANT & mask) ^ bit ^ keys[turn - 3] ^ right(keys[-1], 3) ^ right(keys[-1], 4))

    def encrypt(value):
        high, low = value >> half & mask, value & mask
        for first, second in zip(keys[::2], keys[1::2], strict=True):
            high = high ^ mix(low) ^ first
            low = low ^ mix(high) ^ second
        return high << half | low

    start = encrypt(index.astype(jnp.uint64))
    place = lax.while_loop(
        lambda value: jnp.any(value > last),
        lambda value: jnp.where(value > last, encrypt(value), value),
        start,
    )
    return jnp.where(last == 0, 0, place).astype(index.dtype)


_SHUFFLE = engine.Operation(_KERNEL, _shuffle, ("rounds",), differentiable=False)
