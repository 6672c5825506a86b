"""Elementwise functions that loop until all elements have converged, computed block by block."""

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax

_BLOCK = 4096  # elements; what a loop carries of them stays in the cache of a processor's core


def in_blocks(function):
    """A function of arrays of one shape, to one like them, that computes it for blocks of a large one, one by one.

    XLA computes a series or a continued fraction as one loop over whole arrays, so that memory is read at each turn and
    the slowest element decides for all: on a CPU that takes four times as long. Elsewhere, and for unknown sizes, it is
    `function` itself.
    """

    @functools.wraps(function)
    def blocked(*arrays):
        shape = arrays[0].shape
        if jax.default_backend() != "cpu" or any(type(size) is not int for size in shape):
            return function(*arrays)
        count = math.prod(shape)
        if count <= _BLOCK:
            return function(*arrays)
        rows = -(-count // _BLOCK)
        padded = [jnp.pad(x.reshape(-1), (0, rows * _BLOCK - count), mode="edge") for x in arrays]
        blocks = tuple([x.reshape(rows, _BLOCK) for x in padded])
        return lax.map(lambda block: function(*block), blocks).reshape(-1)[:count].reshape(shape)

    return blocked
