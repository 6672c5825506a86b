"""NumPy versions of ops, for the small integers that shapes are made of."""

import numpy as np
from jax.errors import InconclusiveDimensionOperation


def unary(function):
    """Host version of a function of one array `x`."""
    return lambda x: function(x)


def real(function):
    """As `unary`, for arrays that are not complex."""
    return lambda x: NotImplemented if x.dtype.kind == "c" else function(x)


def binary(function):
    """Host version of a function of arrays `x` and `y`; leaves shapes that do not fit to the op's body."""

    def host(x, y):
        try:
            result = function(x, y)
        except (ValueError, InconclusiveDimensionOperation):  # sizes that are symbols have no order
            return NotImplemented
        # NumPy gives the sum of two 0-d arrays of objects, that is of texts, as a plain object.
        return np.array(result, object) if isinstance(result, bytes) else result

    return host
