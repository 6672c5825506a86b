"""`tf.experimental.DynamicRaggedShape`: the shape of a ragged tensor, with the lengths of its rows."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.tensor import Tensor
from tfcompat.array import reshape, shape
from tfcompat.array._arguments import invalid
from tfcompat.array._cast import cast
from tfcompat.array._join import concat
from tfcompat.ragged._row_partition import RowPartition, RowPartitionSpec
from tfcompat.ragged._tensor import RaggedTensor, divided, outer_size


def _vector_of_sizes(sizes, dtype):
    """A shape as an integer vector, and the TensorShape of what it says."""
    if not isinstance(sizes, Tensor):
        if any(np.ndim(size) for size in np.atleast_1d(np.asarray(sizes, object))):
            raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
        array = np.asarray(sizes)
        sizes = host_constant(array.astype(dtype.np if dtype is not None else np.int64))
    sizes = sizes if dtype is None else cast(sizes, dtype)
    if len(sizes.shape) != 1:
        raise ValueError(f"Shape {sizes.shape} must have rank 1")
    known = known_values(sizes)
    count = sizes.shape[0]
    if known is None:
        return sizes, TensorShape([None] * count if count is not None else None)
    return sizes, TensorShape([int(n) if n >= 0 else None for n in known])


class DynamicRaggedShape(CompositeTensor):
    """The shape of a ragged or a dense tensor: row partitions, and the shape of the values that they divide.

    Args:
      row_partitions: sequence of RowPartition, the outermost first.
      inner_shape: integer vector.
      dtype: int32 or int64; that of the partitions if None.
      validate: whether to compare the partitions with each other and with `inner_shape`.
      static_inner_shape: what is known of `inner_shape`.

    `shape[i]` is the size of a uniform axis, and `shape[:i]` the shape of the outer axes.

    Raises:
      TypeError: a row partition is none.
      tf.errors.InvalidArgumentError: `validate`, and they do not fit.

    TF: `tf.experimental.DynamicRaggedShape`.
    """

    __module__ = "tensorflow.python.ops.ragged.dynamic_ragged_shape"
    _is_shape = True

    def __init__(self, row_partitions, inner_shape, dtype=None, validate=False, static_inner_shape=None):
        partitions = list(row_partitions)
        for partition in partitions:
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions should be a list of RowPartition objects. Received {partition!r}")
        if dtype is None and partitions:
            dtype = partitions[0].dtype
        self._sizes, static = _vector_of_sizes(inner_shape, None if dtype is None else dtypes.as_dtype(dtype))
        self._partitions = [p.with_dtype(self._sizes.dtype) for p in partitions]
        self._static = static if static_inner_shape is None else static.merge_with(as_shape(static_inner_shape))
        if validate:
            self._check()

    def _check(self):
        counts = [*(p.static_nrows for p in self._partitions[1:]), self._static[0]]
        for partition, count in zip(self._partitions, counts, strict=True):
            last = partition.splits()[-1]
            if count is not None and last != count:
                raise invalid(
                    "Last row partition does not match inner_shape.\n"
                    f"Condition x == y did not hold: {last} and {count}"
                )

    @classmethod
    def from_lengths(cls, lengths, num_row_partitions=None, dtype=dtypes.int64):
        """A shape of sizes and lengths.

        Args:
          lengths: an int for each uniform axis, a sequence of ints with the length of each row for a ragged one.
          num_row_partitions: how many axes are divided by row partitions; up to the last ragged one if None.
          dtype: int32 or int64.

        Raises:
          ValueError: the lengths do not fit each other, or `num_row_partitions` does not fit them.
        """
        if not isinstance(lengths, list):
            raise ValueError("lengths should be a list")
        dtype = dtypes.as_dtype(dtype)
        ragged = [axis for axis, n in enumerate(lengths) if isinstance(n, list | tuple | np.ndarray)]
        if ragged and ragged[0] == 0:
            raise ValueError("The outermost axis of a DynamicRaggedShape is an int")
        needed = max(ragged, default=0)
        count = needed if num_row_partitions is None else num_row_partitions
        if not isinstance(count, int):
            raise ValueError("num_row_partitions should be an int or None")
        if count and count >= len(lengths):
            raise ValueError(
                "num_row_partitions should be less than `len(lengths)` if shape is not scalar."
                if lengths else "num_row_partitions==0 for a scalar shape"
            )  # fmt: skip
        if count <= 0:
            return cls([], lengths, dtype)
        partitions, rows = [], lengths[0]
        for size in lengths[1 : count + 1]:
            if isinstance(size, int):
                partitions.append(RowPartition.from_uniform_row_length(size, nrows=rows, dtype_hint=dtype))
                rows *= size
                continue
            if len(size) != rows:
                raise ValueError("Shape not consistent.")
            partitions.append(RowPartition.from_row_lengths(list(size), dtype_hint=dtype)._with_count(sum(size)))
            rows = sum(size)
        return cls(partitions, [rows, *lengths[count + 1 :]], dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions, dtype=None):
        """The shape whose axes are all divided by row partitions, but the outermost.

        Raises:
          ValueError: no partitions.
        """
        partitions = list(row_partitions)
        if not partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(partitions, reshape(partitions[-1].nvals(), [1]), dtype)

    @classmethod
    def from_tensor(cls, t, dtype=None):
        """The shape of a tensor or RaggedTensor."""
        if not isinstance(t, RaggedTensor):
            return cls([], shape(convert_to_tensor(t), dtypes.as_dtype(dtype or dtypes.int64)))
        partitions = [level._row_partition._with_count(outer_size(level.values)) for level in t._levels()]
        inner_shape = shape(t.flat_values, t.row_splits.dtype)
        return cls(partitions, inner_shape, dtype, static_inner_shape=t.flat_values.shape)

    row_partitions = property(lambda self: tuple(self._partitions), doc="Tuple of RowPartition, the outermost first.")
    num_row_partitions = property(lambda self: len(self._partitions), doc="How many axes are divided by partitions.")
    inner_shape = property(lambda self: self._sizes, doc="The shape of the values that are divided, a vector.")
    dtype = property(lambda self: self._sizes.dtype, doc="DType of all numbers, int32 or int64.")
    inner_rank = property(lambda self: self._static.rank, doc="How many axes the values have, or None.")

    @property
    def rank(self):
        """How many axes there are, or None."""
        inner = self.inner_rank
        return None if inner is None else inner + len(self._partitions)

    def with_dtype(self, dtype):
        """The same shape with numbers of another dtype."""
        return DynamicRaggedShape(self._partitions, self._sizes, dtype, static_inner_shape=self._static)

    def is_uniform(self, axis):
        """Whether all rows of an axis are known to have the same length.

        Raises:
          TypeError: `axis` is no int.
          ValueError: it is negative.
          IndexError: there is no such axis.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        if axis < 0:
            raise IndexError(f"Negative axis values are not supported: axis={axis}")
        return not 0 < axis <= len(self._partitions) or self._partitions[axis - 1].is_uniform()

    def static_lengths(self, ragged_lengths=True):
        """What is known of the shape: a list of ints, None where unknown, and tuples of the lengths of ragged axes.

        Args:
          ragged_lengths: False for None in place of the tuples.
        """
        if not self._partitions:
            return [...] if self._static.rank is None else self._static.as_list()
        result = [self._partitions[0].static_nrows]
        for partition in self._partitions:
            known = known_values(partition.row_splits()) if ragged_lengths else None
            if partition.is_uniform():
                result.append(partition.static_uniform_row_length)
            else:
                result.append(None if known is None else tuple(np.diff(known).tolist()))
        return [*result, *self._static.as_list()[1:]]

    def divide(self, values):
        """The tensor or RaggedTensor of this shape with these flat values, which are of the inner shape."""
        return divided(values, self._partitions)

    def __getitem__(self, index):
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise IndexError("Cannot stride through a shape")
            return self._slice(*index.indices(self._known_rank())[:2])
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        rank, place = self.rank, index
        if place < 0:
            place += self._known_rank()
            if place < 0:
                raise IndexError(f"Index must not be negative: {place}")
        elif rank is not None and place >= rank:
            raise IndexError(f"Index is too big: {index}>={rank}")
        return self._dimension(place)

    def _known_rank(self):
        if self.rank is None:
            raise ValueError("Rank must be known to use __getitem__ with a large index or a slice.")
        return self.rank

    def _dimension(self, axis):
        if axis == 0 and self._partitions:
            return self._partitions[0].nrows()
        if axis <= len(self._partitions) and self._partitions:
            if not self._partitions[axis - 1].is_uniform():
                raise ValueError(f"Index {axis} is not uniform")
            return self._partitions[axis - 1].uniform_row_length()
        return self._sizes[axis - len(self._partitions)]

    def _slice(self, start, stop):
        count = len(self._partitions)
        if stop <= start:
            return DynamicRaggedShape([], self._sizes[:0])
        if start == 0 and stop <= count:
            return DynamicRaggedShape(self._partitions[: stop - 1], reshape(self._partitions[stop - 1].nrows(), [1]))
        if start == 0:
            return DynamicRaggedShape(self._partitions, self._sizes[: stop - count])
        if not all(self.is_uniform(axis) for axis in range(start, stop)):
            raise ValueError("All relevant dimensions must be uniform")
        return DynamicRaggedShape([], concat([reshape(self._dimension(n), [1]) for n in range(start, stop)], 0))

    def __eq__(self, other):
        if not isinstance(other, DynamicRaggedShape) or self._type_spec != other._type_spec:
            return False
        mine, others = (self._numbers(), other._numbers())
        return convert_to_tensor(all(np.array_equal(a, b) for a, b in zip(mine, others, strict=True)))

    __hash__ = None  # pyright: ignore  # as in TF: equality is a tensor

    def _numbers(self):
        return [np.asarray(static_value(self._sizes)), *(p.splits() for p in self._partitions)]

    @property
    def _type_spec(self):
        return DynamicRaggedShapeSpec(tuple(p._type_spec for p in self._partitions), self._static, self.dtype)

    def __repr__(self):
        shown = ", ".join(map(str, self.static_lengths()))
        return f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={len(self._partitions)}>"


