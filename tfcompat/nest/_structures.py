"""Flattening, rebuilding, mapping and comparing nested structures."""

import collections.abc
import functools
import itertools

# Ordered so that one comparison tells a leaf: up to _SPEC, or up to _LEAF where composites are expanded.
_LEAF, _COMPOSITE, _SPEC, _SEQUENCE, _NAMEDTUPLE, _MAPPING, _VIEW, _ATTRS, _CUSTOM = range(9)


def is_nested(seq):
    """Whether `seq` is a structure rather than a leaf.

    TF: `tf.nest.is_nested`; no known difference.
    """
    return _kind(type(seq)) > _SPEC


def flatten(structure, expand_composites=False):
    """The leaves of a structure, as a list.

    Args:
      structure: a structure, or a leaf.
      expand_composites: whether composite tensors are replaced by the tensors they are made of.

    Returns:
      list; `[structure]` for a leaf.

    Raises:
      TypeError: keys of a dict cannot be sorted.

    >>> flatten({"b": 1, "a": [2, 3]})
    [2, 3, 1]

    TF: `tf.nest.flatten`; no known difference.
    """
    leaves = []
    _collect(structure, _last_leaf_kind(expand_composites), leaves)
    return leaves


def map_structure(func, *structure, **kwargs):
    """Applies `func` to the leaves of structures that have the same form.

    Args:
      func: callable of as many arguments as there are structures.
      *structure: one or more structures.
      check_types: whether types of sequences must agree as well (default True).
      expand_composites: as in `flatten` (default False).

    Returns:
      A structure like the first one, with the results as its leaves.

    Raises:
      TypeError: `func` is not callable, or types differ under `check_types`.
      ValueError: no structure was given, an unknown keyword was given, or the structures differ in form.

    TF: `tf.nest.map_structure`; no known difference.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    last_leaf_kind = _last_leaf_kind(expand_composites)
    if len(structure) == 1:
        return _map(func, structure[0], last_leaf_kind)
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    columns = zip(*[flatten(each, expand_composites) for each in structure], strict=True)
    results = iter([func(*column) for column in columns])
    return _map(lambda _: next(results), structure[0], last_leaf_kind)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """Puts the items of a flat sequence in the places of a structure's leaves.

    Args:
      structure: structure to imitate, or a leaf.
      flat_sequence: list or tuple with one item for each leaf.
      expand_composites: as in `flatten`.

    Returns:
      A structure like `structure`; for a leaf, the one item.

    Raises:
      TypeError: `flat_sequence` is not a sequence.
      ValueError: the numbers of items and leaves differ.

    TF: `tf.nest.pack_sequence_as`; no known difference.
    """
    last_leaf_kind = _last_leaf_kind(expand_composites)
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {_shortened(flat_sequence)}\ninto a structure, but found "
            f"incompatible type `{type(flat_sequence)}` instead."
        )
    items = [flat_sequence[index] for index in range(len(flat_sequence))]
    if _kind(type(structure)) <= last_leaf_kind:
        if len(items) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\n  {_shortened(structure)}\n"
                f"However the input is a sequence ({type(flat_sequence)}) of length {len(items)}.\n  "
                f"{_shortened(flat_sequence)}\nnest cannot guarantee that it is safe to map one to the other."
            )
        return items[0]
    remaining = iter(items)
    try:
        packed = _map(lambda _: next(remaining), structure, last_leaf_kind)
    except StopIteration:
        packed = _MISSING
    if packed is _MISSING or next(remaining, _MISSING) is not _MISSING:
        raise ValueError(
            f"Could not pack sequence. Structure had {len(flatten(structure, expand_composites))} atoms, but "
            f"flat_sequence had {len(items)} items.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return packed


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Raises unless two structures have the same form; their leaves may differ.

    Args:
      nest1, nest2: structures or leaves.
      check_types: whether types must agree as well. List subclasses pass for lists, mappings for one
        another (then with equal keys), namedtuples for those of the same name and fields.
      expand_composites: as in `flatten`.

    Raises:
      ValueError: the structures differ in form or in keys.
      TypeError: types differ under `check_types`.

    TF: `tf.nest.assert_same_structure`; no known difference.
    """
    try:
        _compare(nest1, nest2, _last_leaf_kind(expand_composites), check_types)
    except _Mismatch as mismatch:
        error_type, explanation = mismatch.args
    else:
        return
    forms = [str(_map(lambda _: _DOT, structure, _SPEC)) for structure in (nest1, nest2)]
    raise error_type(
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {_described(nest1)}\n\nSecond structure: {_described(nest2)}\n\n"
        f"More specifically: {explanation}\n"
        f"Entire first structure:\n{forms[0]}\nEntire second structure:\n{forms[1]}"
    )


