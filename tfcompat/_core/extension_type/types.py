"""`tf.experimental.ExtensionType`: classes with annotated fields as values made of tensors."""

import abc
import functools
import inspect
import typing
from typing import Any

from tfcompat import nest
from tfcompat._core.composite import CompositeTensor, handles
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.extension_type.fields import (
    NO_DEFAULT,
    SPEC,
    VALUE,
    Field,
    ImmutableDict,
    convert_all,
    is_reserved,
)
from tfcompat._core.registry import OPS
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.tensor import Tensor
from tfcompat.errors import UnimplementedError

_CONSTRUCTING = "_tf_extension_type_in_constructor"
_MUTABLE = ("_keras_mask",)  # Keras sets it on values

# The classes of specs by the `__name__` of their types, which names them in saved models.
NAMED: dict = {}


def _made(cls, fields):
    """An object with these fields, made without its constructor, which may be the program's own."""
    made = object.__new__(cls)
    made.__dict__.update(fields)
    return made


def fields_of(cls: Any):
    """A Field for each annotation of an extension type. They are stored once all names in annotations are defined."""
    if issubclass(cls, TypeSpec):
        cls = cls.value_type
    known = cls.__dict__.get("_tf_extension_type_fields")
    if known is not None:
        return known
    resolved = True
    try:
        hints = typing.get_type_hints(cls)
    except (NameError, AttributeError):
        hints, resolved = {}, False
        for base in reversed(cls.__mro__):
            hints.update(base.__dict__.get("__annotations__", {}))
    fields = tuple(Field(name, hint, getattr(cls, name, NO_DEFAULT)) for name, hint in hints.items())
    if resolved:
        cls._tf_extension_type_fields = fields
    return fields


def as_dict(value):
    """The fields of a value of an extension type, by name.

    Args:
      value: the value.

    Returns:
      dict; fields that are extension types themselves stay what they are.

    TF: `tf.experimental.extension_type.as_dict`; no known difference.
    """
    return {field.name: value.__dict__[field.name] for field in fields_of(type(value))}


class _Fields:
    """Base of extension types and their specs: fields that only the constructor sets.

    All names but TF's own begin with a prefix that no field may have.
    """

    def __validate__(self):
        """Checks the fields after construction; for subclasses."""

    def _tf_extension_type_finish(self):
        """Checks and conversions after the constructor has run."""
        values = {name: x for name, x in self.__dict__.items() if name not in _MUTABLE}
        convert_all(fields_of(type(self)), values, SPEC if isinstance(self, TypeSpec) else VALUE)
        vars(self).update(values)
        self.__validate__()

    def _tf_extension_type_check_mutable(self, name):
        if name in _MUTABLE:
            return
        if _CONSTRUCTING not in self.__dict__ or all(name != field.name for field in fields_of(type(self))):
            kind = "ExtensionTypeSpec" if isinstance(self, TypeSpec) else "ExtensionType"
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of {kind}.")

    def __setattr__(self, name, value):
        self._tf_extension_type_check_mutable(name)
        self.__dict__[name] = value

    def __delattr__(self, name):
        self._tf_extension_type_check_mutable(name)
        del self.__dict__[name]


class ExtensionTypeSpec(_Fields, TypeSpec):
    """Base of the specs of extension types: each tensor is replaced by its spec, all else stays.

    TF: `tf.experimental.ExtensionTypeSpec`, without encoding as a protocol buffer.
    """

    @classmethod
    def from_value(cls, value):
        """The spec of `value`."""
        return _changed(cls, as_dict(value), _spec_of)

    @property
    def _component_specs(self):
        return tuple(x for x in nest.flatten(tuple(as_dict(self).values())) if isinstance(x, TypeSpec))

    def _to_components(self, value):
        # Flattening gives the specs and the values of a nest in the same order.
        specs = nest.flatten(tuple(as_dict(self).values()))
        values = nest.flatten(tuple(as_dict(value).values()))
        return tuple(x for x, spec in zip(values, specs, strict=True) if isinstance(spec, TypeSpec))

    def _from_components(self, components):
        fields, remaining = as_dict(self), iter(components)
        made = _changed(self.value_type, fields, lambda x: next(remaining) if isinstance(x, TypeSpec) else x)
        if next(remaining, None) is not None:
            raise ValueError(
                "Cannot build an ExtensionType instance from components because more components are provided than the "
                "number expected by the type spec."
            )
        return made

    def _serialize(self):
        return tuple((name, _replaced(x, ImmutableDict, dict)) for name, x in as_dict(self).items())

    @classmethod
    def _deserialize(cls, serialization):
        return _made(cls, {name: _replaced(x, dict, ImmutableDict) for name, x in serialization})

    def __reduce__(self):
        return _spec_again, (self.value_type, self._serialize())

    def __hash__(self):
        return hash((type(self), _replaced(self._serialize(), dict, lambda items: (dict, *items))))

    def __repr__(self):
        return f"{type(self).__qualname__}({_shown(self._serialize())})"


