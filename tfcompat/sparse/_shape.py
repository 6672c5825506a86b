"""`tf.sparse`: other shapes, parts, and what joins several tensors."""

import itertools

import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.steps import step
from tfcompat._core.tensor import Tensor
from tfcompat._core.text_hash import crossed_bucket
from tfcompat.array import expand_dims as with_axis
from tfcompat.array import gather
from tfcompat.array import reshape as reshaped
from tfcompat.array._arguments import as_axis, as_int, as_ints, invalid, show_shape
from tfcompat.sparse import _elements as elements
from tfcompat.sparse import _unknown_sizes as unknown_sizes
from tfcompat.sparse._ops import _concat, _numbers, ordered
from tfcompat.sparse._tensor import SparseTensor, as_sparse, made
from tfcompat.sparse._unknown_sizes import saved_as


def expand_dims(sp_input, axis=None, name=None):
    """Adds an axis of size one.

    Args:
      sp_input: SparseTensor.
      axis: where, in [-rank - 1, rank]; the end if None.
      name: ignored.

    Returns:
      SparseTensor.

    Raises:
      tf.errors.InvalidArgumentError: `axis` out of range.

    TF: `tf.sparse.expand_dims`; no known difference.
    """
    sparse = as_sparse(sp_input)
    sizes = sparse.sizes()
    axis = -1 if axis is None else static_value(axis)
    axis = as_axis(axis, len(sizes) + 1)
    return made(np.insert(sparse.places(), axis, 0, 1), sparse.values, (*sizes[:axis], 1, *sizes[axis:]))


@saved_as("SparseTranspose", unknown_sizes.same)
def transpose(sp_input, perm=None, name=None):
    """Permutes the axes.

    Args:
      sp_input: SparseTensor.
      perm: a permutation of the axes; None reverses them.
      name: ignored.

    Returns:
      SparseTensor, places in row-major order.

    Raises:
      ValueError: `perm` of another length.

    TF: `tf.sparse.transpose`; no known difference.
    """
    sparse = as_sparse(sp_input)
    sizes = sparse.sizes()
    perm = tuple(range(len(sizes)))[::-1] if perm is None else as_ints(static_value(perm), "perm")
    if len(perm) != len(sizes):
        raise ValueError(f"Dimensions {len(perm)} and {len(sizes)} are not compatible")
    if any(not 0 <= axis < len(sizes) for axis in perm):
        raise invalid(f"perm must hold axes in [0, {len(sizes)}), got {perm}")
    return ordered(sparse.places()[:, perm], sparse.values, tuple(sizes[a] for a in perm))


@saved_as("SparseReshape", unknown_sizes.reshaped)
def reshape(sp_input, shape, name=None):
    """The same elements, in row-major order, under another shape.

    Args:
      sp_input: SparseTensor.
      shape: integers; one of them may be -1.
      name: ignored.

    Returns:
      SparseTensor.

    Raises:
      tf.errors.InvalidArgumentError: another number of elements, or -1 twice.

    TF: `tf.sparse.reshape`; no known difference.
    """
    sparse = as_sparse(sp_input)
    sizes, target = sparse.sizes(), list(as_ints(static_value(shape), "shape"))
    total = int(np.prod(sizes, dtype=np.int64))
    unknown = [axis for axis, size in enumerate(target) if size == -1]
    if len(unknown) > 1:
        raise invalid(f"only one output dimension may be -1, not both {unknown[0]} and {unknown[1]}")
    if unknown:
        rest = int(np.prod([size for size in target if size != -1], dtype=np.int64))
        target[unknown[0]] = total // rest if rest else 0
    if int(np.prod(target, dtype=np.int64)) != total:
        raise invalid(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has "
            f"{int(np.prod(target, dtype=np.int64))}. input_shape={show_shape(sizes)} output_shape={show_shape(target)}"
        )
    numbers, columns = _numbers(sparse.places(), sizes), []
    for size in target[:0:-1]:
        columns.append(numbers % size)
        numbers = numbers // size
    places = np.stack([numbers, *columns[::-1]], -1) if target else np.zeros((len(numbers), 0), np.int64)
    return made(places, sparse.values, tuple(target))


