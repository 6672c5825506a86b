"""Axes of reductions, and arguments whose values must be known."""

import numbers

import jax
import numpy as np

from tfcompat import engine, errors
from tfcompat.array._arguments import invalid


def known_values(tensor, advice=None):
    """The values of a tensor as a NumPy array; None where they are not known while a function is traced.

    Raises:
      tf.errors.UnimplementedError: they are not known, and `advice` says what to do about it.
    """
    try:
        return np.asarray(engine.value_of(tensor._node))
    except (engine.SymbolicValueError, jax.errors.TracerArrayConversionError):
        if advice is None:
            return None
        raise errors.UnimplementedError(
            None, None, f"the size of the result must be known while a function is traced; {advice}"
        ) from None


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
        if not isinstance(one, numbers.Integral) or isinstance(one, bool):
            raise TypeError(f"Cannot convert {one!r} to EagerTensor of dtype int32")
        if not -rank <= one < rank:
            raise invalid(f"Invalid reduction dimension ({one} for input with {rank} dimension(s)")
        one = int(one) % rank
        if one in axes:
            raise invalid(f"Invalid reduction arguments: Axes contains duplicate dimension: {one}")
        axes.append(one)
    return tuple(axes)
