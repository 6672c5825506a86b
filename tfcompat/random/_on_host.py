"""Random numbers for initial values, computed on the host with the numbers of the ops."""

import math
from typing import Any

import numpy as np

from tfcompat import _first_values
from tfcompat.random import _operations
from tfcompat.random._philox_host import philox_words, scrambled

_ONE = np.float32(1)


def _words(seed, count):
    key, high = scrambled(seed)
    return philox_words(key, high << 64, count)


def _uniform(words):
    """uint32 words to float32 in [0, 1): the low 23 bits are the mantissa."""
    return (words & np.uint32(0x7FFFFF) | np.uint32(0x3F800000)).view(np.float32) - _ONE


@_first_values.rule(_operations.UNIFORM)
def uniform(attributes, seed, low: Any = None, high: Any = None):
    """`tf.random.stateless_uniform` of float32 between scalars."""
    shape, dtype = attributes
    if seed.shape != (2,) or np.dtype(dtype) != np.float32 or low is not None and (low.ndim or high.ndim):
        return None
    values = _uniform(_words(seed, math.prod(shape))).reshape(shape)
    return values if low is None else values * (high - low) + low


def normal(seed, shape):
    """`tf.random.stateless_normal` of float32, up to rounding."""
    count = math.prod(shape)
    words = _words(seed, count + count % 2)
    radius = np.maximum(_uniform(words[::2]), np.float32(1e-7)).astype(np.float64)
    angle = (_uniform(words[1::2]).astype(np.float64) * (2 * math.pi)).astype(np.float32).astype(np.float64)
    length = np.sqrt(np.float32(-2) * np.log(radius).astype(np.float32))
    pairs = [f(angle).astype(np.float32) * length for f in (np.sin, np.cos)]
    return np.stack(pairs, 1).reshape(-1)[:count].reshape(shape)


def orthonormal_columns(matrix):
    """The Q of the QR decomposition whose R has a positive diagonal."""
    q, r = np.linalg.qr(matrix)
    diagonal = np.diagonal(r)
    return q * np.sign(diagonal)
