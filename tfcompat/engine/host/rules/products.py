"""Products of matrices."""

import math

import numpy as np

from tfcompat.engine.host.rules.registry import Unknown, is_integer


def _dot(params, in_avals, out_avals):
    """A product of matrices, the axes of both brought into the order batch, rows, columns."""
    a, b = in_avals
    if is_integer(a.dtype):
        raise Unknown
    (summed_a, summed_b), (batch_a, batch_b) = params["dimension_numbers"]
    free_a = [i for i in range(len(a.shape)) if i not in (*summed_a, *batch_a)]
    free_b = [i for i in range(len(b.shape)) if i not in (*summed_b, *batch_b)]
    batch = [a.shape[i] for i in batch_a]
    length = math.prod([a.shape[i] for i in summed_a])
    rows, columns = math.prod([a.shape[i] for i in free_a]), math.prod([b.shape[i] for i in free_b])
    order_a, order_b = [*batch_a, *free_a, *summed_a], [*batch_b, *summed_b, *free_b]
    shape_a, shape_b, shape = (*batch, rows, length), (*batch, length, columns), out_avals[0].shape

    def dot(a, b):
        return np.matmul(a.transpose(order_a).reshape(shape_a), b.transpose(order_b).reshape(shape_b)).reshape(shape)

    return dot


RULES = {"dot_general": _dot}
