"""The numbers or texts of the last axis as sets."""

import itertools

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.errors import InternalError, InvalidArgumentError
from tfcompat.sparse._ops import out_of_bounds
from tfcompat.sparse._tensor import SparseTensor as _SparseTensor
from tfcompat.sparse._tensor import made as _made

_DTYPES = {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.string}
_ADVICE = "call it outside"


def _rows(value, role, validate_indices):
    """`(dtype, outer sizes, dict from outer place to the set)`."""
    sparse = value if isinstance(value, _SparseTensor) else None
    tensor = sparse.values if sparse is not None else convert_to_tensor(value)
    if tensor.dtype not in _DTYPES:
        raise TypeError(f"'{role}' has invalid dtype `{tensor.dtype!r}` not in supported dtypes: `{_DTYPES}`")
    items = known_values(tensor, _ADVICE)
    if sparse is not None:
        sizes, items_of_row = sparse.sizes()[:-1], {}
        problem = out_of_bounds(sparse.places(), sparse.sizes())
        if problem is not None:
            raise (InvalidArgumentError if validate_indices else InternalError)(None, None, problem)
        if validate_indices:
            _check_order(sparse.places())
        for place, item in zip(sparse.places(), items.tolist(), strict=True):
            items_of_row.setdefault(tuple(place[:-1].tolist()), set()).add(item)
        return tensor.dtype, sizes, items_of_row
    if items.ndim < 2:
        raise invalid(f"Invalid rank {items.ndim} of '{role}': at least 2 is needed")
    places = np.ndindex(items.shape[:-1])
    return tensor.dtype, items.shape[:-1], {place: set(items[place].tolist()) for place in places}


def _check_order(places):
    for i, (before, place) in enumerate(itertools.pairwise(places.tolist()), 1):
        if place <= before:
            problem = "repeated" if place == before else "out of order"
            raise invalid(f"indices[{i}] = {place} is {problem}. Use `tf.sparse.reorder` to make an ordered copy.")


def _combined(a, b, combine, validate_indices):
    (dtype, sizes, first), (other_dtype, other_sizes, second) = (
        _rows(a, "a", validate_indices), _rows(b, "b", validate_indices)
    )  # fmt: skip
    if dtype != other_dtype:
        raise TypeError(f"Types don't match, {dtype} vs {other_dtype}.")
    if tuple(sizes) != tuple(other_sizes):
        raise invalid(f"Mismatched shapes {show_shape(sizes)} vs {show_shape(other_sizes)}")
    places, values, width = [], [], 0
    for place in np.ndindex(*sizes):
        row = sorted(combine(first.get(place, set()), second.get(place, set())))
        places += [(*place, number) for number in range(len(row))]
        values += row
        width = max(width, len(row))
    array = np.empty(len(values), dtype.np)
    array[:] = values
    return _made(places, host_constant(array), (*sizes, width))


def intersection(a, b, validate_indices=True):
    """What is in both sets.

    Args:
      a: tensor or SparseTensor of integers or text, rank at least 2; a set along the last axis.
      b: another, with as many sets.
      validate_indices: whether the places of a SparseTensor must be in order.

    Returns:
      SparseTensor of the sets, ascending.

    Raises:
      TypeError: another dtype, or two.
      tf.errors.InvalidArgumentError: shapes differ, or places are out of order or of bounds.

    TF: `tf.sets.intersection`; no known difference.
    """
    return _combined(a, b, set.intersection, validate_indices)


def union(a, b, validate_indices=True):
    """What is in either set.

    Args:
      a: tensor or SparseTensor of integers or text, rank at least 2; a set along the last axis.
      b: another, with as many sets.
      validate_indices: whether the places of a SparseTensor must be in order.

    Returns:
      SparseTensor of the sets, ascending.

    Raises:
      TypeError: another dtype, or two.
      tf.errors.InvalidArgumentError: shapes differ, or places are out of order or of bounds.

    TF: `tf.sets.union`; no known difference.
    """
    return _combined(a, b, set.union, validate_indices)


def difference(a, b, aminusb=True, validate_indices=True):
    """What is in one set and not in the other.

    Args:
      a: tensor or SparseTensor of integers or text, rank at least 2; a set along the last axis.
      b: another, with as many sets.
      aminusb: whether to take what is in `a`, or what is in `b`.
      validate_indices: whether the places of a SparseTensor must be in order.

    Returns:
      SparseTensor of the sets, ascending.

    Raises:
      TypeError: another dtype, or two.
      tf.errors.InvalidArgumentError: shapes differ, or places are out of order or of bounds.

    TF: `tf.sets.difference`; no known difference.
    """
    return _combined(a, b, set.difference if aminusb else lambda x, y: y - x, validate_indices)


def size(a, validate_indices=True):
    """How many elements each set has.

    Args:
      a: SparseTensor of integers or text.
      validate_indices: whether the places must be in order.

    Returns:
      int32 tensor, without the last axis.

    Raises:
      TypeError: `a` is no SparseTensor.
      tf.errors.InvalidArgumentError: places are out of order or of bounds.

    TF: `tf.sets.size`; no known difference.
    """
    if not isinstance(a, _SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    _, sizes, items_of_row = _rows(a, "a", validate_indices)
    result = np.zeros(sizes, np.int32)
    for place, row in items_of_row.items():
        result[place] = len(row)
    return host_constant(result)
