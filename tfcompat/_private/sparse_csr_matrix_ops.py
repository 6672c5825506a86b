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
    """The product of two sparse matrices; derivatives flow to the values of both."""
    left, right = np.asarray(a.indices), np.asarray(b.indices)
    order = np.argsort(right[:, 0], kind="stable")
    rows = right[order, 0]
    first, last = np.searchsorted(rows, left[:, 1]), np.searchsorted(rows, left[:, 1], side="right")
    counts = last - first
    in_a = np.repeat(np.arange(len(left)), counts)
    in_b = order[np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)]
    places = np.stack([left[in_a, 0], right[in_b, 1]], axis=1)
    indices, group = np.unique(places, axis=0, return_inverse=True)
    products = gather(a.values, in_a) * gather(b.values, in_b)
    values = unsorted_segment_sum(products, group.reshape(-1), len(indices))
    return SparseTensor(indices.reshape(-1, 2), values, [int(a.dense_shape[0]), int(b.dense_shape[1])])
