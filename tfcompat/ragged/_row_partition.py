"""`tf.experimental.RowPartition`: how values are divided into rows."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import host_constant, known_values, static_value
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.steps import sizes_of, step
from tfcompat._core.symbolic_sizes import is_symbol, size_node
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.array._arguments import invalid
from tfcompat.array._cast import cast
from tfcompat.array._join import concat

_FACTORIES = "RowPartition constructor is private; please use one of the factory methods instead"
_KNOWN = "call it outside, or with a constant partition of rows"


def array_of(partition):
    """The numbers of a row partition, int64, on the host."""
    return known_values(partition, _KNOWN).astype(np.int64)


def _like_splits(new, splits, *args):
    return new(sizes_of(splits), splits.dtype)


@step("RowSplits", _like_splits, underived=True)
def checked_splits(splits, nvals=None):
    """The splits, which must ascend from 0; to `nvals`, if it is an integer tensor."""
    array = array_of(splits)
    if array[0] != 0:
        raise invalid("Arguments to from_row_splits do not form a valid RaggedTensor:zero")
    if (np.diff(array) < 0).any():
        raise invalid("Arguments to from_row_splits do not form a valid RaggedTensor:monotonic.")
    if nvals is not None and static_value(nvals) != array[-1]:
        raise invalid(
            f"Arguments to _from_row_partition do not form a valid RaggedTensor: the rows hold {array[-1]} values, "
            f"there are {static_value(nvals)}"
        )
    return splits


@step("RowSplitsOfLengths", lambda new, x, _: new([sizes_of(x)[0] + 1], x.dtype), underived=True)
def _splits_of_lengths(lengths, validate):
    array = array_of(lengths)
    if validate and (array < 0).any():
        raise invalid("Arguments to from_row_lengths do not form a valid RowPartition.")
    return host_constant(np.concatenate([[0], np.cumsum(array)]).astype(lengths.dtype.np))


def _of_some_rows(new, ids, nrows, validate):
    return new([None if nrows is None else _size(nrows) + 1], ids.dtype)


@step("RowSplitsOfIds", _of_some_rows, underived=True)
def _splits_of_ids(ids, nrows, validate):
    array = array_of(ids)
    needed = int(array[-1]) + 1 if array.size else 0
    count = needed if nrows is None else _size(nrows)
    if validate:
        if count < 0:
            raise ValueError(f"Expected nrows >= 0; got {count}")
        if (np.diff(array) < 0).any() or (array < 0).any():
            raise invalid("Arguments to from_value_rowids do not form a valid RowPartition.")
        if count < needed:
            raise ValueError(
                f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, value_rowids[-1]={needed - 1}"
            )
    lengths = np.bincount(array, minlength=count)
    return host_constant(np.concatenate([[0], np.cumsum(lengths)]).astype(ids.dtype.np))


def _vector(value, argument, dtype=None, dtype_hint=None):
    """A vector of a row partition as a tensor: int64, unless it is int32 or another dtype is asked for."""
    tensor = value if isinstance(value, Tensor) else None
    if tensor is None:
        array = np.asarray(value)
        if array.dtype != np.int32 or not isinstance(value, np.ndarray):
            array = array.astype(np.int64 if dtype_hint is None else dtypes.as_dtype(dtype_hint).np)
        tensor = host_constant(array)
    if dtype is not None:
        tensor = cast(tensor, dtype)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"{argument} must have dtype int32 or int64, got {tensor.dtype!r}")
    if len(tensor.shape) != 1:
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    return tensor


def _size(value):
    """A number that a tensor or an int gives; None, and what stands for a size in a trace, as they are."""
    if not isinstance(value, Tensor | np.generic):
        return value
    size = static_value(value)
    return size if is_symbol(size) else int(size)


def _number_of(size, dtype):
    """A number, or a symbol, as a tensor."""
    return wrap(size_node(size, dtype.np)) if is_symbol(size) else cast(size, dtype)


class RowPartition(CompositeTensor):
    """A division of values into rows, by the places where rows begin and end.

    Made by the class methods `from_...`. With `validate=False` they do not look at the numbers. `dtype` is that of the
    result, int32 or int64; `dtype_hint` that of what has none, such as lists.

    TF: `tf.experimental.RowPartition`.
    """

    __module__ = "tensorflow.python.ops.ragged.row_partition"

    def __init__(self, row_splits, row_lengths=None, value_rowids=None, nrows=None, uniform_row_length=None, nvals=None,
                 internal=False):  # fmt: skip
        if not internal:
            raise ValueError(f"{_FACTORIES} (e.g., RowPartition.from_row_lengths())")
        self._splits, self._uniform, self._count = row_splits, uniform_row_length, nvals

    @classmethod
    def _of(cls, splits, dtype=dtypes.int64, uniform=None, nvals=None):
        """The partition of a NumPy array, or tensor, of splits."""
        if not isinstance(splits, Tensor):
            splits = host_constant(np.asarray(splits, dtype.np))
        if uniform is not None and nvals is None and splits.shape[0] is not None:
            nvals = (splits.shape[0] - 1) * uniform
        return cls(splits, uniform_row_length=uniform, nvals=nvals, internal=True)

    def _with_count(self, nvals):
        """The same partition of as many values, if that is known."""
        return RowPartition._of(self._splits, uniform=self._uniform, nvals=nvals if type(nvals) is int else None)

    @classmethod
    def from_row_splits(cls, row_splits, validate=True, dtype=None, dtype_hint=None):
        """Row i begins at value `row_splits[i]` and ends before value `row_splits[i + 1]`.

        Raises:
          ValueError: no splits.
          tf.errors.InvalidArgumentError: the splits do not ascend from 0.
        """
        splits = _vector(row_splits, "row_splits", dtype, dtype_hint)
        if splits.shape[0] == 0:
            raise ValueError("row_splits tensor may not be empty.")
        return cls._of(checked_splits(splits) if validate else splits)

    @classmethod
    def from_row_lengths(cls, row_lengths, validate=True, dtype=None, dtype_hint=None):
        """Row i holds the next `row_lengths[i]` values."""
        lengths = _vector(row_lengths, "row_lengths", dtype, dtype_hint)
        return cls._of(_splits_of_lengths(lengths, validate))

    @classmethod
    def from_value_rowids(cls, value_rowids, nrows=None, validate=True, dtype=None, dtype_hint=None):
        """Value j belongs to row `value_rowids[j]`; the ids ascend."""
        ids = _vector(value_rowids, "value_rowids", dtype, dtype_hint)
        return cls._of(_splits_of_ids(ids, nrows, validate), nvals=ids.shape[0])

    @classmethod
    def from_row_starts(cls, row_starts, nvals, validate=True, dtype=None, dtype_hint=None):
        """Row i begins at value `row_starts[i]` and ends where the next one begins, the last one at `nvals`."""
        starts = _vector(row_starts, "row_starts", dtype, dtype_hint)
        return cls.from_row_splits(concat([starts, [_number_of(nvals, starts.dtype)]], 0), validate)

    @classmethod
    def from_row_limits(cls, row_limits, validate=True, dtype=None, dtype_hint=None):
        """Row i begins where the one before ends, and ends before value `row_limits[i]`."""
        limits = _vector(row_limits, "row_limits", dtype, dtype_hint)
        return cls.from_row_splits(concat([[cast(0, limits.dtype)], limits], 0), validate)

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length, nvals=None, nrows=None, validate=True, dtype=None, dtype_hint=None
    ):
        """Each row holds the next `uniform_row_length` values.

        Raises:
          ValueError: neither `nvals` nor `nrows`, a negative length, or values that do not divide into such rows.
        """
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        length, count = int(static_value(uniform_row_length)), _size(nvals)
        rows = _size(nrows) if nrows is not None else count // length if length else 0
        if length < 0:
            raise ValueError(f"uniform_row_length={length} must not be negative")
        if validate and count is not None and rows * length != count:
            raise ValueError(f"uniform_row_length={length} times nrows={rows} must equal nvals={count}")
        target = dtypes.as_dtype(dtype or dtype_hint or getattr(uniform_row_length, "dtype", dtypes.int64))
        return cls._of(np.arange(rows + 1) * length, target, length, count)

    dtype = property(lambda self: self._splits.dtype, doc="DType of the numbers, int32 or int64.")

    @property
    def static_nrows(self):
        """How many rows there are, an int; None if that is not known."""
        count = self._splits.shape[0]
        return None if count is None else count - 1

    static_nvals = property(lambda self: self._count, doc="How many values there are, an int; None if not known.")
    static_uniform_row_length = property(
        lambda self: self._uniform, doc="The length of all rows, an int, if the partition was made with one; else None."
    )

    def row_splits(self):
        """Where rows begin and end, an integer vector of one more than the rows."""
        return self._splits

    def row_starts(self):
        """Where each row begins, an integer vector."""
        return self._splits[:-1]

    def row_limits(self):
        """Where each row ends, an integer vector."""
        return self._splits[1:]

    def row_lengths(self):
        """How many values each row has, an integer vector."""
        return self._splits[1:] - self._splits[:-1]

    def nrows(self):
        """How many rows there are, an integer scalar."""
        return self._number(self._splits._node.aval.shape[0] - 1)

    def nvals(self):
        """How many values there are, an integer scalar."""
        return self._splits[-1]

    def uniform_row_length(self):
        """The length of all rows, an integer scalar, if the partition was made with one; else None."""
        return None if self._uniform is None else self._number(self._uniform)

    def is_uniform(self):
        """Whether the partition was made with one length for all rows."""
        return self._uniform is not None

    def value_rowids(self):
        """The row of each value, an integer vector."""
        return self._number(self.rows_of_values())

    def offsets_in_rows(self):
        """The place of each value in its row, an integer vector."""
        rows = self.rows_of_values()
        return self._number(np.arange(len(rows)) - self.splits()[rows])

    def with_dtype(self, dtype):
        """The same partition with numbers of another dtype, int32 or int64."""
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}.")
        return RowPartition._of(cast(self._splits, dtype), uniform=self._uniform, nvals=self._count)

    def splits(self):
        """The splits as a NumPy array."""
        return array_of(self._splits)

    def rows_of_values(self):
        """The row of each value as a NumPy array."""
        lengths = np.diff(self.splits())
        return np.repeat(np.arange(len(lengths)), lengths)

    def _number(self, value):
        return host_constant(np.asarray(value, self.dtype.np))

    @property
    def _type_spec(self):
        return RowPartitionSpec(self.static_nrows, self._count, self._uniform, self.dtype)

    def __repr__(self):
        if self._uniform is not None:
            return f"tf.RowPartition(nrows={self.static_nrows}, uniform_row_length={self._uniform})"
        known = known_values(self._splits)
        return f"tf.RowPartition(row_splits={self._splits if known is None else known})"


class RowPartitionSpec(TypeSpec):
    """What is known of a `tf.experimental.RowPartition`: sizes are None where they are not known.

    TF: its specification of the same name, which is not public.
    """

    __slots__ = ("_nrows", "_nvals", "_uniform_row_length", "_dtype")

    def __init__(self, nrows=None, nvals=None, uniform_row_length=None, dtype=dtypes.int64):
        self._nrows, self._nvals, self._uniform_row_length = nrows, nvals, uniform_row_length
        self._dtype = dtypes.as_dtype(dtype)

    nrows = property(lambda self: self._nrows, doc="How many rows there are, or None.")
    nvals = property(lambda self: self._nvals, doc="How many values there are, or None.")
    uniform_row_length = property(lambda self: self._uniform_row_length, doc="The length of all rows, or None.")
    dtype = property(lambda self: self._dtype, doc="DType of the numbers.")
    value_type = property(lambda self: RowPartition, doc="The class of partitions.")

    @property
    def _component_specs(self):
        return TensorSpec([None if self._nrows is None else self._nrows + 1], self._dtype)

    def _to_components(self, value):
        return value.row_splits()

    def _from_components(self, components):
        return RowPartition(components, uniform_row_length=self._uniform_row_length, nvals=self._nvals, internal=True)

    def _serialize(self):
        sizes = (self._nrows, self._nvals, self._uniform_row_length)  # as shapes, of which one may be more general
        return (*(TensorShape([size]) for size in sizes), self._dtype)

    @classmethod
    def _deserialize(cls, serialization):
        *sizes, dtype = serialization
        return cls(*(size[0] for size in sizes), dtype)

    def __reduce__(self):
        return RowPartitionSpec, (self._nrows, self._nvals, self._uniform_row_length, self._dtype)

    def __repr__(self):
        return (
            f"RowPartitionSpec(nrows={self._nrows}, nvals={self._nvals}, "
            f"uniform_row_length={self._uniform_row_length}, dtype={self._dtype!r})"
        )
