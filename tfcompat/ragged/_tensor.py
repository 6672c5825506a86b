"""`RaggedTensor`: rows of different lengths, as the values of all rows and where each row begins."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor, host_constant, host_integers, known_values, static_value
from tfcompat._core.in_graphs import of_rank, when_run
from tfcompat._core.op import ANY_OR_STRING, op
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.steps import is_unknown, records_steps, sizes_of, step
from tfcompat._core.tensor import Tensor
from tfcompat.array import boolean_mask, fill, ones_like, reshape, sequence_mask, shape
from tfcompat.array import range as arange
from tfcompat.array._arguments import invalid
from tfcompat.array._cast import cast
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.math import cumsum, maximum, minimum, reduce_any, reduce_max, unsorted_segment_sum
from tfcompat.ragged._row_partition import RowPartition, array_of, checked_splits
from tfcompat.sparse._elements import filled, taken
from tfcompat.sparse._tensor import made

_FACTORIES = "RaggedTensor constructor is private; please use one of the factory methods instead"


def values_of(value):
    """Values of a RaggedTensor: a tensor or RaggedTensor."""
    return value if isinstance(value, RaggedTensor) else convert_to_tensor(value)


def divided(values, partitions):
    """The values, divided by each of some RowPartitions, the outermost first."""
    for partition in partitions[::-1]:
        values = RaggedTensor._divided(values, partition, validate=False)
    return values


def outer_size(value):
    """How many rows a tensor or RaggedTensor has: an int, or what stands for an unknown size in a trace."""
    if isinstance(value, RaggedTensor):
        return value.row_splits._node.aval.shape[0] - 1
    return value._node.aval.shape[0]


def _splits_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _unpickled(state):
    tensor = object.__new__(RaggedTensor)
    vars(tensor).update(state)
    return tensor


def _filled_up(new, value, default_value=None, name=None, shape=None):
    """What comes of `to_tensor` while a function is traced."""
    sizes, inner = [sizes_of(value.row_splits)[0] - 1], value
    while isinstance(inner, RaggedTensor):
        sizes.append(inner._uniform)
        inner = inner.values
    sizes += sizes_of(inner)[1:]
    if shape is not None and as_shape(shape).rank is not None:
        target = as_shape(static_value(shape) if isinstance(shape, Tensor) else shape).as_list()
        if len(target) != len(sizes):
            return NotImplemented
        sizes = [n if size is None or size < 0 else size for n, size in zip(sizes, target, strict=True)]
    return new(sizes, value.dtype) if _has_unknown_rows(value) else NotImplemented


def _has_unknown_rows(value):
    return any(map(is_unknown, value.nested_row_splits))


def _of_rows(new, value, axis=1, name=None):
    """What comes of `row_lengths` while a function is traced."""
    if axis != 1 or not _has_unknown_rows(value):
        return NotImplemented
    return new([sizes_of(value.row_splits)[0] - 1], value.row_splits.dtype)


def _of_axes(new, value, axis=None, name=None, out_type=None):
    """What comes of `bounding_shape` while a function is traced."""
    if not _has_unknown_rows(value):
        return NotImplemented
    shape = [value.shape.rank] if axis is None else np.shape(static_value(axis))
    return new(shape, value.row_splits.dtype if out_type is None else dtypes.as_dtype(out_type))


def _of_values(new, value, name=None):
    """What comes of `value_rowids` while a function is traced."""
    inner = value.values.row_splits if isinstance(value.values, RaggedTensor) else value.values
    count = sizes_of(inner)[0] - (inner is not value.values)
    return new([count], value.row_splits.dtype) if _has_unknown_rows(value) else NotImplemented


class RaggedTensor(CompositeTensor):
    """A tensor with rows of different lengths, along one axis or several.

    Made by `tf.ragged.constant` and the class methods `from_...`.

    TF: `tf.RaggedTensor`.
    """

    __array_priority__ = 100
    __module__ = "tensorflow.python.ops.ragged.ragged_tensor"  # by which Keras 3 knows it

    def __reduce__(self):
        return _unpickled, (vars(self),)

    def __init__(self, values, row_partition, internal=False):
        if not internal:
            raise ValueError(f"{_FACTORIES} (e.g., RaggedTensor.from_row_lengths())")
        self._values, self._row_splits = values, row_partition
        self._uniform = None

    @classmethod
    def _of(cls, values, splits, dtype=None, uniform=None):
        """A RaggedTensor of values and a NumPy array or tensor of splits."""
        if not isinstance(splits, Tensor):
            splits = host_constant(np.asarray(splits, np.int64 if dtype is None else dtype.np))
        result = cls(values, splits, internal=True)
        result._uniform = uniform
        return result

    def _rebuilt(self, values, splits, uniform=None):
        """A RaggedTensor of other rows, with splits of the same dtype."""
        return RaggedTensor._of(values, splits, self.row_splits.dtype, uniform)

    # --- construction ---------------------------------------------------------------------------------------------

    @classmethod
    def _divided(cls, values, partition, validate):
        """The rows of `values` that a RowPartition makes."""
        splits = partition.row_splits()
        known = known_values(splits) if validate else None
        if known is not None:
            _check_count(known[-1], values)
        elif validate:
            count = None if isinstance(values, RaggedTensor) else shape(values, splits.dtype)[0]
            splits = checked_splits(splits, count)
        return cls._of(values, splits, uniform=partition.static_uniform_row_length)

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Row i holds `values[row_splits[i]:row_splits[i + 1]]`.

        Raises:
          ValueError: no splits.
          tf.errors.InvalidArgumentError: `validate`, and the splits do not ascend from 0 to the number of values.
        """
        values = values_of(values)
        return cls._divided(values, RowPartition.from_row_splits(row_splits, validate), validate)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Row i holds the next `row_lengths[i]` values."""
        values = values_of(values)
        return cls._divided(values, RowPartition.from_row_lengths(row_lengths, validate), validate)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """Value j belongs to row `value_rowids[j]`; the ids ascend."""
        values = values_of(values)
        partition = RowPartition.from_value_rowids(value_rowids, nrows, validate)
        counts = {partition.static_nvals, values.shape[0] if values.shape.rank else None} - {None}
        if validate and len(counts) > 1:
            raise ValueError(f"Shapes {values.shape[:1]} and ({partition.static_nvals},) are incompatible")
        return cls._divided(values, partition, validate)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Row i begins at value `row_starts[i]` and ends where the next one begins."""
        values = values_of(values)
        return cls._divided(values, RowPartition.from_row_starts(row_starts, outer_size(values), validate), validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Row i begins where the one before ends, and ends before value `row_limits[i]`."""
        values = values_of(values)
        return cls._divided(values, RowPartition.from_row_limits(row_limits, validate), validate)

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
        """Each row holds the next `uniform_row_length` values.

        Raises:
          ValueError: the values do not divide into such rows.
        """
        values = values_of(values)
        partition = RowPartition.from_uniform_row_length(uniform_row_length, outer_size(values), nrows, validate)
        return cls._divided(values, partition, validate)

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """Several ragged axes, the outermost splits first."""
        return _nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """Several ragged axes, the outermost lengths first."""
        return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
        """Several ragged axes, the outermost ids first."""
        result = flat_values
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        for ids, count in list(zip(nested_value_rowids, counts, strict=True))[::-1]:
            result = cls.from_value_rowids(result, ids, count, validate=validate)
        return result

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=dtypes.int64):
        """The rows of a tensor of rank above `ragged_rank`, cut.

        Args:
          tensor: tensor.
          lengths: how much of each row to keep; a tuple or list of such vectors for that many ragged axes; or None.
          padding: the value left out at the end of rows; or None.
          ragged_rank: how many axes become ragged.
          name: ignored.
          row_splits_dtype: int32 or int64.

        Raises:
          ValueError: a vector, both `lengths` and `padding`, or a `ragged_rank` out of range.
        """
        tensor = convert_to_tensor(tensor)
        rank, dtype = len(tensor.shape), dtypes.as_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify argument `lengths` or `padding`, but not both.")
        if ragged_rank <= 0:
            raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
        if rank < 2 or ragged_rank >= rank:
            raise ValueError(
                "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged "
                f"dimensions. Received argument `tensor` with rank {rank} and ragged_rank {ragged_rank}."
            )
        shape = tensor.shape.as_list()
        if isinstance(lengths, list | tuple) and lengths and (np.ndim(lengths[0]) or hasattr(lengths[0], "_node")):
            return cls._cut(tensor, [np.asarray(static_value(one), np.int64) for one in lengths], dtype)
        if ragged_rank == 1 and records_steps():
            if None in shape[:2] or is_unknown(lengths) or padding is not None and is_unknown(tensor):
                return cls._cut_when_run(tensor, lengths, padding, dtype)
        inner = shape[ragged_rank + 1 :]
        flat = reshape(tensor, [-1, *inner])
        result_lengths = None
        if lengths is not None:
            result_lengths = np.clip(np.asarray(static_value(lengths), np.int64), 0, shape[1])
        elif padding is not None:
            same = known_values(tensor, "call it outside, or with `lengths`") == static_value(padding)
            same = same.reshape(*shape[: ragged_rank + 1], -1).all(-1)
            before_padding = np.cumsum(~same[..., ::-1], -1)[..., ::-1] > 0
            result_lengths = before_padding.sum(-1)
        if result_lengths is None:
            result = flat
            for axis in range(ragged_rank, 0, -1):
                splits = np.arange(int(np.prod(shape[:axis])) + 1) * shape[axis]
                result = cls._of(result, splits, dtype, uniform=shape[axis])
            return result
        if ragged_rank > 1 and lengths is not None:
            raise dtypes_error("`lengths` with ragged_rank above 1", "RaggedTensor.from_row_lengths")
        width = shape[ragged_rank]
        keep = np.flatnonzero((np.arange(width) < result_lengths.reshape(-1, 1)).reshape(-1))
        result = cls._of(taken(flat, host_constant(keep)), _splits_of(result_lengths.reshape(-1)), dtype)
        for axis in range(ragged_rank - 1, 0, -1):
            splits = np.arange(int(np.prod(shape[:axis])) + 1) * shape[axis]
            result = cls._of(result, splits, dtype, uniform=shape[axis])
        return result

    @classmethod
    def _cut_when_run(cls, tensor, lengths, padding, dtype):
        """`from_tensor` in a function that is traced for unknown sizes, or lengths."""
        sizes = shape(tensor, dtype)
        if lengths is not None:
            lengths = maximum(minimum(cast(lengths, dtype), sizes[1]), 0)
        elif padding is None:
            lengths = fill(sizes[:1], sizes[1])
        else:
            counts = tensor != padding
            counts = reduce_any(counts, list(range(2, tensor.shape.rank))) if tensor.shape.rank > 2 else counts
            lengths = reduce_max(cast(counts, dtype) * arange(1, sizes[1] + 1, dtype=dtype), 1)
        values = boolean_mask(tensor, sequence_mask(lengths, sizes[1]))
        return cls.from_row_lengths(values, lengths, validate=False)

    @classmethod
    def _cut(cls, tensor, nested_lengths, dtype):
        """The rows of a tensor, those of each of its first axes cut to lengths of their own."""
        shape = tensor.shape.as_list()
        places, values_from = np.arange(shape[0]), len(nested_lengths) + 1
        for lengths, size in zip(nested_lengths, shape[1:], strict=False):
            kept = np.clip(lengths, 0, size)
            if len(kept) != len(places):
                raise InvalidArgumentError(
                    None, None, f"Argument `lengths`: expected a vector of {len(places)} numbers, got {len(kept)}"
                )
            places = np.concatenate([p * size + np.arange(n) for p, n in zip(places, kept, strict=True)] or [places])
        result = taken(reshape(tensor, [-1, *shape[values_from:]]), host_constant(places.astype(np.int64)))
        for lengths, size in list(zip(nested_lengths, shape[1:], strict=False))[::-1]:
            result = cls._of(result, _splits_of(np.clip(lengths, 0, size)), dtype)
        return result

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
        """The rows of a SparseTensor of rank 2 whose elements stand at the start of their rows.

        Raises:
          tf.errors.InvalidArgumentError: an element has a gap before it.
        """
        sizes, places = st_input.sizes(), st_input.places()
        if len(sizes) != 2:
            raise ValueError(f"rank(st_input) must be 2, got {len(sizes)}")
        lengths = np.bincount(places[:, 0], minlength=sizes[0])
        expected = np.concatenate([np.arange(n) for n in lengths]) if len(lengths) else np.zeros(0)
        if not np.array_equal(places[:, 1], expected):
            raise invalid(
                "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true: SparseTensor is not right-ragged"
            )
        return cls._of(st_input.values, _splits_of(lengths), dtypes.as_dtype(row_splits_dtype))

    # --- what it is made of ---------------------------------------------------------------------------------------

    values = property(lambda self: self._values, doc="All rows one after another: a tensor, or a RaggedTensor.")
    row_splits = property(lambda self: self._row_splits, doc="Where rows begin and end: an integer vector.")
    dtype = property(lambda self: self._values.dtype, doc="DType of the elements.")

    @property
    def _row_partition(self):
        return RowPartition._of(self._row_splits, uniform=self._uniform)

    @property
    def uniform_row_length(self):
        """The length of all rows, int64, if the tensor was made with one; else None."""
        return None if self._uniform is None else host_constant(np.asarray(self._uniform, self.row_splits.dtype.np))

    @property
    def ragged_rank(self):
        """How many axes are partitioned."""
        inner = self._values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensor) else 0)

    @property
    def flat_values(self):
        """The tensor that all partitions divide."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def nested_row_splits(self):
        """Tuple of the splits of all partitions, the outermost first."""
        return tuple(part.row_splits for part in self._levels())

    def _levels(self):
        level = self
        while isinstance(level, RaggedTensor):
            yield level
            level = level._values

    @property
    def shape(self):
        """TensorShape, None for ragged axes."""
        splits = self.row_splits.shape[0]
        rows = None if splits is None else splits - 1
        return TensorShape([rows, self._uniform]).concatenate(self._values.shape[1:])

    def get_shape(self):
        """The shape, as `RaggedTensor.shape`."""
        return self.shape

    @property
    def _type_spec(self):
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self.row_splits.dtype)

    _has_gradient = True

    def _differentiable_part(self):
        return self.flat_values

    def _with_differentiable_part(self, tensor):
        return self.with_flat_values(tensor)

    def splits(self):
        """The row splits as a NumPy array."""
        return array_of(self._row_splits)

    def lengths(self):
        """The row lengths as a NumPy array."""
        return np.diff(self.splits())

    def rowids(self):
        """The row of each value as a NumPy array."""
        return np.repeat(np.arange(outer_size(self)), self.lengths())

    def row_of_each(self):
        """The row of each value as a tensor, int64; also where partitions are not known in a trace."""
        if known_values(self._row_splits) is not None:
            return host_constant(self.rowids())
        splits = cast(self._row_splits, dtypes.int64)  # one more of them lies before each next row
        return cumsum(unsorted_segment_sum(ones_like(splits), splits, outer_size(self._values) + 1))[:-1] - 1

    def _as_partition(self, array):
        return host_constant(np.asarray(array, self.row_splits.dtype.np))

    @step("RaggedValueRowids", _of_values)
    def value_rowids(self, name=None):
        """The row of each value, an integer vector."""
        return cast(self.row_of_each(), self.row_splits.dtype)

    def nested_value_rowids(self, name=None):
        """Tuple of `value_rowids` of all partitions, the outermost first."""
        return tuple(level.value_rowids() for level in self._levels())

    def nrows(self, out_type=None, name=None):
        """How many rows there are, an integer scalar."""
        count = self._as_partition(outer_size(self))
        return count if out_type is None else cast(count, out_type)

    def row_starts(self, name=None):
        """Where each row begins, an integer vector."""
        return self._as_partition(self.splits()[:-1])

    def row_limits(self, name=None):
        """Where each row ends, an integer vector."""
        return self._as_partition(self.splits()[1:])

    @step("RaggedRowLengths", _of_rows)
    def row_lengths(self, axis=1, name=None):
        """The lengths of rows: of axis 1 an integer vector, of a later one a RaggedTensor or tensor."""
        rank = self.shape.rank
        if not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
        axis %= rank
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._as_partition(self.lengths())
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        size = self._values.shape[axis - 1]
        return self.with_values(self._as_partition(np.full(self._values.shape.as_list()[: axis - 1], size)))

    def nested_row_lengths(self, name=None):
        """Tuple of the row lengths of all partitions, the outermost first."""
        return tuple(level.row_lengths() for level in self._levels())

    def bounding_sizes(self):
        """Sizes of the smallest tensor that holds all rows."""
        sizes = [outer_size(self)]
        for level in self._levels():
            sizes.append(int(level.lengths().max(initial=0)))
        return (*sizes, *self.flat_values.shape.as_list()[1:])

    @step("RaggedBoundingShape", _of_axes)
    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The sizes of the smallest tensor that holds all rows: an integer vector, or those of `axis`."""
        sizes = np.array(self.bounding_sizes())
        if axis is not None:
            axes = np.asarray(static_value(axis), int)
            if (axes >= len(sizes)).any() or (axes < -len(sizes)).any():
                raise when_run(f"axis {axes} is out of range for {len(sizes)} dimensions")
            sizes = sizes[axes]
        dtype = self.row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        return host_constant(np.asarray(sizes, dtype.np))

    def coordinates(self):
        """For each flat value its place along the partitioned axes: array of shape [n, ragged_rank + 1]."""
        starts = self.splits()[:-1]
        rows = self.rowids()
        outer = np.stack([rows, np.arange(len(rows)) - starts[rows]], 1) if len(rows) else np.zeros((0, 2), np.int64)
        if not isinstance(self._values, RaggedTensor):
            return outer
        inner = self._values.coordinates()
        return np.concatenate([outer[inner[:, 0]], inner[:, 1:]], 1)

    # --- other forms ----------------------------------------------------------------------------------------------

    def with_values(self, new_values):
        """The same rows with other values; as many as now.

        Raises:
          ValueError: another number of values.
        """
        values = values_of(new_values)
        if outer_size(values) != outer_size(self._values):
            raise ValueError(f"Shapes ({outer_size(self._values)},) and ({outer_size(values)},) are incompatible")
        return RaggedTensor._of(values, self._row_splits, uniform=self._uniform)

    def with_flat_values(self, new_values):
        """The same partitions with other flat values; as many as now."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype):
        """The same tensor, splits of `dtype`, int32 or int64."""
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}.")
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor._of(values, cast(self._row_splits, dtype), uniform=self._uniform)

    def merge_dims(self, outer_axis, inner_axis):
        """Several axes as one.

        Raises:
          ValueError: axes out of range, or in the wrong order.
        """
        rank = self.shape.rank
        outer, inner = (axis + rank if axis < 0 else axis for axis in (outer_axis, inner_axis))
        if not 0 <= outer < rank or not 0 <= inner < rank or outer >= inner:
            raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than inner_axis ({inner_axis})")
        return _merged(self, outer, inner)

    @step("RaggedTensorToTensor", _filled_up)
    def to_tensor(self, default_value=None, name=None, shape=None):
        """The rows as one tensor, the shorter ones filled up.

        Args:
          default_value: what to fill with, of the dtype of the elements and broadcastable to them; zero if None.
          name: ignored.
          shape: sizes of the result, None for those of the longest rows; longer rows are cut.

        Returns:
          Tensor.

        Raises:
          TypeError: `default_value` of another dtype.
          ValueError: `shape` of another rank.
          tf.errors.InvalidArgumentError: `default_value` of too high a rank.
        """
        sizes = list(self.bounding_sizes())
        if shape is not None:
            target = as_shape(static_value(shape) if isinstance(shape, Tensor) else shape)
            if target.rank is not None:
                if target.rank != len(sizes):
                    raise ValueError(f"Shape {target} must have rank {len(sizes)}")
                sizes = [
                    n if size is None or size < 0 else size for n, size in zip(sizes, target.as_list(), strict=True)
                ]
        flat, places = self.flat_values, self.coordinates()
        if default_value is None:
            default_value = {dtypes.string: b"", dtypes.bool: False}.get(self.dtype, 0)
        default = convert_to_tensor(default_value, self.dtype)
        if default.shape.rank and default.shape.rank >= flat.shape.rank:
            raise of_rank(invalid(
                f"default_value.shape={default.shape} and rt_input.flat_values.shape={flat.shape} are incompatible: "
                f"default_value.rank = {default.shape.rank}  must be less than rt_input.flat_values.rank = "
                f"{flat.shape.rank} [Op:RaggedTensorToTensor]"
            ))  # fmt: skip
        outer = tuple(sizes[: places.shape[1]])
        keep = (places < outer).all(1)
        integers, filler = host_integers(flat), host_integers(default)
        if integers is not None and filler is not None and filler.ndim == 0:
            result = np.full((*outer, *integers.shape[1:]), filler)
            result[tuple(places[keep].T)] = integers[keep]
            return host_constant(result)
        if not keep.all():
            places, flat = places[keep], taken(flat, host_constant(np.flatnonzero(keep)))
        if len(flat.shape) == 1:
            return filled(flat, default, host_constant(places), outer, "known")
        return _filled_rows(flat, default, host_constant(places), outer)

    def to_sparse(self, name=None):
        """The same elements as a SparseTensor."""
        flat, places = self.flat_values, self.coordinates()
        inner = flat.shape.as_list()[1:]
        if inner:
            within = np.indices(inner).reshape(len(inner), -1).T
            places = np.concatenate([np.repeat(places, len(within), 0), np.tile(within, (len(places), 1))], 1)
            flat = reshape(flat, [-1])
        return made(places, flat, self.bounding_sizes())

    def numpy(self):
        """The rows as a NumPy array: of objects, where lengths differ."""
        values = self._values.numpy()
        rows = np.split(values, self.splits()[1:-1]) if outer_size(self) else []
        if len({len(row) for row in rows}) <= 1 and rows:
            return np.stack(rows)
        result = np.empty(len(rows), object)
        for place, row in enumerate(rows):
            result[place] = row
        return result

    def to_list(self):
        """The rows as nested lists."""
        inner = self._values
        flat = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        splits = self.splits().tolist()
        return [flat[begin:end] for begin, end in zip(splits[:-1], splits[1:], strict=True)]

    def consumers(self):
        """Operations that use this tensor: none are known, as in TF's eager mode."""
        return []

    __getitem__: Any  # bound, as the operators are, by `_operators`

    def __iter__(self):
        return iter([self[place] for place in range(outer_size(self))])

    def __bool__(self):
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self):
        raise TypeError("RaggedTensor is unhashable.")

    def __repr__(self):
        if any(not hasattr(x, "numpy") for x in (self.flat_values, *self.nested_row_splits)):
            return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"
        return f"<tf.RaggedTensor {_text(self.numpy())}>"


