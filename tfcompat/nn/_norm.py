"""Moments and normalization."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, static_value
from tfcompat._core.op import INDEX, INEXACT, NUMERIC, op
from tfcompat.array import cast, gather, shape
from tfcompat.array._arguments import as_axis, as_int, as_ints, invalid
from tfcompat.math import reduce_prod

_LRN = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32})
_SQUARED = INEXACT | INDEX  # what SquaredDifference takes


def _axes(axes, rank):
    return tuple(dict.fromkeys(as_axis(one, rank) for one in as_ints(axes, "axes")))


def _square(x):
    return x * x.conj() if x.dtype.kind == "c" else x * x


@op("_moments", kernel="Mean", tensors=("x",), dtypes=_SQUARED)
def _moments(x, axes, keepdims):
    y = x.astype(np.float32) if x.dtype == np.float16 else x
    axes = _axes(axes, x.ndim)
    mean = y.mean(axes, keepdims=True)
    # TF takes the mean inside the variance as a constant, which is right to first order only.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/nn_impl.py
    variance = _square(y - lax.stop_gradient(mean)).mean(axes, keepdims=True)
    if not keepdims:
        mean, variance = mean.squeeze(axes), variance.squeeze(axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)


@takes_composites("tf.nn.moments")
def moments(x, axes, shift=None, keepdims=False, name=None):
    """Mean and variance.

    Args:
      x: floating or complex tensor.
      axes: the axes over which to take them, an integer or several.
      shift: has no effect, as in TF.
      keepdims: whether the axes stay, with size 1.
      name: ignored.

    Returns:
      `(mean, variance)`, of the dtype of `x`; float16 is computed in float32.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range.

    Gradient: the variance takes its mean for a constant, which is right for the first derivative only.
    TF: `tf.nn.moments`; lists are accepted too.
    """
    axes = tuple(range(convert_to_tensor(x).ndim)) if axes is None else axes
    mean, variance = _moments(x, axes, keepdims)
    return mean, variance


def _quotient(x, y):
    """`x / y`, zero where `y` is zero, whose derivative is zero there too."""
    empty = y == 0
    return jnp.where(empty, jnp.zeros_like(x), x / jnp.where(empty, jnp.ones_like(y), y))


@op("_weighted_moments", kernel="DivNoNan", tensors=("x", "weights"), same=("x",), dtypes=INEXACT)
def _weighted_moments(x, weights, axes, keepdims):
    y = x.astype(np.float32) if x.dtype == np.float16 else x
    shape = jnp.broadcast_shapes(weights.shape, y.shape)
    y, weights, axes = jnp.broadcast_to(y, shape), weights.astype(y.dtype), _axes(axes, len(shape))
    total = jnp.broadcast_to(weights, jnp.broadcast_shapes(weights.shape, y.shape)).sum(axes, keepdims=True)
    mean = _quotient((weights * y).sum(axes, keepdims=True), total)
    variance = _quotient((weights * _square(y - mean)).sum(axes, keepdims=True), total)
    if not keepdims:
        mean, variance = mean.squeeze(axes), variance.squeeze(axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)


@takes_composites("tf.nn.weighted_moments")
def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """Mean and variance with a weight for each element.

    Args:
      x: floating tensor.
      axes: the axes over which to take them, an integer or several.
      frequency_weights: tensor that broadcasts to `x`; converted to its dtype.
      keepdims: whether the axes stay, with size 1.
      name: ignored.

    Returns:
      `(mean, variance)`, of the dtype of `x`; zero where the weights have sum zero.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range, or shapes do not broadcast.

    TF: `tf.nn.weighted_moments`; no known difference.
    """
    x, weights = convert_to_tensor(x), convert_to_tensor(frequency_weights)
    mean, variance = _weighted_moments(x, weights, axes, keepdims)
    return mean, variance


@op("_sufficient_statistics", kernel="Sum", tensors=("x", "shift"), dtypes={"x": NUMERIC, "shift": _SQUARED}, beside=1)
def _sufficient_statistics(x, axes, keepdims, shift=None):
    moved = x if shift is None else x - shift
    axes = _axes(axes, x.ndim)
    return tuple(x.sum(axes, keepdims=bool(keepdims), dtype=x.dtype) for x in (moved, _square(moved)))


@takes_composites("tf.nn.sufficient_statistics")
def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """Count, sum and sum of squares, from which `normalize_moments` makes mean and variance.

    Args:
      x: floating tensor.
      axes: the axes over which to sum, a list of integers.
      shift: what to subtract from `x` first, close to its mean; or None.
      keepdims: whether the axes stay, with size 1.
      name: ignored.

    Returns:
      `(count, sum, sum of squares, shift)`; tensors of the dtype of `x`, `shift` as it was given if None.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range.

    TF: `tf.nn.sufficient_statistics`; no known difference.
    """
    x = convert_to_tensor(x)
    sizes = tuple(x.shape)
    axes_ = _axes(static_value(axes), len(sizes))
    if any(sizes[one] is None for one in axes_):
        count = cast(reduce_prod(gather(shape(x), list(axes_))), x.dtype)
    else:
        count = host_constant(np.array(np.prod([sizes[one] for one in axes_], dtype=np.int64), x.dtype.np))
    if shift is not None:
        shift = convert_to_tensor(shift, dtype_hint=x.dtype)
    total, squares = _sufficient_statistics(x, axes, keepdims, shift)
    return count, total, squares, shift


@op("_normalize_moments", kernel="Sub", tensors=("counts", "mean_ss", "variance_ss", "shift"), dtypes=INEXACT)
def _normalize_moments(counts, mean_ss, variance_ss, shift=None):
    divisor = np.asarray(1, counts.dtype) / counts
    shifted = mean_ss * divisor
    return shifted if shift is None else shifted + shift, variance_ss * divisor - shifted * shifted


@takes_composites("tf.nn.normalize_moments")
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """Mean and variance from what `sufficient_statistics` returns.

    Args:
      counts: scalar tensor, how many elements there were.
      mean_ss: their (shifted) sum.
      variance_ss: the sum of their (shifted) squares.
      shift: what was subtracted from them, or None.
      name: ignored.

    Returns:
      `(mean, variance)`, tensors of the same dtype.

    TF: `tf.nn.normalize_moments`; no known difference.
    """
    mean, variance = _normalize_moments(counts, mean_ss, variance_ss, shift)
    return mean, variance


@op(
    "_batch_normalization",
    kernel="Mul",
    tensors=("x", "mean", "variance", "variance_epsilon", "offset", "scale"),
    same=("mean", "variance", "variance_epsilon", "offset", "scale"),
    dtypes={"x": NUMERIC, **dict.fromkeys(("mean", "variance", "variance_epsilon", "offset", "scale"), INEXACT)},
    hinted=("variance_epsilon",),
)
def _batch_normalization(x, mean, variance, variance_epsilon, offset=None, scale=None):
    factor = lax.rsqrt(variance + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    constant = -mean * factor if offset is None else offset - mean * factor
    return x * factor.astype(x.dtype) + constant.astype(x.dtype)


@takes_composites("tf.nn.batch_normalization")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """`scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Args:
      x: floating tensor.
      mean: floating tensor that broadcasts to `x`.
      variance: likewise.
      offset: likewise, or None for 0.
      scale: likewise, or None for 1.
      variance_epsilon: small scalar.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not broadcast; mean, variance, offset and scale differ in
        dtype.

    TF: `tf.nn.batch_normalization`; lists are accepted too.
    """
    return _batch_normalization(x, mean, variance, variance_epsilon, offset, scale)


def batch_norm_with_global_normalization(
    input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None
):
    """Batch normalization of images with given statistics; see `batch_normalization`.

    Args:
      input: floating tensor of shape `[batch, height, width, depth]`.
      mean: tensor of shape `[depth]`.
      variance: tensor of shape `[depth]`.
      beta: what to add, of shape `[depth]`.
      gamma: what to multiply by, of shape `[depth]`; used if `scale_after_normalization`.
      variance_epsilon: small scalar.
      scale_after_normalization: whether to use `gamma`.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `input`.

    TF: `tf.nn.batch_norm_with_global_normalization`; no known difference.
    """
    gamma = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, gamma, variance_epsilon)


@op("tf.nn.local_response_normalization", "tf.nn.lrn", kernel="LRN", tensors=("input",), dtypes=_LRN)
def local_response_normalization(input, depth_radius=5, bias=1, alpha=1, beta=0.5):
    """Divides by a power of the sum of squares of neighbouring channels.

    Args:
      input: float16, bfloat16 or float32 tensor of shape `[batch, height, width, channels]`.
      depth_radius: how many channels on either side count.
      bias: what is added to the sum.
      alpha: factor of the sum.
      beta: the exponent.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: `input` is not 4-D.

    TF: `tf.nn.local_response_normalization`; second derivatives exist here.
    """
    if input.ndim != 4:
        raise invalid("in must be 4-dimensional")
    radius, kind = as_int(depth_radius, "depth_radius"), input.dtype.type
    window, padding = (1, 1, 1, 2 * radius + 1), ((0, 0),) * 3 + ((radius, radius),)
    squares = lax.reduce_window(input * input, np.zeros((), input.dtype), lax.add, window, (1,) * 4, padding)
    return input * (kind(bias) + kind(alpha) * squares) ** -kind(beta)


lrn = local_response_normalization
