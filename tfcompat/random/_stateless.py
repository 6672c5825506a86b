"""`tf.random.stateless_uniform`...: numbers that are a function of a seed, the same at every call."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import when_run, without_kernel
from tfcompat.array import stack
from tfcompat.random import _operations as operations
from tfcompat.random._arguments import (
    FLOATS,
    FULL_RANGE_INTEGERS,
    INTEGERS,
    as_dtype_of,
    as_shape,
    check_dtype,
    invalid,
    known_now,
    record,
    seed_tensor,
    sizes_of,
)
from tfcompat.random._stateful import (
    GAMMA_DTYPES,
    RATES,
    alpha_and_beta,
    bounds_of,
    categorical_count,
    integers_between,
    scale_and_offset,
    shuffled,
)


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None, alg="auto_select"):
    """Uniformly distributed numbers in [minval, maxval), a function of `seed`.

    Args:
      shape: vector of integers.
      seed: int32 or int64 tensor of shape [2].
      minval: of dtype `dtype`; for floating dtypes it broadcasts with the result, for integer ones it is a
        scalar.
      maxval: likewise; 1 by default for floating dtypes. With None for both bounds and an integer dtype, all
        its values occur.
      dtype: floating dtype, int32 or int64; uint32 or uint64 with None for both bounds.
      name: ignored.
      alg: "philox" or "auto_select", the same.

    Returns:
      Tensor of dtype `dtype` and shape `shape`, for floating dtypes broadcast with the bounds.

    Raises:
      ValueError: `dtype` is none of these; one integer bound without the other; a bound is a tensor of
        another dtype; an unknown `alg`.
      TypeError: a bound does not fit `dtype`.
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes; `seed` is of another dtype or shape;
        shapes do not broadcast; integer bounds are no scalars, or `minval >= maxval`;
        `alg` is "threefry".

    Gradient: with respect to floating bounds.
    TF: `tf.random.stateless_uniform`; the same numbers.
    """
    dtype = as_dtype_of(dtype, (*FLOATS, *FULL_RANGE_INTEGERS))
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None or "
                f"not None. Got `minval`={minval} and `maxval`={maxval}."
            )
        if minval is not None and dtype not in INTEGERS:
            raise ValueError(
                f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. Please "
                "don't use unsigned integers in this case."
            )
    elif maxval is None:
        maxval = 1
    full_range = dtype.is_integer and minval is None
    kernel = f"StatelessRandomUniform{('FullInt' if full_range else 'Int') if dtype.is_integer else ''}V2"
    shape = as_shape(shape)
    bounds = () if full_range else bounds_of(minval, maxval, dtype)
    seed = seed_tensor(seed, alg=alg)
    sizes = sizes_of(shape, kernel)
    if full_range:
        return record(operations.FULL_RANGE_INTEGER, (seed,), sizes, dtype.np)
    if dtype.is_integer:
        return record(integers_between(bounds, sizes, kernel), (seed, *bounds), sizes)
    return record(operations.UNIFORM, (seed, *bounds), sizes, dtype.np)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select"):
    """Normally distributed numbers, a function of `seed`.

    Args:
      shape: vector of integers.
      seed: int32 or int64 tensor of shape [2].
      mean: of dtype `dtype`, broadcasts with the result.
      stddev: of dtype `dtype`, broadcasts with the result.
      dtype: floating dtype.
      name: ignored.
      alg: "philox" or "auto_select", the same.

    Returns:
      Tensor of dtype `dtype` and shape `shape`, broadcast with `mean` and `stddev`.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes; `seed` is of another dtype or shape;
        `dtype` is not floating; shapes do not broadcast; `alg` is "threefry".
      TypeError: `mean` or `stddev` does not fit `dtype`.
      ValueError: `mean` or `stddev` is a tensor of another dtype; an unknown `alg`.

    Gradient: with respect to `mean` and `stddev`.
    TF: `tf.random.stateless_normal`; the same numbers.
    """
    return _normal("StatelessRandomNormalV2", operations.NORMAL, shape, seed, mean, stddev, dtype, alg)


def stateless_truncated_normal(
    shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select"
):
    """Normally distributed numbers within two standard deviations of the mean, a function of `seed`.

    Args:
      shape: vector of integers.
      seed: int32 or int64 tensor of shape [2].
      mean: of dtype `dtype`, broadcasts with the result.
      stddev: of dtype `dtype`, broadcasts with the result.
      dtype: floating dtype.
      name: ignored.
      alg: "philox" or "auto_select", the same.

    Returns:
      Tensor of dtype `dtype` and shape `shape`, broadcast with `mean` and `stddev`.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes; `seed` is of another dtype or shape;
        `dtype` is not floating; shapes do not broadcast; `alg` is "threefry".
      TypeError: `mean` or `stddev` does not fit `dtype`.
      ValueError: `mean` or `stddev` is a tensor of another dtype; an unknown `alg`.

    Gradient: with respect to `mean` and `stddev`.
    TF: `tf.random.stateless_truncated_normal`; the same numbers, float32 ones up to 3 units in the last
    place.
    """
    operation = operations.TRUNCATED_NORMAL
    return _normal("StatelessTruncatedNormalV2", operation, shape, seed, mean, stddev, dtype, alg)


def _normal(kernel, operation, shape, seed, mean, stddev, dtype, alg):
    shape = as_shape(shape)
    dtype = dtypes.as_dtype(dtype)
    affine = scale_and_offset(mean, stddev, dtype)
    seed = seed_tensor(seed, alg=alg)
    check_dtype(dtype, FLOATS)
    sizes = sizes_of(shape, kernel)
    return record(operation, (seed, *affine), sizes, dtype.np)


@takes_composites("tf.random.stateless_categorical")
def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None):
    """Samples of categorical distributions, a function of `seed`.

    Args:
      logits: floating tensor of shape [batch, classes], log-probabilities that need not be normalized.
      num_samples: int, samples for each row.
      seed: int32 or int64 tensor of shape [2].
      dtype: int32 or int64.
      name: ignored.

    Returns:
      Tensor of class numbers, shape [batch, num_samples], dtype `dtype`.

    Raises:
      ValueError: `dtype` is no such dtype.
      tf.errors.InvalidArgumentError: `logits` is no matrix, has no classes; `num_samples` is negative or no
        scalar; `seed` is of another dtype or shape.
      tf.errors.NotFoundError: `logits` is not floating.

    Gradient: none.
    TF: `tf.random.stateless_categorical`; the same numbers, as long as TF gives the batch to one thread.
    """
    logits = convert_to_tensor(logits)
    dtype = as_dtype_of(dtype, INTEGERS) if dtype else dtypes.int64
    count = categorical_count(logits, num_samples, "StatelessMultinomial")
    seed = seed_tensor(seed, "StatelessMultinomial")
    return record(operations.CATEGORICAL, (seed, logits), count, dtype.np)


@takes_composites("tf.random.stateless_gamma")
def stateless_gamma(shape, seed, alpha, beta=None, dtype=dtypes.float32, name=None):
    """Samples of gamma distributions, a function of `seed`.

    Args:
      shape: vector of integers that ends with the shape of `alpha` and `beta`, broadcast.
      seed: int32 or int64 tensor of shape [2].
      alpha: floating tensor, the shape parameters. Below zero the samples are NaN.
      beta: of the dtype of `alpha`, inverse scales, broadcasts with it; 1 by default.
      dtype: float16, float32 or float64.
      name: ignored.

    Returns:
      Tensor of shape `shape` and dtype `dtype`; at least its smallest normal number.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes or does not end so; `seed` is of another
        dtype or shape; `alpha` and `beta` do not broadcast.
      TypeError: `alpha` or `beta` does not fit `dtype`.
      ValueError: `alpha` or `beta` is a tensor of another dtype.

    Gradient: of first order, with respect to `alpha` (implicit reparametrization) and `beta`.
    TF: `tf.random.stateless_gamma`; the same numbers, float64 ones up to rounding.
    """
    kernel = "StatelessRandomGammaV3"
    shape = as_shape(shape)
    alpha, beta = alpha_and_beta(alpha, beta, dtype)
    seed = seed_tensor(seed)
    check_dtype(alpha.dtype, GAMMA_DTYPES)
    sizes = sizes_of(shape, kernel)
    samples = samples_before(sizes, np.broadcast_shapes(alpha.shape, beta.shape), kernel)
    return record(operations.GAMMA, (seed, alpha, beta), samples)


@takes_composites("tf.random.stateless_poisson")
def stateless_poisson(shape, seed, lam, dtype=dtypes.int32, name=None):
    """Samples of Poisson distributions, a function of `seed`.

    Args:
      shape: vector of integers that ends with the shape of `lam`.
      seed: int32 or int64 tensor of shape [2].
      lam: tensor of the rates, float16, float32, float64, int32 or int64.
      dtype: dtype of the result, one of the same.
      name: ignored.

    Returns:
      Tensor of shape `shape` and dtype `dtype`. Rates below zero count as zero.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes or does not end so; `seed` is of another
        dtype or shape; a dtype is none of these.

    Gradient: none.
    TF: `tf.random.stateless_poisson`; the same numbers.
    """
    kernel = "StatelessRandomPoisson"
    shape = as_shape(shape)
    lam = convert_to_tensor(lam)
    check_dtype(lam.dtype, RATES, "Rtype")
    dtype = check_dtype(dtype, RATES)
    seed = seed_tensor(seed, kernel)
    samples = samples_before(sizes_of(shape, kernel), tuple(lam.shape), kernel)
    return record(operations.STATELESS_POISSON, (seed, lam), samples, dtype.np)


@takes_composites("tf.random.stateless_binomial")
def stateless_binomial(shape, seed, counts, probs, output_dtype=dtypes.int32, name=None):
    """Samples of binomial distributions, a function of `seed`.

    Args:
      shape: vector of integers that ends with the shape of `counts` and `probs`, broadcast.
      seed: int32 or int64 tensor of shape [2].
      counts: numbers of trials, float16, float32, float64, int32 or int64.
      probs: probabilities of success, of the same dtype; broadcasts with `counts`.
      output_dtype: dtype of the result, one of the same.
      name: ignored.

    Returns:
      Tensor of shape `shape` and dtype `output_dtype`.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes or does not end so; `seed` is of another
        dtype or shape; `counts` and `probs` differ in dtype or do not broadcast; a dtype is none of these.

    Gradient: none.
    TF: `tf.random.stateless_binomial`; the same numbers.
    """
    kernel = "StatelessRandomBinomial"
    shape = as_shape(shape)
    probs = convert_to_tensor(probs, dtype_hint=dtypes.float32)
    counts = convert_to_tensor(counts, dtype_hint=probs.dtype)
    samples, dtype = check_binomial(sizes_of(shape, kernel), counts, probs, output_dtype, kernel)
    seed = seed_tensor(seed, kernel)
    return record(operations.STATELESS_BINOMIAL, (seed, counts, probs), samples, dtype.np)


def check_binomial(sizes, counts, probs, dtype, kernel):
    """The sizes before those of the parameters, and the dtype, of binomial samples; TF's errors."""
    check_dtype(counts.dtype, RATES, "T")
    if counts.dtype != probs.dtype:
        message = f"`probs` was expected to be a {counts.dtype.name} tensor but is a {probs.dtype.name} tensor"
        raise invalid(message, kernel)
    dtype = check_dtype(dtype, RATES)
    if counts.dtype.is_integer:
        raise without_kernel(kernel, counts.dtype.name)
    try:
        inner = np.broadcast_shapes(counts.shape, probs.shape)
    except ValueError:
        raise invalid(
            f"counts and probs must have compatible batch dimensions: {counts.shape} vs. {probs.shape}",
            kernel,
        ) from None
    return samples_before(sizes, inner, kernel), dtype


