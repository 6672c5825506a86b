"""Activations that TensorFlow has both in `tf.math` and in `tf.nn`: softplus, softsign, softmax, log_softmax."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.op import FLOATING, op
from tfcompat.array._arguments import as_int, invalid
from tfcompat.math._derivative import with_partials
from tfcompat.math._elementwise import inverse


@jax.custom_jvp
def _softplus(x):
    return jnp.logaddexp(x, jnp.zeros_like(x))


@_softplus.defjvp
def _softplus_jvp(primals, tangents):
    # Finite derivatives of every order at the infinities, where those of logaddexp are not.
    (x,), (moved,) = primals, tangents
    return _softplus(x), moved * lax.logistic(x)


@op("tf.math.softplus", "tf.nn.softplus", kernel="Softplus", tensors=("features",), dtypes=FLOATING)
def softplus(features):
    """`log(1 + exp(features))`.

    Args:
      features: floating tensor.

    Returns:
      Tensor with the shape and dtype of `features`.

    TF: `tf.math.softplus`; no known difference.
    """
    return _softplus(features)


@op("tf.nn.softsign", "tf.math.softsign", kernel="Softsign", tensors=("features",), dtypes=FLOATING)
def softsign(features):
    """`features / (1 + abs(features))`.

    Args:
      features: floating tensor.

    Returns:
      Tensor with the shape and dtype of `features`.

    Gradient: 1 at 0.
    TF: `tf.nn.softsign`; no known difference.
    """
    return _softsign(features)


# By its own derivative, 1 / (1 + |x|)**2, which is 0 at infinity, where that of the quotient is NaN.
@with_partials(lambda y, x: inverse(jnp.square(np.asarray(1, x.dtype) + jnp.abs(x))))
def _softsign(x):
    return x / (np.asarray(1, x.dtype) + jnp.abs(x))


def softmax_axis(logits, axis):
    """The axis of a softmax: the last one for None."""
    axis = -1 if axis is None else as_int(axis, "axis", attribute=True)
    if not logits.ndim:
        raise invalid("logits must have >= 1 dimension, got 0")
    if not -logits.ndim <= axis < logits.ndim:
        raise invalid(f"`axis` must be in the range [{-logits.ndim}, {logits.ndim}), got {axis}")
    return axis % logits.ndim


@op("tf.nn.softmax", "tf.math.softmax", kernel="Softmax", tensors=("logits",), dtypes=FLOATING)
def softmax(logits, axis=None):
    """Exponentials of `logits`, divided by their sum along `axis`.

    Args:
      logits: floating tensor, rank at least 1.
      axis: in [-rank, rank); the last one if None.

    Returns:
      Tensor with the shape and dtype of `logits`, positive, with sum 1 along `axis`.

    Raises:
      tf.errors.InvalidArgumentError: a scalar, or `axis` out of range.

    TF: `tf.nn.softmax`; no known difference.
    """
    axis = softmax_axis(logits, axis)
    precise = logits.astype(jnp.promote_types(logits.dtype, np.float32))  # as in TF; rounded once
    shifted = jnp.exp(_below_largest(precise, axis))
    return (shifted / shifted.sum(axis, keepdims=True)).astype(logits.dtype)


def _below_largest(logits, axis):
    if not logits.size:
        return logits
    return logits - lax.stop_gradient(logits.max(axis, keepdims=True))


@op("tf.nn.log_softmax", "tf.math.log_softmax", kernel="LogSoftmax", tensors=("logits",), dtypes=FLOATING)
def log_softmax(logits, axis=None):
    """Logarithm of the softmax.

    Args:
      logits: floating tensor, rank at least 1.
      axis: in [-rank, rank); the last one if None.

    Returns:
      Tensor with the shape and dtype of `logits`.

    Raises:
      tf.errors.InvalidArgumentError: a scalar, or `axis` out of range.

    TF: `tf.nn.log_softmax`; no known difference.
    """
    return log_probabilities(logits, softmax_axis(logits, axis))


def log_probabilities(logits, axis):
    """The body of `log_softmax`."""
    shifted = _below_largest(logits, axis)
    return shifted - jnp.log(jnp.exp(shifted).sum(axis, keepdims=True))
