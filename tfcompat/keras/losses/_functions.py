"""The loss functions: one number for each sample, a mean or sum over the last axis.

Each is one operation (`_name`), so that a step records few, and a function with Keras's signature.
"""

import functools
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import nn
from tfcompat._core.composite import CompositeArgument, dispatch, takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import op
from tfcompat._core.tensor import SymbolicTensor, wrap
from tfcompat.array import cast, reshape
from tfcompat.layers._layer import settings as _settings
from tfcompat.math import l2_normalize, not_equal, reduce_max
from tfcompat.math import sigmoid as _sigmoid
from tfcompat.math._arithmetic import maximum_of, minimum_of, quotient
from tfcompat.math._elementwise import magnitude
from tfcompat.nn._loss import _labels_are_classes, _sigmoid_cross_entropy, _sparse_cross_entropy

_PAIR: Any = {"tensors": ("y_true", "y_pred"), "same": ()}
_SWAPPED: Any = {"tensors": ("y_pred", "y_true"), "same": ()}  # as TF's kernels have them, and its messages


def _mean(x):
    """Mean over the last axis; of integers as TF takes it."""
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return jnp.mean(x, -1, dtype=x.dtype)
    return jax.lax.div(jnp.sum(x, -1, dtype=x.dtype), jnp.asarray(max(x.shape[-1], 1), x.dtype))


def _clipped(x, low, high):
    """`x` between bounds; an element at a bound counts as inside, as in `tf.clip_by_value`."""
    return maximum_of(minimum_of(x, jnp.asarray(high, x.dtype)), jnp.asarray(low, x.dtype))


def _inside(x, epsilon):
    """Probabilities, kept `epsilon` away from 0 and 1."""
    return _clipped(x, epsilon, 1.0 - epsilon)


def _also_of_rows(function):
    """Decorator of a loss of two tensors: ragged ones go to the handlers of its name."""
    names = (f"tf.keras.losses.{function.__name__}",)

    @functools.wraps(function)
    def wrapper(y_true, y_pred):
        try:
            return function(y_true, y_pred)
        except CompositeArgument as error:
            return dispatch(names, wrapper, (y_true, y_pred), {}, error)

    return wrapper


# --- regression -----------------------------------------------------------------------------------------------------


@op("_mean_squared_error", kernel="SquaredDifference", **_SWAPPED)
def _mean_squared_error(y_pred, y_true):
    return _mean(jnp.square(y_pred - y_true.astype(y_pred.dtype)))


@_also_of_rows
def mean_squared_error(y_true, y_pred):
    """`mean((y_true - y_pred) ** 2)` over the last axis.

    Args:
      y_true: tensor that broadcasts against `y_pred`; cast to its dtype.
      y_pred: numeric tensor.

    Returns:
      Tensor without the last axis, of the dtype of `y_pred`.

    TF: `tf.keras.losses.mean_squared_error`; no known difference.
    """
    return _mean_squared_error(y_pred, y_true)


@op("_mean_absolute_error", kernel="Sub", **_SWAPPED)
def _mean_absolute_error(y_pred, y_true):
    return _mean(magnitude(y_pred - y_true.astype(y_pred.dtype)))


@_also_of_rows
def mean_absolute_error(y_true, y_pred):
    """`mean(abs(y_true - y_pred))` over the last axis.

    Arguments and result as for `mean_squared_error`. Gradient: 0 where they are equal.
    TF: `tf.keras.losses.mean_absolute_error`; no known difference.
    """
    return _mean_absolute_error(y_pred, y_true)


@op("_mean_absolute_percentage_error", kernel="Sub", **_PAIR)
def _mean_absolute_percentage_error(y_true, y_pred, epsilon):
    y_true = y_true.astype(y_pred.dtype)
    floor = jnp.asarray(epsilon, y_pred.dtype)
    return 100.0 * _mean(magnitude(quotient(y_true - y_pred, maximum_of(magnitude(y_true), floor))))


@_also_of_rows
def mean_absolute_percentage_error(y_true, y_pred):
    """`100 * mean(abs((y_true - y_pred) / y_true))` over the last axis, `y_true` being kept away from 0.

    Arguments and result as for `mean_squared_error`.
    TF: `tf.keras.losses.mean_absolute_percentage_error`; no known difference.
    """
    return _mean_absolute_percentage_error(y_true, y_pred, _settings.epsilon())


@op("_mean_squared_logarithmic_error", kernel="SquaredDifference", **_SWAPPED)
def _mean_squared_logarithmic_error(y_pred, y_true, epsilon):
    floor = jnp.asarray(epsilon, y_pred.dtype)
    first, second = (jnp.log(maximum_of(y, floor) + 1.0) for y in (y_pred, y_true.astype(y_pred.dtype)))
    return _mean(jnp.square(first - second))


