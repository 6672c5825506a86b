"""Raw ops of sparse tensors, as their components."""

import functools

import numpy as np

from tfcompat import array, dtypes, math, sets, sparse
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.text_hash import salted_bucket
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.raw_ops._registry import raw
from tfcompat.sparse._edit_distance import edit_distance
from tfcompat.sparse._shape import crossed
from tfcompat.sparse._tensor import SparseTensor

_ADVICE = "call it outside"


def sparse_of(indices, values, dense_shape):
    """The sparse tensor of its components.

    Raises:
      tf.errors.InvalidArgumentError: they do not fit.
    """
    indices, shape = convert_to_tensor(indices, dtypes.int64), convert_to_tensor(dense_shape, dtypes.int64)
    values = convert_to_tensor(values)
    ranks = indices.shape.rank, values.shape.rank, shape.shape.rank
    if ranks != (2, 1, 1):
        raise InvalidArgumentError(
            None, None, "indices must be a matrix, values and shape must be vectors; got the shapes "
            f"{indices.shape}, {values.shape} and {shape.shape}"
        )  # fmt: skip
    if indices.shape[0] != values.shape[0] or indices.shape[1] != shape.shape[0]:
        raise InvalidArgumentError(
            None, None, f"as many indices as values, of as many columns as the shape has sizes, are expected; got the "
            f"shapes {indices.shape}, {values.shape} and {shape.shape}"
        )  # fmt: skip
    return SparseTensor(indices, values, shape)


def parts_of(matrix):
    """(indices, values, dense_shape) of a sparse tensor."""
    return matrix.indices, matrix.values, matrix.dense_shape


@raw()
def SparseToDense(sparse_indices, output_shape, sparse_values, default_value, validate_indices):
    """A sparse tensor as a dense one."""
    indices = convert_to_tensor(sparse_indices)
    indices = array.reshape(indices, [-1, 1]) if indices.shape.rank < 2 else indices
    values = convert_to_tensor(sparse_values)
    if values.shape.rank == 0:
        values = array.fill([indices.shape[0]], values)
    matrix = sparse_of(array.cast(indices, dtypes.int64), values, array.cast(output_shape, dtypes.int64))
    return sparse.to_dense(matrix, default_value, validate_indices)


@raw()
def SparseReorder(input_indices, input_values, input_shape):
    """A sparse tensor in the order of its rows."""
    result = sparse.reorder(sparse_of(input_indices, input_values, input_shape))
    return result.indices, result.values


@raw()
def SparseReshape(input_indices, input_shape, new_shape):
    """Where the elements of a sparse tensor are in another shape."""
    values = array.zeros([convert_to_tensor(input_indices).shape[0]])
    result = sparse.reshape(sparse_of(input_indices, values, input_shape), new_shape)
    return result.indices, result.dense_shape


@raw()
def SparseTensorDenseMatMul(a_indices, a_values, a_shape, b, adjoint_a, adjoint_b):
    """Products of a sparse matrix and a dense one."""
    matrix = sparse_of(array.cast(a_indices, dtypes.int64), a_values, a_shape)
    return sparse.sparse_dense_matmul(matrix, b, adjoint_a, adjoint_b)


@raw()
def SparseFillEmptyRows(indices, values, dense_shape, default_value):
    """A sparse tensor in which each row has an element."""
    matrix = sparse_of(indices, values, dense_shape)
    result, empty = sparse.fill_empty_rows(matrix, default_value)
    before, after = (known_values(convert_to_tensor(x), _ADVICE) for x in (indices, result.indices))
    places = {tuple(row): i for i, row in enumerate(after.tolist())}
    reverse = np.array([places[tuple(row)] for row in before.tolist()], np.int64)
    return result.indices, result.values, empty, host_constant(reverse)


@raw()
def SparseConcat(indices, values, shapes, concat_dim):
    """Sparse tensors joined."""
    parts = [sparse_of(*each) for each in zip(indices, values, shapes, strict=True)]
    return parts_of(sparse.concat(concat_dim, parts))


@raw()
def SparseSlice(indices, values, shape, start, size):
    """A part of a sparse tensor."""
    return parts_of(sparse.slice(sparse_of(indices, values, shape), start, size))


