"""Activation functions."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import FLOATING, INEXACT, REAL, SIGNED, op
from tfcompat.array._arguments import as_int, invalid
from tfcompat.array._cast import cast, of_bools
from tfcompat.math._derivative import with_partials


# NaN stays NaN. TF's ReluGrad multiplies by 0 or 1, so an infinite cotangent gives NaN where the unit is inactive.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/kernels/relu_op_functor.h
@with_partials(lambda y, x: of_bools(x > 0, x.dtype))
def _rectified(x):
    if x.dtype.itemsize == 2 and jnp.issubdtype(x.dtype, jnp.floating):
        return jnp.where(x < 0, jnp.zeros_like(x), x)  # -0.0 stays; for wider numbers TF goes by size and place
    return jnp.where(x > 0, x, jnp.where(x != x, x, jnp.zeros_like(x)))


@with_partials(lambda y, x: of_bools((x > 0) & (x < 6), x.dtype))
def _rectified_to_6(x):
    return jnp.where(x >= 6, jnp.asarray(6, x.dtype), _rectified(x))


@op("tf.nn.relu", kernel="Relu", tensors=("features",), dtypes=REAL, zero_second=True)
def relu(features):
    """`max(features, 0)`.

    Args:
      features: real tensor.

    Returns:
      Tensor with the shape and dtype of `features`.

    Gradient: 0 at 0 and at NaN.
    TF: `tf.nn.relu`; no known difference.
    """
    return _rectified(features)


@op("tf.nn.relu6", kernel="Relu6", tensors=("features",), dtypes=REAL, zero_second=True)
def relu6(features):
    """`min(max(features, 0), 6)`.

    Args:
      features: real tensor.

    Returns:
      Tensor with the shape and dtype of `features`.

    Gradient: 0 at 0, at 6 and at NaN.
    TF: `tf.nn.relu6`; no known difference.
    """
    return _rectified_to_6(features)


@op("tf.nn.leaky_relu", kernel="LeakyRelu", tensors=("features",), dtypes=REAL, zero_second=True)
def leaky_relu(features, alpha=0.2):
    """`features` where positive, `alpha * features` elsewhere.

    Args:
      features: real tensor; integers are converted to float32.
      alpha: Python number, the slope below zero.

    Returns:
      Floating tensor with the shape of `features`.

    Gradient: `alpha` at 0.
    TF: `tf.nn.leaky_relu`; no known difference.
    """
    if jnp.issubdtype(features.dtype, jnp.integer):
        features = features.astype(np.float32)
    return jnp.where(features > 0, features, features * np.asarray(np.float32(alpha), features.dtype))


def _exponential_below(x):
    """`exp(x) - 1` below zero, in whose place above zero is a zero that cannot overflow."""
    return jnp.expm1(jnp.where(x < 0, x, jnp.zeros_like(x)))


@op("tf.nn.elu", kernel="Elu", tensors=("features",), dtypes=FLOATING)
def elu(features):
    """`features` where not negative, `exp(features) - 1` elsewhere.

    Args:
      features: floating tensor.

    Returns:
      Tensor with the shape and dtype of `features`.

    Gradient: 1 at 0; the second derivative there is 0.
    TF: `tf.nn.elu`; no known difference.
    """
    return jnp.where(features < 0, _exponential_below(features), features)


_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


@op("tf.nn.selu", kernel="Selu", tensors=("features",), dtypes=FLOATING)
def selu(features):
    """Scaled exponential linear unit: 1.0507 `features` where not negative, 1.7581 `(exp(features) - 1)`
    elsewhere.

    Args:
      features: floating tensor.

    Returns:
      Tensor with the shape and dtype of `features`.

    Gradient: 1.0507 at 0; the second derivative there is 0.
    TF: `tf.nn.selu`; no known difference.
    """
    scale, scale_alpha = (np.asarray(one, features.dtype) for one in (_SELU_SCALE, _SELU_SCALE_ALPHA))
    return jnp.where(features < 0, scale_alpha * _exponential_below(features), scale * features)


@op("tf.nn.gelu", kernel="Gelu", tensors=("features",))
def gelu(features, approximate=False):
    """`features` times the normal distribution function at `features`.

    Args:
      features: floating tensor.
      approximate: whether to use the approximation by tanh.

    Returns:
      Tensor with the shape and dtype of `features`.

    Raises:
      ValueError: another dtype.

    TF: `tf.nn.gelu`; no known difference.
    """
    if not jnp.issubdtype(features.dtype, jnp.floating):
        raise ValueError(f"`features.dtype` must be a floating point tensor. Received: {features.dtype}")
    half, one = (np.asarray(value, features.dtype) for value in (0.5, 1.0))
    # TF's constants are float32 for features of every dtype.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/nn_ops.py
    if approximate:
        cubic = np.asarray(np.float32(0.044715), features.dtype)
        slope = np.asarray(0.7978845608028654, features.dtype)
        inner = slope * (features + cubic * features * features * features)
        return half * features * (one + jnp.tanh(inner))
    return (
        half
        * features
        * (one + lax.erf(features * np.asarray(np.float32(0.7071067811865476), features.dtype)))
    )


@op("_silu", kernel="Swish", tensors=("features", "beta"), dtypes=INEXACT)
def _silu(features, beta):
    return features * lax.logistic(beta * features)


@takes_composites("tf.nn.silu")
def silu(features, beta=1.0):
    """`features * sigmoid(beta * features)`.

    Args:
      features: floating tensor.
      beta: scalar, cast to the dtype of `features`; may be a tensor to differentiate by.

    Returns:
      Tensor with the shape and dtype of `features`.

    TF: `tf.nn.silu`; no known difference.
    """
    features = convert_to_tensor(features)
    if not (features.dtype.is_floating or features.dtype.is_complex):
        raise invalid(f"Value for attr 'T' of {features.dtype.name} is not in the list of allowed values")
    return _silu(features, cast(beta, features.dtype))


swish = silu


@op("tf.nn.crelu", kernel="Relu", tensors=("features",), dtypes=FLOATING | SIGNED, zero_second=True)
def crelu(features, axis=-1):
    """The positive part of `features` and that of `-features`, joined along `axis`.

    Args:
      features: floating tensor or one of signed integers, rank at least 1.
      axis: in [-rank, rank).

    Returns:
      Tensor of twice the size along `axis`.

    Raises:
      tf.errors.InvalidArgumentError: `axis` out of range.

    Gradient: 0 at 0.
    TF: `tf.nn.crelu`; no known difference.
    """
    axis = as_int(axis, "axis", attribute=True)
    if not -features.ndim <= axis < features.ndim:
        raise invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [{-features.ndim}, {features.ndim}), "
            f"but got {axis}"
        )
    return _rectified(jnp.concatenate([features, -features], axis))