class DynamicRaggedShapeSpec(TypeSpec):
    """What is known of a DynamicRaggedShape: the specs of its partitions, and the inner shape as a TensorShape.

    TF: `tf.experimental.DynamicRaggedShape.Spec`.
    """

    __slots__ = ("_row_partitions", "_static_inner_shape", "_dtype")

    def __init__(self, row_partitions, static_inner_shape, dtype):
        self._row_partitions, self._dtype = tuple(row_partitions), dtypes.as_dtype(dtype)
        self._static_inner_shape = as_shape(static_inner_shape)
        for spec in self._row_partitions:
            if not isinstance(spec, RowPartitionSpec):
                raise TypeError("row_partitions should be a sequence of RowPartitionSpecs")

    @classmethod
    def from_value(cls, value):
        """The spec of a DynamicRaggedShape."""
        return value._type_spec

    dtype = property(lambda self: self._dtype, doc="DType of the numbers.")
    inner_rank = property(lambda self: self._static_inner_shape.rank, doc="How many axes the values have, or None.")
    num_row_partitions = property(lambda self: len(self._row_partitions), doc="How many axes are partitioned.")
    value_type = property(lambda self: DynamicRaggedShape, doc="The class of shapes.")

    @property
    def rank(self):
        """How many axes there are, or None."""
        return None if self.inner_rank is None else self.inner_rank + self.num_row_partitions

    @property
    def _component_specs(self):
        return [TensorSpec([self.inner_rank], self._dtype), *self._row_partitions]

    def _to_components(self, value):
        return [value.inner_shape, *value.row_partitions]

    def _from_components(self, components):
        shape = DynamicRaggedShape.__new__(DynamicRaggedShape)  # components may be specs, too
        shape._sizes, *shape._partitions = components
        shape._static = self._static_inner_shape
        return shape

    def _serialize(self):
        return self._row_partitions, self._static_inner_shape, self._dtype

    def __repr__(self):
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions!r}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self._dtype!r})"
        )


DynamicRaggedShape.Spec = DynamicRaggedShapeSpec  # pyright: ignore
