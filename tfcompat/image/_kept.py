"""What is read several times, computed once."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat.random._philox import uniform_32


def kept(array, numbers=None):
    """`array`, in memory: else XLA computes on a CPU each number again wherever it is read by its place.

    It keeps what conditions give, if it cannot foresee them: here, whether a number in [0, 1) is negative,
    which is made of any one of `numbers`, by default of `array`.
    """
    numbers = array if numbers is None else numbers
    first = lax.bitcast_convert_type(numbers.reshape(-1)[:1].astype(np.float32), np.uint32)
    return lax.cond(jnp.any(uniform_32(first) < 0), jnp.zeros_like, lambda array: array, array)
