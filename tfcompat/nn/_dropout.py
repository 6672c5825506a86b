"""Dropout."""

import functools
import numbers

import jax.numpy as jnp

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.op import FLOATING, op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat.random import _seed, stateless_uniform, uniform


@op("_dropout", kernel="SelectV2", tensors=("x", "noise", "rate", "scale"), dtypes=FLOATING)
def _dropped(x, noise, rate, scale):
    return jnp.where(noise >= rate, x * scale, jnp.zeros_like(x))


@op("_dropout_by_tensor", kernel="SelectV2", tensors=("x", "noise", "rate"), dtypes=FLOATING)
def _dropped_by_tensor(x, noise, rate):
    return jnp.where(noise >= rate, x / (jnp.ones_like(rate) - rate), jnp.zeros_like(x))


def _noise_shape(x, noise_shape):
    sizes = x._node.aval.shape
    if noise_shape is None:
        return sizes
    if isinstance(noise_shape, TensorShape) and noise_shape.rank is None:
        return sizes
    noise_sizes = static_value(noise_shape)
    if len(noise_sizes) == len(sizes):
        return tuple(size if one is None else one for one, size in zip(noise_sizes, sizes, strict=True))
    return noise_sizes


def _dropout(x, rate, noise_shape, sample, skip):
    plain = isinstance(rate, numbers.Real)
    if plain and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    x = convert_to_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype!r}"
        )
    if plain and rate == 0:
        skip()
        return x
    if not plain:
        if not isinstance(rate, Tensor) and not hasattr(rate, "_as_node"):
            raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
        rate = convert_to_tensor(rate)
        if len(rate.shape):
            raise ValueError(f"Shape {rate.shape} must have rank 0")
        if rate.dtype != x.dtype:
            raise ValueError(
                "`x.dtype` must be compatible with `rate.dtype`. "
                f"Received: x.dtype={x.dtype!r} and rate.dtype={rate.dtype!r}"
            )
    noise = sample(shape=_noise_shape(x, noise_shape), dtype=x.dtype)
    if plain:
        return _dropped(x, noise, float(rate), 1 / (1 - float(rate)))
    return _dropped_by_tensor(x, noise, rate)


@takes_composites("tf.nn.dropout")
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Sets elements to zero at random, and scales the others up so that the expected sum stays.

    Args:
      x: floating tensor.
      rate: probability that an element becomes zero, in [0, 1): a number, or a scalar tensor of the dtype of
        `x`.
      noise_shape: shape of the random decisions, which broadcast to `x`; that of `x` if None.
      seed: integer, together with the global seed the seed of this call; or None.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `x`; `x` itself if `rate` is the number 0.

    Raises:
      ValueError: `rate` out of range or of another dtype, or `x` not floating.

    TF: `tf.nn.dropout`; the same decisions for the same seeds.
    """
    sample = functools.partial(uniform, seed=seed)
    return _dropout(x, rate, noise_shape, sample, lambda: _seed.get_seed(seed))


@takes_composites("tf.nn.experimental.stateless_dropout")
def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None):
    """Dropout that depends on its `seed` alone; see `dropout`.

    Args:
      x: floating tensor.
      rate: probability that an element becomes zero, in [0, 1): a number, or a scalar tensor of the dtype of
        `x`.
      seed: integer tensor of shape `[2]`.
      rng_alg: as in `tf.random.stateless_uniform`.
      noise_shape: shape of the random decisions, which broadcast to `x`; that of `x` if None.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      ValueError: `rate` out of range or of another dtype, or `x` not floating.

    TF: `tf.nn.experimental.stateless_dropout`; the same decisions for the same seed.
    """
    sample = functools.partial(
        stateless_uniform, seed=seed, alg="auto_select" if rng_alg is None else rng_alg
    )
    return _dropout(x, rate, noise_shape, sample, lambda: None)


def general_dropout(x, rate, uniform_sampler, noise_shape=None, name=None):
    """Dropout with random numbers of the caller's; see `dropout`.

    Args:
      x: floating tensor.
      rate: probability that an element becomes zero, in [0, 1): a number, or a scalar tensor of the dtype of
        `x`.
      uniform_sampler: function of `shape` and `dtype` that returns uniform random numbers in [0, 1).
      noise_shape: shape of the random decisions, which broadcast to `x`; that of `x` if None.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      ValueError: `rate` out of range or of another dtype, or `x` not floating.

    TF: `tf.nn.experimental.general_dropout`; no known difference.
    """
    return _dropout(x, rate, noise_shape, uniform_sampler, lambda: None)
