"""`tf.ragged`: construction, masks, functions of flat values."""

import itertools

import numpy as np

from tfcompat import dtypes, nest
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import constant as dense_constant
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.text_hash import crossed_bucket
from tfcompat.array._arguments import invalid
from tfcompat.ragged._broadcast import with_equal_partitions
from tfcompat.ragged._getitem import slice_values
from tfcompat.ragged._join import stacked
from tfcompat.ragged._tensor import RaggedTensor, _splits_of, dtypes_error, outer_size

_ADVICE = "call it outside"
_NUMBERS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def _is_list(value):
    return isinstance(value, list | tuple) or isinstance(value, np.ndarray) and value.ndim > 0


def _depths(pylist):
    """`(depth of the scalars, or None; depth of the deepest list)`."""
    if not _is_list(pylist):
        return 0, 0
    scalar, deepest = None, 1
    for item in pylist:
        inner, depth = _depths(item)
        deepest = max(deepest, depth + 1)
        if inner is not None:
            if scalar is not None and scalar != inner + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalar = inner + 1
    if scalar is not None and deepest > scalar:
        raise ValueError("Invalid pylist: empty list nesting is greater than scalar value nesting")
    return scalar, deepest


def _inner_shape(pylist, depth):
    if depth <= 0:
        item = pylist
        shape = []
        while _is_list(item):
            shape.append(len(item))
            if not len(item):
                break
            item = item[0]
        return tuple(shape)
    for item in pylist:
        shape_of_item = _inner_shape(item, depth - 1)
        if shape_of_item is not None:
            return shape_of_item
    return None


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None,
             row_splits_dtype=dtypes.int64) -> RaggedTensor:  # fmt: skip
    """A ragged tensor of nested lists.

    Args:
      pylist: nested lists; all scalars equally deep.
      dtype: dtype of the elements; by default as for `tf.constant`.
      ragged_rank: how many axes are ragged; all but the first, less `inner_shape`, if None.
      inner_shape: tuple, the shape of each element of the innermost ragged axis.
      name: ignored.
      row_splits_dtype: int32 or int64.

    Returns:
      RaggedTensor; a tensor if no axis is ragged.

    Raises:
      ValueError: scalars of different depth, or a `ragged_rank` that does not fit.

    TF: `tf.ragged.constant`; no known difference.
    """
    scalar, deepest = _depths(pylist)
    if inner_shape is not None:
        inner_shape = tuple(inner_shape)
        if ragged_rank is None:
            ragged_rank = max(0, deepest - 1 - len(inner_shape))
    elif ragged_rank is None:
        ragged_rank, inner_shape = max(0, deepest - 1), ()
    elif scalar is not None and ragged_rank >= scalar:
        raise ValueError(
            f"pylist has scalar values depth {scalar}, but ragged_rank={ragged_rank} requires scalar value depth "
            f"greater than {ragged_rank}"
        )
    else:
        inner_shape = (_inner_shape(pylist, ragged_rank + 1) or ()) if ragged_rank else ()
    if not ragged_rank:
        if not isinstance(pylist, list | tuple | np.ndarray) or scalar is not None:
            return dense_constant(pylist, dtype)
        return dense_constant(np.zeros((len(pylist), *inner_shape), np.float32), dtype)
    rows, partitions = list(pylist), []
    for _ in range(ragged_rank):
        partitions.append(np.asarray(_splits_of([len(row) for row in rows]), dtypes.as_dtype(row_splits_dtype).np))
        rows = [item for row in rows for item in row]
    if rows:
        flat = dense_constant([r.tolist() if isinstance(r, np.ndarray) else r for r in rows], dtype)
    else:
        kind = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
        empty = np.empty((0, *inner_shape), object) if kind == dtypes.string else np.zeros((0, *inner_shape), kind.np)
        flat = convert_to_tensor(empty, kind)
    return RaggedTensor.from_nested_row_splits(flat, [host_constant(part) for part in partitions], validate=False)


def range_(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=dtypes.int64):
    """Rows of numbers at even steps.

    Args:
      starts: numbers, vector or scalar: where each row begins; the limits if `limits` is None, from 0 then.
      limits: where each row ends, itself left out.
      deltas: the step of each row.
      dtype: dtype of the result; that of the arguments if None.
      name: ignored.
      row_splits_dtype: int32 or int64.

    Returns:
      RaggedTensor.

    Raises:
      tf.errors.InvalidArgumentError: a step of zero, or vectors of different size.

    TF: `tf.ragged.range`; no known difference.
    """
    if limits is None:
        starts, limits = 0, starts
    bounds = [convert_to_tensor(x, None if dtype is None else dtypes.as_dtype(dtype)) for x in (starts, limits, deltas)]
    target = max(
        (x.dtype for x in bounds), key=lambda d: (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64).index(d)
    )
    arrays = [known_values(x, _ADVICE).astype(target.np) for x in bounds]
    sizes = {a.size for a in arrays if a.ndim}
    if len(sizes) > 1:
        raise invalid("starts, limits, and deltas must have the same shape")
    count = sizes.pop() if sizes else 1
    starts, limits, deltas = (np.broadcast_to(a, count) for a in arrays)
    if (deltas == 0).any():
        raise invalid("Requires delta != 0")
    lengths = np.maximum(0, np.ceil((limits.astype(float) - starts) / deltas)).astype(np.int64)
    rows = [s + d * np.arange(n, dtype=target.np) for s, d, n in zip(starts, deltas, lengths, strict=True)]
    flat = np.concatenate(rows).astype(target.np) if rows else np.zeros(0, target.np)
    return RaggedTensor._of(convert_to_tensor(flat), _splits_of(lengths), dtypes.as_dtype(row_splits_dtype))


