"""`tf.sparse`: construction, conversion, arithmetic, reductions."""

import math

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.op import FLOATING, REAL, op
from tfcompat._core.stacks import RaggedRows, Rows
from tfcompat._core.steps import is_unknown, step
from tfcompat._core.tensor import Tensor
from tfcompat.array import concat as joined
from tfcompat.array import gather, gather_nd, transpose
from tfcompat.array import reshape as reshaped
from tfcompat.array._arguments import as_int, check_dtype, invalid, show_shape
from tfcompat.math import conj
from tfcompat.math._arguments import as_axes
from tfcompat.math._segment import (
    segment_mean as mean_of_segments,
)
from tfcompat.math._segment import (
    segment_sum as sum_of_segments,
)
from tfcompat.math._segment import (
    unsorted_segment_mean,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from tfcompat.sparse import _elements as elements
from tfcompat.sparse import _unknown_sizes as unknown_sizes
from tfcompat.sparse._tensor import SparseTensor, as_sparse, made
from tfcompat.sparse._unknown_sizes import saved_as


def in_row_major_order(places):
    """The permutation that brings places into row-major order; equal ones keep theirs."""
    return np.lexsort(tuple(places.T[::-1])) if places.shape[1] else np.arange(len(places))


def ordered(places, values, sizes):
    """A SparseTensor whose places come in row-major order."""
    order = in_row_major_order(places)
    if (order == np.arange(len(order))).all():
        return made(places, values, sizes)
    return made(places[order], elements.taken(values, host_constant(order)), sizes)


def out_of_bounds(places, sizes):
    """What is wrong with the first place that a tensor of these sizes does not have; None if it has all of them."""
    outside = ((places < 0) | (places >= np.asarray(sizes))).any(1)
    if not outside.any():
        return None
    number = int(outside.argmax())
    return f"indices[{number}] = {show_shape(places[number])} is out of bounds: need 0 <= index < {show_shape(sizes)}"


def _check_places(places, sizes, strict=True):
    problem = out_of_bounds(places, sizes)
    if problem is not None:
        raise invalid(problem)
    if not strict or len(places) < 2:
        return
    steps = np.diff(places, axis=0)
    first = (steps != 0).argmax(1) if steps.shape[1] else np.zeros(len(steps), int)
    forward = np.take_along_axis(steps, first[:, None], 1)[:, 0] if steps.shape[1] else first
    unfit = forward <= 0
    if unfit.any():
        number = int(unfit.argmax())
        place = show_shape(places[number + 1])
        raise invalid(f"indices[{number + 1}] = {place}{elements.OUT_OF_ORDER if forward[number] else ' is repeated'}")


def _whole_of_stack(rows, default_value=None, validate_indices=True, name=None):
    """The dense tensors of sparse ones, see `step`."""
    size, rank = rows.sizes.shape
    if not isinstance(default_value, int | float | str | None):
        return NotImplemented
    numbers = np.repeat(np.arange(size), rows.lengths)
    if ((rows.places < 0) | (rows.places >= rows.sizes[numbers])).any():
        return NotImplemented  # which says what is wrong
    counts = rows.sizes.prod(1)
    ends = np.cumsum(counts)
    strides = np.cumprod(np.concatenate([np.ones((size, 1), np.int64), rows.sizes[:, :0:-1]], 1), 1)[:, ::-1]
    flat = (ends - counts)[numbers] + (rows.places * strides[numbers]).sum(1)
    if validate_indices and (np.diff(flat) <= 0).any():
        return NotImplemented
    if default_value is None:
        default_value = b"" if rows.values.dtype.hasobject else 0
    default = convert_to_tensor(default_value, dtypes.from_numpy(rows.values.dtype))._value()
    result = np.full(int(counts.sum()), default, rows.values.dtype)
    result[flat] = rows.values
    if (rows.sizes == rows.sizes[:1]).all():
        return host_constant(result.reshape(size, *rows.sizes[0]))
    if rank == 1:
        return RaggedRows(result, counts)
    shapes = rows.sizes.tolist()
    return Rows([result[end - n : end].reshape(s) for n, end, s in zip(counts, ends, shapes, strict=True)])


@saved_as("SparseToDense", unknown_sizes.whole, of_stack=_whole_of_stack)
def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """The whole tensor of a sparse one.

    Args:
      sp_input: SparseTensor.
      default_value: scalar for the places that are not given; zero, or the empty text, if None.
      validate_indices: whether places out of order, or given twice, are errors.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `sp_input`.

    Raises:
      TypeError: `sp_input` is no SparseTensor.
      tf.errors.InvalidArgumentError: places out of bounds, out of order, or given twice.

    TF: `tf.sparse.to_dense`; no known difference.
    """
    sparse = as_sparse(sp_input)
    sizes = sparse.sizes()
    checked = "order" if validate_indices else "bounds"
    if sparse.has_known_places():
        _check_places(sparse.places(), sizes, validate_indices)
        checked = "known"
    if default_value is None:
        default_value = b"" if sparse.dtype == dtypes.string else 0
        if sparse.dtype == dtypes.bool:
            default_value = False
    default = default_value if isinstance(default_value, Tensor) else convert_to_tensor(default_value, sparse.dtype)
    if default.shape.rank:
        raise invalid(f"default_value should be a scalar, got shape {default.shape} [Op:SparseToDense]")
    return elements.filled(sparse.values, default, sparse.indices, sizes, checked)


def _of_unknown_places(new, tensor, name=None):
    if not is_unknown(tensor):
        return NotImplemented
    return unknown_sizes.sparse_like(new, tensor.dtype, tensor.shape.as_list())


@step("SparseFromDense", _of_unknown_places, underived=True)
def from_dense(tensor, name=None):
    """The elements of a tensor that are not zero (or not empty texts), as a SparseTensor.

    Args:
      tensor: tensor of any dtype.
      name: ignored.

    Returns:
      SparseTensor, places in row-major order.

    Raises:
      tf.errors.UnimplementedError: the value is not known while a function is traced.

    TF: `tf.sparse.from_dense`; no known difference.
    """
    tensor = convert_to_tensor(tensor)
    array = known_values(tensor, "call it outside")
    places = np.argwhere(array != (b"" if array.dtype == object else 0))
    if array.dtype == object:
        return made(places, host_constant(array[tuple(places.T)]), array.shape)
    return made(places, gather_nd(tensor, host_constant(places)), array.shape)


@saved_as("SparseReorder", unknown_sizes.same)
def reorder(sp_input, name=None):
    """The same tensor, places in row-major order.

    Args:
      sp_input: SparseTensor.
      name: ignored.

    Returns:
      SparseTensor.

    Raises:
      TypeError: `sp_input` is no SparseTensor.

    TF: `tf.sparse.reorder`; no known difference.
    """
    sparse = as_sparse(sp_input)
    return ordered(sparse.places(), sparse.values, sparse.sizes())


def eye(num_rows, num_columns=None, dtype=dtypes.float32, name=None):
    """Identity matrix.

    Args:
      num_rows: non-negative integer.
      num_columns: non-negative integer; `num_rows` if None.
      dtype: numeric dtype.
      name: ignored.

    Returns:
      SparseTensor of shape `[num_rows, num_columns]`.

    TF: `tf.sparse.eye`; no known difference.
    """
    rows = as_int(static_value(num_rows), "num_rows", attribute=True)
    columns = rows if num_columns is None else as_int(static_value(num_columns), "num_columns", attribute=True)
    if rows < 0 or columns < 0:
        raise invalid(f"A sparse identity needs sizes that are not negative, got {rows} and {columns}")
    count = min(rows, columns)
    places = np.stack([np.arange(count)] * 2, -1)
    return made(places, convert_to_tensor(np.ones(count, dtypes.as_dtype(dtype).np)), (rows, columns))


def map_values(op, *args, **kwargs):
    """Calls `op` with the values of sparse tensors, and puts its result at their places.

    Args:
      op: callable.
      *args, **kwargs: its arguments, SparseTensors among them; all of the same places.

    Returns:
      SparseTensor.

    Raises:
      ValueError: no argument is a SparseTensor.
      tf.errors.InvalidArgumentError: constant places differ.

    TF: `tf.sparse.map_values`; computed places are not compared.
    """
    sparse_tensors = [x for x in nest.flatten((args, kwargs)) if isinstance(x, SparseTensor)]
    if not sparse_tensors:
        raise ValueError("No SparseTensor in argument list of map_values")
    for other in sparse_tensors[1:]:
        shapes = sparse_tensors[0].indices.shape, other.indices.shape
        if shapes[0] != shapes[1]:
            raise invalid(f"Incompatible shapes: {show_shape(shapes[0])} vs. {show_shape(shapes[1])}")
        if sparse_tensors[0].has_known_places() and other.has_known_places():
            if not np.array_equal(sparse_tensors[0].places(), other.places()):
                raise invalid("All SparseTensors must have the same indices")
    args, kwargs = nest.map_structure(lambda x: x.values if isinstance(x, SparseTensor) else x, (args, kwargs))
    return SparseTensor(sparse_tensors[0].indices, op(*args, **kwargs), sparse_tensors[0].dense_shape)


def _check_same_shape(a, b):
    first, second = a.sizes(), b.sizes()
    if len(first) != len(second):
        raise invalid(f"Ranks of the operands do not match: {len(first)} and {len(second)}")
    for axis, (mine, its) in enumerate(zip(first, second, strict=True)):
        if mine != its:
            raise when_run(f"Operands' shapes do not match: got {mine} and {its} for dimension {axis}")
    return first


def _numbers(places, sizes):
    """One number for each place, ascending in row-major order. As in TF, coordinates may be out of range."""
    numbers = np.zeros(len(places), np.int64)
    for k, size in enumerate(sizes):
        numbers = numbers * size + places[:, k]
    return numbers


@saved_as("SparseAdd", unknown_sizes.total)
def add(a, b, threshold=0):
    """Sum of two tensors, one or both of them sparse.

    Args:
      a: SparseTensor or tensor.
      b: SparseTensor or tensor; same dtype and shape.
      threshold: sums of smaller magnitude, at places that both have, are left out of a sparse result.

    Returns:
      SparseTensor if both are, otherwise a tensor.

    Raises:
      TypeError: neither is sparse.
      tf.errors.InvalidArgumentError: shapes or dtypes differ.

    TF: `tf.sparse.add`; no known difference.
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        return elements.added_to(sparse.values, convert_to_tensor(dense), sparse.indices, sparse.sizes())
    sizes = _check_same_shape(a, b)
    if a.dtype != b.dtype:
        raise invalid(f"cannot compute SparseAdd: {a.dtype.name} and {b.dtype.name} differ")
    places, slots = _merged(a.places(), b.places())
    values = elements.summed_at(_concat(a.values, b.values), host_constant(slots[:, None]), (len(places),))
    limit = static_value(threshold)
    if limit:
        alone = np.bincount(slots, minlength=len(places)) == 1  # what only one of them has always stays
        keep = alone | (np.abs(known_values(values, "use threshold=0")) >= limit)
        return made(places[keep], elements.taken(values, host_constant(np.flatnonzero(keep))), sizes)
    return made(places, values, sizes)


def _merged(first, second):
    """The union of two lists of places as TF merges them, and where each of both goes."""
    result, slots = [], np.zeros(len(first) + len(second), np.int64)
    i = j = 0
    while i < len(first) or j < len(second):
        mine = tuple(first[i]) if i < len(first) else None
        its = tuple(second[j]) if j < len(second) else None
        take_mine = its is None or (mine is not None and mine <= its)
        take_its = mine is None or (its is not None and its <= mine)
        if take_mine:
            slots[i] = len(result)
            i += 1
        if take_its:
            slots[len(first) + j] = len(result)
            j += 1
        result.append(mine if take_mine else its)
    return np.array(result, np.int64).reshape(len(result), first.shape[1]), slots


def _concat(*values):
    return joined(values, 0)


def _extreme(a, b, largest):
    a, b = as_sparse(a), as_sparse(b)
    sizes = _check_same_shape(a, b)
    for places in (a.places(), b.places()):
        for number in np.flatnonzero(((places < 0) | (places >= np.array(sizes))).any(-1)):
            kernel = f"SparseSparse{'Maximum' if largest else 'Minimum'}"
            text = f"Sparse index tuple indices[{number}, :] = {places[number].tolist()} is out of bounds"
            raise invalid(f"{text} [Op:{kernel}] name: ")
    numbers = [_numbers(x.places(), sizes) for x in (a, b)]
    union = np.union1d(*numbers)
    slots = [tuple(np.searchsorted(union, x).tolist()) for x in numbers]
    values = elements.extreme_of(a.values, b.values, *slots, len(union), largest)
    return made(np.stack(np.unravel_index(union, sizes), -1), values, sizes)


@saved_as("SparseSparseMaximum", unknown_sizes.same)
def maximum(sp_a, sp_b, name=None):
    """Elementwise maximum; places that are not given count as zero.

    Args:
      sp_a: SparseTensor, real dtype.
      sp_b: SparseTensor of the same dtype and shape.
      name: ignored.

    Returns:
      SparseTensor with the places of both.

    Raises:
      tf.errors.InvalidArgumentError: shapes or dtypes differ.
      LookupError: differentiated.

    TF: `tf.sparse.maximum`; no known difference.
    """
    return _extreme(sp_a, sp_b, True)


@saved_as("SparseSparseMinimum", unknown_sizes.same)
def minimum(sp_a, sp_b, name=None):
    """Elementwise minimum; places that are not given count as zero.

    Args:
      sp_a: SparseTensor, real dtype.
      sp_b: SparseTensor of the same dtype and shape.
      name: ignored.

    Returns:
      SparseTensor with the places of both.

    Raises:
      tf.errors.InvalidArgumentError: shapes or dtypes differ.
      LookupError: differentiated.

    TF: `tf.sparse.minimum`; no known difference.
    """
    return _extreme(sp_a, sp_b, False)


def _reduced(reduce, sp_input, axis, keepdims, output_is_sparse):
    sparse = as_sparse(sp_input)
    sizes, axes = sparse.sizes(), static_value(axis)
    rank = len(sizes)
    if axes is not None and not isinstance(axes, tuple):
        axes = (axes,)
    for one in axes or ():
        if isinstance(one, int) and not -rank <= one < rank:
            raise invalid(f"Invalid reduction dimension {one}, for input with {rank} dimensions.")
    axes = as_axes(axes, rank)
    remaining_axes = [a for a in range(rank) if a not in axes]
    target = tuple(sizes[a] for a in remaining_axes)
    shape = tuple(1 if a in axes else n for a, n in enumerate(sizes)) if keepdims else target
    if output_is_sparse:
        places = sparse.places()
        numbers = _numbers(places[:, remaining_axes], target) if remaining_axes else np.zeros(len(places), int)
        groups, slots = np.unique(numbers, return_inverse=True)
        values = reduce(sparse.values, host_constant(slots.reshape(-1, 1)), (len(groups),))
        places = np.stack(np.unravel_index(groups, target), -1) if remaining_axes else np.zeros((len(groups), 0), int)
        if keepdims:
            whole = np.zeros((len(groups), rank), int)
            whole[:, remaining_axes] = places
            places = whole
        return made(places, values, shape)
    columns = gather(sparse.indices, host_constant(np.array(remaining_axes, np.int32)), axis=1)
    result = reduce(sparse.values, columns, target)
    return reshaped(result, shape) if keepdims else result


@saved_as("SparseReduceSum", unknown_sizes.reduced)
def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """Sum over axes.

    Args:
      sp_input: SparseTensor, numeric dtype.
      axis: integer or integers in [-rank, rank); None means all.
      keepdims: whether the axes stay, with size one.
      output_is_sparse: whether the result is a SparseTensor.
      name: ignored.

    Returns:
      Tensor, or SparseTensor.

    Raises:
      tf.errors.InvalidArgumentError: an axis out of range.

    TF: `tf.sparse.reduce_sum`; also with a gradient where the result is sparse.
    """
    return _reduced(elements.summed_at, sp_input, axis, keepdims, output_is_sparse)


@saved_as("SparseReduceMax", unknown_sizes.reduced)
def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """Largest of the given elements over axes; zero where none is given.

    Args:
      sp_input: SparseTensor, real dtype.
      axis: integer or integers in [-rank, rank); None means all.
      keepdims: whether the axes stay, with size one.
      output_is_sparse: whether the result is a SparseTensor.
      name: ignored.

    Returns:
      Tensor, or SparseTensor.

    Raises:
      tf.errors.InvalidArgumentError: an axis out of range.

    Gradient: goes to the largest elements.
    TF: `tf.sparse.reduce_max`, which has no gradient.
    """
    return _reduced(elements.largest_at, sp_input, axis, keepdims, output_is_sparse)


@saved_as("SparseTensorDenseMatMul", unknown_sizes.product)
def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """Matrix product of a sparse matrix and a dense one, in either order.

    Args:
      sp_a: SparseTensor of rank 2, or a matrix.
      b: matrix of the same dtype, or a SparseTensor if `sp_a` is none.
      adjoint_a: whether to take the conjugate transpose of `sp_a`.
      adjoint_b: whether to take the conjugate transpose of `b`.
      name: ignored.

    Returns:
      Matrix.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, or dtypes differ.

    TF: `tf.sparse.sparse_dense_matmul`; no known difference.
    """
    if getattr(b, "_record_call", None) is not None:
        b._node  # noqa: B018  A KerasTensor, which says in its TypeError that only layers can do this with it.
    if isinstance(b, SparseTensor):
        if isinstance(sp_a, SparseTensor):
            raise TypeError("One of the two matrices must be dense: use tf.sparse.to_dense")
        return conj(transpose(sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)))
    sparse = as_sparse(sp_a)
    return elements.multiplied(sparse.values, b, sparse.indices, sparse.sizes(), bool(adjoint_a), bool(adjoint_b))


@saved_as("SparseSoftmax", unknown_sizes.same)
def softmax(sp_input, name=None):
    """Softmax over the given elements of each row of the last axis.

    Args:
      sp_input: floating SparseTensor of rank at least 2.
      name: ignored.

    Returns:
      SparseTensor with the places of `sp_input`.

    Raises:
      tf.errors.InvalidArgumentError: a rank below 2; an index of the last axis is out of range, and the derivative is
        taken.
      tf.errors.InternalError: another index is out of range, and the derivative is taken.

    TF: `tf.sparse.softmax`; no known difference.
    """
    sparse = as_sparse(sp_input)
    sizes = sparse.sizes()
    if len(sizes) < 2:
        raise invalid(f"Input should have rank >= 2, but received shape: {show_shape(sizes)}")
    rows, columns = _numbers(sparse.places()[:, :-1], sizes[:-1]), sparse.places()[:, -1]
    groups, slots = np.unique(rows, return_inverse=True)
    values, places, limits = sparse.values, np.stack([rows, columns], 1), (math.prod(sizes[:-1]), sizes[-1])
    if not ((places >= 0) & (places < limits)).all():
        values = elements.values_within(values, host_constant(places), limits)
    values = elements.softmax_of(values, host_constant(slots.reshape(-1)), len(groups))
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


def to_indicator(sp_input, vocab_size, name=None):
    """Which numbers occur in each row of a SparseTensor of integers.

    Args:
      sp_input: int32 or int64 SparseTensor, values in [0, vocab_size).
      vocab_size: integer.
      name: ignored.

    Returns:
      bool tensor: the shape of `sp_input`, `vocab_size` in place of the last size.

    Raises:
      tf.errors.InvalidArgumentError: constant values out of range.

    TF: `tf.sparse.to_indicator`; no known difference.
    """
    sparse = as_sparse(sp_input)
    sizes = (*sparse.sizes()[:-1], as_int(static_value(vocab_size), "vocab_size"))
    columns = known_values(sparse.values, "call it outside")
    places = np.concatenate([sparse.places()[:, :-1], columns.astype(np.int64)[:, None]], 1)
    if columns.size and (columns.min() < 0 or columns.max() >= sizes[-1]):
        raise invalid(f"Indices are not valid (out of bounds). Shape: {show_shape(sizes)}")
    result = np.zeros(sizes, bool)
    result[tuple(places.T)] = True
    return convert_to_tensor(result)


def sampled_addmm(indices, values, dense_shape, mat1, mat2, beta=1.0, alpha=1.0, output_type=dtypes.float32):
    """Some elements of `alpha * mat1 @ mat2`, plus `beta * values`.

    Args:
      indices: int32 tensor of shape `[..., n, 2]`, which elements.
      values: tensor of shape `[..., n]`.
      dense_shape: int32 vector, shape of the product.
      mat1: matrix.
      mat2: matrix.
      beta, alpha: numbers.
      output_type: must be float32.

    Returns:
      `(indices, values, dense_shape)`.

    Raises:
      ValueError: tensors that are not float32, or `dense_shape` is not the shape of the product.
      tf.errors.InvalidArgumentError: another `output_type`.

    TF: `tf.sparse.sampled_addmm`, of float32 alone.
    """
    if dtypes.as_dtype(output_type) != dtypes.float32:
        raise invalid("`output_type` must be tf.float32; cast the result")
    indices = convert_to_tensor(indices)
    rows, columns = gather(indices, 0, axis=-1), gather(indices, 1, axis=-1)
    values, mat1, mat2 = (convert_to_tensor(x, dtypes.float32) for x in (values, mat1, mat2))
    sizes = static_value(dense_shape)
    product = mat1.shape[-2:-1].concatenate(mat2.shape[-1:])  # of one matrix of a batch
    if sizes is not None and not product.is_compatible_with(np.ravel(sizes).tolist()):
        raise ValueError(f"dense_shape {sizes} is not the shape of the product")
    factors = static_value(beta), static_value(alpha)
    result = elements.sampled_product(
        values, gather(mat1, rows, batch_dims=mat1.ndim - 2), mat2, columns, *factors
    )
    return indices, result, convert_to_tensor(dense_shape)


def mask(a, mask_indices, name=None):
    """IndexedSlices without some of their rows.

    Args:
      a: IndexedSlices.
      mask_indices: vector of the indices to leave out.
      name: ignored.

    Returns:
      IndexedSlices.

    Raises:
      tf.errors.UnimplementedError: the indices are not known while a function is traced.

    TF: `tf.sparse.mask`; no known difference.
    """
    advice = "call it outside"
    out = known_values(convert_to_tensor(mask_indices), advice)
    keep = np.flatnonzero(~np.isin(known_values(a.indices, advice), out))
    rows = host_constant(keep)
    return IndexedSlices(gather(a.values, rows), gather(a.indices, rows), a.dense_shape)


def _segments(sorted_segments, unsorted_segments, taken, data, indices, segment_ids, num_segments, sparse_gradient):
    data = convert_to_tensor(data)
    check_dtype(data, taken, "SparseSegment")
    picked = convert_to_tensor(indices)
    if picked.shape.rank not in (1, None):
        raise invalid(f"indices should be a vector, got shape {picked.shape}")
    rows = gather(data, picked) if sparse_gradient else _rows(data, picked)
    if num_segments is None and sorted_segments is not None:
        return sorted_segments(rows, segment_ids)
    ids = convert_to_tensor(segment_ids)
    if num_segments is None:
        known = known_values(ids, "give num_segments")
        num_segments = int(known.max()) + 1 if known.size else 0
    return unsorted_segments(rows, _ascending(ids, num_segments), num_segments)


def _rows_exist(data, indices):
    holds = (indices >= 0) & (indices < data.shape[0])
    text = "Bad: indices{place} == {0} out of range [0, {1}) [Op:SparseSegmentSum] name: "
    return [engine.require(holds, text, indices, jnp.asarray(data.shape[0]))]


@op("_sparse_segment_rows", kernel="GatherV2", tensors=("data", "indices"), same=("data",), requires=_rows_exist)
def _rows(data, indices):
    return jnp.take(data, indices, 0)


def _ids_ascend(segment_ids, num_segments):
    ascend, kernel = segment_ids[1:] >= segment_ids[:-1], "[Op:SparseSegmentSum] name: "
    return [
        engine.require(segment_ids < num_segments, f"segment ids must be < num_segments {kernel}"),
        engine.require(ascend, f"segment ids are not increasing {kernel}"),
    ]


@op("_ascending_segments", kernel="SparseSegmentSum", tensors=("segment_ids",), gradient="none", requires=_ids_ascend)
def _ascending(segment_ids, num_segments):
    return segment_ids


def segment_sum(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """Sums of some rows, in groups.

    Args:
      data: real tensor.
      indices: integer vector, which rows.
      segment_ids: integer vector of the same size, ascending: the group of each.
      num_segments: how many groups; one more than the largest id if None.
      name: ignored.
      sparse_gradient: whether the gradient by `data` is a `tf.IndexedSlices`.

    Returns:
      Tensor with the groups in place of the rows.

    TF: `tf.sparse.segment_sum`; no known difference.
    """
    return _segments(
        sum_of_segments, unsorted_segment_sum, REAL, data, indices, segment_ids, num_segments, sparse_gradient
    )


def segment_mean(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """Means of some rows, in groups; zero for empty groups.

    Args:
      data: floating tensor.
      indices: integer vector, which rows.
      segment_ids: integer vector of the same size, ascending: the group of each.
      num_segments: how many groups; one more than the largest id if None.
      name: ignored.
      sparse_gradient: whether the gradient by `data` is a `tf.IndexedSlices`.

    Returns:
      Tensor with the groups in place of the rows.

    TF: `tf.sparse.segment_mean`; no known difference.
    """
    return _segments(
        mean_of_segments, unsorted_segment_mean, FLOATING, data, indices, segment_ids, num_segments, sparse_gradient
    )


def segment_sqrt_n(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """Sums of some rows, in groups, divided by the square root of how many they are.

    Args:
      data: floating tensor.
      indices: integer vector, which rows.
      segment_ids: integer vector of the same size, ascending: the group of each.
      num_segments: how many groups; one more than the largest id if None.
      name: ignored.
      sparse_gradient: whether the gradient by `data` is a `tf.IndexedSlices`.

    Returns:
      Tensor with the groups in place of the rows.

    TF: `tf.sparse.segment_sqrt_n`; no known difference.
    """
    return _segments(
        None, unsorted_segment_sqrt_n, FLOATING, data, indices, segment_ids, num_segments, sparse_gradient
    )