@raw()
def SparseSoftmax(sp_indices, sp_values, sp_shape):
    """The softmax of each row of a sparse tensor."""
    return sparse.softmax(sparse_of(sp_indices, sp_values, sp_shape)).values


@raw()
def SparseReduceSum(input_indices, input_values, input_shape, reduction_axes, keep_dims):
    """Sums of a sparse tensor along axes."""
    matrix = sparse_of(input_indices, input_values, input_shape)
    return sparse.reduce_sum(matrix, static_value(reduction_axes), keep_dims)


@raw()
def SparseReduceMax(input_indices, input_values, input_shape, reduction_axes, keep_dims):
    """The largest elements of a sparse tensor along axes."""
    matrix = sparse_of(input_indices, input_values, input_shape)
    return sparse.reduce_max(matrix, static_value(reduction_axes), keep_dims)


@raw(ignored=("sparse_gradient",))
def SparseSegmentSum(data, indices, segment_ids):
    """Sums of rows, by segment."""
    return sparse.segment_sum(data, indices, segment_ids)


@raw(ignored=("sparse_gradient",))
def SparseSegmentMean(data, indices, segment_ids):
    """Means of rows, by segment."""
    return sparse.segment_mean(data, indices, segment_ids)


@raw(ignored=("sparse_gradient",))
def SparseSegmentSqrtN(data, indices, segment_ids):
    """Sums of rows over the root of their number, by segment."""
    return sparse.segment_sqrt_n(data, indices, segment_ids)


@raw(ignored=("sparse_gradient",))
def SparseSegmentSumWithNumSegments(data, indices, segment_ids, num_segments):
    """Sums of rows, by segment."""
    return sparse.segment_sum(data, indices, segment_ids, num_segments)


@raw(ignored=("sparse_gradient",))
def SparseSegmentMeanWithNumSegments(data, indices, segment_ids, num_segments):
    """Means of rows, by segment."""
    return sparse.segment_mean(data, indices, segment_ids, num_segments)


@raw(ignored=("sparse_gradient",))
def SparseSegmentSqrtNWithNumSegments(data, indices, segment_ids, num_segments):
    """Sums of rows over the root of their number, by segment."""
    return sparse.segment_sqrt_n(data, indices, segment_ids, num_segments)


@raw()
def SparseAdd(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh):
    """The sum of two sparse tensors."""
    total = sparse.add(sparse_of(a_indices, a_values, a_shape), sparse_of(b_indices, b_values, b_shape), thresh)
    return parts_of(total)


@raw()
def SparseTensorDenseAdd(a_indices, a_values, a_shape, b):
    """The sum of a sparse tensor and a dense one."""
    a = sparse_of(array.cast(a_indices, dtypes.int64), a_values, array.cast(a_shape, dtypes.int64))
    return sparse.add(a, convert_to_tensor(b))


def _picked(grad, places, among):
    """The elements of `grad`, which are at the places `among`, that are at `places`; zero where there is none."""
    places, among = (known_values(convert_to_tensor(x, dtypes.int64), _ADVICE).tolist() for x in (places, among))
    numbers = {tuple(place): number for number, place in enumerate(among)}
    grad = convert_to_tensor(grad)
    if grad.shape != (len(among),):
        raise InvalidArgumentError(None, None, f"{len(among)} gradients are expected, got the shape {grad.shape}")
    chosen = np.array([numbers.get(tuple(place), len(among)) for place in places], np.int64)
    return array.gather(array.concat([grad, array.zeros([1], grad.dtype)], 0), host_constant(chosen))


@raw()
def SparseAddGrad(backprop_val_grad, a_indices, b_indices, sum_indices):
    """Gradients of `SparseAdd` by the values of both."""
    return tuple(_picked(backprop_val_grad, places, sum_indices) for places in (a_indices, b_indices))


@raw()
def SparseSliceGrad(backprop_val_grad, input_indices, input_start, output_indices):
    """Gradient of `SparseSlice` by the values."""
    return _picked(backprop_val_grad, convert_to_tensor(input_indices) - input_start, output_indices)


