"""Raw ops that draw random numbers."""

import math as _math

import numpy as np

from tfcompat import array, dtypes, quantization, random
from tfcompat._core.convert import convert_to_tensor, host_constant, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.tensor import wrap
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.random import _operations as operations
from tfcompat.random._arguments import as_shape, index_dtype, record, seed_tensor, sizes_of
from tfcompat.random._philox import BLOCKS_PER_OUTPUT
from tfcompat.random._seed import advance, get_seed, next_state
from tfcompat.random._stateful import integers_between
from tfcompat.random._stateless import check_binomial, reserved_by_binomial, samples_before
from tfcompat.raw_ops._definitions import definition
from tfcompat.raw_ops._registry import made, raw


def seeds_of(seed, seed2):
    """What public functions take as `seed` for TensorFlow's two; two zeros are no seed."""
    return (seed, seed2) if seed or seed2 else None


def _next(kernel, seed, seed2, shape, dtype):
    """(state, sizes) of a call with TensorFlow's two seeds."""
    shape = as_shape(shape)
    sizes = sizes_of(shape, kernel)
    seeds = get_seed(seeds_of(seed, seed2))
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
    return random.shuffle(value, seeds_of(seed, seed2))


@raw()
def Multinomial(logits, num_samples, seed, seed2, output_dtype):
    """Samples of categorical distributions."""
    return random.categorical(logits, num_samples, output_dtype, seeds_of(seed, seed2))


@raw()
def RandomGamma(shape, alpha, seed, seed2):
    """Samples of gamma distributions."""
    alpha = convert_to_tensor(alpha)
    return random.gamma(shape, alpha, dtype=alpha.dtype, seed=seeds_of(seed, seed2))


@raw()
def RandomPoissonV2(shape, rate, seed, seed2, dtype):
    """Samples of Poisson distributions."""
    return random.poisson(shape, rate, dtype, seeds_of(seed, seed2))


@raw()
def RandomPoisson(shape, rate, seed, seed2):
    """Samples of Poisson distributions, of the dtype of `rate`."""
    rate = convert_to_tensor(rate)
    return random.poisson(shape, rate, rate.dtype, seeds_of(seed, seed2))


@raw()
def ParameterizedTruncatedNormal(shape, means, stdevs, minvals, maxvals, seed, seed2):
    """Samples of normal distributions cut off at bounds: other numbers than TensorFlow's, of the same distributions."""
    shape, parameters = static_value(shape), [convert_to_tensor(x) for x in (means, stdevs, minvals, maxvals)]
    batches = [x for x in parameters if x.shape.rank]
    if not shape or any(x.shape.rank > 1 or x.shape[0] not in (1, shape[0]) for x in batches):
        raise InvalidArgumentError(
            None, None, f"the parameters must be scalars or vectors of the first size of the shape {shape}"
        )
    state = next_state(
        "ParameterizedTruncatedNormal", get_seed(seeds_of(seed, seed2)), _math.prod(shape) * BLOCKS_PER_OUTPUT,
        parameters[0].dtype.name,
    )  # fmt: skip
    parameters = [array.broadcast_to(array.reshape(x, [-1]), [shape[0]]) for x in parameters]
    samples = record(operations.TRUNCATED_NORMAL_BETWEEN, (state, *parameters), (_math.prod(shape[1:]),))
    return array.reshape(array.transpose(samples), shape)


_SAMPLERS = {
    "UniformCandidateSampler": random.uniform_candidate_sampler,
    "LogUniformCandidateSampler": random.log_uniform_candidate_sampler,
    "LearnedUnigramCandidateSampler": random.learned_unigram_candidate_sampler,
    "ThreadUnsafeUnigramCandidateSampler": random.learned_unigram_candidate_sampler,
    "FixedUnigramCandidateSampler": random.fixed_unigram_candidate_sampler,
    "AllCandidateSampler": random.all_candidate_sampler,
}


def _sampling(name, function):
    accepted = {p: p for p in definition(name).parameters}

    def sample(seed, seed2, **arguments):
        if arguments.get("vocab_file"):  # a model that is loaded could read any file
            raise UnimplementedError(
                None, None, f"tf.raw_ops.{name}: vocab_file is not available: use "
                "tf.random.fixed_unigram_candidate_sampler"
            )  # fmt: skip
        return tuple(function(**arguments, seed=seeds_of(seed, seed2)))

    made(name, sample, accepted, doc="Classes that are drawn, and how often each is to be expected.")


for _name, _function in _SAMPLERS.items():
    _sampling(_name, _function)


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


