"""Metrics by name, as dicts, and back."""

import warnings
from typing import Any

from tfcompat.keras.metrics._base import Metric
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer.registry import keras_objects


def serialize(metric, use_legacy_format=False):
    """The dict that describes a metric; None for None. TF: `tf.keras.metrics.serialize`."""
    if metric is None:
        return None
    if not isinstance(metric, Metric):
        warnings.warn(
            "The `keras.metrics.serialize()` API should only be used for objects of type `keras.metrics.Metric`. Found "
            f"an instance of type {type(metric)}, which may lead to improper serialization.",
            stacklevel=2,
        )
    return _serialization.serialize(metric, "keras.metrics", use_legacy_format)


def deserialize(config, custom_objects=None, use_legacy_format=False) -> Any:
    """The metric that a name or a dict describes; ValueError if it is not known.

    TF: `tf.keras.metrics.deserialize`.
    """
    return _serialization.deserialize(config, keras_objects("metric"), custom_objects, "metric function")


def get(identifier) -> Any:
    """The metric that a name, a dict or a function stands for.

    Raises:
      ValueError: the name is not known, or `identifier` is something else.

    TF: `tf.keras.metrics.get`.
    """
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric identifier: {identifier}")