def _with_dense(name, combine):
    def combined(sp_indices, sp_values, sp_shape, dense):
        matrix = sparse_of(sp_indices, sp_values, sp_shape)
        dense = convert_to_tensor(dense, matrix.dtype)
        sizes = matrix.sizes()
        if dense.shape.rank > len(sizes):
            raise InvalidArgumentError(
                None, None, f"{name} broadcasts dense to sparse only; got incompatible shapes: [{sizes}] vs. "
                f"{dense.shape}"
            )  # fmt: skip
        return combine(matrix.values, array.gather_nd(array.broadcast_to(dense, sizes), matrix.indices))

    combined.__doc__ = "The values of a sparse tensor, combined with those of a dense one at their places."
    raw(name)(combined)


_with_dense("SparseDenseCwiseAdd", math.add)
_with_dense("SparseDenseCwiseMul", math.multiply)
_with_dense("SparseDenseCwiseDiv", math.divide)


@raw()
def SparseReduceSumSparse(input_indices, input_values, input_shape, reduction_axes, keep_dims):
    """Sums of a sparse tensor along axes, as a sparse tensor."""
    matrix = sparse_of(input_indices, input_values, input_shape)
    return parts_of(sparse.reduce_sum(matrix, static_value(reduction_axes), keep_dims, output_is_sparse=True))


@raw()
def SparseReduceMaxSparse(input_indices, input_values, input_shape, reduction_axes, keep_dims):
    """The largest elements of a sparse tensor along axes, as a sparse tensor."""
    matrix = sparse_of(input_indices, input_values, input_shape)
    return parts_of(sparse.reduce_max(matrix, static_value(reduction_axes), keep_dims, output_is_sparse=True))


@raw()
def SparseSparseMaximum(a_indices, a_values, a_shape, b_indices, b_values, b_shape):
    """The larger elements of two sparse tensors."""
    a, b = sparse_of(a_indices, a_values, a_shape), sparse_of(b_indices, b_values, b_shape)
    return parts_of(sparse.maximum(a, b))[:2]


@raw()
def SparseSparseMinimum(a_indices, a_values, a_shape, b_indices, b_values, b_shape):
    """The smaller elements of two sparse tensors."""
    a, b = sparse_of(a_indices, a_values, a_shape), sparse_of(b_indices, b_values, b_shape)
    return parts_of(sparse.minimum(a, b))[:2]


@raw()
def SparseSplit(split_dim, indices, values, shape, num_split):
    """Parts of a sparse tensor along an axis."""
    pieces = sparse.split(sparse_of(indices, values, shape), num_split, static_value(split_dim))
    return tuple(map(list, zip(*map(parts_of, pieces), strict=True)))


@raw()
def EditDistance(hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape,
                 normalize):  # fmt: skip
    """Levenshtein distances between sequences."""
    hypothesis = sparse_of(hypothesis_indices, hypothesis_values, hypothesis_shape)
    return edit_distance(hypothesis, sparse_of(truth_indices, truth_values, truth_shape), normalize)


# --- segments ---

_WEIGHTS = {
    "Sum": lambda counts: array.ones_like(counts), "Mean": lambda counts: 1 / counts,
    "SqrtN": lambda counts: math.rsqrt(counts),
}  # fmt: skip


def _of_rows(kind, grad, segment_ids):
    """The gradient of each row that went into a segment."""
    grad = convert_to_tensor(grad)
    if not grad.shape.rank or not grad.dtype.is_floating:
        raise InvalidArgumentError(None, None, f"grad must be floating, of rank 1 at least, got {grad}")
    ones = array.ones_like(segment_ids, dtype=grad.dtype)
    counts = array.gather(math.unsorted_segment_sum(ones, segment_ids, grad.shape[0]), segment_ids)
    weights = array.reshape(_WEIGHTS[kind](counts), [-1] + [1] * (grad.shape.rank - 1))
    return array.gather(grad, segment_ids) * weights


