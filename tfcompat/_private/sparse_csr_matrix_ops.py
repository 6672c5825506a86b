"""tensorflow/python/ops/linalg/sparse/sparse_csr_matrix_ops.py: products of sparse matrices.

A CSR matrix is a `tf.SparseTensor` here.
"""

from tfcompat.raw_ops._sparse_matrices import product
from tfcompat.sparse import SparseTensor


def sparse_tensor_to_csr_sparse_matrix(indices, values, dense_shape, name=None):
    """A sparse matrix of its components."""
    return SparseTensor(indices, values, dense_shape)


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix, type, name=None):
    """The sparse matrix itself, which has the components as attributes."""
    return sparse_matrix


def sparse_matrix_sparse_mat_mul(a, b, type, name=None):
    """The product of two sparse matrices, or batches of as many; derivatives flow to the values of both."""
    return product(a, b)
