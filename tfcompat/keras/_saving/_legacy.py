"""Objects as dicts of class name and configuration, as Keras wrote them before Keras 3."""

import inspect
from typing import Any

from tfcompat.layers._layer import serialization as _serialization


def serialize_keras_object(instance) -> Any:
    """The dict of class name and configuration that describes an object.

    Args:
      instance: object with `get_config`, function, class, or None.

    Returns:
      Dict; the name of a function or class; None for None.

    Raises:
      ValueError: something else.

    TF: `tf.keras.utils.legacy.serialize_keras_object`.
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config") and not isinstance(instance, type):
        config = {key: _part(value) for key, value in instance.get_config().items()}
        return {"class_name": _serialization.get_registered_name(type(instance)), "config": config}
    if hasattr(instance, "__name__"):
        return _serialization.get_registered_name(instance)
    raise ValueError(f"Cannot serialize {instance} because it doesn't implement `get_config()`.")


def _part(value):
    """A value in a configuration; objects in it are described, too."""
    if isinstance(value, str):
        return value
    try:
        return serialize_keras_object(value)
    except ValueError:
        return value


def deserialize_keras_object(identifier, module_objects=None, custom_objects=None, printable_module_name="object"):
    """The object that a name, or a dict of class name and configuration, describes.

    Args:
      identifier: str, dict, function, or None.
      module_objects: dict from names to classes and functions.
      custom_objects: dict of further names, which come first.
      printable_module_name: str, what the object should be, for messages.

    Returns:
      Instance of the class, or the function; None for None.

    Raises:
      ValueError: the name is not known, or `identifier` is none of these.

    TF: `tf.keras.utils.legacy.deserialize_keras_object`.
    """
    if identifier is None or inspect.isfunction(identifier):
        return identifier
    if not isinstance(identifier, str | dict):
        raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")
    if isinstance(identifier, str):
        return _serialization.deserialize(identifier, module_objects or {}, custom_objects, printable_module_name)
    if "class_name" not in identifier or "config" not in identifier:
        raise ValueError(
            f"Improper config format for {identifier}. Expecting python dict contains `class_name` and `config` as keys"
        )
    name, config = identifier["class_name"], identifier["config"]
    target = _serialization.get_registered_object(name, custom_objects, module_objects)
    if target is None:
        raise _serialization.unknown(printable_module_name, name)
    create = getattr(target, "from_config", None)
    with _serialization.CustomObjectScope(custom_objects or {}):
        if create is None:
            return target(**config)
        if "custom_objects" in inspect.signature(create).parameters:
            return create(config, custom_objects=_serialization.known_names(custom_objects))
        return create(config)