def _segment_gradients(kind):
    def whole(grad, indices, segment_ids, output_dim0):
        count = int(static_value(output_dim0))
        return math.unsorted_segment_sum(_of_rows(kind, grad, segment_ids), indices, count)

    def some(grad, indices, segment_ids, dense_output_dim0):
        indices = convert_to_tensor(indices)
        if static_value(dense_output_dim0) < 0:
            raise InvalidArgumentError(None, None, f"dense_output_dim0 must not be negative, got {dense_output_dim0}")
        unique, numbers = np.unique(known_values(indices, _ADVICE), return_inverse=True)
        rows = math.unsorted_segment_sum(_of_rows(kind, grad, segment_ids), host_constant(numbers), len(unique))
        return rows, host_constant(unique)

    whole.__doc__ = f"Gradient of `SparseSegment{kind}` by its rows."
    some.__doc__ = f"Gradient of `SparseSegment{kind}` by its rows: those that are there, and which they are."
    raw(f"SparseSegment{kind}Grad")(whole)
    raw(f"SparseSegment{kind}GradV2")(some)


for _kind in _WEIGHTS:
    _segment_gradients(_kind)


# --- sets ---


def _set_operation(a, b, set_operation, validate_indices):
    operations = {
        "a-b": sets.difference, "b-a": lambda a, b, validate_indices: sets.difference(a, b, False, validate_indices),
        "intersection": sets.intersection, "union": sets.union,
    }  # fmt: skip
    if set_operation not in operations:
        raise InvalidArgumentError(None, None, f"Invalid set_operation {set_operation}.")
    return parts_of(operations[set_operation](a, b, validate_indices=validate_indices))


@raw()
def DenseToDenseSetOperation(set1, set2, set_operation, validate_indices):
    """Sets made of two, row by row."""
    return _set_operation(set1, set2, set_operation, validate_indices)


@raw()
def DenseToSparseSetOperation(set1, set2_indices, set2_values, set2_shape, set_operation, validate_indices):
    """Sets made of two, row by row."""
    second = sparse_of(set2_indices, set2_values, set2_shape)
    return _set_operation(set1, second, set_operation, validate_indices)


@raw()
def SparseToSparseSetOperation(set1_indices, set1_values, set1_shape, set2_indices, set2_values, set2_shape,
                               set_operation, validate_indices):  # fmt: skip
    """Sets made of two, row by row."""
    first = sparse_of(set1_indices, set1_values, set1_shape)
    second = sparse_of(set2_indices, set2_values, set2_shape)
    return _set_operation(first, second, set_operation, validate_indices)


@raw()
def SetSize(set_indices, set_values, set_shape, validate_indices):
    """How many elements each set has."""
    return sets.size(sparse_of(set_indices, set_values, set_shape), validate_indices)


# --- counting ---


def _counts(values, weights, minlength, maxlength, binary_output):
    """How often numbers occur, as a sparse tensor of the dtype of `weights`, which may be empty."""
    weights = convert_to_tensor(weights)
    if weights.shape.num_elements() == 0:
        given = None
    else:
        given = values.with_values(weights) if isinstance(values, SparseTensor) else weights
    rank = len(values.sizes()) if isinstance(values, SparseTensor) else values.shape.rank
    result = sparse.bincount(
        values, given, -1 if rank > 1 else 0, None if minlength == -1 else minlength,
        None if maxlength == -1 else maxlength, binary_output,
    )  # fmt: skip
    return result.with_values(array.cast(result.values, weights.dtype))


def _rows_of(splits, values):
    return RaggedTensor.from_row_splits(values, splits).to_sparse()


@raw()
def DenseCountSparseOutput(values, weights, binary_output, minlength, maxlength):
    """How often each number occurs, as a sparse tensor."""
    values = convert_to_tensor(values)
    if values.shape.rank not in (1, 2):
        raise InvalidArgumentError(None, None, f"Input must be a 1 or 2-dimensional tensor. Got: {values.shape.rank}")
    weights = convert_to_tensor(weights)
    if weights.shape.num_elements() != 0 and not weights.shape.is_compatible_with(values.shape):
        raise when_run(
            f"Weights and data must have the same shape. Weight shape: {weights.shape}; data shape: {values.shape} "
            "[Op:DenseCountSparseOutput]"
        )
    return parts_of(_counts(values, weights, minlength, maxlength, binary_output))


@raw()
def SparseCountSparseOutput(indices, values, dense_shape, weights, binary_output, minlength, maxlength):
    """How often each number occurs, as a sparse tensor."""
    values = sparse_of(indices, values, dense_shape)
    return parts_of(_counts(values, weights, minlength, maxlength, binary_output))