@_also_of_rows
def mean_squared_logarithmic_error(y_true, y_pred):
    """`mean((log(y_true + 1) - log(y_pred + 1)) ** 2)` over the last axis, both being kept above 0.

    Arguments and result as for `mean_squared_error`.
    TF: `tf.keras.losses.mean_squared_logarithmic_error`; no known difference.
    """
    return _mean_squared_logarithmic_error(y_pred, y_true, _settings.epsilon())


@op("_huber", kernel="Sub", **_SWAPPED)
def _huber(y_pred, y_true, delta, floatx):
    y_pred, y_true = y_pred.astype(floatx), y_true.astype(floatx)
    delta = jnp.asarray(delta, floatx)
    error = y_pred - y_true
    size = magnitude(error)
    return _mean(jnp.where(size <= delta, 0.5 * jnp.square(error), delta * size - 0.5 * jnp.square(delta)))


def huber(y_true, y_pred, delta=1.0):
    """Half the square of small errors; linear in errors beyond `delta`. Mean over the last axis.

    Args:
      y_true: tensor that broadcasts against `y_pred`.
      y_pred: numeric tensor; both are cast to `tf.keras.backend.floatx()`.
      delta: float, where the linear part begins.

    Returns:
      Tensor without the last axis, of that dtype.

    TF: `tf.keras.losses.huber`; no known difference.
    """
    return _huber(y_pred, y_true, delta, _settings.floatx())


@op("_log_cosh", kernel="Sub", **_SWAPPED)
def _log_cosh(y_pred, y_true):
    error = y_pred - y_true.astype(y_pred.dtype)
    return _mean(error + jax.nn.softplus(-2.0 * error) - jnp.asarray(np.log(np.float32(2.0)), error.dtype))


def log_cosh(y_true, y_pred):
    """`mean(log(cosh(y_pred - y_true)))` over the last axis.

    Arguments and result as for `mean_squared_error`; floating.
    TF: `tf.keras.losses.log_cosh`; no known difference.
    """
    return _log_cosh(y_pred, y_true)


@op("_poisson", kernel="Mul", **_PAIR)
def _poisson(y_true, y_pred, epsilon):
    return _mean(y_pred - y_true.astype(y_pred.dtype) * jnp.log(y_pred + jnp.asarray(epsilon, y_pred.dtype)))


def poisson(y_true, y_pred):
    """`mean(y_pred - y_true * log(y_pred))` over the last axis.

    Arguments and result as for `mean_squared_error`; floating.
    TF: `tf.keras.losses.poisson`; no known difference.
    """
    return _poisson(y_true, y_pred, _settings.epsilon())


@op("_cosine_similarity_loss", kernel="Mul", tensors=("y_true", "y_pred"))
def _cosine_similarity(y_true, y_pred, axis):
    axes = list(axis) if isinstance(axis, tuple) else axis
    y_true, y_pred = l2_normalize.raw(y_true, axes), l2_normalize.raw(y_pred, axes)
    return -jnp.sum(y_true * y_pred, axis)


def cosine_similarity(y_true, y_pred, axis=-1):
    """Minus the cosine of the angle between targets and predictions: -1 where they have the same direction.

    Args:
      y_true: floating tensor.
      y_pred: tensor of its dtype; the shapes broadcast.
      axis: int, the axis of the vectors.

    Returns:
      Tensor without that axis.

    TF: `tf.keras.losses.cosine_similarity`; no known difference.
    """
    return _cosine_similarity(y_true, y_pred, axis)


# --- margins --------------------------------------------------------------------------------------------------------


def _signed(y_true):
    """Labels 0 and 1 as -1 and 1, if there are no others."""
    binary = jnp.all((y_true == 0) | (y_true == 1))
    return jnp.where(binary, 2.0 * y_true - 1.0, y_true)


def _margin(y_true, y_pred):
    return maximum_of(1.0 - _signed(y_true.astype(y_pred.dtype)) * y_pred, jnp.zeros((), y_pred.dtype))


@op("_hinge", kernel="Mul", **_PAIR)
def _hinge(y_true, y_pred):
    return _mean(_margin(y_true, y_pred))


def hinge(y_true, y_pred):
    """`mean(maximum(1 - y_true * y_pred, 0))` over the last axis; labels 0 and 1 count as -1 and 1.

    Arguments and result as for `mean_squared_error`; floating.
    TF: `tf.keras.losses.hinge`; no known difference.
    """
    return _hinge(y_true, y_pred)


