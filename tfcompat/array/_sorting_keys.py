"""Sorting by integer keys.

XLA compares integers that are sorted alone directly on a CPU, other numbers and pairs by calling a function each time,
which takes 4 to 7 times as long. So floats are sorted as integers in the same order, and the places that sort 32 bits
as the lower half of integers with 64.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def sorted_along(x, axis, descending=False):
    """`x`, a real array, sorted along an axis; NaNs last, or first if `descending`.

    The derivative goes to where each element came from; of equal elements the first one comes first.
    """

    @jax.custom_jvp
    def values(x):
        result = lax.sort(_keys(x), dimension=axis, is_stable=False)
        return _numbers(jnp.flip(result, axis) if descending else result, x.dtype)

    @values.defjvp
    def _(primals, tangents):
        order = order_along(*primals, axis, descending)
        return tuple(jnp.take_along_axis(a, order, axis, mode="promise_in_bounds") for a in (*primals, *tangents))

    return values(x)


def order_along(x, axis, descending=False):
    """The places that sort a real array along an axis, as int32; of equal elements the first one comes first."""
    if jnp.issubdtype(x.dtype, jnp.floating):
        x = jnp.where(x == 0, jnp.zeros((), x.dtype), x)  # -0 is equal to 0
    keys = _keys(x)
    places = lax.broadcasted_iota(np.int64 if keys.dtype.itemsize < 8 else np.int32, x.shape, axis)
    if keys.dtype.itemsize == 8 or jax.default_backend() != "cpu":
        keys, places = ~keys if descending else keys, places.astype(np.int32)
        return lax.sort((keys, places), dimension=axis, num_keys=1)[1]
    keys = keys.astype(np.int64) - (1 << 31 if keys.dtype == np.uint32 else 0)
    both = (~keys if descending else keys) << 32 | places
    return lax.sort(both, dimension=axis, is_stable=False).astype(np.int32)


def _keys(x):
    """Integers in the order of the elements of a real array."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return x
    integer = np.dtype(f"int{8 * x.dtype.itemsize}")
    bits = lax.bitcast_convert_type(jnp.where(jnp.isnan(x), jnp.array(np.nan, x.dtype), x), integer)
    return _mirrored(bits)


def _numbers(keys, dtype):
    """The elements with these keys."""
    return lax.bitcast_convert_type(_mirrored(keys), dtype) if jnp.issubdtype(dtype, jnp.floating) else keys


def _mirrored(bits):
    """Negative numbers the other way round, since the bits of a float say how far it is from zero."""
    return bits ^ ((bits >> (8 * bits.dtype.itemsize - 1)) & np.iinfo(bits.dtype).max)
