"""`tf.random.normal`, `tf.random.uniform`...: numbers that follow from `tf.random.set_seed` and the calls
made since."""

import math

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import when_run, without_kernel
from tfcompat._core.op import REAL
from tfcompat._core.tensor import wrap
from tfcompat.array._arguments import check_is_allowed
from tfcompat.random import _operations as operations
from tfcompat.random._arguments import (
    FLOATS,
    INTEGERS,
    as_dtype_of,
    as_shape,
    check_dtype,
    index_dtype,
    invalid,
    known,
    known_now,
    record,
    show,
    sizes_of,
)
from tfcompat.random._philox import BLOCKS_PER_OUTPUT
from tfcompat.random._seed import get_seed, next_state

GAMMA_DTYPES = (dtypes.float16, dtypes.float32, dtypes.float64)
RATES = (*GAMMA_DTYPES, *INTEGERS)


@takes_composites("tf.random.normal")
def normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normally distributed numbers.

    Args:
      shape: vector of integers.
      mean: of dtype `dtype`, broadcasts with the result.
      stddev: of dtype `dtype`, broadcasts with the result.
      dtype: floating dtype.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      Tensor of dtype `dtype` and shape `shape`, broadcast with `mean` and `stddev`.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes; `dtype` is not floating; shapes do not
        broadcast.
      TypeError: `mean` or `stddev` does not fit `dtype`.
      ValueError: `mean` or `stddev` is a tensor of another dtype.

    Gradient: with respect to `mean` and `stddev`.
    TF: `tf.random.normal`; the same numbers.
    """
    return _normal("RandomStandardNormal", operations.NORMAL, shape, mean, stddev, dtype, seed)


@takes_composites("tf.random.truncated_normal")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normally distributed numbers within two standard deviations of the mean; others are drawn again.

    Args:
      shape: vector of integers.
      mean: of dtype `dtype`, broadcasts with the result.
      stddev: of dtype `dtype`, broadcasts with the result.
      dtype: floating dtype.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      Tensor of dtype `dtype` and shape `shape`, broadcast with `mean` and `stddev`.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes; `dtype` is not floating; shapes do not
        broadcast.
      TypeError: `mean` or `stddev` does not fit `dtype`.
      ValueError: `mean` or `stddev` is a tensor of another dtype.

    Gradient: with respect to `mean` and `stddev`.
    TF: `tf.random.truncated_normal`; the same numbers.
    """
    return _normal("TruncatedNormal", operations.TRUNCATED_NORMAL, shape, mean, stddev, dtype, seed)


def _normal(kernel, operation, shape, mean, stddev, dtype, seed):
    shape, dtype = as_shape(shape), dtypes.as_dtype(dtype)
    affine = scale_and_offset(mean, stddev, dtype)
    seeds = get_seed(seed)
    check_dtype(dtype, FLOATS)
    sizes = sizes_of(shape, kernel)
    state = next_state(kernel, seeds, math.prod(sizes) * BLOCKS_PER_OUTPUT, dtype.name, index_dtype(shape))
    return record(operation, (state, *affine), sizes, dtype.np)


def scale_and_offset(mean, stddev, dtype):
    """Standard deviation and mean as tensors of `dtype`, or nothing where they are 1 and 0."""
    if type(mean) is float and type(stddev) is float and mean == 0 and stddev == 1 and dtype in FLOATS:
        return ()
    mean = convert_to_tensor(mean, dtype)
    return convert_to_tensor(stddev, dtype), mean


