"""`TensorShape`: the shape of a tensor, whose rank or dimensions may be unknown."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

from tfcompat._formats.tensors import Dim, TensorShapeProto


class Dimension:
    """One dimension of `TensorShape.dims`, of known or unknown (`None`) size; arithmetic keeps unknown.

    TF: `tf.compat.v1.Dimension`.
    """

    __slots__ = ("_value",)
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, value):
        self._value = _as_size(value)

    def __reduce__(self):
        return Dimension, (self._value,)

    @property
    def value(self):
        """The size as int, or None."""
        return self._value

    def is_compatible_with(self, other):
        """Whether both sizes are equal or one is unknown."""
        other = _as_size(other)
        return self._value is None or other is None or self._value == other

    def assert_is_compatible_with(self, other):
        """Raises ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other):
        """The known one of two compatible sizes; ValueError if they differ."""
        self.assert_is_compatible_with(other)
        return Dimension(_as_size(other) if self._value is None else self._value)

    def _combine(self, other, function, *, swap=False):
        try:
            other = _as_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other is None:
            return Dimension(None)
        return Dimension(function(other, self._value) if swap else function(self._value, other))

    def _compare(self, other, function):
        try:
            other = _as_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or other is None else function(self._value, other)

    def __add__(self, other):
        return self._combine(other, operator.add)

    def __radd__(self, other):
        return self._combine(other, operator.add, swap=True)

    def __sub__(self, other):
        return self._combine(other, operator.sub)

    def __rsub__(self, other):
        return self._combine(other, operator.sub, swap=True)

    def __mul__(self, other):
        return self._combine(other, operator.mul)

    def __rmul__(self, other):
        return self._combine(other, operator.mul, swap=True)

    def __floordiv__(self, other):
        return self._combine(other, operator.floordiv)

    def __rfloordiv__(self, other):
        return self._combine(other, operator.floordiv, swap=True)

    def __mod__(self, other):
        return self._combine(other, operator.mod)

    def __rmod__(self, other):
        return self._combine(other, operator.mod, swap=True)

    def __truediv__(self, other):
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', "
            "please use // instead"
        )

    def __eq__(self, other):
        return self._compare(other, operator.eq)

    def __ne__(self, other):
        return self._compare(other, operator.ne)

    def __lt__(self, other):
        return self._compare(other, operator.lt)

    def __le__(self, other):
        return self._compare(other, operator.le)

    def __gt__(self, other):
        return self._compare(other, operator.gt)

    def __ge__(self, other):
        return self._compare(other, operator.ge)

    def __int__(self):
        return self._value

    def __index__(self):
        return self._value

    def __repr__(self):
        return f"Dimension({self._value})"

    def __str__(self):
        return "?" if self._value is None else str(self._value)