range_.__name__ = "range"


def map_flat_values(op, *args, **kwargs):
    """Calls `op` with the flat values of ragged tensors, and divides its result as they are divided.

    Args:
      op: callable, whose result has as many rows as the flat values.
      *args, **kwargs: its arguments, RaggedTensors with the same partitions among them, also within lists.

    Returns:
      RaggedTensor; the result of `op` if no argument is ragged.

    Raises:
      ValueError: the result has another number of rows, or the arguments have different ones.
      tf.errors.InvalidArgumentError: the partitions differ.

    TF: `tf.ragged.map_flat_values`; no known difference.
    """
    ragged_tensors = [x for x in nest.flatten((args, kwargs)) if isinstance(x, RaggedTensor)]
    if not ragged_tensors:
        return op(*args, **kwargs)
    sizes = {x.flat_values.shape[0] for x in ragged_tensors}
    if len(sizes) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got sizes: "
            f"{sizes}"
        )
    ragged_tensors = with_equal_partitions(ragged_tensors)
    supply = iter([x.flat_values for x in ragged_tensors])
    args, kwargs = nest.map_structure(lambda x: next(supply) if isinstance(x, RaggedTensor) else x, (args, kwargs))
    result = op(*args, **kwargs)
    size = ragged_tensors[0].flat_values.shape[0]
    shape = result.shape
    if not shape.rank or (shape[0] is not None and shape[0] != size):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as "
            f"flat_values of any ragged inputs. (output shape: {shape}; expected outer dimension size: {size})"
        )
    return ragged_tensors[0].with_flat_values(result)


def boolean_mask(data, mask, name=None):
    """What stands where `mask` is True; rows keep their places.

    Args:
      data: tensor or RaggedTensor.
      mask: bool tensor or RaggedTensor; its shape is a start of that of `data`.
      name: ignored.

    Returns:
      RaggedTensor with the ragged rank of `mask`, or a tensor for a vector of bools.

    Raises:
      ValueError: a scalar mask, or one that is not bool.
      tf.errors.InvalidArgumentError: `mask` does not fit.

    TF: `tf.ragged.boolean_mask`; no known difference.
    """
    data, mask = _either(data), _either(mask)
    if mask.dtype != dtypes.bool:
        raise ValueError(f"Tensor conversion requested dtype bool for a mask with dtype {mask.dtype.name}")
    if not isinstance(mask, RaggedTensor):
        if not len(mask.shape):
            raise ValueError("mask cannot be scalar.")
        if len(mask.shape) == 1:
            if outer_size(data) != mask.shape[0]:
                raise ValueError("Shapes are incompatible: data and mask have different numbers of rows")
            return slice_values(data, np.flatnonzero(known_values(mask, _ADVICE)))
        mask = RaggedTensor.from_tensor(mask, ragged_rank=len(mask.shape) - 1)
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(data, ragged_rank=mask.ragged_rank)
    if not np.array_equal(data.splits(), mask.splits()):
        raise invalid("Inputs must have identical ragged splits")
    inner = boolean_mask(data.values, mask.values)
    if isinstance(mask.values, RaggedTensor):
        return data._rebuilt(inner, data.splits())
    kept_before = np.concatenate([[0], np.cumsum(known_values(mask.values, _ADVICE))])
    return data._rebuilt(inner, kept_before[data.splits()])


def _either(value):
    if isinstance(value, RaggedTensor):
        return value
    try:
        return convert_to_tensor(value)
    except ValueError:
        return constant(value)