def reset_shape(sp_input, new_shape=None):
    """Another shape for the same places.

    Args:
      sp_input: SparseTensor.
      new_shape: integers, none smaller than the size now; None: the smallest shape that holds the places.

    Returns:
      SparseTensor.

    Raises:
      ValueError: another rank, or a size below that of now.

    TF: `tf.sparse.reset_shape`; no known difference.
    """
    sparse = as_sparse(sp_input)
    if new_shape is None:
        places = sparse.places()
        sizes = tuple((places.max(0) + 1).tolist()) if len(places) else (0,) * places.shape[1]
        return SparseTensor(sparse.indices, sparse.values, host_constant(np.array(sizes, np.int64)))
    sizes, now = as_ints(static_value(new_shape), "new_shape"), sparse.sizes()
    if len(sizes) != len(now):
        raise ValueError(f"Dimensions {len(sizes)} and {len(now)} are not compatible")
    if any(mine < its for mine, its in zip(sizes, now, strict=True)):
        raise ValueError(
            f"Requested new_shape should have dimension sizes >= sp_input.shape. Found new_shape ({sizes}), "
            f"sp_input.shape ({now})."
        )
    return SparseTensor(sparse.indices, sparse.values, host_constant(np.array(sizes, np.int64)))


@saved_as("SparseRetain", unknown_sizes.same)
def retain(sp_input, to_retain):
    """Some of the elements.

    Args:
      sp_input: SparseTensor with n elements.
      to_retain: bool vector of size n.

    Returns:
      SparseTensor.

    Raises:
      ValueError: another size.
      tf.errors.UnimplementedError: the choice is not known while a function is traced.

    TF: `tf.sparse.retain`; no known difference.
    """
    sparse = as_sparse(sp_input)
    keep = convert_to_tensor(to_retain)
    if keep.shape.with_rank(1)[0] != sparse.values.shape[0]:
        raise ValueError(f"Dimensions {sparse.values.shape[0]} and {keep.shape[0]} are not compatible")
    return _some(sparse, known_values(keep, "call it outside").astype(bool), sparse.sizes(), choose=gather)


def _some(sparse, keep, sizes, start=0, choose=elements.taken):
    which = np.flatnonzero(keep)
    values = choose(sparse.values, host_constant(which))
    return made(sparse.places()[which] - start, values, sizes)


def _part(sparse, start, sizes):
    places = sparse.places()
    keep = ((places >= start) & (places < np.add(start, sizes))).all(1)
    return _some(sparse, keep, tuple(int(size) for size in sizes), np.asarray(start))


@saved_as("SparseSlice", unknown_sizes.same)
def slice_(sp_input, start, size, name=None):
    """A block of the tensor.

    Args:
      sp_input: SparseTensor.
      start: where the block begins, an integer for each axis.
      size: its sizes; what reaches beyond the end is cut.
      name: ignored.

    Returns:
      SparseTensor.

    Raises:
      tf.errors.InvalidArgumentError: `start` or `size` of another length; a negative size.

    TF: `tf.sparse.slice`; no known difference.
    """
    sparse = as_sparse(sp_input)
    sizes = sparse.sizes()
    start, size = as_ints(static_value(start), "start"), as_ints(static_value(size), "size")
    for argument, numbers in (("start", start), ("size", size)):
        if len(numbers) != len(sizes):
            raise invalid(f"Expected {argument} to be a vector of length {len(sizes)} but got length {len(numbers)}")
    if min(size, default=0) < 0:
        raise when_run(f"Expected a non-negative size, got {min(size)} [Op:SparseSlice]")
    cut = [max(0, min(s, n - b)) for s, n, b in zip(size, sizes, start, strict=True)]
    return _part(sparse, start, cut)


