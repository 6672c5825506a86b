"""Where Keras gets the seeds of its initializers from: Python's generator, or its own once `set_random_seed`
was called.

`tf.random.set_seed` has no part in it, as in TF.
"""

import random

import numpy as np

from tfcompat._package.thread_state import ThreadState
from tfcompat.random._seed import set_seed

_LARGEST_SEED = int(1e9)
_own = ThreadState()


def set_random_seed(seed):
    """Seeds Python, NumPy, `tf.random` and Keras at once.

    Args:
      seed: int.

    Raises:
      ValueError: `seed` is no int.

    TF: `tf.keras.utils.set_random_seed`; layers built afterwards start from the same weights.
    """
    if not isinstance(seed, int):
        raise ValueError(
            f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})"
        )
    random.seed(seed)
    np.random.seed(seed)
    set_seed(seed)
    _own.generator = random.Random(seed)


def new_seed():
    """The next seed for an object that was given none."""
    return getattr(_own, "generator", random).randint(1, _LARGEST_SEED)
