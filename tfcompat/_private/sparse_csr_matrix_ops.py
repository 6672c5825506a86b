"""tensorflow/python/ops/linalg/sparse/sparse_csr_matrix_ops.py: products of sparse matrices.

A CSR matrix is a `tf.SparseTensor` here.
"""

import numpy as np

from tfcompat.array import gather
from tfcompat.math import unsorted_segment_sum
from tfcompat.sparse import SparseTensor


def sparse_tensor_to_csr_sparse_matrix(indices, values, dense_shape, name=None):
    """A sparse matrix of its components."""
    return SparseTensor(indices, values, dense_shape)


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix, type, name=None):
    """The sparse matrix itself, which has the components as attributes."""
    return sparse_matrix


def sparse_matrix_sparse_mat_mul(a, b, type, name=None):
    """The product of two sparse matrices, or batches of as many; derivatives flow to the values of both."""
    left, right = a.places(), b.places()
    batch, (height, _), (depth, width) = a.sizes()[:-2], a.sizes()[-2:], b.sizes()[-2:]
    # Rows of `b` are counted through the whole batch, and so are the columns of `a` that meet them.
    columns = _numbers(left, [*batch, depth], [*range(len(batch)), -1])
    rows = _numbers(right, [*batch, depth], [*range(len(batch)), -2])
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    first, last = np.searchsorted(rows, columns), np.searchsorted(rows, columns, side="right")
    counts = last - first
    in_a = np.repeat(np.arange(len(left)), counts)
    in_b = order[np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)]
    places = np.concatenate([left[in_a, :-1], right[in_b, -1:]], axis=1)
    indices, group = np.unique(places, axis=0, return_inverse=True)
    products = gather(a.values, in_a) * gather(b.values, in_b)
    values = unsorted_segment_sum(products, group.reshape(-1), len(indices))
    return SparseTensor(indices.reshape(-1, left.shape[1]), values, [*batch, height, width])


def _numbers(places, sizes, axes):
    """Numbers of the places along some axes, which have these sizes."""
    return np.ravel_multi_index(tuple(places[:, axis] for axis in axes), sizes)