@takes_composites("tf.random.uniform")
def uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
    """Uniformly distributed numbers in [minval, maxval).

    Args:
      shape: vector of integers.
      minval: of dtype `dtype`; for floating dtypes it broadcasts with the result, for integer ones it is a
        scalar.
      maxval: likewise; 1 by default for floating dtypes. Integers are slightly biased unless `maxval -
        minval` is a power of two.
      dtype: floating dtype, int32 or int64.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      Tensor of dtype `dtype` and shape `shape`, for floating dtypes broadcast with the bounds.

    Raises:
      ValueError: `dtype` is none of these; no `maxval` for an integer dtype; a bound is a tensor of another
        dtype.
      TypeError: a bound does not fit `dtype`.
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes; shapes do not broadcast; integer bounds
        are no scalars, or `minval >= maxval`.

    Gradient: with respect to floating bounds.
    TF: `tf.random.uniform`; the same numbers.
    """
    dtype = as_dtype_of(dtype, (*FLOATS, *INTEGERS))
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    kernel = "RandomUniformInt" if dtype.is_integer else "RandomUniform"
    shape, bounds = as_shape(shape), bounds_of(minval, maxval, dtype)
    seeds = get_seed(seed)
    sizes = sizes_of(shape, kernel)
    integers = integers_between(bounds, sizes, kernel) if dtype.is_integer else None
    state = next_state(kernel, seeds, math.prod(sizes) * BLOCKS_PER_OUTPUT, dtype.name, index_dtype(shape))
    if integers is not None:
        return record(integers, (state, *bounds), sizes)
    return record(operations.UNIFORM, (state, *bounds), sizes, dtype.np)


def bounds_of(minval, maxval, dtype):
    """The bounds as tensors of `dtype`, or nothing for floating numbers between 0 and 1."""
    if type(minval) is int and type(maxval) is int and (minval, maxval) == (0, 1) and not dtype.is_integer:
        return ()
    return convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)


def integers_between(bounds, sizes, kernel):
    """The operation for integers between bounds; raises TF's errors if these are no scalars or nothing is between."""
    for name, bound in zip(("minval", "maxval"), bounds, strict=True):
        if bound.ndim:
            raise invalid(f"{name} must be 0-D, got shape {show(bound.shape)}", kernel)
    low, high = map(known_now, bounds)
    if math.prod(sizes) and low is not None and high is not None and low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}", kernel)
    return operations.INTEGER_BETWEEN_COMPUTED if low is None or high is None else operations.INTEGER


