"""Objects as dicts of class name and configuration, as Keras wrote them before Keras 3."""

import inspect

from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer.serialization import serialize_keras_object as serialize_keras_object


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
    config = _serialization.legacy_parts(config, module_objects or {}, custom_objects)
    with _serialization.CustomObjectScope(custom_objects or {}):
        if create is None:
            return target(**config)
        if "custom_objects" in inspect.signature(create).parameters:
            return create(config, custom_objects=_serialization.known_names(custom_objects))
        return create(config)
