"""Shapes of the fields of a StructuredTensor, and what is done to them."""

import re

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat._core.extension_type.types import ExtensionType
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat.array import gather, reshape, shape
from tfcompat.array import range as range_op
from tfcompat.array._arguments import invalid
from tfcompat.array._join import concat
from tfcompat.errors import InvalidArgumentError
from tfcompat.ragged._dynamic_shape import DynamicRaggedShape, DynamicRaggedShapeSpec
from tfcompat.ragged._row_partition import RowPartition, RowPartitionSpec
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse import SparseTensor

_NAME = re.compile("[a-zA-Z][a-zA-Z0-9_]*")


def checked_fields(fields):
    """The fields by name, tensors made of what is none.

    Raises:
      TypeError: a name is no text, or a value cannot be a field.
      ValueError: a name is no identifier.
    """
    result = {}
    for name, value in fields.items():
        if not isinstance(name, str):
            raise TypeError(f"Unexpected type for key in `fields`: {name}")
        if not _NAME.fullmatch(name):
            raise ValueError(f"Field name {name!r} is not currently allowed.")
        if not isinstance(value, Tensor | RaggedTensor | ExtensionType):
            if isinstance(value, SparseTensor):
                raise TypeError(f"Unexpected type for value in `fields`: {value}")
            try:
                value = convert_to_tensor(value)
            except (TypeError, ValueError) as error:
                raise TypeError(f"Unexpected type for value in `fields`: {value}") from error
        result[name] = value
    return result


def static_shape(partitions, inner):
    """The TensorShape that specs of row partitions and a static inner shape tell."""
    if not partitions:
        return inner
    return TensorShape([partitions[0].nrows, *(p.uniform_row_length for p in partitions)]).concatenate(inner[1:])


def shape_spec(known, dtype):
    """The spec of a DynamicRaggedShape of a TensorShape, all axes but the first divided by row partitions."""
    partitions, rows = [], known[0] if known.rank else None
    for size in known.as_list()[1:]:
        count = None if rows is None or size is None else rows * size
        partitions.append(RowPartitionSpec(rows, count, size, dtype))
        rows = count
    return DynamicRaggedShapeSpec(partitions, known if known.rank < 2 else TensorShape([rows]), dtype)


def with_all_partitions(ragged_shape):
    """The same DynamicRaggedShape, all axes but the first divided by row partitions."""
    inner, static = ragged_shape.inner_shape, ragged_shape._static
    if static.rank is None or static.rank < 2:
        return ragged_shape
    partitions, count = list(ragged_shape.row_partitions), inner[0]
    rows = static[0]
    for axis, size in enumerate(static.as_list()[1:], 1):
        partitions.append(_uniform(count, rows, inner[axis], size))
        count = count * inner[axis]
        rows = partitions[-1].static_nvals
    return DynamicRaggedShape(partitions, reshape(count, [1]), static_inner_shape=TensorShape([rows]))


def _uniform(count, rows, length, size):
    """The partition of rows of one length: both as tensors, and as ints or None."""
    if rows is not None and size is not None:
        return RowPartition._of(np.arange(rows + 1) * size, length.dtype, size, rows * size)
    return RowPartition._of(range_op(count + 1) * length, uniform=size)


def outer_shape(value, rank):
    """The DynamicRaggedShape of the first axes of a field.

    Raises:
      TypeError: the field has no shape.
      ValueError: it has not as many axes.
    """
    if not isinstance(value, Tensor | RaggedTensor) and not hasattr(value, "_ragged_shape"):
        raise TypeError(f"Fields of a StructuredTensor with axes are tensors, got {type(value).__name__}")
    if value.shape.rank is not None and value.shape.rank < rank:
        raise ValueError(f"Shapes {TensorShape([None] * rank)} and {value.shape} are not compatible")
    if not rank:
        return DynamicRaggedShape([], [])
    if isinstance(value, Tensor):
        sizes = shape(value, dtypes.int64)[:rank]
        return with_all_partitions(DynamicRaggedShape([], sizes, static_inner_shape=value.shape[:rank]))
    whole = value._ragged_shape if hasattr(value, "_ragged_shape") else DynamicRaggedShape.from_tensor(value)
    return with_all_partitions(whole if whole.rank == rank else whole[:rank])


def shape_of_fields(fields, known, nrows, row_partitions, dtype, validate):
    """The DynamicRaggedShape of a StructuredTensor: that of its fields, and what else is known of it.

    Args:
      fields: dict of values.
      known: TensorShape of known rank.
      nrows: how many rows there are, or None.
      row_partitions: sequence of RowPartition, or None.
      dtype: int32 or int64, or None for that of the fields.
      validate: whether to compare the rows of fields.
    """
    rank = known.rank
    shapes = {name: outer_shape(value, rank) for name, value in fields.items()}
    count = None if nrows is None else convert_to_tensor(nrows, None if isinstance(nrows, Tensor) else dtypes.int64)
    dtype = dtype or _dtype_of(fields, row_partitions, count)
    if not rank:
        return DynamicRaggedShape([], [], dtype)
    chosen = None
    for name, each in shapes.items():
        try:
            each = each.with_dtype(dtype)
            chosen = each if chosen is None else _merged(chosen, each, validate)
        except (ValueError, InvalidArgumentError) as error:
            raise ValueError(f"Error in shape of {name}") from error
    given = _given(known, count, row_partitions)
    if chosen is not None:
        if not _fitting(static_of(chosen), known):
            raise ValueError(f"Shapes {known} and {static_of(chosen)} are not compatible")
        chosen = chosen if given is None else _merged(given.with_dtype(dtype), chosen, validate)
    else:
        chosen = given
    if chosen is None:
        if rank == 1:
            raise ValueError("Must specify `nrows`, a fully specified `shape`, or have `fields` if `rank=1`")
        raise ValueError("Must specify row_partitions, a fully specified shape, or have fields if rank > 1")
    if not _fitting(static_of(chosen), known):
        raise ValueError(f"Shapes {known} and {static_of(chosen)} are not compatible")
    return chosen.with_dtype(dtype)