slice_.__name__ = "slice"


def split(sp_input=None, num_split=None, axis=None, name=None):
    """Parts along an axis, the first ones one longer if it does not divide evenly.

    Args:
      sp_input: SparseTensor.
      num_split: how many parts.
      axis: integer in [-rank, rank).
      name: ignored.

    Returns:
      List of SparseTensors.

    Raises:
      ValueError: an argument is missing.
      tf.errors.InvalidArgumentError: `axis` or `num_split` out of range.

    TF: `tf.sparse.split`; no known difference.
    """
    for argument, value in (("num_split", num_split), ("axis", axis), ("sp_input", sp_input)):
        if value is None:
            raise ValueError(f"{argument} must be given")
    sparse = as_sparse(sp_input)
    sizes, axis = sparse.sizes(), static_value(axis)
    if not -len(sizes) <= axis < len(sizes):
        raise invalid(f"Input axis should be in range [{-len(sizes)}, {len(sizes)}), got {axis}")
    axis, count = axis % len(sizes), as_int(static_value(num_split), "num_split")
    if not 1 <= count <= sizes[axis]:
        raise invalid(
            f"Input num_split should be between 1 and the splitting dimension size ({sizes[axis]}), got {count}"
        )
    each, longer = divmod(sizes[axis], count)
    parts, begin = [], 0
    for number in range(count):
        length = each + (number < longer)
        start = [begin if a == axis else 0 for a in range(len(sizes))]
        parts.append(_part(sparse, start, [length if a == axis else n for a, n in enumerate(sizes)]))
        begin += length
    return parts


@saved_as("SparseConcat", unknown_sizes.joined)
def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    """Joins tensors along an axis.

    Args:
      axis: integer in [-rank, rank).
      sp_inputs: list of SparseTensors of one dtype and rank.
      expand_nonconcat_dims: whether the other sizes may differ; the largest counts.
      name: ignored.

    Returns:
      SparseTensor, places in row-major order.

    Raises:
      tf.errors.InvalidArgumentError: `axis` out of range, or sizes that differ.

    TF: `tf.sparse.concat`; no known difference.
    """
    parts = [as_sparse(part) for part in (sp_inputs if isinstance(sp_inputs, list | tuple) else [sp_inputs])]
    if len(parts) == 1:
        return parts[0]
    shapes, axis = [part.sizes() for part in parts], static_value(axis)
    rank = len(shapes[0])
    if not -rank <= axis < rank:
        raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {axis}")
    axis %= rank
    sizes = list(shapes[0])
    for position, shape in enumerate(shapes[1:], 1):
        if len(shape) != rank:
            raise invalid(
                f"Ranks of all input tensors must match: expected {rank} but got {len(shape)} at position {position}"
            )
        for a in range(rank):
            if a != axis and shape[a] != sizes[a] and not expand_nonconcat_dims:
                raise invalid(
                    f"Input shapes must match: expected {sizes[a]} for dimension {a} but got {shape[a]} at position "
                    f"{position}"
                )
    sizes = [max(column) for column in zip(*shapes, strict=True)]
    sizes[axis] = sum(shape[axis] for shape in shapes)
    places, begin = [], 0
    for part, shape in zip(parts, shapes, strict=True):
        shift = np.zeros(rank, np.int64)
        shift[axis] = begin
        places.append(part.places() + shift)
        begin += shape[axis]
    return ordered(np.concatenate(places), _concat(*[part.values for part in parts]), tuple(sizes))


