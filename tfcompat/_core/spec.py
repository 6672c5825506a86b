"""Type specifications: what is known of a tensor, or of a value made of tensors, before it exists."""

from abc import ABC, abstractmethod

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.dtypes import DType, as_dtype


class TypeSpec(ABC):
    """Base of specifications. Two are equal if they have the same type and the same `_serialize()`.

    A subclass tells of what components a value is made, how to take it apart and how to build it; a value
    names its own spec in the property `_type_spec`.

    TF: `tf.TypeSpec`, without batching, tensor lists and conversion to protocol buffers.
    """

    __slots__ = ("__weakref__",)
    _spec_of_parts = True  # `tf.nest` walks it as a structure of the specs of its components

    @property
    @abstractmethod
    def value_type(self):
        """The class of the values described."""

    @property
    @abstractmethod
    def _component_specs(self):
        """A nest of the components' specs."""

    @abstractmethod
    def _to_components(self, value):
        """A nest of tensors, of the form of `_component_specs`."""

    @abstractmethod
    def _from_components(self, components):
        """The value made of `components`."""

    @abstractmethod
    def _serialize(self):
        """Tuple of what this spec is built from: the arguments of its constructor."""

    @classmethod
    def _deserialize(cls, serialization):
        return cls(*serialization)

    def is_compatible_with(self, spec_or_value):
        """Whether `spec_or_value`, a spec or a value, could be described by this spec."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = type_spec_from_value(other)
        return type(self) is type(other) and _compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other):
        """Whether every value that this spec describes is also described by `other`."""
        return type(self) is type(other) and _is_subtype(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others):
        """The narrowest spec that describes what this one and `others` describe, or None."""
        merged = self._serialize()
        for other in others:
            if type(self) is not type(other):
                return None
            merged = _supertype(merged, other._serialize())
            if merged is _NONE_COMMON:
                return None
        return self._deserialize(merged)

    def most_specific_compatible_type(self, other):
        """As `most_specific_common_supertype` with one other spec; ValueError if there is none."""
        common = self.most_specific_common_supertype([other])
        if common is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return common

    def __eq__(self, other):
        return type(self) is type(other) and self._serialize() == other._serialize()

    def __hash__(self):
        return hash((type(self), self.__make_cmp_key(self._serialize())))

    # Libraries that derive from TypeSpec call this one and the next by their mangled names, as in
    # https://github.com/tensorflow/probability/blob/v0.25.0/tensorflow_probability/python/internal/auto_composite_tensor.py
    def __make_cmp_key(self, value):
        """Part of a serialization in a form that can be hashed: equal parts have equal forms."""
        if isinstance(value, list | tuple):
            return tuple([self.__make_cmp_key(part) for part in value])
        if isinstance(value, dict):
            return tuple(sorted([(key, self.__make_cmp_key(part)) for key, part in value.items()], key=repr))
        if isinstance(value, np.ndarray):
            return np.ndarray, value.shape, value.dtype, value.tobytes()
        return value

    @staticmethod
    def __is_compatible(mine, its):
        return _compatible(mine, its)

    def __reduce__(self):
        return type(self), self._serialize()

    def __repr__(self):
        return f"{type(self).__name__}{self._serialize()!r}"


class TensorSpec(TypeSpec):
    """Shape and dtype of a tensor, known in part or in full.

    Args:
      shape: anything `tf.TensorShape` takes.
      dtype: anything `tf.as_dtype` takes.
      name: optional name.

    Raises:
      TypeError: `shape` or `dtype` is none.

    >>> TensorSpec([None, 2], name="x")
    TensorSpec(shape=(None, 2), dtype=tf.float32, name='x')

    TF: `tf.TensorSpec`; no known difference.
    """

    __slots__ = ("_shape", "_dtype", "_name")
    _spec_of_parts = False

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec, name=None):
        """The TensorSpec with shape and dtype of `spec`; its name unless `name` is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """The TensorSpec of a tensor; ValueError if it is none."""
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def shape(self):
        """TensorShape."""
        return self._shape

    @property
    def dtype(self):
        """DType."""
        return self._dtype

    @property
    def name(self):
        """The name, or None."""
        return self._name

    @property
    def value_type(self):
        return Tensor

    @property
    def _component_specs(self):
        return self

    def _to_components(self, value):
        return value

    def _from_components(self, components):
        return components

    def _serialize(self):
        return self._shape, self._dtype, self._name

    def is_compatible_with(self, spec_or_tensor):
        """Whether a tensor, or a tensor described by another spec, could have this shape and dtype.

        False for anything but tensors and specs of tensors; arrays and variables are neither.
        """
        if not isinstance(spec_or_tensor, TensorSpec) and not isinstance(spec_or_tensor, Tensor):
            return False
        return self._dtype is spec_or_tensor.dtype and self._shape.is_compatible_with(spec_or_tensor.shape)

    def is_subtype_of(self, other):
        """Whether every tensor that this spec describes is also described by `other`.

        A spec with a name describes fewer tensors to TF, so only a nameless one passes for another name.
        """
        return (
            type(self) is type(other)
            and self._dtype is other._dtype
            and self._shape.is_subtype_of(other._shape)
            and (self._name is None or self._name == other._name)
        )

    def _batch(self, batch_size):
        """The spec of `batch_size` (or None) such tensors as one."""
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self):
        """The spec of a row."""
        if self._shape.rank == 0:
            raise ValueError("Cannot unbatch an input with scalar components.")
        return TensorSpec(self._shape[1:] if self._shape.rank is not None else None, self._dtype)

    def __hash__(self):
        return hash((self._shape, self._dtype))

    def __repr__(self):
        return f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class BoundedTensorSpec(TensorSpec):
    """A TensorSpec with bounds on the elements.

    Args:
      shape, dtype, name: as in `TensorSpec`.
      minimum, maximum: inclusive bounds, broadcastable to `shape`; kept as read-only arrays.

    Raises:
      ValueError: a bound is None or does not broadcast to `shape`.

    TF: `BoundedTensorSpec` of tensorflow/python/framework/tensor.py; no known difference.
    """

    __slots__ = ("_minimum", "_maximum")

    def __init__(self, shape, dtype, minimum, maximum, name=None):
        super().__init__(shape, dtype, name)
        self._minimum = self._as_bound("minimum", minimum)
        self._maximum = self._as_bound("maximum", maximum)

    def _as_bound(self, role, value):
        if value is None:
            raise ValueError(f"`{role}` can not be None.")
        if not _broadcasts(np.shape(value), self._shape):
            raise ValueError(f"`{role}` {value} is not compatible with shape {self._shape}.")
        bound = np.array(value, dtype=self._dtype.np)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec, name=None):
        """The bounds of `spec`, or the range of its dtype if it has none."""
        minimum = getattr(spec, "minimum", None)
        maximum = getattr(spec, "maximum", None)
        if minimum is None:
            minimum = spec.dtype.min
        if maximum is None:
            maximum = spec.dtype.max
        return cls(spec.shape, spec.dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self):
        """Read-only array of the lower bounds."""
        return self._minimum

    @property
    def maximum(self):
        """Read-only array of the upper bounds."""
        return self._maximum

    def _serialize(self):
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def is_subtype_of(self, other):
        """Whether `other` differs from this spec at most by a more general shape or name."""
        return super().is_subtype_of(other) and self._has_bounds_of(other)

    def most_specific_common_supertype(self, others):
        """The spec of the common shape if all have these bounds, else None."""
        shape = TensorSpec.from_spec(self).most_specific_common_supertype(
            [TensorSpec.from_spec(other) if type(other) is BoundedTensorSpec else None for other in others]
        )
        if shape is None or not all(self._has_bounds_of(other) for other in others):
            return None
        return BoundedTensorSpec(shape.shape, self._dtype, self._minimum, self._maximum, self._name)

    def _has_bounds_of(self, other):
        return np.array_equal(self._minimum, other._minimum) and np.array_equal(self._maximum, other._maximum)

    def __eq__(self, other):
        return (
            type(self) is type(other)
            and (self._shape, self._dtype, self._name) == (other._shape, other._dtype, other._name)
            and self._has_bounds_of(other)
        )

    def __hash__(self):
        return hash((self._shape, self._dtype, str(self._minimum), str(self._maximum)))

    def __repr__(self):
        return f"{super().__repr__()[:-1]}, minimum={self._minimum!r}, maximum={self._maximum!r})"