@raw()
def RaggedCountSparseOutput(splits, values, weights, binary_output, minlength, maxlength):
    """How often each number occurs in each row, as a sparse tensor."""
    return parts_of(_counts(_rows_of(splits, values), weights, minlength, maxlength, binary_output))


@raw()
def SparseBincount(indices, values, dense_shape, size, weights, binary_output):
    """How often each number below `size` occurs."""
    size = int(static_value(size))
    return sparse.to_dense(_counts(sparse_of(indices, values, dense_shape), weights, size, size, binary_output))


@raw()
def RaggedBincount(splits, values, size, weights, binary_output):
    """How often each number below `size` occurs in each row."""
    size = int(static_value(size))
    return sparse.to_dense(_counts(_rows_of(splits, values), weights, size, size, binary_output))


# --- crosses ---


def _columns(indices, values, shapes, dense_inputs):
    return [*map(sparse_of, indices, values, shapes), *map(convert_to_tensor, dense_inputs)]


@raw(ignored=("out_type",))
def SparseCross(indices, values, shapes, dense_inputs, hashed_output, num_buckets, hash_key, internal_type):
    """Combinations of the features of each row, as text or hashed."""
    if hashed_output != (internal_type == dtypes.int64):
        raise UnimplementedError(
            None, None, "tf.raw_ops.SparseCross: hashed features must be int64 inside, and others text"
        )
    if num_buckets < 0:
        raise InvalidArgumentError(None, None, f"num_buckets must not be negative, got {num_buckets}")
    columns = _columns(indices, values, shapes, dense_inputs)
    return parts_of(sparse.cross_hashed(columns, num_buckets, hash_key) if hashed_output else sparse.cross(columns))


def _hashed_as(column):
    """The texts that are hashed of a sparse column: of a number TensorFlow's kernel takes the lower four bytes."""
    numbers = known_values(convert_to_tensor(column), _ADVICE)
    if numbers.dtype == object:
        return column
    return np.array([number.to_bytes(8, "little", signed=True)[:4] for number in numbers.tolist()], object)


@raw()
def SparseCrossHashed(indices, values, shapes, dense_inputs, num_buckets, strong_hash, salt):
    """Combinations of the features of each row, hashed; with `strong_hash` by the key `salt`."""
    count, strong, key = (known_values(convert_to_tensor(x)).tolist() for x in (num_buckets, strong_hash, salt))
    if count < 0:
        raise InvalidArgumentError(None, None, f"num_buckets must not be negative, got {count}")
    columns = _columns(indices, [_hashed_as(column) for column in values], shapes, dense_inputs)
    combine = functools.partial(salted_bucket, buckets=count, salt=tuple(key) if strong else None)
    return parts_of(crossed(columns, combine, np.int64))


@raw()
def SparseCrossV2(indices, values, shapes, dense_inputs, sep):
    """Combinations of the features of each row, as text."""
    (separator,) = known_values(convert_to_tensor(sep), _ADVICE).ravel().tolist()
    return parts_of(sparse.cross(_columns(indices, values, shapes, dense_inputs), separator=separator))


@raw(ignored=("out_values_type",))
def RaggedCross(ragged_values, ragged_row_splits, sparse_indices, sparse_values, sparse_shape, dense_inputs,
                input_order, hashed_output, num_buckets, hash_key, out_row_splits_type):  # fmt: skip
    """Combinations of the features of each row, as text or hashed."""
    from tfcompat import ragged  # the ops of tensors have the same names

    supplies = {
        "R": iter([RaggedTensor.from_row_splits(v, s) for v, s in zip(ragged_values, ragged_row_splits, strict=True)]),
        "S": iter(_columns(sparse_indices, sparse_values, sparse_shape, ())),
        "D": iter(map(convert_to_tensor, dense_inputs)),
    }
    if sorted(input_order) != sorted("R" * len(ragged_values) + "S" * len(sparse_values) + "D" * len(dense_inputs)):
        raise InvalidArgumentError(None, None, f"input_order {input_order!r} does not name the inputs")
    columns = [next(supplies[kind]) for kind in input_order]
    rows = ragged.cross_hashed(columns, num_buckets, hash_key) if hashed_output else ragged.cross(columns)
    return rows.values, array.cast(rows.row_splits, out_row_splits_type)
