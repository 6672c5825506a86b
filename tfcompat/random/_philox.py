"""Philox 4x32-10, the counter-based generator behind TF's random ops on CPU.

A generator is an int64[3] array called `state`, laid out as in `tf.random.Generator.state`: the counter's low
and high word, then the key. It travels as data, so a new seed compiles nothing. Sources of the facts:
`philox_random.h`, `random_distributions.h`, `stateless_random_ops.cc` of TF 2.21, checked against its output.

Many numbers are computed element by element (each output recomputes its block), which XLA vectorises and divides
between threads; interleaving whole blocks with `jnp.stack` is five times slower on CPU. Few are computed by a loop over
the rounds, which runs as fast and leaves XLA a quarter to compile: a model may have dozens of dropouts.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat.engine import host
from tfcompat.engine._policy import KERNELS
from tfcompat.random import _c_library
from tfcompat.random._philox_host import rounds_of_ints

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint32(0x9E3779B9)
_WEYL_1 = np.uint32(0xBB67AE85)
_SCRAMBLE_KEY = 0x02461E293EC8F720
_MASK_64 = (1 << 64) - 1

# TF reserves this many blocks for each number that an op returns, however many it uses.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/kernels/random_op.cc
BLOCKS_PER_OUTPUT = 256


def make_state(key, counter):
    """The state with this key and 128-bit counter, two Python ints."""
    words = [counter & _MASK_64, counter >> 64 & _MASK_64, key & _MASK_64]
    return np.array(words, np.uint64).view(np.int64)


@jax.jit
def skip(state, blocks):
    """`state` with its counter advanced by `blocks`, a scalar array."""
    low, high, key = _words(state)
    blocks = blocks.astype(jnp.uint64)
    moved, carried = _advance(low, high, blocks)
    # TF adds word by word and loses the carry where the upper word of `blocks` overflows (as it does for -1).
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/third_party/xla/xla/tsl/lib/random/philox_random.h, `Skip`
    overflows = (blocks >> np.uint64(32) == np.uint64(0xFFFFFFFF)) & (_split(moved)[0] < _split(blocks)[0])
    return lax.bitcast_convert_type(jnp.stack([moved, jnp.where(overflows, high, carried), key]), jnp.int64)


@jax.jit
def scramble(seed):
    """The state that stateless ops derive from a seed of shape [2]. TF: `GenerateKey`."""
    words = lax.bitcast_convert_type(seed.astype(jnp.int64), jnp.uint64)
    if jax.default_backend() != "cpu":
        return _scrambled(words)
    # In a condition, as in `drawn_once`: `affine` would compute it again for each number.
    return lax.cond(_sign(_split(words[0])[0]) == 0, _scrambled, lambda _: jnp.zeros(3, jnp.int64), words)


def _scrambled(words):
    mixed = _rounds(_split(words[0]) + _split(words[1]), _split(jnp.uint64(_SCRAMBLE_KEY)))
    key, high = _join(mixed[0], mixed[1]), _join(mixed[2], mixed[3])
    return lax.bitcast_convert_type(jnp.stack([jnp.zeros_like(key), high, key]), jnp.int64)


def block(state, index):
    """The four uint32 words of the blocks `index` (integers, any shape) after the state's counter."""
    low, high, key = _words(state)
    low, high = _advance(low, high, index.astype(jnp.uint64))
    return _rounds(_split(low) + _split(high), _split(key))


def drawn_once(draw):
    """`draw(state, *static)` for a function of a state that gives an array or several; traced once for each `static`.

    XLA takes integer arithmetic for cheap and computes it anew in each kernel that uses the result: in the forward
    and the backward pass of a dropout, and for each pixel of an image that is turned by one random angle. What a
    condition gives it keeps in memory, but a condition runs in one thread, and on a GPU waits for the device.
    """

    def once(static, state):
        results = jax.eval_shape(lambda state: draw(state, *static), state)
        if not _are_few(jax.tree.leaves(results)[0].size):
            return draw(state, *static)
        return lax.cond(
            _hidden_zero(state) == 0,
            lambda state: draw(state, *static),
            lambda _: jax.tree.map(lambda result: jnp.zeros(result.shape, result.dtype), results),
            state,
        )

    once.__name__ = draw.__name__  # by which twins are found
    once = jax.jit(once, static_argnums=0)

    @functools.wraps(draw)
    def wrapped(state, *static):
        return once(static, state)

    return wrapped


