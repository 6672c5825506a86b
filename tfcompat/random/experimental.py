"""`tf.random.experimental`: older names of what is in `tf.random`, and functions that are nowhere else."""

from tfcompat.random._arguments import Algorithm as Algorithm
from tfcompat.random._generator import Generator as Generator
from tfcompat.random._generator import create_rng_state as create_rng_state
from tfcompat.random._generator import get_global_generator as get_global_generator
from tfcompat.random._generator import set_global_generator as set_global_generator
from tfcompat.random._index_shuffle import index_shuffle as index_shuffle
from tfcompat.random._stateless import fold_in as stateless_fold_in
from tfcompat.random._stateless import split as stateless_split
from tfcompat.random._stateless import stateless_shuffle as stateless_shuffle

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
