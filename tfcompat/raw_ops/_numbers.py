"""Raw ops that draw random numbers."""

import math as _math

import numpy as np

from tfcompat import array, dtypes, random
from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat.errors import UnimplementedError
from tfcompat.random import _operations as operations
from tfcompat.random._arguments import as_shape, index_dtype, record, seed_tensor, sizes_of
from tfcompat.random._philox import BLOCKS_PER_OUTPUT
from tfcompat.random._seed import get_seed, next_state
from tfcompat.random._stateful import integers_between
from tfcompat.raw_ops._registry import raw


def _next(kernel, seed, seed2, shape, dtype):
    """(state, sizes) of a call with TensorFlow's two seeds; two zeros are no seed."""
    shape = as_shape(shape)
    sizes = sizes_of(shape, kernel)
    seeds = get_seed(None) if seed == seed2 == 0 else ((seed, seed2), False)
    state = next_state(kernel, seeds, _math.prod(sizes) * BLOCKS_PER_OUTPUT, dtype.name, index_dtype(shape))
    return state, sizes


@raw()
def RandomUniform(shape, dtype, seed, seed2):
    """Numbers between 0 and 1."""
    state, sizes = _next("RandomUniform", seed, seed2, shape, dtype)
    return record(operations.UNIFORM, (state,), sizes, dtype.np)


@raw()
def RandomStandardNormal(shape, dtype, seed, seed2):
    """Normally distributed numbers."""
    state, sizes = _next("RandomStandardNormal", seed, seed2, shape, dtype)
    return record(operations.NORMAL, (state,), sizes, dtype.np)


@raw()
def TruncatedNormal(shape, dtype, seed, seed2):
    """Normally distributed numbers between -2 and 2."""
    state, sizes = _next("TruncatedNormal", seed, seed2, shape, dtype)
    return record(operations.TRUNCATED_NORMAL, (state,), sizes, dtype.np)


@raw()
def RandomUniformInt(shape, minval, maxval, seed, seed2):
    """Integers from `minval` to below `maxval`."""
    bounds = convert_to_tensor(minval), convert_to_tensor(maxval)
    state, sizes = _next("RandomUniformInt", seed, seed2, shape, bounds[0].dtype)
    return record(integers_between(bounds, sizes, "RandomUniformInt"), (state, *bounds), sizes)


@raw()
def RandomShuffle(value, seed, seed2):
    """The rows in another order."""
    return random.shuffle(value, seed2 or seed or None)


@raw()
def Multinomial(logits, num_samples, seed, seed2, output_dtype):
    """Samples of categorical distributions."""
    return random.categorical(logits, num_samples, output_dtype, seed2 or seed or None)


def _state(key, counter, alg):
    """The state of a generator, int64[3], as counter and key of Philox."""
    number = int(np.asarray(alg)) if not hasattr(alg, "numpy") else int(alg.numpy())
    if number not in (1, 3):
        raise UnimplementedError(None, None, f"random numbers by the algorithm {number}; only Philox, 1, is available")
    counter, key = convert_to_tensor(counter, dtypes.uint64), convert_to_tensor(key, dtypes.uint64)
    parts = array.concat([array.reshape(counter, [-1])[:2], array.reshape(key, [-1])[:1]], 0)
    return array.bitcast(parts, dtypes.int64)


@raw()
def StatelessRandomGetAlg():
    """The number of the algorithm for random numbers, that of Philox."""
    return host_constant(np.int32(1))


@raw()
def StatelessRandomGetKeyCounter(seed):
    """The key and counter of a seed."""
    state = record(operations.SCRAMBLE, (seed_tensor(seed),))
    state = array.bitcast(state, dtypes.uint64)
    return state[2:3], state[:2]


@raw()
def StatelessRandomGetKeyCounterAlg(seed):
    """The key, counter and algorithm of a seed."""
    return *StatelessRandomGetKeyCounter(seed), StatelessRandomGetAlg()


def _drawn(kernel, operation, state, shape, dtype):
    return record(operation, (state,), sizes_of(as_shape(shape), kernel), dtype.np)


@raw()
def StatelessRandomUniformV2(shape, key, counter, alg, dtype):
    """Numbers between 0 and 1."""
    return _drawn("StatelessRandomUniformV2", operations.UNIFORM, _state(key, counter, alg), shape, dtype)


@raw()
def StatelessRandomNormalV2(shape, key, counter, alg, dtype):
    """Normally distributed numbers."""
    return _drawn("StatelessRandomNormalV2", operations.NORMAL, _state(key, counter, alg), shape, dtype)


@raw()
def StatelessTruncatedNormalV2(shape, key, counter, alg, dtype):
    """Normally distributed numbers between -2 and 2."""
    return _drawn("StatelessTruncatedNormalV2", operations.TRUNCATED_NORMAL, _state(key, counter, alg), shape, dtype)


@raw()
def StatelessRandomUniformFullIntV2(shape, key, counter, alg, dtype):
    """Integers of any value."""
    kernel = "StatelessRandomUniformFullIntV2"
    return _drawn(kernel, operations.FULL_RANGE_INTEGER, _state(key, counter, alg), shape, dtype)


@raw()
def StatelessRandomUniformIntV2(shape, key, counter, alg, minval, maxval):
    """Integers from `minval` to below `maxval`."""
    kernel = "StatelessRandomUniformIntV2"
    bounds, sizes = (convert_to_tensor(minval), convert_to_tensor(maxval)), sizes_of(as_shape(shape), kernel)
    return record(integers_between(bounds, sizes, kernel), (_state(key, counter, alg), *bounds), sizes)


@raw()
def StatelessRandomUniform(shape, seed, dtype):
    """Numbers between 0 and 1."""
    return random.stateless_uniform(shape, seed, dtype=dtype)


@raw()
def StatelessRandomNormal(shape, seed, dtype):
    """Normally distributed numbers."""
    return random.stateless_normal(shape, seed, dtype=dtype)


@raw()
def StatelessTruncatedNormal(shape, seed, dtype):
    """Normally distributed numbers between -2 and 2."""
    return random.stateless_truncated_normal(shape, seed, dtype=dtype)


@raw()
def StatelessRandomUniformInt(shape, seed, minval, maxval):
    """Integers from `minval` to below `maxval`."""
    return random.stateless_uniform(shape, seed, minval, maxval, convert_to_tensor(minval).dtype)


@raw()
def StatelessRandomUniformFullInt(shape, seed, dtype):
    """Integers of any value."""
    return random.stateless_uniform(shape, seed, None, None, dtype)


@raw()
def StatelessMultinomial(logits, num_samples, seed, output_dtype):
    """Samples of categorical distributions."""
    return random.stateless_categorical(logits, num_samples, seed, output_dtype)


@raw()
def StatelessShuffle(value, key, counter, alg):
    """The rows in another order."""
    return record(operations.STATELESS_SHUFFLE, (_state(key, counter, alg), convert_to_tensor(value)))
