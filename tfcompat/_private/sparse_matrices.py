"""tensorflow/python/ops/linalg/sparse/sparse.py: `CSRSparseMatrix`, a `tf.SparseTensor` here."""
import tfcompat as _tf
from tfcompat._private.sparse_csr_matrix_ops import sparse_matrix_sparse_mat_mul as _product


class CSRSparseMatrix:
    """A sparse matrix, or a batch of them.

    Args:
      value: tf.SparseTensor, or tensor.
      indices: the places to keep of a tensor; by default those that are not zero.
    """

    def __init__(self, value, indices=None, name=None):
        if not isinstance(value, _tf.SparseTensor):
            value = _tf.convert_to_tensor(value)
            places = _tf.where(value != _tf.zeros([], value.dtype)) if indices is None else indices
            value = _tf.SparseTensor(places, _tf.gather_nd(value, places), _tf.shape(value, _tf.int64))
        self._value = value

    dtype = property(lambda self: self._value.dtype)
    shape = property(lambda self: self._value.shape)

    def to_sparse_tensor(self):
        """The `tf.SparseTensor` that this is made of."""
        return self._value

    def to_dense(self):
        """All elements, as a tensor."""
        return _tf.sparse.to_dense(self._value)


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None):
    """The product of two matrices, or batches of them, one sparse at least; sparse if both are.

    Raises:
      ValueError: neither is sparse.
    """
    sparse = [isinstance(matrix, CSRSparseMatrix) for matrix in (a, b)]
    if not any(sparse):
        raise ValueError(f"At least one of `a` and `b` must be CSRSparseMatrix. Received type(a)={type(a)}, "
                         f"type(b)={type(b)}")  # fmt: skip
    flags = (transpose_a, transpose_b, adjoint_a, adjoint_b)
    if all(sparse):
        if any(flags):
            raise _tf.errors.UnimplementedError(
                None, None, "matmul of two CSRSparseMatrix with a transpose: transpose them by tf.sparse.transpose"
            )
        return CSRSparseMatrix(_product(a.to_sparse_tensor(), b.to_sparse_tensor(), a.dtype))
    a, b = (matrix.to_dense() if is_sparse else matrix for matrix, is_sparse in zip((a, b), sparse, strict=True))
    return _tf.matmul(a, b, *flags)
