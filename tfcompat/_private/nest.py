"""tensorflow/python/util/nest.py: `tf.nest`, and walking a structure down to the form of a shallower one."""

import builtins

from tfcompat.nest import assert_same_structure as assert_same_structure
from tfcompat.nest import flatten as flatten
from tfcompat.nest import flatten_with_paths as _flatten_with_paths
from tfcompat.nest import is_nested as is_nested
from tfcompat.nest import map_structure as map_structure
from tfcompat.nest import pack_sequence_as as pack_sequence_as
from tfcompat.nest._structures import (
    _ATTRS,
    _COMPOSITE,
    _MAPPING,
    _NAMEDTUPLE,
    _children,
    _keys,
    _kind,
    _last_leaf_kind,
    _rebuild,
)

is_sequence = is_nested


def is_nested_or_composite(seq):
    """Whether `seq` is a structure or a composite tensor."""
    return is_nested(seq) or _kind(type(seq)) == _COMPOSITE


def is_mapping(obj):
    """Whether `obj` is walked as a mapping."""
    return _kind(type(obj)) == _MAPPING


def is_attrs(obj):
    """Whether `obj` is walked as an `attrs` object."""
    return _kind(type(obj)) == _ATTRS


def is_namedtuple(instance, strict=False):
    """Whether `instance` is a namedtuple."""
    return _kind(type(instance)) == _NAMEDTUPLE


_is_namedtuple = is_namedtuple


def assert_shallow_structure(shallow_tree, input_tree, check_types=True, expand_composites=False):
    """Raises TypeError or ValueError unless `shallow_tree` is the upper part of `input_tree`."""
    for _ in _walk(shallow_tree, (input_tree,), _last_leaf_kind(expand_composites), check_types, ()):
        pass


def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False):
    """The parts of `input_tree` where `shallow_tree` has leaves, as a list."""
    walk = _walk(shallow_tree, (input_tree,), _last_leaf_kind(expand_composites), check_types, ())
    return [parts[0] for _, parts in walk]


def flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False):
    """`flatten_up_to`, each part with its path, as a list of pairs."""
    walk = _walk(shallow_tree, (input_tree,), _last_leaf_kind(expand_composites), check_types, ())
    return [(path, parts[0]) for path, parts in walk]


def flatten_with_tuple_paths(structure, expand_composites=False):
    """List of `(path, leaf)`."""
    return _flatten_with_paths(structure, expand_composites)


def yield_flat_paths(nest, expand_composites=False):
    """The path of each leaf, in order."""
    return (path for path, _ in _flatten_with_paths(nest, expand_composites))


def flatten_with_joined_string_paths(structure, separator="/", expand_composites=False):
    """List of `(path, leaf)`, the path as text."""
    return [(separator.join(map(str, path)), leaf) for path, leaf in _flatten_with_paths(structure, expand_composites)]