def flatten_with_paths(structure, expand_composites=False):
    """List of `(path, leaf)`; a path is the tuple of keys, indices and field names that lead to the leaf."""
    leaves = []
    _collect_with_paths(structure, _last_leaf_kind(expand_composites), (), leaves)
    return leaves


def _last_leaf_kind(expand_composites):
    return _LEAF if expand_composites else _SPEC


@functools.lru_cache(maxsize=4096)
def _kind(cls):
    """How values of this class are walked."""
    if issubclass(cls, str | bytes):
        return _LEAF
    if issubclass(cls, collections.abc.Mapping):
        return _MAPPING
    if issubclass(cls, collections.abc.MappingView):
        return _VIEW
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _NAMEDTUPLE
    if issubclass(cls, collections.abc.Sequence):
        return _SEQUENCE
    if hasattr(cls, "__attrs_attrs__"):
        return _ATTRS
    if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
        return _CUSTOM
    if hasattr(cls, "_spec_of_parts"):  # a `tf.TypeSpec`
        return _SPEC if cls._spec_of_parts else _LEAF
    return _COMPOSITE if hasattr(cls, "_type_spec") else _LEAF


def _children(value, kind):
    """The parts of a structure, in the order in which they are walked."""
    if kind == _MAPPING:
        return [value[key] for key in sorted(value)]
    if kind == _ATTRS:
        return [getattr(value, field.name) for field in type(value).__attrs_attrs__]
    if kind == _CUSTOM:
        return value.__tf_flatten__()[1]
    if kind == _COMPOSITE:
        return (value._type_spec._to_components(value),)
    if kind == _SPEC:
        return (value._component_specs,)
    return value


def _keys(value, kind):
    """The names of the parts that `_children` gives."""
    if kind == _MAPPING:
        return sorted(value)
    if kind == _NAMEDTUPLE:
        return value._fields
    if kind == _ATTRS:
        return [field.name for field in type(value).__attrs_attrs__]
    if kind == _COMPOSITE:
        return (type(value).__name__,)
    if kind == _SPEC:
        return (value.value_type.__name__,)
    return itertools.count()


def _is_spec(x):
    return hasattr(type(x), "_spec_of_parts")


def _rebuild(value, kind, parts):
    """A structure like `value` with the list `parts` in place of its children."""
    cls = type(value)
    if cls is list:
        return parts
    if kind == _MAPPING:
        return _rebuild_mapping(value, dict(zip(sorted(value), parts, strict=True)))
    if kind == _NAMEDTUPLE or kind == _ATTRS:
        return cls(*parts)
    if kind == _CUSTOM:
        return cls.__tf_unflatten__(value.__tf_flatten__()[0], tuple(parts))
    if kind == _COMPOSITE:
        spec = value._type_spec
        stands_for_specs = not getattr(cls, "_may_hold_specs", True) and any(map(_is_spec, flatten(parts)))
        return spec if stands_for_specs else spec._from_components(parts[0])
    if kind == _SPEC:
        return value._from_components(parts[0])
    return parts if kind == _VIEW or cls is range else cls(parts)


