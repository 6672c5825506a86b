"""Axes of reductions."""

import numbers

from tfcompat._core.convert import CastNumber
from tfcompat.array._arguments import invalid


def as_axes(axis, rank):
    """The axes to reduce, counted from the front: all for None, none for an empty list."""
    if axis is None:
        return tuple(range(rank))
    if not isinstance(axis, tuple):
        axis = (axis,)
    axes = []
    for one in axis:
        if isinstance(one, str):
            raise invalid(
                "Value for attr 'Tidx' of string is not in the list of allowed values: int32, int64"
            )
        if isinstance(one, CastNumber):
            one = int(one)
        if not isinstance(one, numbers.Integral):
            raise TypeError(f"Cannot convert {one!r} to EagerTensor of dtype int32")
        if not -rank <= one < rank:
            raise invalid(f"Invalid reduction dimension ({one} for input with {rank} dimension(s)")
        one = int(one) % rank
        if one in axes:
            raise invalid(f"Invalid reduction arguments: Axes contains duplicate dimension: {one}")
        axes.append(one)
    return tuple(axes)