def map_structure_up_to(shallow_tree, func, *inputs, **kwargs):
    """Applies `func` to the parts of `inputs` where `shallow_tree` has leaves; a structure like `shallow_tree`."""
    return map_structure_with_tuple_paths_up_to(shallow_tree, lambda _, *parts: func(*parts), *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(shallow_tree, func, *inputs, **kwargs):
    """As `map_structure_up_to`, with the path as first argument of `func`."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    last_leaf_kind = _last_leaf_kind(kwargs.pop("expand_composites", False))
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    walk = _walk(shallow_tree, inputs, last_leaf_kind, check_types, ())
    results = [func(path, *parts) for path, parts in walk]
    return pack_sequence_as(shallow_tree, results, last_leaf_kind == _last_leaf_kind(True))


def map_structure_with_tuple_paths(func, *structure, **kwargs):
    """`map_structure` with the path of each leaf as first argument of `func`."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func, *structure, **kwargs):
    """`map_structure` with the path of each leaf, as text, as first argument of `func`."""

    def with_text(path, *leaves):
        return func("/".join(map(str, path)), *leaves)

    return map_structure_with_tuple_paths(with_text, *structure, **kwargs)


def get_traverse_shallow_structure(traverse_fn, structure, expand_composites=False):
    """Booleans in the form of the part of `structure` that `traverse_fn` says to enter.

    Args:
      traverse_fn: function of a substructure: a bool for all of it, or a structure of bools, one for each part.
      structure: structure, or a leaf.
      expand_composites: as in `tf.nest.flatten`.

    Returns:
      Structure of bools; False stands for a part that is not entered.
    """
    last_leaf_kind = _last_leaf_kind(expand_composites)
    enter = traverse_fn(structure)
    kind = _kind(type(structure))
    if kind <= last_leaf_kind:
        if builtins.type(enter) is not bool:
            raise ValueError(f"traverse_fn returned structure: {enter} for non-structure: {structure}")
        return enter
    children = builtins.list(_children(structure, kind))
    if builtins.type(enter) is bool:
        if not enter:
            return False
        chosen = [True] * builtins.len(children)
    else:
        assert_shallow_structure(enter, structure, expand_composites=expand_composites)
        chosen = builtins.list(_children(enter, _kind(type(enter))))
    parts = [
        get_traverse_shallow_structure(traverse_fn, child, expand_composites) if go else False
        for go, child in builtins.zip(chosen, children, strict=True)
    ]
    return _rebuild(structure, kind, parts)


def list_to_tuple(structure):
    """`structure` with its lists as tuples."""
    kind = _kind(type(structure))
    if kind <= _last_leaf_kind(False):
        return structure
    parts = [list_to_tuple(child) for child in _children(structure, kind)]
    return tuple(parts) if isinstance(structure, list) else _rebuild(structure, kind, parts)


def _sequence_like(instance, args):
    return _rebuild(instance, _kind(type(instance)), builtins.list(args))


def _yield_value(iterable):
    yield from _children(iterable, _kind(type(iterable)))


def _yield_sorted_items(iterable):
    kind = _kind(type(iterable))
    yield from builtins.zip(_keys(iterable, kind), _children(iterable, kind), strict=False)


def _walk(shallow, inputs, last_leaf_kind, check_types, path):
    """Pairs of a path to a leaf of `shallow` and the parts of `inputs` there."""
    kind = _kind(type(shallow))
    if kind <= last_leaf_kind:
        yield path, inputs
        return
    children = builtins.list(_children(shallow, kind))
    theirs = [_parts_like(shallow, kind, each, last_leaf_kind, check_types, children) for each in inputs]
    for key, child, *parts in builtins.zip(_keys(shallow, kind), children, *theirs, strict=False):
        yield from _walk(child, tuple(parts), last_leaf_kind, check_types, (*path, key))


def _parts_like(shallow, kind, value, last_leaf_kind, check_types, children):
    of_kind = _kind(type(value))
    if of_kind <= last_leaf_kind:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. "
            f"Input has type: {type(value).__name__}."
        )
    wanted = getattr(type(shallow), "_wrapped_class", type(shallow))  # what an attribute wraps is of the class it wraps
    if check_types and not (isinstance(value, wanted) or of_kind == kind and of_kind in (_MAPPING, _NAMEDTUPLE)):
        if not (isinstance(value, list) and isinstance(shallow, list)) and of_kind != _COMPOSITE:
            raise TypeError(
                "The two structures don't have the same sequence type. Input structure has type "
                f"{type(value).__name__}, while shallow structure has type {type(shallow).__name__}."
            )
    if kind == of_kind == _MAPPING:
        if set(value) != set(shallow):
            raise ValueError(
                "The two structures don't have the same keys. Input structure has keys "
                f"{builtins.list(value)}, while shallow structure has keys {builtins.list(shallow)}."
            )
    parts = builtins.list(_children(value, of_kind))
    if len(parts) != len(children):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(parts)}, while shallow structure has length {len(children)}."
        )
    return parts
