"""Indexing of ragged tensors."""

import builtins

import numpy as np

from tfcompat._core.convert import host_constant, static_value
from tfcompat.array._arguments import invalid
from tfcompat.ragged._tensor import RaggedTensor, outer_size
from tfcompat.sparse._elements import taken


def getitem(value, key):
    """`value[key]` of a RaggedTensor, or of a tensor."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if sum(k is Ellipsis for k in keys) > 1:
        raise ValueError("Only one ellipsis is allowed in __getitem__")
    if Ellipsis in [k for k in keys if k is Ellipsis]:
        place = next(n for n, k in enumerate(keys) if k is Ellipsis)
        indexed_dimensions = len(keys) - 1 - sum(k is None for k in keys)
        keys[place : place + 1] = [slice(None)] * (value.shape.rank - indexed_dimensions)
    return _item(value, keys)


def _item(value, keys):
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[tuple(keys)]
    first, *rest = keys
    if first is None:
        inner = _item(value, rest)
        return add_outer(inner)
    if isinstance(first, slice):
        return _rows(rows_at(value, range(outer_size(value))[_static(first)]), rest)
    index = static_value(first)
    count = outer_size(value)
    if index >= count:
        raise IndexError(f"Row key {index} out of bounds")
    if index < -count:
        raise invalid(f"slice index {index} of dimension 0 out of bounds.")
    begin, end = value.splits()[index % count :][:2]
    return _item(slice_values(value.values, range(begin, end)), rest)


def _static(key):
    return slice(*(None if part is None else static_value(part) for part in (key.start, key.stop, key.step)))


def _rows(value, keys):
    """Applies `keys` to each row of a RaggedTensor."""
    if not keys:
        return value
    first, *rest = keys
    if first is None:
        return RaggedTensor.from_uniform_row_length(_rows(value, rest), 1, outer_size(value))
    if not isinstance(first, slice):
        if value._uniform is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        starts = value.splits()[:-1] + range(value._uniform)[static_value(first)]
        return _item(slice_values(value.values, starts), [slice(None), *rest])
    first = _static(first)
    picked, lengths = [], []
    for begin, end in zip(value.splits()[:-1], value.splits()[1:], strict=True):
        row = range(begin, end)[first]
        picked.extend(row)
        lengths.append(len(row))
    splits = np.concatenate([[0], np.cumsum(lengths)])
    uniform = len(range(value._uniform)[first]) if value._uniform is not None else None
    inner = slice_values(value.values, picked)
    inner = (
        _rows(inner, rest) if isinstance(inner, RaggedTensor) else _item(inner, [slice(None), *rest] if rest else [])
    )
    return value._rebuilt(inner, splits, uniform)


def slice_values(value, places):
    """Some rows of a tensor or RaggedTensor."""
    if isinstance(value, RaggedTensor):
        return rows_at(value, places)
    places = np.asarray(places if isinstance(places, np.ndarray) else list(places), np.int64)
    if len(places) == value.shape[0] and (places == np.arange(len(places))).all():
        return value
    return taken(value, host_constant(places))


def rows_at(value, places):
    """The RaggedTensor of some rows of a RaggedTensor."""
    splits = value.splits()
    places = list(places)
    picked = [np.arange(splits[place], splits[place + 1]) for place in places]
    inner = slice_values(value.values, np.concatenate(picked) if picked else np.zeros(0, np.int64))
    return value._rebuilt(inner, np.concatenate([[0], np.cumsum([len(row) for row in picked])]), value._uniform)


def add_outer(value):
    """`value` as the only row of a RaggedTensor or tensor."""
    if isinstance(value, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(value, outer_size(value), nrows=1)
    return value[builtins.tuple([None])]
