"""Raw ops of sparse matrices in compressed rows, and batches of them. A `tf.SparseTensor` stands for such a matrix."""

import numpy as np

from tfcompat import array, linalg, sparse
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat.array import gather
from tfcompat.errors import InvalidArgumentError
from tfcompat.math import conj, unsorted_segment_sum
from tfcompat.raw_ops._registry import raw
from tfcompat.raw_ops._sparse import parts_of, sparse_of
from tfcompat.sparse._tensor import SparseTensor


@raw()
def SparseTensorToCSRSparseMatrix(indices, values, dense_shape):
    """A sparse matrix of its components."""
    sizes = static_value(dense_shape)
    if len(sizes) not in (2, 3):
        raise InvalidArgumentError(None, None, f"SparseTensor must have rank 2 or 3, but got rank {len(sizes)}")
    return sparse_of(indices, values, dense_shape)


@raw(ignored=("type",))
def CSRSparseMatrixToSparseTensor(sparse_matrix):
    """The components of a sparse matrix."""
    return parts_of(sparse_matrix)


@raw()
def DenseToCSRSparseMatrix(dense_input, indices):
    """The elements of a dense matrix at some places."""
    dense_input = convert_to_tensor(dense_input)
    return sparse_of(indices, array.gather_nd(dense_input, indices), dense_input.shape.as_list())


@raw(ignored=("type",))
def CSRSparseMatrixToDense(sparse_input):
    """The whole matrix."""
    return sparse.to_dense(sparse_input)


@raw(ignored=("type",))
def CSRSparseMatrixComponents(csr_sparse_matrix, index):
    """Where rows begin, columns and values of one matrix of a batch."""
    places, sizes = csr_sparse_matrix.places(), csr_sparse_matrix.sizes()
    index = int(static_value(index))
    if not 0 <= index < (sizes[0] if len(sizes) == 3 else 1):
        raise InvalidArgumentError(None, None, f"index ({index}) not in [0, batch size) of a matrix of shape {sizes}")
    chosen = np.flatnonzero(places[:, 0] == index) if len(sizes) == 3 else np.arange(len(places))
    counts = np.bincount(places[chosen, -2], minlength=sizes[-2])
    rows = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = places[chosen, -1].astype(np.int32)
    return host_constant(rows), host_constant(columns), gather(csr_sparse_matrix.values, host_constant(chosen))


@raw()
def SparseMatrixNNZ(sparse_matrix):
    """How many elements each matrix has."""
    places, sizes = sparse_matrix.places(), sparse_matrix.sizes()
    count = len(places) if len(sizes) == 2 else np.bincount(places[:, 0], minlength=sizes[0])
    return host_constant(np.array(count, np.int32))


@raw()
def SparseMatrixZeros(dense_shape, type):
    """A sparse matrix without elements."""
    sizes = static_value(dense_shape)
    return SparseTensor(np.zeros((0, len(sizes)), np.int64), array.zeros([0], type), sizes)


@raw()
def SparseMatrixAdd(a, b, alpha, beta):
    """`alpha * a + beta * b`."""
    return sparse.add(a.with_values(a.values * alpha), b.with_values(b.values * beta))


@raw()
def SparseMatrixMul(a, b):
    """The elements of a sparse matrix, multiplied with a scalar or one number for each matrix of a batch."""
    b = convert_to_tensor(b)
    if b.shape.rank == 0:
        return a.with_values(a.values * b)
    if b.shape.rank != 3 or b.shape[1:] != (1, 1):
        raise InvalidArgumentError(None, None, f"b must be a scalar or of shape [batch, 1, 1], got {b.shape}")
    return a.with_values(a.values * gather(array.reshape(b, [-1]), host_constant(a.places()[:, 0])))


@raw(ignored=("type",))
def SparseMatrixTranspose(input, conjugate):
    """The matrix with rows and columns swapped."""
    rank = len(input.sizes())
    result = sparse.transpose(input, [*range(rank - 2), rank - 1, rank - 2])
    return result.with_values(conj(result.values)) if conjugate else result