@saved_as("SparseFillEmptyRows", unknown_sizes.filled)
def fill_empty_rows(sp_input, default_value, name=None):
    """Gives each row of a matrix that has no element one in its first column.

    Args:
      sp_input: SparseTensor of rank 2.
      default_value: the element, a scalar of the same dtype.
      name: ignored.

    Returns:
      `(filled, empty_row_indicator)`: a SparseTensor in row-major order, and a bool vector: which rows were empty.

    Raises:
      TypeError: `sp_input` is no SparseTensor.

    TF: `tf.sparse.fill_empty_rows`; no known difference.
    """
    sparse = as_sparse(sp_input)
    sizes, places = sparse.sizes(), sparse.places()
    for number in np.flatnonzero((places[:, 0] < 0) | (places[:, 0] >= sizes[0])):
        row = places[number, 0]
        problem = f"{row} < 0" if row < 0 else f"{row} >= {sizes[0]}"
        raise invalid(f"indices({number}, 0) is invalid: {problem} [Op:SparseFillEmptyRows] name: ")
    empty = ~np.isin(np.arange(sizes[0]), places[:, 0])
    rows = np.flatnonzero(empty)
    added = np.zeros((len(rows), len(sizes)), np.int64)
    added[:, 0] = rows
    default = convert_to_tensor(default_value, sparse.dtype)
    joined = _concat(sparse.values, elements.taken(_one(default), host_constant(np.zeros(len(rows), int))))
    everywhere = np.concatenate([places, added])
    # Only rows are sorted: within a row TF keeps the order given.
    order = np.argsort(everywhere[:, 0], kind="stable")
    return (
        made(everywhere[order], elements.taken(joined, host_constant(order)), sizes),
        convert_to_tensor(empty),
    )


def _one(scalar):
    return with_axis(scalar, 0)


