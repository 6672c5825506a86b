"""Fields of extension types: the annotations they may have, and how values are checked and converted."""

import collections.abc
import typing
from typing import Any

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.spec import TypeSpec
from tfcompat._core.tensor import Tensor

_RESERVED = frozenset(
    "self Spec _type_spec _shape_invariant_to_type_spec _consumers value_type is_compatible_with "
    "most_specific_compatible_type _with_tensor_ranks_only _to_components _from_components _component_specs "
    "_to_tensor_list _from_tensor_list _from_compatible_tensor_list _flat_tensor_specs _serialize _deserialize "
    "_to_legacy_output_types _to_legacy_output_shapes _to_legacy_output_classes _keras_mask".split()
)
_NONE = type(None)
_PLAIN = (int, float, str, bytes, bool, _NONE)

NO_DEFAULT = object()

# Kinds of values that are converted: of a field, of a spec's field, or a default.
VALUE, SPEC, DEFAULT = range(3)


class ImmutableDict(collections.abc.Mapping):
    """A mapping that cannot be changed."""

    def __init__(self, *args, **kwargs):
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        return f"ImmutableDict({self._items})"


class Field:
    """A field: its name, annotation and default.

    Raises:
      TypeError: there is no such annotation for fields, or the default does not fit it.
    """

    __slots__ = ("name", "annotation", "default")

    def __init__(self, name, annotation, default=NO_DEFAULT):
        try:
            _check(annotation)
        except TypeError as error:
            raise TypeError(f"In field {name!r}: {error}") from error
        if default is not NO_DEFAULT:
            default = converted(default, annotation, f"default value for {name}", DEFAULT)
        self.name, self.annotation, self.default = name, annotation, default


def is_reserved(name):
    """Whether no field may have this name."""
    return name in _RESERVED or name.lower().startswith("_tf_extension_type")


def is_composite(annotation) -> bool:
    """Whether it is a class of values made of several tensors."""
    return isinstance(annotation, type) and hasattr(annotation, "_type_spec")


def type_arguments(annotation, *origins):
    """The arguments of a generic type with one of these origins; None for anything else."""
    return typing.get_args(annotation) or None if typing.get_origin(annotation) in origins else None


def _check(annotation, is_key=False):
    """Raises TypeError for an annotation that fields cannot have. Names that are not defined yet pass."""
    if isinstance(annotation, str | typing.ForwardRef) or annotation is None or annotation in (*_PLAIN, dtypes.DType):
        return
    if annotation in (Tensor, TensorShape) or is_composite(annotation):
        if is_key:
            raise TypeError(f"Mapping had a key {annotation.__name__!r} with type {type(annotation).__name__!r}")
        return
    pair = type_arguments(annotation, collections.abc.Mapping)
    if pair is not None:
        _check(pair[0], True)
        _check(pair[1], is_key)
        return
    several = type_arguments(annotation, tuple, typing.Union)
    if several is None:
        shown = repr(annotation.__name__) if isinstance(annotation, type) else repr(annotation)
        raise TypeError(f"Unsupported type annotation {shown}")
    for each in several:
        if each is not Ellipsis:
            _check(each, is_key)


def converted(value, annotation, path, context=VALUE):
    """The value as one of the annotated type.

    Args:
      value: the value of the field.
      annotation: the type.
      path: what messages call the value.
      context: VALUE, SPEC or DEFAULT. In a spec, specs stand in the places of tensors.

    Raises:
      TypeError: it is no such value, and cannot be made one.
    """
    if annotation is Tensor:
        return _as_tensor(value, path, context)
    if annotation in (TensorShape, dtypes.DType):
        try:
            return as_shape(value) if annotation is TensorShape else dtypes.as_dtype(value)
        except TypeError as error:
            raise _unexpected(path, f"'tf.{annotation.__name__}'", value) from error
    if is_composite(annotation):
        if context == SPEC:
            kind: Any = value.value_type if isinstance(value, TypeSpec) else None
            if kind is None or not issubclass(kind, annotation):
                raise _unexpected(path, f"a TypeSpec for {annotation.__name__!r}", value)
        elif not isinstance(value, annotation):
            raise _unexpected(path, repr(annotation.__name__), value)
        return value
    if annotation is None or annotation in _PLAIN:
        if not isinstance(value, annotation or _NONE):
            raise _unexpected(path, repr((annotation or _NONE).__name__), value)
        return value
    arguments = type_arguments(annotation, tuple)
    if arguments is not None:
        return _as_tuple(value, arguments, path, context)
    arguments = type_arguments(annotation, collections.abc.Mapping)
    if arguments is not None:
        if not isinstance(value, collections.abc.Mapping):
            raise _unexpected(path, "mapping", value)
        return ImmutableDict(
            (converted(key, arguments[0], f"{path}[<key>]", context),
             converted(each, arguments[1], f"{path}[{key!r}]", context))
            for key, each in value.items()
        )  # fmt: skip
    for option in type_arguments(annotation, typing.Union) or ():
        try:
            return converted(value, option, path, context)
        except TypeError:
            pass
    if typing.get_origin(annotation) is typing.Union:
        raise _unexpected(path, repr(annotation), value)
    raise TypeError(f"{path}: Unsupported type annotation {annotation!r}")


def _unexpected(path, expected, value):
    return TypeError(f"{path}: expected {expected}, got {type(value).__name__!r}")


def _as_tensor(value, path, context):
    if context == SPEC:
        if not isinstance(value, TypeSpec) or value.value_type is not Tensor:
            raise _unexpected(path, "a TensorSpec", value)
        return value
    if isinstance(value, Tensor) or context == DEFAULT:  # a default becomes a tensor where it is used
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise _unexpected(path, "a Tensor", value) from error


def _as_tuple(value, annotations, path, context):
    if not isinstance(value, collections.abc.Sequence):
        raise _unexpected(path, "tuple", value)
    if len(annotations) == 2 and annotations[1] is Ellipsis:
        annotations = annotations[:1] * len(value)
    if len(annotations) != len(value):
        raise TypeError(f"{path}: expected tuple with length {len(annotations)}, got {type(value).__name__!r})")
    return tuple(
        [converted(x, a, f"{path}[{i}]", context) for i, (x, a) in enumerate(zip(value, annotations, strict=True))]
    )


def convert_all(fields, values, context):
    """Converts `values`, a dict with a value for each of `fields`, in place.

    Raises:
      ValueError: a field has no value, or a value is of no field.
      TypeError: a value does not fit.
    """
    names = {field.name for field in fields}
    if values.keys() - names:
        raise ValueError(f"Got unexpected fields: {values.keys() - names}")
    if names - values.keys():
        raise ValueError(f"Missing required fields: {names - values.keys()}")
    values.update({f.name: converted(values[f.name], f.annotation, f.name, context) for f in fields})