@drawn_once
def words_32(state, count):
    """The first `count` uint32 words of the stream."""
    if _are_few(count):
        return _interleaved(state, count)
    position = jnp.arange(count, dtype=jnp.uint64)
    words = block(state, position >> np.uint64(2))
    lane = position & np.uint64(3)
    return jnp.where(
        lane < 2, jnp.where(lane == 0, words[0], words[1]), jnp.where(lane == 2, words[2], words[3])
    )


@drawn_once
def words_64(state, count):
    """The first `count` pairs of uint32 words of the stream, as two arrays: first and second word."""
    if _are_few(2 * count):
        pairs = _interleaved(state, 2 * count).reshape(count, 2)
        return pairs[:, 0], pairs[:, 1]
    position = jnp.arange(count, dtype=jnp.uint64)
    words = block(state, position >> np.uint64(1))
    odd = (position & np.uint64(1)) == 1
    return jnp.where(odd, words[2], words[0]), jnp.where(odd, words[3], words[1])


def uniform_16(words, dtype):
    """uint32 words to float16 or bfloat16 in [0, 1)."""
    mantissa = jnp.finfo(dtype).nmant
    one = np.asarray(1, dtype)
    bits = words.astype(jnp.uint16) & np.uint16((1 << mantissa) - 1) | one.view(np.uint16)
    return lax.bitcast_convert_type(bits, dtype) - one


def uniform_32(words):
    """uint32 words to float32 in [0, 1): the low 23 bits are the mantissa."""
    bits = words & np.uint32(0x7FFFFF) | np.uint32(0x3F800000)
    return lax.bitcast_convert_type(bits, jnp.float32) - np.float32(1)


def uniform_64(first, second):
    """Pairs of uint32 words to float64 in [0, 1): the first gives the upper 20 bits of the mantissa."""
    bits = _join(second, first & np.uint32(0xFFFFF) | np.uint32(0x3FF00000))
    return lax.bitcast_convert_type(bits, jnp.float64) - 1.0


def normal_32(first, second, is_cosine):
    """One half of a float32 Box-Muller pair. TF: `BoxMullerFloat`."""
    radius = jnp.maximum(uniform_32(first), np.float32(1e-7))
    angle = (uniform_32(second).astype(jnp.float64) * (2 * math.pi)).astype(jnp.float32)
    return _c_library.sine_or_cosine(angle, is_cosine) * jnp.sqrt(np.float32(-2) * _c_library.log(radius))


def normal_64(words, is_cosine):
    """One half of a float64 Box-Muller pair, of the four words of a block. TF: `BoxMullerDouble`."""
    radius = jnp.maximum(uniform_64(words[0], words[1]), 1e-7)
    angle = uniform_64(words[2], words[3]) * (2 * math.pi)
    return jnp.where(is_cosine, jnp.cos(angle), jnp.sin(angle)) * jnp.sqrt(-2 * _c_library.log_64(radius))


@jax.custom_jvp
def affine(x, scale, offset, state):
    """`x * scale + offset`, rounded after the product as TF's two ops do.

    XLA contracts the two to one fused multiply-add on CPU and GPU, which changes half of all results by one
    unit in the last place. An exclusive or with a zero that the compiler cannot foresee keeps them apart.
    """
    product = x * scale
    integer = {2: jnp.uint16, 4: jnp.uint32, 8: jnp.uint64}[product.dtype.itemsize]
    bits = lax.bitcast_convert_type(product, integer) ^ _hidden_zero(state).astype(integer)
    return lax.bitcast_convert_type(bits, product.dtype) + offset


@affine.defjvp
def _affine_jvp(primals, tangents):
    x, scale, offset, state = primals
    dx, dscale, doffset, _ = tangents
    return affine(x, scale, offset, state), jnp.broadcast_to(
        dx * scale + x * dscale + doffset, jnp.broadcast_shapes(x.shape, scale.shape, offset.shape)
    )


