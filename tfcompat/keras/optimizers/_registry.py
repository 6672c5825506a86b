"""Optimizers by name, as dicts, and back."""

from typing import Any

from tfcompat.keras.optimizers import legacy as _legacy
from tfcompat.keras.optimizers._adam import Adam, Adamax, AdamW, Nadam
from tfcompat.keras.optimizers._adaptive import Adadelta, Adagrad, RMSprop
from tfcompat.keras.optimizers._base import Optimizer
from tfcompat.keras.optimizers._ftrl import Ftrl
from tfcompat.keras.optimizers._gradient_descent import SGD
from tfcompat.keras.optimizers._of_tf1 import TFOptimizer
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer.registry import registered

# As in Keras, Lion and Adafactor have no name here.
# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/optimizers/__init__.py
_KNOWN = {cls.__name__.lower(): cls for cls in (Adadelta, Adagrad, Adam, AdamW, Adamax, Nadam, RMSprop, SGD, Ftrl)}
_LEGACY = {
    name.lower(): value
    for name, value in vars(_legacy).items()
    if isinstance(value, type) and name != "Optimizer" and not name.startswith("_")
}


def serialize(optimizer, use_legacy_format=False):
    """The dict that describes an optimizer; None for None. TF: `tf.keras.optimizers.serialize`."""
    module = "keras.optimizers" + (".legacy" if isinstance(optimizer, _legacy.Optimizer) else "")
    config: Any = _serialization.serialize(optimizer, module, use_legacy_format)
    rate = config and config["config"].get("learning_rate")
    if hasattr(rate, "item"):
        config["config"]["learning_rate"] = rate.item()
    return config


def deserialize(config, custom_objects=None, use_legacy_format=False, **kwargs):
    """The optimizer that a dict describes, with new variables.

    Args:
      config: dict from `serialize`, or with `class_name`, whose letter case does not count, and `config`.
      custom_objects: dict of further classes.
      use_legacy_format: without effect: both formats are understood.

    Raises:
      ValueError: the class is not known.

    TF: `tf.keras.optimizers.deserialize`.
    """
    legacy = kwargs.pop("use_legacy_optimizer", False)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {kwargs}")
    if config["config"]:
        legacy = config["config"].get("is_legacy_optimizer", True)
    name = config["class_name"]
    known = {**(_LEGACY if legacy else _KNOWN), **registered("optimizer")}
    name = name.lower() if name.lower() in known else name
    return _serialization.deserialize({**config, "class_name": name}, known, custom_objects, "optimizer")


def get(identifier, **kwargs):
    """The optimizer that a name, a dict or an optimizer stands for.

    Raises:
      ValueError: the name is not known, or `identifier` is something else.

    TF: `tf.keras.optimizers.get`.
    """
    legacy = kwargs.pop("use_legacy_optimizer", False)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {kwargs}")
    if isinstance(identifier, Optimizer | TFOptimizer) or getattr(identifier, "_is_legacy_optimizer", False):
        return identifier
    if getattr(identifier, "_is_of_tf1", False):
        return TFOptimizer(identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier, use_legacy_optimizer=legacy)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}}, use_legacy_optimizer=legacy)
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
