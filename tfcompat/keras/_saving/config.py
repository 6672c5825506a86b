"""Any Keras object as a dict, and back, without running what a file holds."""

from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.keras import losses, metrics, optimizers
from tfcompat.keras._saving import legacy
from tfcompat.keras.losses._base import Loss
from tfcompat.keras.metrics._base import Metric
from tfcompat.keras.optimizers import schedules
from tfcompat.keras.optimizers._base import Optimizer
from tfcompat.layers import activations, constraints, initializers, regularizers
from tfcompat.layers._layer import registry as _registry
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer.layer import Layer


def serialize_keras_object(obj) -> Any:
    """The dict that describes an object, a structure of objects, or a value.

    Args:
      obj: layer, model, optimizer, loss, metric, function, number, str, bytes, array, tensor, or a structure of these.

    Returns:
      What `json.dumps` takes. A function is its name alone.

    Raises:
      TypeError: something else, without `get_config`.

    TF: `tf.keras.saving.serialize_keras_object`; the code of a lambda is not written.
    """
    if obj is None or isinstance(obj, str | bool | int | float):
        return obj
    if isinstance(obj, dict):
        return {key: serialize_keras_object(value) for key, value in obj.items()}
    if isinstance(obj, list | tuple):
        return [serialize_keras_object(value) for value in obj]
    if isinstance(obj, bytes):
        return {"class_name": _serialization.BYTES, "config": {"value": obj.decode()}}
    if isinstance(obj, TensorShape):
        return None if obj.rank is None else obj.as_list()
    if isinstance(obj, dtypes.DType):
        return obj.name
    if isinstance(obj, Tensor | Variable):
        config = {"value": np.asarray(obj).tolist(), "dtype": obj.dtype.name}
        return {"class_name": _serialization.TENSOR, "config": config}
    if isinstance(obj, np.generic) or isinstance(obj, np.ndarray) and obj.ndim == 0:
        return obj.item()
    if isinstance(obj, np.ndarray):
        return {"class_name": _serialization.ARRAY, "config": {"value": obj.tolist(), "dtype": obj.dtype.name}}
    if isinstance(obj, Metric):
        config = metrics.serialize(obj)
    elif isinstance(obj, Layer):
        config = _registry.serialize(obj)
        compiled = getattr(obj, "get_compile_config", lambda: None)()
        if config is not None and compiled is not None:
            config["compile_config"] = compiled
    elif isinstance(obj, Optimizer):
        config = optimizers.serialize(obj)
    elif isinstance(obj, Loss):
        config = losses.serialize(obj)
    elif hasattr(obj, "get_config") or callable(obj):
        config = _serialization.serialize(obj)
    else:
        raise TypeError(
            f"Cannot serialize object {obj} of type {type(obj)}. To be serializable, a class must implement the "
            "`get_config()` method."
        )
    return _plain(config)


def _plain(config):
    """A configuration with Python values in place of NumPy's, DTypes and shapes."""
    if isinstance(config, dict):
        return {key: _plain(value) for key, value in config.items()}
    return serialize_keras_object(config)


