"""Losses and cross entropies."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import distribute, dtypes, engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import FLOATING, INDEX, NUMERIC, op
from tfcompat._core.variable import Variable
from tfcompat.array import shape
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.math import truediv
from tfcompat.math._activation import log_probabilities, softmax_axis

_HALVES = (np.dtype(np.float16), dtypes.bfloat16.np)


@jax.custom_jvp
def _cross_entropy(labels, logits):
    return -(labels * log_probabilities(logits, logits.ndim - 1)).sum(-1)


@_cross_entropy.defjvp
def _cross_entropy_jvp(primals, tangents):
    # TF's derivative by the logits assumes labels that sum to 1. Differentiated again, it is a constant of the labels.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/nn_grad.py
    labels, logits = primals
    labels_moved, logits_moved = tangents
    log = log_probabilities(logits, logits.ndim - 1)
    by_logits = jnp.exp(log) - lax.stop_gradient(labels)
    return _cross_entropy(labels, logits), (by_logits * logits_moved - log * labels_moved).sum(-1)


@op(
    "tf.nn.softmax_cross_entropy_with_logits",
    kernel="SoftmaxCrossEntropyWithLogits",
    tensors=("labels", "logits"),
    same=("logits",),
    dtypes={"logits": FLOATING, "labels": NUMERIC | {dtypes.bool}},
    zero_second=True,
)
def softmax_cross_entropy_with_logits(labels, logits, axis=-1):
    """Cross entropy between `labels` and the softmax of `logits`.

    Args:
      labels: tensor with the shape of `logits` (or one that broadcasts), each slice along `axis` with sum 1;
        converted to the dtype of `logits`.
      logits: floating tensor, rank at least 1.
      axis: the axis of the classes, in [-rank, rank).

    Returns:
      Tensor with the shape of `logits` without `axis`, and its dtype.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, a scalar, or `axis` out of range.

    Gradient: that by `logits` is `softmax - labels` whatever the sum of the labels, and does not depend on
      them for a second derivative.
    TF: `tf.nn.softmax_cross_entropy_with_logits`; no known difference.
    """
    dtype = logits.dtype
    axis = softmax_axis(logits, axis)
    if not labels.ndim:
        raise invalid("labels must have >= 1 dimension, got 0")
    precise = np.dtype(np.float32) if dtype in _HALVES else dtype
    labels, logits = labels.astype(precise), logits.astype(precise)
    if axis != logits.ndim - 1:
        if labels.ndim != logits.ndim:
            raise _different("logits and labels must be broadcastable", labels, logits)
        labels, logits = jnp.moveaxis(labels, axis, -1), jnp.moveaxis(logits, axis, -1)
    outer = logits.shape[:-1]
    if labels.shape != logits.shape:  # as matrices, as in TF
        matrices = [x.reshape(math.prod(x.shape[:-1]), *x.shape[-1:]) for x in (labels, logits)]
        try:
            labels, logits = jnp.broadcast_arrays(*matrices)
        except ValueError:
            raise _different("logits and labels must be broadcastable", *matrices) from None
        if logits.shape[0] != math.prod(outer):
            raise _different("logits and labels must be broadcastable", *matrices)
    return _cross_entropy(labels, logits).reshape(outer).astype(dtype)


def _different(message, labels, logits):
    return invalid(
        f"{message}: logits_size={show_shape(logits.shape)} labels_size={show_shape(labels.shape)}"
    )


def _labels_are_classes(labels, classes):
    """What TF's kernel requires of labels on a CPU."""
    text = "Received a label value of {0} which is outside the valid range of [0, {1}).  Label values"
    return [engine.require((labels >= 0) & (labels < classes), text, labels, classes)]


@op(
    "_sparse_softmax_cross_entropy",
    kernel="SparseSoftmaxCrossEntropyWithLogits",
    tensors=("labels", "logits"),
    same=("logits",),
    dtypes={"logits": FLOATING, "labels": INDEX},
    requires=lambda labels, logits: _labels_are_classes(labels, logits.shape[-1]),
)
def _sparse_cross_entropy(labels, logits):
    if not logits.ndim:
        raise ValueError("`logits` cannot be a scalar")
    if logits.shape[-1] == 0:
        raise when_run(f"Must have at least one class, but got logits shape {logits.shape}")
    if labels.shape != logits.shape[:-1]:
        raise ValueError(
            f"`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape="
            f"{labels.shape} and logits.shape={logits.shape}"
        )
    dtype = logits.dtype
    if dtype in _HALVES:
        logits = logits.astype(np.float32)
    log = log_probabilities(logits, logits.ndim - 1)
    valid = (labels >= 0) & (labels < logits.shape[-1])
    places = jnp.where(valid, labels, 0)[..., None]
    chosen = jnp.take_along_axis(log, places, -1, mode="promise_in_bounds")[..., 0]
    return jnp.where(valid, -chosen, jnp.asarray(np.nan, log.dtype)).astype(dtype)