class ExtensionTypeBatchEncoder:
    """How values of an extension type are batched, and how a batch is taken apart again.

    A value is encoded as a nest of tensors and composite tensors; encoded values are stacked or taken apart along
    their first axis, and decoded by the spec of the result. By default the nest is that of all tensors in the fields,
    and the spec of a batch has one more axis in each of them, and in each TensorShape. A subclass may override all.

    TF: `tf.experimental.ExtensionTypeBatchEncoder`; no known difference.
    """

    def batch(self, spec, batch_size):
        """The spec of `batch_size` (or None) values of which each is described by `spec`."""
        return _with_axes(spec, lambda each: each._batch(batch_size), lambda shape: [batch_size] + shape)

    def unbatch(self, spec):
        """The spec of one of the values in a batch."""
        return _with_axes(spec, lambda each: each._unbatch(), lambda shape: shape[1:])

    def encode(self, spec, value, minimum_rank=0):
        """The nest of tensors that a value is encoded as; they have at least `minimum_rank` axes."""
        return spec._to_components(value)

    def decode(self, spec, encoded_value):
        """The value, described by `spec`, of a nest of tensors."""
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec):
        """The specs of what `encode` gives for a value described by `spec`."""
        return spec._component_specs


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """Base of the specs of batchable extension types."""

    __batch_encoder__ = ExtensionTypeBatchEncoder()

    def _batch(self, batch_size):
        return self.__batch_encoder__.batch(self, batch_size)

    def _unbatch(self):
        return self.__batch_encoder__.unbatch(self)


def _with_axes(spec, of_spec, of_shape):
    """`spec` with `of_spec` applied to the specs in it and `of_shape` to the shapes."""

    def change(x):
        return of_spec(x) if isinstance(x, TypeSpec) else of_shape(x) if isinstance(x, TensorShape) else x

    return _changed(type(spec), as_dict(spec), change)


def is_extension(x):
    """Whether `x` is a value of an extension type, or the spec of one."""
    return isinstance(x, ExtensionType | ExtensionTypeSpec)


def encoded(value, minimum_rank=0):
    """The nest of tensors that represents a value while it is stacked or taken apart; any other value itself."""
    if not isinstance(value, ExtensionType):
        return value
    spec = value._type_spec
    return _batchable(spec, "_batch").__batch_encoder__.encode(spec, value, minimum_rank)


def encoding_specs(spec: Any):
    """The specs of what `encoded` returns; any other spec itself."""
    if not isinstance(spec, ExtensionTypeSpec):
        return spec
    return _batchable(spec, "_batch").__batch_encoder__.encoding_specs(spec)


def decoded(spec: Any, value):
    """The value, described by `spec`, that was encoded as `value`; any other value itself."""
    if not isinstance(spec, ExtensionTypeSpec):
        return value
    return _batchable(spec, "_batch").__batch_encoder__.decode(spec, value)


def row_spec(value):
    """The spec of a row of a value of an extension type; the dtype of any other value."""
    return _batchable(value._type_spec, "_unbatch")._unbatch() if isinstance(value, ExtensionType) else _dtype(value)


def batch_spec(value, size):
    """The spec of `size` such values of an extension type; None for any other value."""
    return value._type_spec._batch(size) if isinstance(value, ExtensionType) else None


def _dtype(value):
    return getattr(value, "_type_spec", None) or convert_to_tensor(value).dtype


def outer_size(value):
    """The number of rows."""
    if not isinstance(value, ExtensionType):
        return value.shape[0]
    return next((outer_size(x) for x in nest.flatten(encoded(value, 1))), 0)


def name_of(spec_class):
    """The name of a type in saved models, or None."""
    return next((name for name, known in NAMED.items() if known is spec_class), None)


def spec_named(name):
    """The class of the specs of the type with this name.

    Raises:
      tf.errors.UnimplementedError: no class has it.
    """
    if name not in NAMED:
        raise UnimplementedError(
            None, None,
            f"a saved model holds values of the type {name.removesuffix('.Spec')}, which is not defined: "
            "define its class, or import it, before the model is loaded",
        )  # fmt: skip
    return NAMED[name]


def _batchable(spec, method) -> Any:
    if not isinstance(spec, BatchableExtensionTypeSpec):
        raise AttributeError(f"{type(spec).__qualname__!r} object has no attribute {method!r}")
    return spec


