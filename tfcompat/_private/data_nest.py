"""tensorflow/python/data/util/nest.py: structures of elements of datasets, in which lists are values."""

import tfcompat as tf
from tfcompat._private.nest import is_attrs, is_mapping


def is_nested(structure):
    """Whether it is a structure; lists are none."""
    return isinstance(structure, tuple) or is_mapping(structure) or is_attrs(structure)


def _parts(structure):
    """The parts of a structure by name or position, dicts in the order of their keys."""
    if is_mapping(structure):
        return [(key, structure[key]) for key in sorted(structure)]
    if is_attrs(structure):
        return [(field.name, getattr(structure, field.name)) for field in structure.__attrs_attrs__]
    return list(enumerate(structure))


def flatten(structure):
    """The values in a structure, a list."""
    if not is_nested(structure):
        return [structure]
    return [leaf for _, part in _parts(structure) for leaf in flatten(part)]


class _Leaf:
    """A value in a structure, whatever it is."""

    def __init__(self, value):
        self.value = value


def _hidden(structure):
    """The structure with each value as a `_Leaf`, for which tf.nest gives what is asked."""
    if not is_nested(structure):
        return _Leaf(structure)
    leaves = iter([_Leaf(leaf) for leaf in flatten(structure)])

    def rebuilt(part):
        if not is_nested(part):
            return next(leaves)
        parts = {key: rebuilt(value) for key, value in _parts(part)}
        if is_mapping(part):
            return {key: parts[key] for key in part}
        if is_attrs(part):
            return type(part)(*parts.values())
        return type(part)(*parts.values()) if hasattr(part, "_fields") else tuple(parts.values())

    return rebuilt(structure)


def pack_sequence_as(structure, flat_sequence):
    """The structure with other values; ValueError if there are more or fewer."""
    return tf.nest.pack_sequence_as(_hidden(structure), list(flat_sequence))


def map_structure(func, *structure):
    """The structure of what `func` gives for each value, or for the values in each place of several structures."""
    return tf.nest.map_structure(lambda *leaves: func(*[leaf.value for leaf in leaves]), *map(_hidden, structure))
