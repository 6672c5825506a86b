"""tensorflow/python/trackable/data_structures.py."""


def sticky_attribute_assignment(trackable, name, value):
    """`value` as it is: attributes are tracked when they are looked for."""
    return value


def wrap_or_unwrap(value):
    """`value` as it is."""
    return value


class NoDependency:
    """Marks a value that is to stay as it is; an attribute of a module or layer that is set to it is the value."""

    def __init__(self, value):
        self.value = value


class ListWrapper(list):
    """A list in an attribute of a trackable, which stays a list here. For `isinstance`."""


class _DictWrapper(dict):
    """A dict in an attribute of a trackable, which stays a dict here. For `isinstance`."""
