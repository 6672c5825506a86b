"""Losses by name, as dicts, and back."""

import warnings
from typing import Any

from tfcompat.keras.losses import _classes, _functions
from tfcompat.keras.losses._base import Loss
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer.registry import keras_objects, register_keras_objects


def _exported():
    exported = {name: value for module in (_functions, _classes) for name, value in vars(module).items()}
    exported = {name: value for name, value in exported.items() if callable(value) and not name.startswith("_")}
    aliases = {
        "bce": "binary_crossentropy",
        "BCE": "binary_crossentropy",
        "mse": "mean_squared_error",
        "MSE": "mean_squared_error",
        "mae": "mean_absolute_error",
        "MAE": "mean_absolute_error",
        "mape": "mean_absolute_percentage_error",
        "MAPE": "mean_absolute_percentage_error",
        "msle": "mean_squared_logarithmic_error",
        "MSLE": "mean_squared_logarithmic_error",
        "kld": "kl_divergence",
        "KLD": "kl_divergence",
        "kullback_leibler_divergence": "kl_divergence",
        "logcosh": "log_cosh",
        "huber_loss": "huber",
    }
    return exported | {alias: exported[name] for alias, name in aliases.items()} | {"Loss": Loss}


register_keras_objects("loss", _exported())


def serialize(loss, use_legacy_format=False):
    """The dict that describes a loss; None for None. TF: `tf.keras.losses.serialize`."""
    if loss is None:
        return None
    if not isinstance(loss, Loss):
        warnings.warn(
            "The `keras.losses.serialize()` API should only be used for objects of type `keras.losses.Loss`. Found an "
            f"instance of type {type(loss)}, which may lead to improper serialization.",
            stacklevel=2,
        )
    return _serialization.serialize(loss, "keras.losses", use_legacy_format)


def deserialize(name, custom_objects=None, use_legacy_format=False) -> Any:
    """The loss that a name or a dict describes; ValueError if it is not known. TF: `tf.keras.losses.deserialize`."""
    return _serialization.deserialize(name, keras_objects("loss"), custom_objects, "loss function")


def get(identifier) -> Any:
    """The loss that a name, a dict or a function stands for; None for None.

    Raises:
      ValueError: the name is not known, or `identifier` is something else.

    TF: `tf.keras.losses.get`.
    """
    if identifier is None or callable(identifier):
        return identifier
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    raise ValueError(f"Could not interpret loss function identifier: {identifier}")