@op("_squared_hinge", kernel="Mul", **_PAIR)
def _squared_hinge(y_true, y_pred):
    return _mean(jnp.square(_margin(y_true, y_pred)))


def squared_hinge(y_true, y_pred):
    """`mean(maximum(1 - y_true * y_pred, 0) ** 2)` over the last axis; labels 0 and 1 count as -1 and 1.

    Arguments and result as for `mean_squared_error`; floating.
    TF: `tf.keras.losses.squared_hinge`; no known difference.
    """
    return _squared_hinge(y_true, y_pred)


@op("_categorical_hinge", kernel="Mul", **_PAIR)
def _categorical_hinge(y_true, y_pred):
    y_true = y_true.astype(y_pred.dtype)
    right, wrong = jnp.sum(y_true * y_pred, -1), reduce_max.raw((1.0 - y_true) * y_pred, -1)
    return maximum_of(wrong - right + 1.0, jnp.zeros((), y_pred.dtype))


def categorical_hinge(y_true, y_pred):
    """`maximum(wrong - right + 1, 0)` for the score of the right class and the highest of the others.

    Args:
      y_true: one-hot rows.
      y_pred: scores, floating tensor of that shape.

    Returns:
      Tensor without the last axis.

    TF: `tf.keras.losses.categorical_hinge`; no known difference.
    """
    return _categorical_hinge(y_true, y_pred)


# --- probabilities --------------------------------------------------------------------------------------------------


@op("_kl_divergence", kernel="RealDiv", **_PAIR)
def _kl_divergence(y_true, y_pred, epsilon):
    y_true, y_pred = (_clipped(y, epsilon, 1.0) for y in (y_true.astype(y_pred.dtype), y_pred))
    return jnp.sum(y_true * jnp.log(quotient(y_true, y_pred)), -1)


def kl_divergence(y_true, y_pred):
    """`sum(y_true * log(y_true / y_pred))` over the last axis, both being kept within `epsilon` and 1.

    Arguments and result as for `mean_squared_error`; floating.
    TF: `tf.keras.losses.kl_divergence`; no known difference.
    """
    return _kl_divergence(y_true, y_pred, _settings.epsilon())


def _binary_terms(y_true, y_pred, from_logits, epsilon):
    if from_logits:
        return _sigmoid_cross_entropy.raw(y_true, y_pred)
    epsilon = epsilon.astype(y_pred.dtype)
    p = _inside(y_pred, epsilon)
    return -(y_true * jnp.log(p + epsilon) + (1 - y_true) * jnp.log(1 - p + epsilon))


def _smoothed(y_true, label_smoothing, share):
    return y_true * (1.0 - label_smoothing) + share * label_smoothing if label_smoothing else y_true


# `epsilon` is an input, lest XLA makes `(1 + epsilon) - p` of `(1 - p) + epsilon`, which is less precise.
@op("_binary_crossentropy", kernel="Mul", tensors=("y_true", "y_pred", "epsilon"), same=())
def _binary_crossentropy(y_true, y_pred, epsilon, from_logits, label_smoothing, axis):
    y_true = _smoothed(y_true.astype(y_pred.dtype), label_smoothing, 0.5)
    return jnp.mean(_binary_terms(y_true, y_pred, from_logits, epsilon), axis)


@takes_composites("tf.keras.losses.binary_crossentropy")
def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """Cross entropy of yes-or-no predictions.

    Args:
      y_true: labels 0 or 1, or probabilities; broadcast against `y_pred`.
      y_pred: probabilities, or logits with `from_logits`. The output of a sigmoid is seen through: its logits are
        used.
      from_logits: bool.
      label_smoothing: float in [0, 1], the share by which labels move to 0.5.
      axis: int, the axis of the mean.

    Returns:
      Tensor without that axis, of the dtype of `y_pred`.

    TF: `tf.keras.losses.binary_crossentropy`; no known difference.
    """
    y_pred, from_logits = _logits(y_pred, from_logits, "Sigmoid", "binary_crossentropy")
    return _binary_crossentropy(y_true, y_pred, _settings.epsilon(), bool(from_logits), label_smoothing, axis)


@op("_binary_focal_crossentropy", kernel="Mul", tensors=("y_true", "p", "logits", "epsilon"),
    same=("p", "logits"))  # fmt: skip