class _ExtensionTypeMeta(abc.ABCMeta):
    """Gives a program's class its constructor and its spec; none to one with `framework=True`."""

    def __new__(mcs, name, bases, namespace, framework=False):
        return super().__new__(mcs, name, bases, namespace)

    def __init__(cls, name, bases, namespace, framework=False):
        if not framework:
            _check_names(cls)
            _add_constructor(cls)
            cls.Spec = _spec_class(cls)
        super().__init__(name, bases, namespace)


class ExtensionType(_Fields, CompositeTensor, metaclass=_ExtensionTypeMeta, framework=True):
    """Base of classes with annotated fields, whose values are used like tensors.

    A subclass gets a constructor of its fields, which are checked, converted, and not changed any more; `repr`, `==`
    and `!=`; and the class `Spec` of its type specifications. Its values are arguments and results of `tf.function`,
    of control flow and of datasets, and ops do what `tf.experimental.dispatch_for_api` says of them. Annotations are
    int, float, str, bytes, bool, None, tf.Tensor, composite tensors, extension types, tf.TensorShape, tf.DType, and
    tuples, mappings and unions of them. A subclass may define `__init__`, which sets all fields, `__validate__`,
    which is called after that, and `Spec`.

    Raises:
      ValueError: (of a class) a name is reserved, or an attribute has no annotation.
      TypeError: (of a class) an annotation is none of these; (of a value) a field is given something else.
      AttributeError: a field is set or deleted outside of `__init__`.

    >>> class Masked(ExtensionType):
    ...     values: Tensor
    ...     mask: Tensor
    >>> Masked.Spec(TensorSpec([2]), TensorSpec([2]))
    Masked.Spec(values=TensorSpec(shape=(2,), dtype=tf.float32, name=None), mask=TensorSpec(shape=(2,), \
dtype=tf.float32, name=None))

    TF: `tf.experimental.ExtensionType`. Components are in the order of the declarations, also where `__init__` sets
    them in another; gradients are taken with respect to fields only.
    """

    _tf_tensor_type = False

    def __init__(self, *args, **kwargs):
        if type(self) is ExtensionType:
            raise AssertionError(
                "Cannot create an instance of ExtensionType because ExtensionType is an abstract base class."
            )

    @property
    def _type_spec(self):
        known = self.__dict__.get("_tf_extension_type_spec")
        if known is None:
            known = vars(self)["_tf_extension_type_spec"] = self.Spec.from_value(self)
        return known

    def _differentiable_part(self):
        raise ValueError(f"Type {type(self).__name__} is not supported as a gradient source or gradient target.")

    def __repr__(self):
        return f"{type(self).__qualname__}({_shown(as_dict(self).items())})"

    def __eq__(self, other):
        """Whether types, specs and all elements are equal: a bool tensor, or False."""
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(nest.flatten(self, expand_composites=True), nest.flatten(other, expand_composites=True),
                    strict=True)  # fmt: skip
        reduce_all = OPS["tf.math.reduce_all"]
        return reduce_all([reduce_all(a == b) for a, b in pairs])

    __hash__ = None  # type: ignore[assignment]

    def __ne__(self, other):
        equal = self.__eq__(other)
        return OPS["tf.math.logical_not"](equal) if isinstance(equal, Tensor) else not equal


class BatchableExtensionType(ExtensionType, framework=True):
    """An extension type of which one value may stand for a batch of values.

    `tf.data.Dataset`, `tf.map_fn` and Keras stack such values and take them apart. By default that is done field by
    field; for anything else the class sets `__batch_encoder__`, an `ExtensionTypeBatchEncoder`.

    TF: `tf.experimental.BatchableExtensionType`; known differences are those of `ExtensionType`.
    """


@handles("tf.identity")
def _identity(function, args, kwargs):
    value = args[0] if args else kwargs.get("input")
    if not isinstance(value, ExtensionType):
        return NotImplemented
    return nest.map_structure(function, value, expand_composites=True)


def _check_names(cls):
    annotations = getattr(cls, "__annotations__", {})
    for name, value in cls.__dict__.items():
        if name == "Spec":
            if not isinstance(value, type):
                raise ValueError(f"{cls.__qualname__}.Spec must be a nested class; got {value}.")
            if value.__bases__ not in ((TypeSpec,), (object,)):
                raise ValueError(f"{cls.__qualname__}.Spec must be directly subclassed from tf.TypeSpec.")
        elif is_reserved(name):
            raise ValueError(f"The field annotations for {cls.__name__} are invalid. Field '{name}' is reserved.")
    for name in annotations:
        if is_reserved(name):
            raise ValueError(f"The field annotations for {cls.__name__} are invalid. Field '{name}' is reserved.")
    for name, value in cls.__dict__.items():
        is_special = name.startswith("_abc_") or name.startswith("__") and name.endswith("__")
        if not (is_special or name in annotations or callable(value)
                or isinstance(value, property | classmethod | staticmethod)):  # fmt: skip
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name} is missing a type annotation."
            )


