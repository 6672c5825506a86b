"""Accuracies: how often predictions are right."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import op
from tfcompat.array import squeeze
from tfcompat.keras.metrics._base import MeanMetricWrapper
from tfcompat.layers._layer import settings as _settings
from tfcompat.math import argmax, reduce_mean
from tfcompat.math._order import _in_top_k

_PAIR: Any = {"tensors": ("y_true", "y_pred"), "same": (), "gradient": "none"}


@op("_accuracy", kernel="Equal", **_PAIR)
def _equal(y_true, y_pred, dtype):
    return (y_true == y_pred.astype(y_true.dtype)).astype(dtype)


@op("_binary_matches", kernel="Equal", **_PAIR)
def _binary_matches(y_true, y_pred, threshold, dtype):
    sure = (y_pred > jnp.asarray(threshold, y_pred.dtype)).astype(y_pred.dtype)
    return (y_true == sure).astype(dtype)


@op("_categorical_matches", kernel="Equal", **_PAIR)
def _categorical_matches(y_true, y_pred, dtype):
    shape = y_true.shape
    labels = jnp.squeeze(y_true, -1) if y_true.ndim == y_pred.ndim else y_true
    predicted = argmax.raw(y_pred, -1)
    return (labels == predicted.astype(labels.dtype)).astype(dtype).reshape(shape)


@op("_top_k_matches", kernel="InTopKV2", **_PAIR)
def _top_k_matches(y_true, y_pred, k, dtype):
    shape = y_true.shape
    predictions = y_pred.reshape(-1, y_pred.shape[-1]) if y_pred.ndim > 2 else y_pred
    targets = y_true.reshape(-1).astype(np.int32)
    return _in_top_k.raw(targets, predictions, k).astype(dtype).reshape(shape)


def accuracy(y_true, y_pred):
    """1 where `y_true` equals `y_pred`, 0 elsewhere."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    y_true.shape.assert_is_compatible_with(y_pred.shape)
    return _equal(y_true, y_pred, _settings.floatx())


def binary_matches(y_true, y_pred, threshold=0.5):
    """1 where a prediction lies on the right side of the threshold, 0 elsewhere."""
    return _binary_matches(y_true, y_pred, threshold, _settings.floatx())


def sparse_categorical_matches(y_true, y_pred):
    """1 where the highest score is that of the label, 0 elsewhere; in the shape of the labels."""
    return _categorical_matches(y_true, y_pred, _settings.floatx())


def sparse_top_k_categorical_matches(y_true, y_pred, k=5):
    """1 where the label is among the `k` highest scores, 0 elsewhere; in the shape of the labels."""
    return _top_k_matches(y_true, y_pred, k, _settings.floatx())


def _categorical(y_true, y_pred):
    return sparse_categorical_matches(argmax(y_true, axis=-1), y_pred)


def _top_k(y_true, y_pred, k):
    return sparse_top_k_categorical_matches(argmax(y_true, axis=-1), y_pred, k)


def binary_accuracy(y_true, y_pred, threshold=0.5):
    """Share of predictions on the right side of a threshold.

    Args:
      y_true: labels 0 and 1.
      y_pred: floating tensor of the same shape and dtype.
      threshold: float; larger predictions mean 1.

    Returns:
      Tensor without the last axis.

    TF: `tf.keras.metrics.binary_accuracy`; no known difference.
    """
    return reduce_mean(binary_matches(y_true, y_pred, threshold), axis=-1)


def categorical_accuracy(y_true, y_pred):
    """Whether the highest score is that of the label.

    Args:
      y_true: one-hot rows.
      y_pred: scores, in the same shape.

    Returns:
      Tensor of 1 and 0, without the last axis.

    TF: `tf.keras.metrics.categorical_accuracy`; no known difference.
    """
    return _categorical(y_true, y_pred)


def sparse_categorical_accuracy(y_true, y_pred):
    """Whether the highest score is that of the label.

    Args:
      y_true: labels, with or without a last axis of size 1.
      y_pred: scores; classes along the last axis.

    Returns:
      Tensor of 1 and 0, without the last axis.

    TF: `tf.keras.metrics.sparse_categorical_accuracy`; no known difference.
    """
    matches = sparse_categorical_matches(y_true, y_pred)
    return squeeze(matches, [-1]) if matches.shape.rank > 1 and matches.shape[-1] == 1 else matches


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """Whether the label is among the `k` highest scores, for one-hot labels.

    TF: `tf.keras.metrics.top_k_categorical_accuracy`; no known difference.
    """
    return _top_k(y_true, y_pred, k)


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    """Whether the label is among the `k` highest scores, for labels that are numbers of classes.

    TF: `tf.keras.metrics.sparse_top_k_categorical_accuracy`; no known difference.
    """
    return sparse_top_k_categorical_matches(y_true, y_pred, k)


class Accuracy(MeanMetricWrapper):
    """How often predictions equal labels. TF: `tf.keras.metrics.Accuracy`; no known difference."""

    def __init__(self, name="accuracy", dtype=None):
        super().__init__(accuracy, name, dtype=dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """How often predictions lie on the right side of a threshold.

    TF: `tf.keras.metrics.BinaryAccuracy`; no known difference.
    """

    def __init__(self, name="binary_accuracy", dtype=None, threshold=0.5):
        super().__init__(binary_matches, name, dtype=dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """How often the highest score is that of the label, a one-hot row.

    TF: `tf.keras.metrics.CategoricalAccuracy`; no known difference.
    """

    def __init__(self, name="categorical_accuracy", dtype=None):
        super().__init__(_categorical, name, dtype=dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """How often the highest score is that of the label, a number.

    TF: `tf.keras.metrics.SparseCategoricalAccuracy`; no known difference.
    """

    def __init__(self, name="sparse_categorical_accuracy", dtype=None):
        super().__init__(sparse_categorical_matches, name, dtype=dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the label, a one-hot row, is among the `k` highest scores.

    TF: `tf.keras.metrics.TopKCategoricalAccuracy`; no known difference.
    """

    def __init__(self, k=5, name="top_k_categorical_accuracy", dtype=None):
        super().__init__(_top_k, name, dtype=dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the label, a number, is among the `k` highest scores.

    TF: `tf.keras.metrics.SparseTopKCategoricalAccuracy`; no known difference.
    """

    def __init__(self, k=5, name="sparse_top_k_categorical_accuracy", dtype=None):
        super().__init__(sparse_top_k_categorical_matches, name, dtype=dtype, k=k)
