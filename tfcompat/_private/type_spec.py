"""tensorflow/python/framework/type_spec.py and type_spec_registry.py."""
from tfcompat._core.extension_type import types as _types
from tfcompat._core.spec import TypeSpec as TypeSpec
from tfcompat._core.spec import type_spec_from_value as _type_spec_from_value

_CONVERTERS = []
# TensorFlow Probability takes names out of both.
_NAME_TO_TYPE_SPEC = _types.NAMED
_TYPE_SPEC_TO_NAME = {}


class BatchableTypeSpec(TypeSpec):
    """A spec that can say what a batch of its values, or one of a batch, is."""

    __slots__ = ()

    def _batch(self, batch_size):
        raise NotImplementedError(f"{type(self).__name__}._batch")

    def _unbatch(self):
        raise NotImplementedError(f"{type(self).__name__}._unbatch")


BatchableTypeSpec.__module__ = __name__


def register(name):
    """Decorator that gives a TypeSpec class the name it has in files; ValueError if the name is taken."""

    def decorate(cls):
        if name in _NAME_TO_TYPE_SPEC:
            raise ValueError(f"Name {name} has already been registered for class {_NAME_TO_TYPE_SPEC[name]}.")
        _NAME_TO_TYPE_SPEC[name] = cls
        _TYPE_SPEC_TO_NAME[cls] = name
        return cls

    return decorate


def lookup(name):
    """The class registered under `name`."""
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _NAME_TO_TYPE_SPEC[name]


def get_name(cls):
    """The name of a registered class."""
    if cls not in _TYPE_SPEC_TO_NAME:
        raise ValueError(f"TypeSpec {cls.__name__} has not been registered.")
    return _TYPE_SPEC_TO_NAME[cls]


def register_type_spec_from_value_converter(type_object, converter_fn, allow_subclass=False):
    """Makes `type_spec_from_value` use `converter_fn` for values of this type."""
    _CONVERTERS.append((type_object, converter_fn, allow_subclass))


def type_spec_from_value(value):
    """The TypeSpec of a value; TypeError if it has none."""
    for kind, converter, subclasses in reversed(_CONVERTERS):
        if type(value) is kind or subclasses and isinstance(value, kind):
            return converter(value)
    return _type_spec_from_value(value)