def _binary_focal_crossentropy(y_true, p, logits, epsilon, apply_class_balancing, alpha, gamma, from_logits,
                               label_smoothing, axis):  # fmt: skip
    y_true = _smoothed(y_true.astype(p.dtype), label_smoothing, 0.5)
    right = y_true * p + (1 - y_true) * (1 - p)
    losses = jnp.power(1.0 - right, gamma) * _binary_terms(y_true, logits, from_logits, epsilon)
    if apply_class_balancing:
        losses = (y_true * alpha + (1 - y_true) * (1 - alpha)) * losses
    return jnp.mean(losses, axis)


@takes_composites("tf.keras.losses.binary_focal_crossentropy")
def binary_focal_crossentropy(y_true, y_pred, apply_class_balancing=False, alpha=0.25, gamma=2.0, from_logits=False,
                              label_smoothing=0.0, axis=-1):  # fmt: skip
    """Binary cross entropy in which predictions that are right already count less.

    Args:
      y_true, y_pred, from_logits, label_smoothing, axis: as for `binary_crossentropy`.
      apply_class_balancing: bool, whether class 1 weighs `alpha`, class 0 `1 - alpha`.
      alpha: float.
      gamma: float, the power of the distance from the right answer.

    Returns:
      Tensor without that axis, of the dtype of `y_pred`.

    TF: `tf.keras.losses.binary_focal_crossentropy`; no known difference.
    """
    y_pred = convert_to_tensor(y_pred)
    p = _sigmoid(y_pred) if from_logits else y_pred
    logits, from_logits = _logits(y_pred, from_logits, "Sigmoid", "binary_crossentropy")
    return _binary_focal_crossentropy(
        y_true, p, logits, _settings.epsilon(), bool(apply_class_balancing), alpha, gamma, bool(from_logits),
        label_smoothing, axis,
    )  # fmt: skip


def _probabilities(y_pred, axis, epsilon):
    """Predictions divided by their sum, kept away from 0 and 1."""
    return _inside(quotient(y_pred, jnp.sum(y_pred, axis, keepdims=True)), epsilon)


@op("_categorical_crossentropy", kernel="Mul", **_PAIR)
def _categorical_crossentropy(y_true, y_pred, from_logits, label_smoothing, axis, epsilon):
    y_true = _smoothed(y_true.astype(y_pred.dtype), label_smoothing, 1.0 / y_true.shape[axis])
    if from_logits:
        return nn.softmax_cross_entropy_with_logits.raw(y_true, y_pred, axis)
    return -jnp.sum(y_true * jnp.log(_probabilities(y_pred, axis, epsilon)), axis)


@takes_composites("tf.keras.losses.categorical_crossentropy")
def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """Cross entropy with one-hot labels.

    Args:
      y_true: one-hot rows, or probabilities, of the shape of `y_pred`.
      y_pred: probabilities, which are divided by their sum, or logits with `from_logits`. The output of a softmax is
        seen through: its logits are used.
      from_logits: bool.
      label_smoothing: float in [0, 1], the share of a label that is spread over all classes.
      axis: int, the axis of the classes.

    Returns:
      Tensor without that axis, of the dtype of `y_pred`.

    Raises:
      ValueError: shapes differ; `axis` is a bool.

    TF: `tf.keras.losses.categorical_crossentropy`; no known difference.
    """
    y_true, y_pred = _checked(y_true, y_pred, axis, "categorical_crossentropy")
    y_pred, from_logits = _logits(y_pred, from_logits, "Softmax", "categorical_crossentropy")
    return _categorical_crossentropy(y_true, y_pred, bool(from_logits), label_smoothing, axis, _settings.epsilon())


@op("_categorical_focal_crossentropy", kernel="Mul", **_PAIR)
def _categorical_focal_crossentropy(y_true, y_pred, alpha, gamma, from_logits, label_smoothing, axis, epsilon):
    y_true = _smoothed(y_true.astype(y_pred.dtype), label_smoothing, 1.0 / y_true.shape[-1])
    p = _probabilities(nn.softmax.raw(y_pred, axis) if from_logits else y_pred, axis, epsilon)
    return jnp.sum(jnp.power(1.0 - p, gamma) * jnp.asarray(alpha, p.dtype) * (-y_true * jnp.log(p)), axis)