@takes_composites("tf.sparse.bincount")
def bincount(values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None):
    """How often each number occurs, as a SparseTensor.

    Args:
      values: tensor, SparseTensor or RaggedTensor of non-negative integers, rank 1 or 2.
      weights: of the kind and shape of `values`, added up in place of ones; or None.
      axis: 0 or None counts all together, -1 each row by itself.
      minlength: smallest size of the last axis; or None.
      maxlength: largest size of it, greater numbers are left out; or None.
      binary_output: whether to tell only which numbers occur.
      name: ignored.

    Returns:
      SparseTensor of rank 1, or 2 with `axis=-1`.

    Raises:
      ValueError: another `axis`, or `weights` of another kind.
      tf.errors.UnimplementedError: the numbers are not known while a function is traced.

    TF: `tf.sparse.bincount`, counts are int32 or, with int64 numbers, int64.
    """
    if isinstance(weights, SparseTensor):
        weights = weights.values
    if axis not in (0, -1, None):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if isinstance(values, SparseTensor):
        rows, tensor, sizes = values.places()[:, 0], values.values, values.sizes()
        single = len(sizes) == 1
        row_count = sizes[0]
    else:
        tensor = convert_to_tensor(values)
        single = len(tensor.shape) < 2
        row_count = 1 if single else tensor.shape[0]
        rows = np.repeat(np.arange(row_count), tensor.shape.num_elements() // max(row_count, 1))
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise invalid(
            f"Value for attr 'Tidx' of {tensor.dtype.name} is not in the list of allowed values: int32, int64"
        )
    numbers = known_values(tensor, "call it outside").reshape(-1).astype(np.int64)
    if numbers.size and numbers.min() < 0:
        raise invalid("Input values must all be non-negative")
    by_row = axis == -1 and not single
    if not by_row:
        rows, row_count = np.zeros(len(numbers), np.int64), 1
    size = max(int(numbers.max()) + 1 if numbers.size else 0, int(static_value(minlength) or 0))
    keep = np.ones(len(numbers), bool)
    if maxlength is not None:
        size = min(size, int(static_value(maxlength)))
        keep = numbers < static_value(maxlength)
    keys = rows[keep] * max(size, 1) + numbers[keep]
    groups, slots = np.unique(keys, return_inverse=True)
    dtype = dtypes.int64 if tensor.dtype == dtypes.int64 else dtypes.int32
    if binary_output:
        counts = convert_to_tensor(np.ones(len(groups), dtype.np))
    elif weights is None:
        counts = convert_to_tensor(np.bincount(slots.reshape(-1), minlength=len(groups)).astype(dtype.np))
    else:
        flat = elements.taken(_flattened(weights), host_constant(np.flatnonzero(keep)))
        counts = elements.summed_at(flat, host_constant(slots.reshape(-1, 1)), (len(groups),))
    places = np.stack(np.divmod(groups, max(size, 1)), -1)
    return made(places, counts, (row_count, size)) if by_row else made(places[:, 1:], counts, (size,))


def _flattened(weights):
    return reshaped(convert_to_tensor(weights), [-1])


def _columns(inputs, argument):
    """For each row of each input the list of its features, as bytes or ints."""
    result, rows = [], None
    for value in inputs:
        if isinstance(value, SparseTensor):
            features = [[] for _ in range(value.sizes()[0])]
            numbers = known_values(value.values, "call it outside")
            for place, feature in zip(value.places(), numbers.tolist(), strict=True):
                features[place[0]].append(feature)
        else:
            features = known_values(value, "call it outside").tolist()
        if rows is not None and len(features) != rows:
            raise invalid(f"Expected batch size {rows} of all inputs of {argument}, got {len(features)}")
        rows = len(features)
        result.append(features)
    return result


def crossed(inputs, combine, dtype):
    """The SparseTensor of `combine(features)` for every combination of the features of each row.

    As in TensorFlow, those of sparse inputs come before those of dense ones.
    """
    columns = _columns(sorted(inputs, key=lambda x: not isinstance(x, SparseTensor)), "cross")
    places, values, width = [], [], 0
    for row, features in enumerate(zip(*columns, strict=True)):
        crossed = [combine(choice) for choice in itertools.product(*features)]
        places += [(row, number) for number in range(len(crossed))]
        values += crossed
        width = max(width, len(crossed))
    array = np.empty(len(values), dtype)
    array[:] = values
    return made(places, convert_to_tensor(array), (len(columns[0]), width))


def _text(feature):
    return feature if isinstance(feature, bytes) else str(feature).encode()


def _crossed_in_function(dtype):
    def result(new, *args, **kwargs):
        return SparseTensor(new([None, 2], dtypes.int64), new([None], dtype), new([2], dtypes.int64))

    return result


@step("SparseCrossV2", _crossed_in_function(dtypes.string))
def cross(inputs, name=None, separator=None):
    """Crosses the features of each row: every combination, joined as text.

    Args:
      inputs: tensors or SparseTensors of rank 2, integers or text, with as many rows.
      name: ignored.
      separator: text between the features; "_X_" if None.

    Returns:
      SparseTensor of text.

    Raises:
      TypeError: an input is neither.

    TF: `tf.sparse.cross`; no known difference.
    """
    if not all(isinstance(value, SparseTensor | Tensor) for value in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    separator = b"_X_" if separator is None else _text(separator.encode() if isinstance(separator, str) else separator)
    return crossed(inputs, lambda features: separator.join(map(_text, features)), object)


@step("SparseCrossHashed", _crossed_in_function(dtypes.int64))
def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Crosses the features of each row: every combination, hashed.

    Args:
      inputs: tensors or SparseTensors of rank 2, integers or text, with as many rows.
      num_buckets: results are below it; 0 means no limit.
      hash_key: 64-bit number to start from, or None.
      name: ignored.

    Returns:
      int64 SparseTensor.

    Raises:
      TypeError: an input is neither.

    TF: `tf.sparse.cross_hashed`; no known difference.
    """
    if not all(isinstance(value, SparseTensor | Tensor) for value in inputs):
        raise TypeError("All inputs must be SparseTensors")
    return crossed(inputs, lambda features: crossed_bucket(features, num_buckets, hash_key), np.int64)