def static_of(ragged_shape):
    """The TensorShape that a DynamicRaggedShape tells."""
    return static_shape([p._type_spec for p in ragged_shape.row_partitions], ragged_shape._static)


def _fitting(mine, its):
    return mine.rank == its.rank and all(None in (a, b) or a == b for a, b in zip(mine, its, strict=True))


def _dtype_of(fields, row_partitions, count):
    """int32 if that is the dtype of all numbers that have one, else int64."""
    kinds = {p.dtype for p in row_partitions or ()} | ({count.dtype} if count is not None else set())
    for value in fields.values():
        if isinstance(value, RaggedTensor):
            kinds.add(value.row_splits.dtype)
        elif hasattr(value, "_ragged_shape"):
            kinds.add(value._ragged_shape.dtype)
    return dtypes.int32 if kinds == {dtypes.int32} else dtypes.int64


def _given(known, count, row_partitions):
    """The shape that arguments give, without the fields; None if they do not."""
    if row_partitions:
        partitions = [p._with_count(_count(p)) for p in row_partitions]
        last = partitions[-1]
        inner_shape = reshape(last.nvals(), [1])
        return DynamicRaggedShape(partitions, inner_shape, static_inner_shape=TensorShape([last.static_nvals]))
    if known.is_fully_defined():
        return with_all_partitions(DynamicRaggedShape([], known.as_list()))
    return DynamicRaggedShape([], reshape(count, [1])) if known.rank == 1 and count is not None else None


def _merged(mine, its, validate):
    """One of two equal shapes: for each axis the partition that is known to be uniform, or else the first one.

    Raises:
      ValueError: they are known to be different.
      tf.errors.InvalidArgumentError: `validate`, and their rows differ.
    """
    partitions = []
    for first, second in zip(mine.row_partitions, its.row_partitions, strict=True):
        _check_equal("rows", first.static_nrows, second.static_nrows)
        _check_equal("values", _count(first), _count(second))
        if None not in (first.static_uniform_row_length, second.static_uniform_row_length):
            _check_equal("values of a row", first.static_uniform_row_length, second.static_uniform_row_length)
        if validate:
            x, y = (known_values(p.row_splits()) for p in (first, second))
            if x is not None and y is not None and not np.array_equal(x, y):
                raise invalid(f"The row partitions of fields have incompatible row_splits: {x} and {y}")
        partitions.append(second if second.is_uniform() and not first.is_uniform() else first)
    _check_equal("values", mine._static[0], its._static[0])
    better = mine if mine._static[0] is not None else its
    return DynamicRaggedShape(partitions, better.inner_shape, static_inner_shape=better._static)


def _count(partition):
    known = known_values(partition.row_splits()) if partition.static_nvals is None else None
    return partition.static_nvals if known is None else int(known[-1])


def _check_equal(what, mine, its):
    if None not in (mine, its) and mine != its:
        raise ValueError(f"Numbers of {what} differ: {mine} and {its}")


def with_partitions(value, partitions):
    """A field with these partitions in place of its own first ones."""
    if not partitions or not isinstance(value, RaggedTensor):
        return value
    first = partitions[0].with_dtype(value.row_splits.dtype)
    inner = with_partitions(value.values, partitions[1:])
    return RaggedTensor._of(inner, first.row_splits(), uniform=first.static_uniform_row_length)


def divided_by(value, partition):
    """A field whose first axis is divided into rows."""
    if hasattr(value, "partition_outer_dimension"):
        return value.partition_outer_dimension(partition)
    size = partition.static_uniform_row_length
    if isinstance(value, RaggedTensor):
        partition = partition.with_dtype(value.row_splits.dtype)
    elif size is not None:
        return reshape(value, concat([[-1, size], shape(value)[1:]], 0))
    return RaggedTensor._divided(value, partition, validate=known_values(partition.row_splits()) is not None)


def merged_dims(value, first, last):
    """A field with axes `first` to `last` as one."""
    if not isinstance(value, Tensor):
        return value.merge_dims(first, last)
    sizes = shape(value)
    return reshape(value, concat([sizes[:first], [-1], sizes[last + 1 :]], 0))


def with_merged_partitions(ragged_shape, first, last):
    """A DynamicRaggedShape of row partitions only, with axes `first` to `last` as one."""
    partitions = list(ragged_shape.row_partitions)
    if first:
        outer, *inner = partitions[first - 1 : last]
        splits, length = outer.row_splits(), outer.static_uniform_row_length
        for each in inner:
            splits = gather(each.row_splits(), splits)
            size = each.static_uniform_row_length
            length = None if None in (length, size) else length * size
        merged = RowPartition._of(splits, uniform=length, nvals=partitions[last - 1].static_nvals)
        partitions[first - 1 : last] = [merged]
    else:
        del partitions[:last]
    return DynamicRaggedShape(partitions, ragged_shape.inner_shape, static_inner_shape=ragged_shape._static)