def dtypes_error(argument, instead):
    """An UnimplementedError that names a way round."""
    return UnimplementedError(None, None, f"{argument} is not supported; use {instead}")


def _text(array):
    if array.ndim > 1 and not array.size:
        return str(array.tolist())

    def element(x):
        return _text(x) if isinstance(x, np.ndarray) else repr(x) if isinstance(x, bytes) else str(x)

    return np.array2string(array, separator=", ", formatter={"all": element}, threshold=1000)


def _check_count(count, values):
    if values.shape.rank == 0:
        raise of_rank(
            invalid("Arguments to _from_row_partition do not form a valid RaggedTensor: the values are a scalar")
        )
    if count != outer_size(values):
        raise invalid(
            f"Arguments to _from_row_partition do not form a valid RaggedTensor: the rows hold {count} values, "
            f"there are {outer_size(values)}"
        )


def _nested(make, flat_values, partitions, validate):
    if isinstance(partitions, Tensor):
        raise TypeError(f"Argument must be a list of Tensors. Received {partitions}.")
    result = flat_values
    for partition in list(partitions)[::-1]:
        result = make(result, partition, validate=validate)
    return result


def _merged(value, outer, inner):
    if not isinstance(value, RaggedTensor):
        sizes = value.shape.as_list()
        return reshape(value, [*sizes[:outer], -1, *sizes[inner + 1 :]])
    if outer > 1:
        return value.with_values(_merged(value.values, outer - 1, inner - 1))
    if outer:
        for _ in range(inner - 1):
            value = _with_axes_merged(value)
        return value
    rest = value.values
    return rest if inner == 1 else _merged(rest, 0, inner - 1)