def deserialize_keras_object(config, custom_objects=None, safe_mode=True, **kwargs) -> Any:
    """The object that a dict from `serialize_keras_object` describes.

    Args:
      config: dict, or a structure of dicts and values.
      custom_objects: dict from names to classes and functions.
      safe_mode: without effect: code is never taken from a configuration.
      **kwargs: `module_objects`, dict of names that are known as well; `printable_module_name`, what the object should
        be, for messages.

    Raises:
      ValueError: a name is not known, or the dict holds code.

    TF: `tf.keras.saving.deserialize_keras_object`; modules that a dict names are not imported.
    """
    module_objects, kind = kwargs.pop("module_objects", None), kwargs.pop("printable_module_name", "object")
    if kwargs:
        raise ValueError(f"The following argument(s) are not supported: {list(kwargs)}")
    if isinstance(config, str) and (custom_objects or {}).get(config) is not None:
        return custom_objects[config]  # pyright: ignore
    if module_objects is not None and not isinstance(config, list | tuple):
        return _among(config, module_objects, custom_objects, kind)
    if config is None or isinstance(config, str | bool | int | float):
        return config
    if isinstance(config, list | tuple):
        return [deserialize_keras_object(value, custom_objects) for value in config]
    if not isinstance(config, dict):
        raise TypeError(f"Could not parse config: {config}")
    if "class_name" not in config or "config" not in config:
        return {key: deserialize_keras_object(value, custom_objects) for key, value in config.items()}
    name = config["class_name"]
    if name in (_serialization.BYTES, _serialization.TENSOR, _serialization.ARRAY):
        return _serialization.deserialize_value(config)
    refuse_code(config, custom_objects)
    module = config.get("module") or ""
    if module.startswith(("keras.optimizers", "tf_keras.src.optimizers")) and "schedules" not in module:
        return optimizers.deserialize(config, custom_objects)
    if module.startswith(("keras.losses", "tf_keras.src.losses")):
        return losses.deserialize(config, custom_objects)
    if module.startswith(("keras.metrics", "tf_keras.src.metrics")):
        return metrics.deserialize(config, custom_objects)
    if name == "function":
        known = {**vars(metrics), **vars(losses), **_activations()}
        return _serialization.deserialize(config, known, custom_objects, "function")
    if module.startswith("keras.") and module not in ("keras.layers", "keras.models"):
        return _of_module(module.removeprefix("keras."), config, custom_objects)
    return _registry.deserialize_built(config, custom_objects)


def _among(config, module_objects, custom_objects, kind):
    """The object that a name or a dict describes among the names of a module; anything else as it is."""
    if isinstance(config, dict) and "class_name" in config:
        if config["class_name"] == "function":
            config = config["config"]
        else:
            return legacy.deserialize_keras_object(config, module_objects, custom_objects, kind)
    elif isinstance(config, dict):
        raise ValueError(f"Unknown `config` as a `dict`, config={config}")
    if config not in module_objects:
        return config
    return legacy.deserialize_keras_object(config, module_objects, custom_objects, kind)


def _activations():
    return {name: value for name, value in vars(activations).items() if not name.startswith("_")}


def _of_module(path, config, custom_objects):
    """An object of another namespace of Keras: initializers, regularizers, constraints, schedules."""
    known = {
        "initializers": initializers, "regularizers": regularizers, "constraints": constraints,
        "optimizers.schedules": schedules,
    }.get(path)  # fmt: skip
    if known is None:
        return _registry.deserialize_built(config, custom_objects)
    return known.deserialize(config, custom_objects)


def refuse_code(config, custom_objects=None):
    """Raises ValueError if there is code somewhere in a configuration.

    `custom_objects` may hold the function of a Lambda, by the name of the layer; it replaces the code.
    """
    if isinstance(config, dict):
        if config.get("class_name") == "__lambda__":
            raise ValueError(_holds_code("a lambda"))
        inner = config.get("config")
        if config.get("class_name") == "Lambda" and isinstance(inner, dict) and not isinstance(
            inner.get("function"), str | None
        ):
            name = inner.get("name")
            if _serialization.get_registered_object(name, custom_objects) is None:
                raise ValueError(_holds_code(f'the Lambda layer "{name}"'))
            config["config"] = {**inner, "function": name}
            for key in ("function_type", "module"):
                config["config"].pop(key, None)
            return
        for value in config.values():
            refuse_code(value, custom_objects)
    elif isinstance(config, list | tuple):
        for value in config:
            refuse_code(value, custom_objects)


def refuse_files(config):
    """Raises ValueError if a configuration names another file, whose contents a layer would read: a vocabulary."""
    if isinstance(config, dict):
        path = config.get("vocabulary")
        if isinstance(path, str):
            raise ValueError(
                f"the vocabulary of the layer {config.get('name')!r} is in another file, {path!r}, which is not read: "
                "pass safe_mode=False if you trust the model"
            )
        for value in config.values():
            refuse_files(value)
    elif isinstance(config, list | tuple):
        for value in config:
            refuse_files(value)


def _holds_code(holder):
    return (
        f"{holder} is stored as Python code, which is not run, whatever `safe_mode` says: pass the function in "
        "`custom_objects`, for a Lambda layer by the name of the layer; or build the model in your code and call "
        "`load_weights` with the file"
    )