@raw()
def SparseMatrixMatMul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, transpose_output, conjugate_output):
    """The product of a sparse matrix and a dense one."""
    b = convert_to_tensor(b)
    if len(a.sizes()) == 2:
        if transpose_a or adjoint_a:
            a = SparseMatrixTranspose(a, adjoint_a)
        if transpose_b or adjoint_b:
            b = linalg.matrix_transpose(b, conjugate=adjoint_b)
        result = sparse.sparse_dense_matmul(a, b)
    else:
        result = linalg.matmul(sparse.to_dense(a), b, transpose_a, transpose_b, adjoint_a, adjoint_b)
    result = linalg.matrix_transpose(result) if transpose_output else result
    return conj(result) if conjugate_output else result


@raw(ignored=("type",))
def SparseMatrixSparseMatMul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b):
    """The product of two sparse matrices."""
    if transpose_a or adjoint_a:
        a = SparseMatrixTranspose(a, adjoint_a)
    if transpose_b or adjoint_b:
        b = SparseMatrixTranspose(b, adjoint_b)
    return product(a, b)


def product(a, b):
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


@raw(ignored=("type",))
def SparseMatrixSoftmax(logits):
    """The softmax of each row of a sparse matrix."""
    return sparse.softmax(logits)


@raw(ignored=("type",))
def SparseMatrixSoftmaxGrad(softmax, grad_softmax):
    """Gradient of `SparseMatrixSoftmax` by its logits."""
    places, sizes = softmax.places(), softmax.sizes()
    rows = host_constant(_numbers(places, sizes[:-1], range(len(sizes) - 1)))
    weighted = softmax.values * grad_softmax.values
    sums = unsorted_segment_sum(weighted, rows, int(np.prod(sizes[:-1])))
    return softmax.with_values(weighted - softmax.values * gather(sums, rows))


@raw()
def SparseMatrixOrderingAMD(input):
    """An order of rows and columns by which a factor has few elements: always the row with the fewest neighbours."""
    places, sizes = input.places(), input.sizes()
    orders = []
    for number in range(sizes[0] if len(sizes) == 3 else 1):
        pairs = places[places[:, 0] == number, 1:] if len(sizes) == 3 else places
        neighbours = [set() for _ in range(sizes[-1])]
        for row, column in pairs.tolist():
            if row != column:
                neighbours[row].add(column)
                neighbours[column].add(row)
        left, order = set(range(sizes[-1])), []
        while left:
            row = min(left, key=lambda each: (len(neighbours[each]), each))
            left.remove(row)
            order.append(row)
            for other in neighbours[row]:
                neighbours[other] |= neighbours[row]
                neighbours[other] -= {row, other}
        orders.append(order)
    result = np.array(orders, np.int32).reshape(-1, sizes[-1])
    return host_constant(result if len(sizes) == 3 else result[0])


@raw(ignored=("type",))
def SparseMatrixSparseCholesky(input, permutation):
    """The Cholesky factor of a matrix whose rows and columns are put into an order first."""
    order = convert_to_tensor(permutation)
    rank, size = len(input.sizes()), input.sizes()[-1]
    if order.shape[-1] != size:
        raise InvalidArgumentError(
            None, None, f"permutation must have the same number of elements in each batch as the number of rows in "
            f"sparse matrix; got: {order.shape[-1]} != {size}"
        )  # fmt: skip
    dense = gather(gather(sparse.to_dense(input), order, axis=-2, batch_dims=rank - 2), order, axis=-1,
                   batch_dims=rank - 2)  # fmt: skip
    factor = linalg.cholesky(dense)
    known = known_values(factor, "call it outside")
    if not np.isfinite(known).all():
        raise InvalidArgumentError(None, None, "Sparse Cholesky factorization failed. The input might not be valid.")
    indices = np.argwhere(known)
    return sparse_of(host_constant(indices), array.gather_nd(factor, indices), list(input.sizes()))
