"""Products of matrices."""

import math

import numpy as np

from tfcompat.engine.host.rules.blas import matmul_of
from tfcompat.engine.host.rules.registry import is_narrow


def _dot(params, in_avals, out_avals):
    """A product of matrices, the axes of both brought into the order batch, rows, columns."""
    a, b = in_avals
    (summed_a, summed_b), (batch_a, batch_b) = params["dimension_numbers"]
    free_a = [i for i in range(len(a.shape)) if i not in (*summed_a, *batch_a)]
    free_b = [i for i in range(len(b.shape)) if i not in (*summed_b, *batch_b)]
    batch = [a.shape[i] for i in batch_a]
    length = math.prod([a.shape[i] for i in summed_a])
    rows, columns = math.prod([a.shape[i] for i in free_a]), math.prod([b.shape[i] for i in free_b])
    dtype, shape = out_avals[0].dtype, out_avals[0].shape
    within = np.dtype(np.float32) if is_narrow(dtype) else dtype
    left = _arranged(a, [*batch_a, *free_a, *summed_a], (*batch, rows, length), within)
    right = _arranged(b, [*batch_b, *summed_b, *free_b], (*batch, length, columns), within)
    matmul = matmul_of(rows, columns, length)
    if left is right is None and within == dtype and shape == (*batch, rows, columns):
        return matmul
    left, right = left or _as_it_is, right or _as_it_is

    def dot(a, b):
        result = matmul(left(a), right(b)).reshape(shape)
        return result if within is dtype else result.astype(dtype)

    return dot


def _as_it_is(x):
    return x


def _arranged(aval, order, shape, dtype):
    """A function that transposes, reshapes and converts; None if nothing is to be done."""
    order = None if order == sorted(order) else order
    moved = aval.shape if order is None else tuple([aval.shape[i] for i in order])
    to_shape, to_dtype = moved != tuple(shape), aval.dtype != dtype
    if order is None and not to_shape and not to_dtype:
        return None

    def arrange(x):
        if order is not None:
            x = x.transpose(order)
        if to_shape:
            x = x.reshape(shape)
        return x.astype(dtype) if to_dtype else x

    return arrange


RULES = {"dot_general": _dot}