def _with_axes_merged(value):
    """Axes 1 and 2 of a RaggedTensor as one."""
    inner = value.values
    if isinstance(inner, RaggedTensor):
        return value._rebuilt(inner.values, inner.splits()[value.splits()])
    return value._rebuilt(_merged(inner, 0, 1), value.splits() * inner.shape[1])


@op("_ragged_rows_to_tensor", kernel="RaggedTensorToTensor", tensors=("values", "default", "places"),
    same=("values", "default"), dtypes={"values": ANY_OR_STRING, "default": ANY_OR_STRING})  # fmt: skip
def _filled_rows(values, default, places, sizes):
    whole = jnp.broadcast_to(default, (*sizes, *values.shape[1:]))
    return whole.at[tuple(places.T)].set(values)


class RaggedTensorSpec(TypeSpec):
    """What is known of a `tf.RaggedTensor`.

    Args:
      shape: shape, None for ragged axes.
      dtype: dtype of the elements.
      ragged_rank: how many axes are partitioned; one less than the rank if None.
      row_splits_dtype: int32 or int64.
      flat_values_spec: must be None.

    TF: `tf.RaggedTensorSpec`; a spec of the flat values is refused.
    """

    __slots__ = ("_shape", "_dtype", "_ragged_rank", "_row_splits_dtype")

    def __init__(self, shape=None, dtype=dtypes.float32, ragged_rank=None, row_splits_dtype=dtypes.int64,
                 flat_values_spec=None):  # fmt: skip
        if flat_values_spec is not None:
            raise dtypes_error("flat_values_spec", "shape and dtype")
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value):
        """The spec of a RaggedTensor."""
        return cls(value.shape, value.values.dtype, value.ragged_rank, value.row_splits.dtype)

    shape = property(lambda self: self._shape, doc="TensorShape, None for ragged axes.")
    dtype = property(lambda self: self._dtype, doc="DType of the elements.")
    ragged_rank = property(lambda self: self._ragged_rank, doc="How many axes are partitioned.")
    row_splits_dtype = property(lambda self: self._row_splits_dtype, doc="DType of the splits.")
    flat_values_spec = property(lambda self: None, doc="None.")

    @property
    def value_type(self):
        return RaggedTensor if self._ragged_rank else Tensor

    @property
    def _component_specs(self):
        inner = [None] if self._shape.rank is None else self._shape.as_list()[self._ragged_rank + 1 :]
        flat = TensorSpec(None if self._shape.rank is None else [None, *inner], self._dtype)
        outer = None if self._shape.rank is None or self._shape[0] is None else self._shape[0] + 1
        splits = [TensorSpec([outer if not n else None], self._row_splits_dtype) for n in range(self._ragged_rank)]
        return [flat, *splits]

    def _to_components(self, value):
        return [value.flat_values, *value.nested_row_splits] if isinstance(value, RaggedTensor) else [value]

    def _from_components(self, components):
        result, *partitions = components
        sizes = [None] * len(partitions) if self._shape.rank is None else self._shape[1 : len(partitions) + 1]
        for splits, size in zip(partitions[::-1], list(sizes)[::-1], strict=True):
            result = RaggedTensor(result, splits, internal=True)
            result._uniform = size
        return result

    def _serialize(self):
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    def _batch(self, batch_size):
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self):
        return RaggedTensorSpec(self._shape[1:], self._dtype, max(self._ragged_rank - 1, 0), self._row_splits_dtype)

    def __repr__(self):
        return f"RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank!r}, {self._row_splits_dtype!r})"
