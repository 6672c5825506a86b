"""NumPy versions of ops, for the small integers that shapes are made of."""

import numpy as np
from jax.errors import InconclusiveDimensionOperation

from tfcompat._core.symbolic_sizes import larger, smaller

# What takes the place of NumPy's functions that ask for the order of sizes, where these are symbols.
_LARGER, _SMALLER = np.frompyfunc(larger, 2, 1), np.frompyfunc(smaller, 2, 1)
OF_SYMBOLS = {np.maximum: _LARGER, np.minimum: _SMALLER, np.max: _LARGER, np.min: _SMALLER}

def unary(function):
    """Host version of a function of one array `x`."""

    def host(x):
        return function(x)

    host.is_elementwise = True
    return host


def real(function):
    """As `unary`, for arrays that are not complex."""
    return lambda x: NotImplemented if x.dtype.kind == "c" else function(x)


def binary(function):
    """Host version of a function of arrays `x` and `y`; leaves shapes that do not fit to the op's body."""
    of_symbols = OF_SYMBOLS.get(function)

    def host(x, y):
        try:
            result = function(x, y)
        except InconclusiveDimensionOperation:
            return of_symbols(x, y) if of_symbols else NotImplemented
        except ValueError:
            return NotImplemented
        # NumPy gives the sum of two 0-d arrays of objects, that is of texts, as a plain object.
        return np.array(result, object) if isinstance(result, bytes) else result

    host.is_elementwise = True
    return host
