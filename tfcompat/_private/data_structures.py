"""tensorflow/python/trackable/data_structures.py."""

from tfcompat._core.containers import ListWrapper as ListWrapper
from tfcompat._core.containers import _DictWrapper as _DictWrapper
from tfcompat._core.containers import _TupleWrapper as _TupleWrapper
from tfcompat._core.containers import wrapped
from tfcompat._core.dependencies import NoDependency as NoDependency


def sticky_attribute_assignment(trackable, name, value):
    """What an attribute becomes that is set to `value`; attributes are tracked when they are looked for."""
    return wrapped(value)


def wrap_or_unwrap(value):
    """What an attribute becomes that is set to `value`."""
    return wrapped(value)