@takes_composites("tf.keras.losses.categorical_focal_crossentropy")
def categorical_focal_crossentropy(y_true, y_pred, alpha=0.25, gamma=2.0, from_logits=False, label_smoothing=0.0,
                                   axis=-1):  # fmt: skip
    """Cross entropy with one-hot labels in which predictions that are right already count less.

    Args:
      y_true, y_pred, from_logits, label_smoothing, axis: as for `categorical_crossentropy`.
      alpha: float, or list of floats, one for each class: the weights.
      gamma: float, the power of the distance from the right answer.

    Returns:
      Tensor without the axis, of the dtype of `y_pred`.

    TF: `tf.keras.losses.categorical_focal_crossentropy`; no known difference.
    """
    y_true, y_pred = _checked(y_true, y_pred, axis, "categorical_focal_crossentropy")
    y_pred, from_logits = _logits(y_pred, from_logits, "Softmax", "categorical_focal_crossentropy")
    weights = alpha if isinstance(alpha, int | float) else tuple(float(a) for a in np.asarray(alpha))
    return _categorical_focal_crossentropy(
        y_true, y_pred, weights, gamma, bool(from_logits), label_smoothing, axis, _settings.epsilon()
    )


def _sparse_categorical_requires(y_true, y_pred, from_logits, ignore_class, axis, epsilon):
    labels = y_true.astype(np.int64)
    if ignore_class is not None:
        labels = jnp.where(labels == ignore_class, 0, labels)
    return _labels_are_classes(labels, y_pred.shape[axis])


@op("_sparse_categorical_crossentropy", kernel="SparseSoftmaxCrossEntropyWithLogits",
    requires=_sparse_categorical_requires, **_PAIR)  # fmt: skip
def _sparse_categorical_crossentropy(y_true, y_pred, from_logits, ignore_class, axis, epsilon):
    labels = y_true.astype(np.int64)
    logits = y_pred if from_logits else jnp.log(_inside(y_pred, epsilon))
    logits = jnp.moveaxis(logits, axis, -1)
    shape = labels.shape
    if labels.ndim != logits.ndim - 1:
        labels, shape = labels.reshape(-1), logits.shape[:-1] if logits.ndim >= 3 else None
        logits = logits.reshape(-1, logits.shape[-1])
    if ignore_class is None:
        losses = _sparse_cross_entropy.raw(labels, logits)
    else:
        counts = labels != ignore_class
        losses = jnp.where(counts, _sparse_cross_entropy.raw(jnp.where(counts, labels, 0), logits), 0)
    return losses if shape is None else losses.reshape(shape)


@takes_composites("tf.keras.losses.sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, axis=-1, ignore_class=None):
    """Cross entropy with labels that are numbers of classes.

    Args:
      y_true: labels, of the shape of `y_pred` without `axis`, or with size 1 there.
      y_pred: probabilities, or logits with `from_logits`. The output of a softmax is seen through: its logits are
        used.
      from_logits: bool.
      axis: int, the axis of the classes.
      ignore_class: a label whose loss is 0, and which does not count in means; or None.

    Returns:
      Tensor without the axis, of the dtype of `y_pred`.

    Raises:
      tf.errors.InvalidArgumentError: a label is out of range.

    TF: `tf.keras.losses.sparse_categorical_crossentropy`; no known difference.
    """
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    y_pred, from_logits = _logits(y_pred, from_logits, "Softmax", "sparse_categorical_crossentropy")
    losses = _sparse_categorical_crossentropy(
        y_true, y_pred, bool(from_logits), ignore_class, axis, _settings.epsilon()
    )
    if ignore_class is not None:
        losses._keras_mask = reshape(not_equal(cast(y_true, "int64"), ignore_class), losses.shape)
    return losses


# --- what the predictions are ---------------------------------------------------------------------------------------


def _checked(y_true, y_pred, axis, name):
    if isinstance(axis, bool):
        raise ValueError(f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}")
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_pred.shape[-1] == 1:
        warnings.warn(
            f"In loss {name}, expected y_pred.shape to be (batch_size, num_classes) with num_classes > 1. Received: "
            f"y_pred.shape={y_pred.shape}. Consider using 'binary_crossentropy' if you only have 2 classes.",
            SyntaxWarning,
            stacklevel=3,
        )
    y_true.shape.assert_is_compatible_with(y_pred.shape)
    return y_true, y_pred


# TF looks at the op that made the predictions: of a softmax's or sigmoid's it takes the inputs, as these are more
# exact.
# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/backend.py
def _logits(output, from_logits, kernel, name):
    """The logits behind predictions, if a sigmoid or softmax made them, and whether these are logits."""
    output = convert_to_tensor(output)
    logits = getattr(output, "_keras_logits", None)
    if logits is None and type(output) is SymbolicTensor:
        call = output._node.call
        if call is not None and call.operation.name == kernel:
            logits = wrap(output._node.inputs[0])
    if logits is None:
        return output, from_logits
    if from_logits:
        warnings.warn(
            f'"`{name}` received `from_logits=True`, but the `output` argument was produced by a {kernel} activation '
            "and thus does not represent logits. Was this intended?",
            stacklevel=3,
        )
    return convert_to_tensor(logits), True
