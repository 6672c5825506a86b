"""Arrays that are computed once although they are read several times."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat.random._philox import uniform_32


def materialized(array, numbers=None):
    """`array`, held in memory. Otherwise XLA on a CPU computes each element again wherever a gather reads it.

    XLA keeps the result of a condition that it cannot predict: here, whether a random number in [0, 1) is negative.
    The number is made from the first of `numbers`, by default of `array`.
    """
    numbers = array if numbers is None else numbers
    first = lax.bitcast_convert_type(numbers.reshape(-1)[:1].astype(np.float32), np.uint32)
    return lax.cond(jnp.any(uniform_32(first) < 0), jnp.zeros_like, lambda array: array, array)