def reserved_by_binomial(sizes, samples):
    """How many numbers TF's generator moves on for binomial samples."""
    per_batch = int(np.prod(samples, dtype=np.int64))
    batches = int(np.prod(sizes, dtype=np.int64)) // per_batch if per_batch else 0
    return batches * 2 * 100 * (per_batch + 3) // 4


def stateless_parameterized_truncated_normal(
    shape, seed, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, name=None
):
    """Samples of normal distributions cut off at bounds, a function of `seed`.

    Args:
      shape: vector of integers that ends with the shape of the parameters, broadcast.
      seed: int32 or int64 tensor of shape [2].
      means: floating tensor.
      stddevs: of the same dtype, positive.
      minvals: of the same dtype, lower bounds.
      maxvals: of the same dtype, upper bounds; one of the two bounds is finite.
      name: ignored.

    Returns:
      Tensor of shape `shape` and the dtype of the parameters.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes or does not end so; `seed` is of another
        dtype or shape; parameters differ in dtype; they are invalid (not raised where they are still to be
        computed: the samples are then NaN).

    Gradient: with respect to all parameters (implicit reparametrization).
    TF: `tf.random.stateless_parameterized_truncated_normal`; the same distribution, other numbers.
    """
    kernel = "StatelessParameterizedTruncatedNormal"
    shape = as_shape(shape)
    parameters = [convert_to_tensor(x) for x in (means, stddevs, minvals, maxvals)]
    for x in parameters:
        check_dtype(x.dtype, GAMMA_DTYPES)
        if x.dtype != parameters[0].dtype:
            names = [x.dtype.name for x in parameters]
            raise invalid(f"the parameters must be of one dtype, got {', '.join(names)}", kernel)
    seed = seed_tensor(seed, kernel)
    try:
        inner = np.broadcast_shapes(*(tuple(x.shape) for x in parameters))
    except ValueError:
        raise invalid("the parameters must have compatible shapes", kernel) from None
    samples = samples_before(sizes_of(shape, kernel), inner, kernel)
    _, stddev, low, high = map(known_now, parameters)
    if stddev is not None and low is not None and high is not None:
        if not np.all((stddev > 0) & (low < high) & (np.isfinite(low) | np.isfinite(high))):
            raise invalid("Invalid parameters", kernel)
    return record(operations.TRUNCATED_NORMAL_BETWEEN, (seed, *parameters), samples)