class TensorShape:
    """The shape of a tensor: fully known, known in part (a `None` dimension), or of unknown rank.

    Args:
      dims: None (unknown rank), one int, an iterable of ints and Nones, or a `TensorShapeProto`; a TensorShape is
        copied.

    Raises:
      TypeError: a dimension is neither an integer nor None.
      ValueError: a dimension is negative.

    Equal to lists and tuples of the same dimensions, and hashed like the tuple.

    >>> TensorShape([2, None]) + [3]
    TensorShape([2, None, 3])

    TF: `tf.TensorShape` with TF 2 behaviour: iteration and indexing give ints.
    """

    __module__ = "tensorflow.python.framework.tensor_shape"
    __slots__ = ("_dims", "__weakref__")
    _dims: Any  # tuple of int and None, or None

    def __init__(self, dims):
        if isinstance(dims, (tuple, list)):
            self._dims = tuple([_as_size(dim) for dim in dims])
        elif dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        else:
            self._dims = _sizes_of(dims)

    @classmethod
    def _from_tuple(cls, dims):
        """The shape with `dims`, a tuple of Python ints and Nones, taken on trust."""
        shape = object.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self):
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self):
        """List of `Dimension`, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(dim) for dim in self._dims]

    def as_list(self):
        """List of ints and Nones; ValueError if the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self):
        """The product of all dimensions, or None if not fully known."""
        return math.prod(self._dims) if self.is_fully_defined() else None

    def is_fully_defined(self):
        """Whether rank and all dimensions are known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self):
        """Raises ValueError unless `is_fully_defined()`."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other):
        """Whether one tensor could have both shapes."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            mine is None or its is None or mine == its
            for mine, its in zip(self._dims, other._dims, strict=True)
        )

    def assert_is_compatible_with(self, other):
        """Raises ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def is_subtype_of(self, other):
        """Whether every tensor of this shape also has shape `other`, a TensorShape."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None or self._dims == other._dims:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(its is None or mine == its for mine, its in zip(self._dims, other._dims, strict=True))

    def most_specific_compatible_shape(self, other):
        """The shape that keeps what this one and `other` agree on."""
        other = as_shape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return TensorShape._from_tuple(None)
        return TensorShape._from_tuple(
            tuple(mine if mine == its else None for mine, its in zip(self._dims, other._dims, strict=True))
        )

    def most_specific_common_supertype(self, others):
        """As `most_specific_compatible_shape`, over several; None if one of them is no TensorShape."""
        if not all(isinstance(other, TensorShape) for other in others):
            return None
        return functools.reduce(TensorShape.most_specific_compatible_shape, others, self)

    def merge_with(self, other):
        """The shape that joins what this one and `other` know; ValueError if they contradict."""
        other = as_shape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        return TensorShape._from_tuple(
            tuple(its if mine is None else mine for mine, its in zip(self._dims, other._dims, strict=True))
        )

    def concatenate(self, other):
        """The dimensions of this shape, then those of `other`; unknown if either rank is."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return TensorShape._from_tuple(None)
        return TensorShape._from_tuple(self._dims + other._dims)

    def with_rank(self, rank):
        """This shape if its rank is `rank`; all-unknown dimensions if it is unknown; else ValueError."""
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank):
        """This shape; ValueError if its rank is known to be below `rank`."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank):
        """This shape; ValueError if its rank is known to be above `rank`."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank):
        """Raises ValueError if the rank is known not to be `rank`."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other):
        """Raises ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if self._dims is not None and other._dims is not None and len(self._dims) != len(other._dims):
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key):
        if self._dims is not None:
            taken = self._dims[key]
            return TensorShape._from_tuple(taken) if isinstance(key, slice) else taken
        if not isinstance(key, slice):
            return None
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = key.start or 0
        if key.stop is None or start < 0 or key.stop < 0:
            return TensorShape._from_tuple(None)
        return TensorShape._from_tuple((None,) * (key.stop - start))

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return as_shape(other).concatenate(self)

    def __eq__(self, other):
        if type(other) is not TensorShape:
            try:
                other = as_shape(other)
            except TypeError:
                return NotImplemented
        return self._dims == other._dims

    def __hash__(self):
        return hash(self._dims)

    def __repr__(self):
        return "TensorShape(None)" if self._dims is None else f"TensorShape({list(self._dims)})"

    def __str__(self):
        return "<unknown>" if self._dims is None else str(self._dims)

    def as_proto(self):
        """The shape as a `TensorShapeProto`, which `TensorShape` takes in turn."""
        if self._dims is None:
            return TensorShapeProto(unknown_rank=True)
        return TensorShapeProto(dim=[Dim(size=-1 if size is None else size) for size in self._dims])

    experimental_as_proto = as_proto

    @classmethod
    def experimental_type_proto(cls):
        """The class of the messages that `as_proto` makes."""
        return TensorShapeProto

    @classmethod
    def experimental_from_proto(cls, proto):
        """The shape that a `TensorShapeProto` describes."""
        return cls(proto)

    def __reduce__(self):
        return as_shape, (self._dims,)


def as_shape(shape):
    """`shape` as a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank=None):
    """The shape of which at most the rank is known."""
    return TensorShape._from_tuple(None if rank is None else (None,) * rank)


def dimension_value(dimension):
    """The int or None in `dimension`, a Dimension or already an int or None.

    TF: `tf.compat.dimension_value`.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape, index):
    """Dimension `index` of `shape`; an unknown one if the rank is unknown.

    TF: `tf.compat.dimension_at_index`.
    """
    return Dimension(shape[index])


def _as_size(value):
    """One dimension as Python int or None."""
    if type(value) is int:
        size = value
    elif value is None:
        return None
    elif isinstance(value, Dimension):
        return value._value
    else:
        try:
            size = value.__index__()
        except AttributeError:
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, got value "
                f"'{value!r}' with type '{type(value)}'"
            ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def _sizes_of(dims):
    """Dimensions out of one size, a `TensorShapeProto`, or an iterable that is neither list nor tuple."""
    if hasattr(dims, "unknown_rank"):
        return None if dims.unknown_rank else tuple([None if dim.size == -1 else dim.size for dim in dims.dim])
    try:
        sizes = iter(dims)
    except TypeError:
        return (_as_size(dims),)
    result = []
    for dim in sizes:
        try:
            result.append(_as_size(dim))
        except TypeError as err:
            raise TypeError(
                f"Failed to convert '{dims!r}' to a shape: '{dim!r}'could not be converted to a dimension. "
                "A shape should either be single dimension (e.g. 10), or an iterable of dimensions "
                "(e.g. [1, 10, None])."
            ) from err
    return tuple(result)