@takes_composites("tf.ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The row of each value, of the splits of rows.

    Args:
      splits: integer vector, ascending from 0.
      name: ignored.
      out_type: int32 or int64; the dtype of `splits`, int64 for lists, if None.

    Returns:
      Integer vector.

    Raises:
      ValueError: no splits, or another dtype.

    TF: `tf.ragged.row_splits_to_segment_ids`; no known difference.
    """
    tensor = convert_to_tensor(splits, dtype_hint=dtypes.int64)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"splits must have dtype int32 or int64, got {tensor.dtype!r}")
    if len(tensor.shape) != 1 or tensor.shape[0] == 0:
        raise ValueError(f"Invalid row_splits: {splits}")
    lengths = np.diff(known_values(tensor, _ADVICE))
    dtype = tensor.dtype if out_type is None else dtypes.as_dtype(out_type)
    return host_constant(np.repeat(np.arange(len(lengths)), lengths).astype(dtype.np))


@takes_composites("tf.ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """The splits of rows, of the row of each value.

    Args:
      segment_ids: integer vector, ascending.
      num_segments: how many rows; one more than the last id if None.
      out_type: int32 or int64; the dtype of `segment_ids`, int64 for lists, if None.
      name: ignored.

    Returns:
      Integer vector.

    TF: `tf.ragged.segment_ids_to_row_splits`; no known difference.
    """
    tensor = convert_to_tensor(segment_ids, dtype_hint=dtypes.int64)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"segment_ids must have dtype int32 or int64, got {tensor.dtype!r}")
    ids = known_values(tensor, _ADVICE)
    dtype = tensor.dtype if out_type is None else dtypes.as_dtype(out_type)
    count = 0 if num_segments is None else int(static_value(num_segments))
    if count < 0:
        raise invalid(f"num_segments must not be negative, got {count}")
    return host_constant(_splits_of(np.bincount(ids, minlength=count)).astype(dtype.np))


def stack(values, axis=0, name=None):
    """Stacks ragged tensors, or tensors of different sizes, along a new axis.

    Args:
      values: list of tensors or RaggedTensors of one rank and dtype.
      axis: where the new axis goes.
      name: ignored.

    Returns:
      RaggedTensor, or a tensor where no axis is ragged.

    TF: `tf.ragged.stack`; no known difference.
    """
    values = values if isinstance(values, list | tuple) else [values]
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    return stacked([_either(value) for value in values], axis)


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Rows of `data` by the partition each belongs to.

    Args:
      data: tensor or RaggedTensor.
      partitions: integer tensor or RaggedTensor, values in [0, num_partitions); its shape is a start of that of
        `data`.
      num_partitions: how many rows the result has.
      name: ignored.

    Returns:
      RaggedTensor.

    Raises:
      tf.errors.InvalidArgumentError: a partition out of range.

    TF: `tf.ragged.stack_dynamic_partitions`; no known difference.
    """
    data, partitions = _either(data), _either(partitions)
    if isinstance(partitions, RaggedTensor):
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data, ragged_rank=partitions.ragged_rank)
        return stack_dynamic_partitions(data.values, partitions.values, num_partitions)
    if len(partitions.shape) != 1:
        raise dtypes_error("partitions of rank other than 1", "tf.reshape to a vector")
    if not data.shape[:1].is_compatible_with(partitions.shape[:1]):
        raise ValueError("data and partitions must have the same number of rows")
    ids, count = known_values(partitions, _ADVICE), int(static_value(num_partitions))
    if (ids >= count).any():
        raise invalid("partitions must be less than num_partitions")
    if (ids < 0).any():
        raise invalid("partitions must be non-negative")
    order = np.argsort(ids, kind="stable")
    return RaggedTensor._of(slice_values(data, order), _splits_of(np.bincount(ids, minlength=count)), partitions.dtype)


def _crossed(inputs, combine, make):
    columns = []
    for value in inputs:
        if hasattr(value, "places"):
            rows = [[] for _ in range(value.sizes()[0])]
            for place, feature in zip(value.places(), known_values(value.values, _ADVICE).tolist(), strict=True):
                rows[place[0]].append(feature)
        elif isinstance(value, RaggedTensor):
            known_values(value.flat_values, _ADVICE)
            rows = value.to_list()
        else:
            rows = known_values(convert_to_tensor(value), _ADVICE).tolist()
        columns.append(rows)
    if len({len(rows) for rows in columns}) > 1:
        raise invalid("inputs must all have the same batch dimension size.")
    result = [[combine(choice) for choice in itertools.product(*features)] for features in zip(*columns, strict=True)]
    flat = make([item for row in result for item in row])
    return RaggedTensor._of(flat, _splits_of([len(row) for row in result]))


def _texts(items):
    array = np.empty(len(items), object)
    array[:] = items
    return convert_to_tensor(array)


def cross(inputs, name=None):
    """Crosses the features of each row: every combination, joined as text by "_X_".

    Args:
      inputs: list of ragged, sparse or dense tensors of rank 2, integers or text.
      name: ignored.

    Returns:
      RaggedTensor of text.

    TF: `tf.ragged.cross`; no known difference.
    """
    return _crossed(
        inputs, lambda choice: b"_X_".join(x if isinstance(x, bytes) else str(x).encode() for x in choice), _texts
    )


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Crosses the features of each row: every combination, hashed.

    Args:
      inputs: list of ragged, sparse or dense tensors of rank 2, integers or text.
      num_buckets: results are below it; 0 means no limit.
      hash_key: 64-bit number to start from, or None.
      name: ignored.

    Returns:
      int64 RaggedTensor.

    TF: `tf.ragged.cross_hashed`; no known difference.
    """
    return _crossed(
        inputs,
        lambda choice: crossed_bucket(choice, num_buckets, hash_key),
        lambda items: convert_to_tensor(np.array(items, np.int64)),
    )