@takes_composites("tf.nn.sparse_softmax_cross_entropy_with_logits", op=_sparse_cross_entropy)
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """Cross entropy between classes and the softmax of `logits`.

    Args:
      labels: int32 or int64 tensor of shape `logits.shape[:-1]`, values in [0, classes).
      logits: floating tensor, rank at least 1; classes along the last axis.
      name: ignored.

    Returns:
      Tensor with the shape of `labels` and the dtype of `logits`.

    Raises:
      ValueError: shapes do not fit.
      tf.errors.InvalidArgumentError: labels of another dtype; a label is out of range (NaN where that is
        not checked).

    TF: `tf.nn.sparse_softmax_cross_entropy_with_logits`; no known difference.
    """
    return _sparse_cross_entropy(labels if isinstance(labels, Variable) else convert_to_tensor(labels), logits)


def _same_shape(labels, logits):
    if labels.shape != logits.shape:
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape})."
        )


def _log_one_plus_exp_below(logits):
    """`log(1 + exp(-abs(logits)))` with the derivative at zero that TF's form has."""
    return jnp.log1p(jnp.exp(jnp.where(logits >= 0, -logits, logits)))


@takes_composites("tf.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Cross entropy between independent probabilities and the sigmoid of `logits`.

    Args:
      labels: tensor with the shape and dtype of `logits`, usually in [0, 1].
      logits: floating tensor.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `logits`.

    Raises:
      ValueError: shapes differ, or an argument is missing.
      tf.errors.InvalidArgumentError: dtypes differ.

    TF: `tf.nn.sigmoid_cross_entropy_with_logits`; no known difference.
    """
    if labels is None or logits is None:
        raise ValueError("Both `labels` and `logits` must be provided.")
    return _sigmoid_cross_entropy(convert_to_tensor(labels), convert_to_tensor(logits))


@op("_sigmoid_cross_entropy", kernel="Mul", tensors=("labels", "logits"), dtypes=FLOATING)
def _sigmoid_cross_entropy(labels, logits):
    _same_shape(labels, logits)
    positive = jnp.where(logits >= 0, logits, jnp.zeros_like(logits))
    return positive - logits * labels + _log_one_plus_exp_below(logits)


@op(
    "tf.nn.weighted_cross_entropy_with_logits",
    kernel="Mul",
    tensors=("labels", "logits", "pos_weight"),
    dtypes=FLOATING,
)
def weighted_cross_entropy_with_logits(labels, logits, pos_weight):
    """Sigmoid cross entropy with the positive part weighted.

    Args:
      labels: tensor with the shape and dtype of `logits`, usually in [0, 1].
      logits: floating tensor.
      pos_weight: weight of the positive part; broadcasts to `logits`, same dtype.

    Returns:
      Tensor with the shape and dtype of `logits`.

    Raises:
      ValueError: shapes differ.
      tf.errors.InvalidArgumentError: dtypes differ.

    TF: `tf.nn.weighted_cross_entropy_with_logits`; no known difference.
    """
    _same_shape(labels, logits)
    one = np.asarray(1, logits.dtype)
    weight = one + (pos_weight - one) * labels
    zero = jnp.zeros_like(logits)
    negative = jnp.where(logits < 0, -logits, zero)
    # At 0 the derivative of TF's abs is 0; that of JAX's is not.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py
    below = jnp.where(logits > 0, -logits, jnp.where(logits < 0, logits, zero))
    return (one - labels) * logits + weight * (jnp.log1p(jnp.exp(below)) + negative)


@op("tf.nn.l2_loss", kernel="L2Loss", tensors=("t",), dtypes=FLOATING)
def l2_loss(t):
    """Half the sum of squares.

    Args:
      t: floating tensor.

    Returns:
      Scalar tensor of the dtype of `t`.

    TF: `tf.nn.l2_loss`; no known difference.
    """
    return (t * t).sum() / np.asarray(2, t.dtype)


@op("_log_poisson_loss", kernel="Sub", tensors=("targets", "log_input"), dtypes=FLOATING)
def _log_poisson_loss(targets, log_input, compute_full_loss):
    if targets.shape != log_input.shape:
        raise ValueError(
            "`log_input` and `targets` must have the same shape, received "
            f"({log_input.shape} vs {targets.shape})."
        )
    result = jnp.exp(log_input) - log_input * targets
    if not compute_full_loss:
        return result
    half, two_pi = np.asarray(0.5, targets.dtype), np.asarray(2 * np.pi, targets.dtype)
    stirling = targets * jnp.log(targets) - targets + half * jnp.log(two_pi * targets)
    return result + jnp.where((targets >= 0) & (targets <= 1), jnp.zeros_like(targets), stirling)


@takes_composites("tf.nn.log_poisson_loss")
def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """Poisson loss of `exp(log_input)` given `targets`.

    Args:
      targets: floating tensor, not negative.
      log_input: tensor with the shape and dtype of `targets`.
      compute_full_loss: whether to add Stirling's approximation of the term that does not depend on
        `log_input`.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `targets`.

    Raises:
      ValueError: shapes differ.

    TF: `tf.nn.log_poisson_loss`; no known difference.
    """
    return _log_poisson_loss(targets, log_input, compute_full_loss)


@takes_composites("tf.nn.compute_average_loss")
def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """Sum of the losses, divided by the size of the whole batch.

    Args:
      per_example_loss: tensor of losses.
      sample_weight: weight of each example, or None.
      global_batch_size: integer; the first size of `per_example_loss`, times the number of replicas, if None.

    Returns:
      Scalar tensor of the dtype of `per_example_loss`.

    Raises:
      ValueError: a scalar loss without `global_batch_size`.
      RuntimeError: in the scope of a strategy, outside of its replicas.

    TF: `tf.nn.compute_average_loss`.
    """
    replicas = _replicas("compute_average_loss")
    loss = convert_to_tensor(per_example_loss)
    if global_batch_size is None:
        if not len(loss.shape):
            raise ValueError("`per_example_loss` must have a first axis when `global_batch_size` is None")
        rows = loss.shape[0]
        global_batch_size = (shape(loss)[0] if rows is None else rows) * replicas
    weight = None if sample_weight is None else convert_to_tensor(sample_weight, dtype_hint=loss.dtype)
    return _average(loss, global_batch_size, weight)


@op("_average_loss", kernel="DivNoNan", tensors=("loss", "size", "weight"), same=("loss",), dtypes={"loss": NUMERIC})
def _average(loss, size, weight=None):
    loss = loss.astype(_quotient_dtype(loss.dtype))
    size = size.astype(loss.dtype)
    if weight is not None:
        if weight.ndim == loss.ndim + 1:
            if weight.shape[-1] != 1:
                raise invalid(f"Can not squeeze dim[{loss.ndim}], expected a dimension of 1, got {weight.shape[-1]}")
            weight = weight.reshape(weight.shape[:-1])
        weight = (weight.real if jnp.iscomplexobj(weight) else weight).astype(loss.dtype)
        loss = loss * weight.reshape(weight.shape + (1,) * (loss.ndim - weight.ndim))
    total = loss.sum()
    return jnp.where(
        size == 0, jnp.zeros_like(total), total / jnp.where(size == 0, jnp.ones_like(size), size)
    )


@takes_composites("tf.nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss):
    """Sum of the regularization losses, divided by the number of replicas.

    Args:
      regularization_loss: floating tensor.

    Returns:
      Scalar tensor.

    Raises:
      RuntimeError: in the scope of a strategy, outside of its replicas.

    TF: `tf.nn.scale_regularization_loss`.
    """
    replicas = _replicas("scale_regularization_loss")
    total = _total(regularization_loss)
    return total if replicas == 1 else truediv(total, replicas)


def _replicas(function):
    """How many replicas share a loss."""
    if distribute.has_strategy() and distribute.in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be called in replica "
            "context."
        )
    return distribute.get_strategy().num_replicas_in_sync


@op("_total_loss", kernel="Sum", tensors=("loss",), dtypes=NUMERIC)
def _total(loss):
    return loss.sum(dtype=loss.dtype).astype(_quotient_dtype(loss.dtype))


def _quotient_dtype(dtype):
    """The dtype of a true quotient of this one."""
    if dtype.kind not in "iu":
        return dtype
    return np.dtype(np.float32 if dtype.itemsize < 4 else np.float64)