class VariableSpec(TypeSpec):
    """Shape and dtype of a variable, and whether it is trainable."""

    __slots__ = ("shape", "dtype", "trainable", "alias_id")

    def __init__(self, shape, dtype=dtypes.float32, trainable=True, alias_id=None):
        self.shape = as_shape(shape)
        self.dtype = as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @property
    def value_type(self):
        return Variable

    @property
    def _component_specs(self):
        return TensorSpec(self.shape, self.dtype)

    def _to_components(self, value):
        return value

    def _from_components(self, components):
        return components

    def _serialize(self):
        return self.shape, self.dtype, self.trainable, self.alias_id

    def __repr__(self):
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable!r}, "
            f"alias_id={self.alias_id!r})"
        )


def type_spec_from_value(value):
    """The spec of a tensor, variable, composite tensor, or of what `tf.convert_to_tensor` takes.

    Raises:
      TypeError: `value` is nothing of that.

    TF: `tf.type_spec_from_value`; no known difference.
    """
    spec = getattr(value, "_type_spec", None) or getattr(value, "_whole_spec", None)
    if spec is not None:
        return spec
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, Variable):
        return VariableSpec(value.shape, value.dtype, value.trainable)
    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}."
        ) from None
    return TensorSpec(tensor.shape, tensor.dtype)