@raw()
def QuantizeAndDequantizeV3(input, input_min, input_max, num_bits, signed_input, range_given, narrow_range, axis):
    """Numbers rounded to those that few bits tell apart."""
    rank = convert_to_tensor(input).shape.rank
    if rank is not None and axis >= rank:
        raise InvalidArgumentError(None, None, f"Axis requested is larger than input dimensions. Axis: {axis}")
    if rank == 0:
        raise when_run(f"Axis requested is larger than input dimensions. Axis: {axis} Input Dimensions: 0")
    return quantization.quantize_and_dequantize(
        input, input_min, input_max, signed_input, int(static_value(num_bits)), range_given, narrow_range=narrow_range,
        axis=None if axis == -1 else axis,
    )  # fmt: skip


@raw()
def StatelessRandomGammaV3(shape, key, counter, alg, alpha):
    """Samples of gamma distributions."""
    alpha = convert_to_tensor(alpha)
    kernel = "StatelessRandomGammaV3"
    sizes = samples_before(sizes_of(as_shape(shape), kernel), tuple(alpha.shape), kernel)
    return record(operations.GAMMA, (_state(key, counter, alg), alpha, array.ones([], alpha.dtype)), sizes)


@raw()
def StatelessRandomGammaV2(shape, seed, alpha):
    """Samples of gamma distributions."""
    alpha = convert_to_tensor(alpha)
    return random.stateless_gamma(shape, seed, alpha, dtype=alpha.dtype)


# A generator is its variable.


def _advanced(resource, algorithm, blocks):
    """The state of a generator before it moves on by a number of blocks."""
    number = int(static_value(algorithm))
    if number not in (1, 3):
        raise InvalidArgumentError(None, None, f"Unsupported algorithm id: {number}; only Philox, 1, is available")
    return wrap(advance(resource, blocks))


@raw()
def RngReadAndSkip(resource, alg, delta):
    """The state of a generator, which moves on."""
    return _advanced(resource, alg, int(static_value(delta)) * BLOCKS_PER_OUTPUT)


@raw()
def RngSkip(resource, algorithm, delta):
    """Moves a generator on."""
    _advanced(resource, algorithm, int(static_value(delta)) * BLOCKS_PER_OUTPUT)


def _of_generator(name, operation):
    def draw(resource, shape, dtype, algorithm=1):
        sizes = sizes_of(as_shape(shape), name)
        state = _advanced(resource, algorithm, _math.prod(sizes) * BLOCKS_PER_OUTPUT)
        return record(operation, (state,), sizes, dtypes.as_dtype(dtype).np)

    accepted = {p: p for p in definition(name).parameters}
    made(name, draw, accepted, doc="Numbers that a generator draws.")


_of_generator("StatefulStandardNormal", operations.NORMAL)
_of_generator("StatefulStandardNormalV2", operations.NORMAL)
_of_generator("StatefulTruncatedNormal", operations.TRUNCATED_NORMAL)
_of_generator("StatefulUniform", operations.UNIFORM)
_of_generator("StatefulUniformFullInt", operations.FULL_RANGE_INTEGER)


@raw()
def StatefulUniformInt(resource, algorithm, shape, minval, maxval):
    """Integers that a generator draws."""
    bounds = tuple(convert_to_tensor(bound, dtype_hint=dtypes.int64) for bound in (minval, maxval))
    sizes = sizes_of(as_shape(shape), "StatefulUniformInt")
    operation = integers_between(bounds, sizes, "StatefulUniformInt")
    state = _advanced(resource, algorithm, _math.prod(sizes) * BLOCKS_PER_OUTPUT)
    return record(operation, (state, *bounds), sizes)


@raw()
def StatefulRandomBinomial(resource, algorithm, shape, counts, probs, dtype):
    """Samples of binomial distributions that a generator draws."""
    counts, probs = convert_to_tensor(counts), convert_to_tensor(probs)
    sizes = sizes_of(as_shape(shape), "StatefulRandomBinomial")
    samples, dtype = check_binomial(sizes, counts, probs, dtype, "StatefulRandomBinomial")
    state = _advanced(resource, algorithm, reserved_by_binomial(sizes, samples) * BLOCKS_PER_OUTPUT)
    return record(operations.BINOMIAL, (state, counts, probs), samples, dtype.np)


@raw()
def NonDeterministicInts(shape, dtype):
    """Integers that nobody can predict."""
    sizes, dtype = sizes_of(as_shape(shape), "NonDeterministicInts"), dtypes.as_dtype(dtype)
    state = next_state("NonDeterministicInts", ((None, None), False), _math.prod(sizes) * BLOCKS_PER_OUTPUT)
    return record(operations.FULL_RANGE_INTEGER, (state,), sizes, dtype.np)