@takes_composites("tf.random.shuffle")
def shuffle(value, seed=None, name=None):
    """`value` with the slices along its first axis in random order.

    Args:
      value: tensor of any dtype.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      Tensor of the shape and dtype of `value`.

    Gradient: none.
    TF: `tf.random.shuffle`; the same order.
    """
    seeds = get_seed(seed)
    value = convert_to_tensor(value)
    size = value.shape[0] if value.ndim else 1
    words = size - 1 if size > 1 and value.shape.num_elements() > 1 else 0
    state = next_state("RandomShuffle", seeds, -(-words // 4), value.dtype.name)
    return shuffled(operations.SHUFFLE, state, value)


def shuffled(operation, source, value):
    """`value` shuffled by `operation`; text on the host."""
    if value.dtype != dtypes.string:
        return record(operation, (source, value))
    text = known(value, "value")
    if text.ndim and len(text) > 1:
        text = text[known(record(operations.PERMUTATION, (source,), len(text)), "seed")]
    return wrap(engine.leaf(text))


@takes_composites("tf.random.categorical")
def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Samples of categorical distributions.

    Args:
      logits: floating tensor of shape [batch, classes], log-probabilities that need not be normalized.
      num_samples: int, samples for each row.
      dtype: int32 or int64, the default.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      Tensor of class numbers, shape [batch, num_samples], dtype `dtype`.

    Raises:
      ValueError: `dtype` is no such dtype.
      tf.errors.InvalidArgumentError: `logits` is no matrix, has no classes; `num_samples` is negative or no
        scalar.
      tf.errors.NotFoundError: `logits` is not floating.

    Gradient: none.
    TF: `tf.random.categorical`; the same numbers, as long as TF gives the batch to one thread.
    """
    logits = convert_to_tensor(logits)
    dtype = as_dtype_of(dtype, INTEGERS) if dtype else dtypes.int64
    seeds = get_seed(seed)
    count = categorical_count(logits, num_samples, "Multinomial")
    # TF draws float64 numbers, of two words each, for four samples at a time.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/kernels/multinomial_op.cc
    blocks = logits._node.aval.shape[0] * (-(-count // 4) * 4 * 2) * BLOCKS_PER_OUTPUT if count else 0
    state = next_state("Multinomial", seeds, blocks, logits.dtype.name, dtype.name)
    return record(operations.CATEGORICAL, (state, logits), count, dtype.np)


def categorical_count(logits, num_samples, kernel):
    """`num_samples` as an int, after TF's checks of it and of `logits`."""
    count = convert_to_tensor(num_samples, dtypes.int32)
    check_is_allowed(logits.dtype, REAL, kernel)
    if logits.dtype not in FLOATS:
        raise without_kernel(kernel, logits.dtype.name)
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {show(logits.shape)}", kernel)
    if count.ndim:
        raise invalid(f"num_samples should be a scalar, got shape {show(count.shape)}", kernel)
    count = int(known(count, "num_samples"))
    if count < 0:
        raise invalid(f"num_samples should be non-negative, got {count}", kernel)
    if logits.shape[1] == 0:
        raise when_run("num_classes should be positive, got 0")
    return count


@takes_composites("tf.random.gamma")
def gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None):
    """Samples of gamma distributions.

    Args:
      shape: vector of integers: the samples drawn for each of the distributions.
      alpha: floating tensor, the shape parameters. Below zero the samples are NaN.
      beta: of the dtype of `alpha`, inverse scales, broadcasts with it; 1 by default.
      dtype: float16, float32 or float64.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      Tensor of dtype `dtype` and shape `shape` followed by that of `alpha` and `beta`; at least `dtype`'s
      smallest normal number.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes; `alpha` and `beta` do not broadcast.
      TypeError: `alpha` or `beta` does not fit `dtype`.
      ValueError: `alpha` or `beta` is a tensor of another dtype.

    Gradient: of first order, with respect to `alpha` (implicit reparametrization) and `beta`.
    TF: `tf.random.gamma`; the same numbers, float64 ones up to rounding.
    """
    shape = as_shape(shape, dtypes.int32)
    alpha, beta = alpha_and_beta(alpha, beta, dtype)
    seeds = get_seed(seed)
    sizes = sizes_of(shape, "RandomGamma")
    check_dtype(alpha.dtype, GAMMA_DTYPES, "T")
    count = math.prod(sizes) * math.prod(np.broadcast_shapes(alpha.shape, beta.shape))
    state = next_state("RandomGamma", seeds, count * BLOCKS_PER_OUTPUT, alpha.dtype.name)
    return record(operations.GAMMA, (state, alpha, beta), sizes)


def alpha_and_beta(alpha, beta, dtype):
    """The parameters of gamma distributions as tensors of `dtype`."""
    alpha = convert_to_tensor(alpha, dtype)
    beta = convert_to_tensor(1 if beta is None else beta, dtype)
    try:
        np.broadcast_shapes(alpha.shape, beta.shape)
    except ValueError:
        raise when_run(
            f"Incompatible shapes: {show(alpha.shape)} vs. {show(beta.shape)} [Op:BroadcastArgs]"
        ) from None
    return alpha, beta


@takes_composites("tf.random.poisson")
def poisson(shape, lam, dtype=dtypes.float32, seed=None, name=None):
    """Samples of Poisson distributions.

    Args:
      shape: vector of integers: the samples drawn for each of the distributions.
      lam: tensor of the rates, float16, float32, float64, int32 or int64.
      dtype: dtype of the result, one of the same.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      Tensor of dtype `dtype` and shape `shape` followed by that of `lam`. Rates below zero count as zero.

    Raises:
      tf.errors.InvalidArgumentError: `shape` is no vector of sizes; a dtype is none of these.

    Gradient: LookupError, as in TF.
    TF: `tf.random.poisson`; the same numbers.
    """
    shape = as_shape(shape, dtypes.int32)
    seeds = get_seed(seed)
    lam = convert_to_tensor(lam)
    check_dtype(lam.dtype, RATES, "R")
    dtype = check_dtype(dtype, RATES)
    sizes = sizes_of(shape, "RandomPoissonV2")
    blocks = math.prod(sizes) * lam.shape.num_elements() * BLOCKS_PER_OUTPUT
    state = next_state("RandomPoissonV2", seeds, blocks, lam.dtype.name, dtype.name)
    return record(operations.POISSON, (state, lam), sizes, dtype.np)
