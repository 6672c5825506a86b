"""Random numbers for initial values, computed on the host with the numbers of the ops."""

import math
from typing import Any

import numpy as np

from tfcompat._core import first_values as _first_values
from tfcompat.engine import host
from tfcompat.random import _c_library, _operations
from tfcompat.random._philox import BLOCKS_PER_OUTPUT
from tfcompat.random._philox_host import philox_blocks, philox_words, scrambled

_ONE = np.float32(1)
_MASK = 2**64 - 1


def _stream(source):
    """The key and the counter of a generator state, or of the seed of a stateless op."""
    if source.shape == (2,):
        key, high = scrambled(source)
        return key, high << 64
    low, high, key = (int(word) & 2**64 - 1 for word in source)
    return key, high << 64 | low


def _computes(source, dtype, *parameters):
    """Whether this is a draw of float32 between or around scalars."""
    known = source.shape in ((2,), (3,)) and np.dtype(dtype) == np.float32
    return known and not any(x is not None and x.ndim for x in parameters)


def _uniform(words):
    """uint32 words to float32 in [0, 1): the low 23 bits are the mantissa."""
    return (words & np.uint32(0x7FFFFF) | np.uint32(0x3F800000)).view(np.float32) - _ONE


def _normal(words):
    """Pairs of uint32 words, [..., 2], to pairs of standard normal numbers. TF: `BoxMullerFloat`."""
    radius = np.maximum(_uniform(words[..., 0]), np.float32(1e-7))
    angle = (_uniform(words[..., 1]).astype(np.float64) * (2 * math.pi)).astype(np.float32)
    length = np.sqrt(np.float32(-2) * _c_library.log(radius, np))
    return _c_library.sine_or_cosine(angle[..., None], np.arange(2), np) * length[..., None]


@_first_values.rule(_operations.UNIFORM)
def uniform(attributes, source, low: Any = None, high: Any = None):
    """`tf.random.uniform` of float32 between scalars."""
    shape, dtype = attributes
    if not _computes(source, dtype, low, high):
        return None
    values = _uniform(philox_words(*_stream(source), math.prod(shape))).reshape(shape)
    return values if low is None else values * (high - low) + low


@_first_values.rule(_operations.NORMAL)
def normal(attributes, source, scale: Any = None, offset: Any = None):
    """`tf.random.normal` of float32 with scalar parameters."""
    shape, dtype = attributes
    if not _computes(source, dtype, scale, offset):
        return None
    count = math.prod(shape)
    words = philox_words(*_stream(source), count + count % 2)
    values = _normal(words.reshape(-1, 2)).reshape(-1)[:count].reshape(shape)
    return values if scale is None else values * scale + offset


@_first_values.rule(_operations.TRUNCATED_NORMAL)
def truncated_normal(attributes, source, scale: Any = None, offset: Any = None):
    """`tf.random.truncated_normal` of float32 with scalar parameters; see `_distributions`."""
    shape, dtype = attributes
    if not _computes(source, dtype, scale, offset):
        return None
    count, stream = math.prod(shape), _stream(source)
    groups = -(-count // 4)
    start = np.arange(groups, dtype=np.uint64) * np.uint64(BLOCKS_PER_OUTPUT)
    values = np.zeros((groups, 4), np.float32)
    filled = np.zeros(groups, np.int64)
    attempt, short = 0, np.arange(groups)  # groups that are not full
    while short.size:
        words = philox_blocks(*stream, start[short] + np.uint64(attempt))
        drawn = _normal(words.reshape(-1, 2, 2)).reshape(-1, 4)
        accepted = np.abs(drawn) < 2
        places = filled[short, None] + np.cumsum(accepted, 1) - 1
        row, column = np.nonzero(accepted & (places < 4))
        values[short[row], places[row, column]] = drawn[row, column]
        filled[short] += accepted.sum(1)
        attempt, short = attempt + 1, short[filled[short] < 4]
    values = values.reshape(-1)[:count].reshape(shape)
    return values if scale is None else values * scale + offset


# In programs, float32 numbers of one state, and the state of a seed.


def _is_of_state(in_avals, out_avals):
    is_state = [(aval.shape, aval.dtype) for aval in in_avals] == [((3,), np.dtype(np.int64))]
    return is_state and len(out_avals) == 1 and all(type(size) is int for size in out_avals[0].shape)


def _normal_rule(params, in_avals, out_avals):
    attributes = out_avals[0].shape, np.dtype(np.float32)
    return lambda state: [normal(attributes, state)]


def _words_rule(params, in_avals, out_avals):
    (count,) = out_avals[0].shape
    return lambda state: [philox_words(*_stream(state), count)]


def _scramble_rule(params, in_avals, out_avals):
    def scramble(seed):
        key, high = scrambled(seed)
        return [np.array([0, high, key], np.uint64).view(np.int64)]

    return scramble


def _skip_rule(params, in_avals, out_avals):
    def skip(state, blocks):
        (low, high, key), blocks = [int(word) & _MASK for word in state], int(blocks) & _MASK
        moved = low + blocks & _MASK
        if blocks >> 32 != 2**32 - 1 or (moved & 2**32 - 1) >= (blocks & 2**32 - 1):  # see `_philox.skip`
            high = high + (moved < blocks) & _MASK
        return [np.array([moved, high, key], np.uint64).view(np.int64)]

    return skip


host.twin("skip", lambda given, got: [aval.shape for aval in (*given, *got)] == [(3,), (), (3,)], _skip_rule)
host.twin("normal", lambda given, got: _is_of_state(given, got) and got[0].dtype == np.float32, _normal_rule)
host.twin("words_32", _is_of_state, _words_rule)
host.twin("scramble", lambda given, got: [aval.shape for aval in (*given, *got)] == [(2,), (3,)], _scramble_rule)


def orthonormal_columns(matrix):
    """The Q of the QR decomposition whose R has a positive diagonal."""
    q, r = np.linalg.qr(matrix)
    diagonal = np.diagonal(r)
    return q * np.sign(diagonal)
