"""`tf.random`: TensorFlow's random numbers, number for number."""

from tfcompat._package.missing import missing as _missing
from tfcompat.random import _on_host as _on_host  # its rules for initial values
from tfcompat.random import experimental as experimental
from tfcompat.random._arguments import Algorithm as Algorithm
from tfcompat.random._candidates import all_candidate_sampler as all_candidate_sampler
from tfcompat.random._candidates import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tfcompat.random._candidates import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from tfcompat.random._candidates import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from tfcompat.random._candidates import uniform_candidate_sampler as uniform_candidate_sampler
from tfcompat.random._generator import Generator as Generator
from tfcompat.random._generator import create_rng_state as create_rng_state
from tfcompat.random._generator import get_global_generator as get_global_generator
from tfcompat.random._generator import set_global_generator as set_global_generator
from tfcompat.random._seed import set_seed as set_seed
from tfcompat.random._stateful import categorical as categorical
from tfcompat.random._stateful import gamma as gamma
from tfcompat.random._stateful import normal as normal
from tfcompat.random._stateful import poisson as poisson
from tfcompat.random._stateful import shuffle as shuffle
from tfcompat.random._stateful import truncated_normal as truncated_normal
from tfcompat.random._stateful import uniform as uniform
from tfcompat.random._stateless import fold_in as fold_in
from tfcompat.random._stateless import split as split
from tfcompat.random._stateless import stateless_binomial as stateless_binomial
from tfcompat.random._stateless import stateless_categorical as stateless_categorical
from tfcompat.random._stateless import stateless_gamma as stateless_gamma
from tfcompat.random._stateless import stateless_normal as stateless_normal
from tfcompat.random._stateless import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from tfcompat.random._stateless import stateless_poisson as stateless_poisson
from tfcompat.random._stateless import stateless_truncated_normal as stateless_truncated_normal
from tfcompat.random._stateless import stateless_uniform as stateless_uniform

__getattr__ = _missing("tf.random")
