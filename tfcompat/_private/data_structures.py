"""tensorflow/python/trackable/data_structures.py."""

from tfcompat._core.dependencies import NoDependency as NoDependency


def sticky_attribute_assignment(trackable, name, value):
    """`value` as it is: attributes are tracked when they are looked for."""
    return value


def wrap_or_unwrap(value):
    """`value` as it is."""
    return value


class ListWrapper(list):
    """A list in an attribute of a trackable, which stays a list here. For `isinstance`."""


class _DictWrapper(dict):
    """A dict in an attribute of a trackable, which stays a dict here. For `isinstance`."""