def _rebuild_mapping(value, items):
    """A mapping of the type and key order of `value`."""
    ordered = ((key, items[key]) for key in value)
    if isinstance(value, collections.defaultdict):
        rebuilt = type(value)(value.default_factory)
        rebuilt.update(ordered)
        return rebuilt
    try:
        return type(value)(ordered)
    except TypeError as err:
        raise TypeError(
            f"Error creating an object of type {type(value)} like {value}. Note that it must accept a single "
            "positional argument representing an iterable of key-value pairs, in addition to self. Cause: "
            f"{err}"
        ) from err


def _collect(value, last_leaf_kind, leaves):
    kind = _kind(type(value))
    if kind <= last_leaf_kind:
        leaves.append(value)
    else:
        for child in _children(value, kind):
            _collect(child, last_leaf_kind, leaves)


def _collect_with_paths(value, last_leaf_kind, path, leaves):
    kind = _kind(type(value))
    if kind <= last_leaf_kind:
        leaves.append((path, value))
    else:
        for key, child in zip(_keys(value, kind), _children(value, kind), strict=False):
            _collect_with_paths(child, last_leaf_kind, (*path, key), leaves)


def _map(func, value, last_leaf_kind):
    kind = _kind(type(value))
    if kind <= last_leaf_kind:
        return func(value)
    return _rebuild(value, kind, [_map(func, child, last_leaf_kind) for child in _children(value, kind)])


class _Mismatch(Exception):
    """Two structures differ; `args` are the type of the error to raise and the explanation."""


def _compare(first, second, last_leaf_kind, check_types):
    kinds = mine, its = _kind(type(first)), _kind(type(second))
    if mine <= last_leaf_kind and its <= last_leaf_kind:
        return
    if mine <= last_leaf_kind or its <= last_leaf_kind:
        structure, leaf = (second, first) if mine <= last_leaf_kind else (first, second)
        raise _Mismatch(
            ValueError,
            f'Substructure "{_described(structure)}" is a sequence, '
            f'while substructure "{_described(leaf)}" is not',
        )
    if check_types:
        _compare_types(first, second, kinds)
    for mine, its in itertools.zip_longest(
        _children(first, kinds[0]), _children(second, kinds[1]), fillvalue=_MISSING
    ):
        if mine is _MISSING or its is _MISSING:
            raise _Mismatch(
                ValueError,
                "The two structures don't have the same number of elements. First structure: "
                f"{_described(first)}. Second structure: {_described(second)}",
            )
        _compare(mine, its, last_leaf_kind, check_types)


def _compare_types(first, second, kinds):
    if kinds == (_MAPPING, _MAPPING):
        if set(first) != set(second):
            raise _Mismatch(
                ValueError,
                "The two dictionaries don't have the same set of keys. First structure has keys "
                f"{_described(list(first))}, while second structure has keys {_described(list(second))}",
            )
    elif kinds == (_COMPOSITE, _COMPOSITE):
        specs = first._type_spec, second._type_spec
        if specs[0].most_specific_common_supertype([specs[1]]) is None:
            raise _Mismatch(
                ValueError,
                f"Incompatible CompositeTensor TypeSpecs: {_described(specs[0])} vs. {_described(specs[1])}",
            )
    elif not _same_type(first, second, kinds):
        raise _Mismatch(
            TypeError,
            "The two namedtuples don't have the same sequence type. "
            f"First structure {_described(first)} has type {type(first).__name__}, "
            f"while second structure {_described(second)} has type {type(second).__name__}",
        )


def _same_type(first, second, kinds):
    types = [getattr(type(value), "_wrapped_class", type(value)) for value in (first, second)]
    if types[0] is types[1] or (isinstance(first, list) and isinstance(second, list)):
        return True
    if kinds == (_NAMEDTUPLE, _NAMEDTUPLE):
        names = [(type(value).__name__, _keys(value, _NAMEDTUPLE)) for value in (first, second)]
        return names[0] == names[1]
    return False


def _described(value):
    return f"type={type(value).__name__} str={value}"


def _shortened(value):
    text = str(value)
    return text if len(text) <= 100 else text[:100] + "..."


class _Dot:
    """Stands for a leaf where the form of a structure is printed."""

    def __repr__(self):
        return "."


_DOT = _Dot()
_MISSING = object()