def samples_before(sizes, inner, kernel):
    """What stands in `sizes` before the shape of the parameters."""
    before = len(sizes) - len(inner)
    if before < 0 or sizes[before:] != tuple(inner):
        # TF's Python function broadcasts the parameters of these to the shape.
        text = "Shape passed in must end with broadcasted shape."
        found_late = kernel not in ("StatelessRandomGammaV3", "StatefulRandomBinomial")
        raise when_run(f"{text} [Op:{kernel}]") if found_late else invalid(text, kernel)
    return sizes[:before]


def split(seed, num=2, alg="auto_select"):
    """New seeds made of one.

    Args:
      seed: int32 or int64 tensor of shape [2].
      num: int, how many.
      alg: "philox" or "auto_select", the same.

    Returns:
      Tensor of shape [num, 2] and the dtype of `seed`.

    Raises:
      tf.errors.InvalidArgumentError: `seed` is of another shape.
      ValueError: `seed` is not of such a dtype.

    TF: `tf.random.split`; the same seeds.
    """
    seed = convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@takes_composites("tf.random.experimental.stateless_fold_in")
def fold_in(seed, data, alg="auto_select"):
    """A new seed made of a seed and a number, such as that of a replica or a step.

    Args:
      seed: int32 or int64 tensor of shape [2].
      data: int32 or int64 scalar.
      alg: "philox" or "auto_select", the same.

    Returns:
      Tensor of shape [2] and the dtype of `data`.

    Raises:
      tf.errors.InvalidArgumentError: `seed` is of another dtype or shape.
      ValueError: `data` is not of such a dtype.

    TF: `tf.random.fold_in`; the same seed.
    """
    data = convert_to_tensor(data)
    return stack([stateless_uniform([], seed, None, None, data.dtype, alg=alg), data])


@takes_composites("tf.random.experimental.stateless_shuffle")
def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """`value` with the slices along its first axis in an order that is a function of `seed`.

    Args:
      value: tensor of any dtype.
      seed: int32 or int64 tensor of shape [2].
      alg: "philox" or "auto_select", the same.
      name: ignored.

    Returns:
      Tensor of the shape and dtype of `value`.

    Raises:
      tf.errors.InvalidArgumentError: `seed` is of another dtype or shape.

    Gradient: LookupError, as in TF.
    TF: `tf.random.experimental.stateless_shuffle`; the same order.
    """
    seed = seed_tensor(seed, alg=alg)
    return shuffled(operations.STATELESS_SHUFFLE, seed, convert_to_tensor(value))