def _broadcasts(dims, shape):
    """Whether an array of shape `dims` broadcasts with TensorShape `shape`."""
    if shape.rank is None:
        return True
    pairs = zip(reversed(dims), reversed(shape.as_list()), strict=False)
    return all(mine == 1 or its in (None, 1, mine) for mine, its in pairs)


def _compatible(mine, its):
    """`is_compatible_with` over serializations."""
    if type(mine) is not type(its):
        return False
    if isinstance(mine, tuple):
        return len(mine) == len(its) and all(_compatible(m, i) for m, i in zip(mine, its, strict=True))
    if isinstance(mine, dict):
        return mine.keys() == its.keys() and all(_compatible(m, its[key]) for key, m in mine.items())
    if isinstance(mine, TensorShape | TypeSpec | DType):
        return mine.is_compatible_with(its)
    return mine == its


def _is_subtype(mine, its):
    """`is_subtype_of` over serializations."""
    if type(mine) is not type(its):
        return False
    if isinstance(mine, tuple):
        return len(mine) == len(its) and all(_is_subtype(m, i) for m, i in zip(mine, its, strict=True))
    if isinstance(mine, dict):
        return mine.keys() == its.keys() and all(_is_subtype(m, its[key]) for key, m in mine.items())
    if isinstance(mine, TensorShape | TypeSpec | DType):
        return mine.is_subtype_of(its)
    return mine == its


_NONE_COMMON = object()


def _supertype(mine, its):
    """`most_specific_common_supertype` over serializations; `_NONE_COMMON` if there is none."""
    if type(mine) is not type(its):
        return _NONE_COMMON
    if isinstance(mine, tuple):
        if len(mine) != len(its):
            return _NONE_COMMON
        merged = tuple(_supertype(m, i) for m, i in zip(mine, its, strict=True))
        return _NONE_COMMON if any(part is _NONE_COMMON for part in merged) else merged
    if isinstance(mine, dict):
        merged = _supertype(tuple(mine.values()), tuple(its[key] for key in mine if key in its))
        same = mine.keys() == its.keys() and merged is not _NONE_COMMON
        return dict(zip(mine, merged, strict=True)) if same else _NONE_COMMON
    if isinstance(mine, TensorShape | TypeSpec | DType):
        common = mine.most_specific_common_supertype([its])
        return _NONE_COMMON if common is None else common
    return mine if mine == its else _NONE_COMMON