def _hidden_zero(state):
    """A uint32 zero that the compiler cannot foresee: the sign of a difference that is never negative."""
    return _sign(_split(_words(state)[2])[0])


def _sign(word):
    return lax.bitcast_convert_type(uniform_32(word), jnp.uint32) >> np.uint32(31)


def _words(state):
    words = lax.bitcast_convert_type(state, jnp.uint64)
    return words[0], words[1], words[2]


def _advance(low, high, blocks):
    moved = low + blocks
    return moved, high + (moved < blocks).astype(jnp.uint64)


def _split(word):
    return word.astype(jnp.uint32), (word >> np.uint64(32)).astype(jnp.uint32)


def _join(low, high):
    return low.astype(jnp.uint64) | high.astype(jnp.uint64) << np.uint64(32)


def _are_few(count):
    """Whether so many numbers are better drawn by one thread, and by code that is short; a size may be a symbol."""
    return type(count) is int and count <= KERNELS.one_draw and jax.default_backend() == "cpu"


def _interleaved(state, count):
    """The first `count` words of the stream, whole blocks at a time."""
    low, high, key = _words(state)
    low, high = _advance(low, high, jnp.arange(-(-count // 4), dtype=jnp.uint64))
    words = _rounds(jnp.broadcast_arrays(*_split(low), *_split(high)), _split(key), rolled=True)
    return jnp.stack(words, 1).reshape(-1)[:count]


def _rounds(counter, key, rolled=False):
    """The four words of blocks, of those of their counters and the two of the key; `rolled` as a loop for XLA."""
    return (philox_loop if rolled else philox_rounds)(*counter, *key)


@jax.jit
def philox_loop(*words):
    return lax.fori_loop(0, 10, lambda _, words: _round(*words), words)[:4]


@jax.jit
def philox_rounds(*words):
    for _ in range(10):
        words = _round(*words)
    return words[:4]


@jax.jit  # traced once for the ten rounds
def _round(c0, c1, c2, c3, k0, k1):
    low_0, high_0 = _split(c0.astype(jnp.uint64) * _MULTIPLIER_0)
    low_1, high_1 = _split(c2.astype(jnp.uint64) * _MULTIPLIER_1)
    return high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0, k0 + _WEYL_0, k1 + _WEYL_1


def _is_of_blocks(in_avals, out_avals):
    """Whether the rounds are those of blocks with one key."""
    shapes = [aval.shape for aval in in_avals]
    return shapes == [out_avals[0].shape] * 4 + [()] * 2


def _rounds_on_host(params, in_avals, out_avals):
    shape, size = out_avals[0].shape, out_avals[0].size
    if size > KERNELS.draws_in_python:
        return _rounds_of_arrays

    def of_ints(c0, c1, c2, c3, k0, k1):
        k0, k1 = int(k0), int(k1)
        rows = zip(*[word.ravel().tolist() for word in (c0, c1, c2, c3)], strict=True)
        blocks = np.array([rounds_of_ints(*row, k0, k1) for row in rows], np.uint32)
        return [blocks[:, i].reshape(shape) for i in range(4)]

    return of_ints


def _rounds_of_arrays(c0, c1, c2, c3, k0, k1):
    for _ in range(10):
        first, second = c0.astype(np.uint64) * _MULTIPLIER_0, c2.astype(np.uint64) * _MULTIPLIER_1
        c0, c1 = (second >> np.uint64(32)).astype(np.uint32) ^ c1 ^ k0, second.astype(np.uint32)
        c2, c3 = (first >> np.uint64(32)).astype(np.uint32) ^ c3 ^ k1, first.astype(np.uint32)
        k0, k1 = k0 + _WEYL_0, k1 + _WEYL_1
    return [c0, c1, c2, c3]


# Step by step, ten rounds of a block take NumPy half a millisecond.
host.twin("philox_loop", _is_of_blocks, _rounds_on_host)
host.twin("philox_rounds", _is_of_blocks, _rounds_on_host)