def _add_constructor(cls, of_spec=False):
    """Adds a constructor: the program's own with the checks after it, or one that takes the fields."""
    user = cls.__dict__.get("__init__")
    construct: Any
    if user is not None:

        @functools.wraps(user)
        def finish(self, *args, **kwargs):
            self.__dict__[_CONSTRUCTING] = True
            user(self, *args, **kwargs)
            del self.__dict__[_CONSTRUCTING]
            self._tf_extension_type_finish()

        construct = finish

    else:
        signature = _signature(fields_of(cls), of_spec)

        def fill(self, *args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            self.__dict__.update(bound.arguments)
            self._tf_extension_type_finish()

        construct = fill

        this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        construct.__signature__ = signature.replace(
            parameters=[this, *signature.parameters.values()], return_annotation=cls
        )
        construct.__name__, construct.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    cls.__init__ = construct


def _signature(fields, of_spec):
    """The parameters of a constructor. One without a default after one with, and all after it, are keyword-only."""
    parameters, seen_default, keyword_only = [], False, False
    for field in fields:
        default = inspect.Parameter.empty if field.default is NO_DEFAULT or of_spec else field.default
        seen_default = seen_default or default is not inspect.Parameter.empty
        keyword_only = keyword_only or seen_default and default is inspect.Parameter.empty
        kind = inspect.Parameter.KEYWORD_ONLY if keyword_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        annotation = inspect.Parameter.empty if of_spec else field.annotation
        parameters.append(inspect.Parameter(field.name, kind, default=default, annotation=annotation))
    return inspect.Signature(parameters)


def _spec_class(cls: Any):
    """The class of the specs of `cls`, with the contents of the program's own class `Spec`."""
    qualname = f"{cls.__qualname__}.Spec"
    names = {field.name for field in fields_of(cls)}
    contents = {"value_type": cls, "__module__": cls.__module__}
    user = cls.__dict__.get("Spec")
    for name, value in () if user is None else user.__dict__.items():
        if is_reserved(name):
            raise ValueError(f"TypeSpec {qualname} uses reserved name '{name}'.")
        if name in names:
            raise ValueError(
                f"TypeSpec {qualname} defines a variable '{name}' which shadows a field in {cls.__qualname__}"
            )
        if name not in ("__module__", "__dict__", "__weakref__"):
            contents[name] = value
    base = ExtensionTypeSpec
    if issubclass(cls, BatchableExtensionType):
        base = BatchableExtensionTypeSpec
        if hasattr(cls, "__batch_encoder__"):
            contents.setdefault("__batch_encoder__", getattr(cls, "__batch_encoder__"))  # noqa: B009
    elif hasattr(cls, "__batch_encoder__") or "__batch_encoder__" in contents:
        raise ValueError("__batch_encoder__ should only be defined for BatchableExtensionType classes.")
    spec = abc.ABCMeta(f"{cls.__name__}.Spec", (base,), contents)
    spec.__qualname__ = qualname
    _add_constructor(spec, of_spec=True)
    if "__name__" in cls.__dict__:
        name = f"{cls.__dict__['__name__']}.Spec"
        if name in NAMED:
            raise ValueError(f"Name {name} has already been registered for class {_full_name(NAMED[name])}.")
        NAMED[name] = spec
    return spec


def _full_name(cls):
    return f"{cls.__module__}.{cls.__name__}"


def _changed(cls, fields, function):
    """An object of class `cls` with `function` applied to all leaves of the fields."""
    values: Any = nest.map_structure(function, tuple(fields.values()))
    return _made(cls, zip(fields, values, strict=True))


def _spec_of(x):
    """The spec of a part of a value; the part itself if it has none."""
    if isinstance(x, Tensor):
        return TensorSpec(x.shape, x.dtype)
    return getattr(x, "_type_spec", x)


def _spec_again(value_type, serialization):
    return value_type.Spec._deserialize(serialization)


def _replaced(x, old, new):
    """`x` with mappings of class `old` converted to `new`, also inside tuples and mappings."""
    if isinstance(x, old):
        return new((key, _replaced(each, old, new)) for key, each in x.items())
    return tuple([_replaced(each, old, new) for each in x]) if type(x) is tuple else x


def _shown(items):
    return ", ".join(f"{name}={value!r}" for name, value in items)
