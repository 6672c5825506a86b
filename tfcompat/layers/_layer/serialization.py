"""Keras objects as dicts, and back: class name and `get_config`, in the form Keras 2 writes them."""

import contextlib
import inspect
from typing import Any

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._package.thread_state import ThreadState
from tfcompat.layers._layer import shared_objects as _shared_objects

# Names that tf_keras gives to values in configurations:
# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/saving/serialization_lib.py
BYTES, TENSOR, ARRAY = "__bytes__", "__tensor__", "__numpy__"
_PART = "__passive_serialization__"  # marks objects in configurations

_registered: dict = {}
_scoped = ThreadState()


class CustomObjectScope:
    """A context in which names of custom classes and functions are known to `from_config` and `get`.

    Args:
      *args: dicts from names to classes or functions.

    TF: `tf.keras.utils.CustomObjectScope`, `tf.keras.utils.custom_object_scope`.
    """

    def __init__(self, *args):
        self._objects = {name: value for entries in args for name, value in entries.items()}

    def __enter__(self):
        self._outer = getattr(_scoped, "objects", {})
        _scoped.objects = {**self._outer, **self._objects}
        return self

    def __exit__(self, *exc):
        _scoped.objects = self._outer


def get_custom_objects():
    """The dict of names known everywhere, to be added to. TF: `tf.keras.utils.get_custom_objects`."""
    return _registered


def register_keras_serializable(package="Custom", name=None):
    """Makes a class or function known everywhere as `package>name`.

    Args:
      package: str.
      name: str, the object's own name by default.

    Returns:
      Decorator that returns the object itself.

    Raises:
      ValueError: a class without `get_config`.

    TF: `tf.keras.utils.register_keras_serializable`.
    """

    def decorate(target):
        if inspect.isclass(target) and not hasattr(target, "get_config"):
            raise ValueError("Cannot register a class that does not have a get_config() method.")
        _registered[f"{package}>{target.__name__ if name is None else name}"] = target
        return target

    return decorate


def get_registered_name(obj):
    """The name a class or function is registered under, its own by default."""
    return next((name for name, known in _registered.items() if known is obj), obj.__name__)


def get_registered_object(name, custom_objects=None, module_objects=None) -> Any:
    """The class or function of a name, None if it is not known."""
    return known_names(custom_objects).get(name) or (module_objects or {}).get(name)


def known_names(custom_objects):
    return {**_registered, **getattr(_scoped, "objects", {}), **(custom_objects or {})}


def serialize(target, public_module=None, legacy=False):
    """The dict that describes a Keras object or a function.

    Args:
      target: object with `get_config`, function, or None.
      public_module: where Keras exports the class, as "keras.layers", for Keras's own.
      legacy: whether to give class name and configuration only, and the bare name of a function.

    Returns:
      Dict of module, class_name, config and registered_name; None for None.
    """
    if target is None:
        return None
    if legacy:
        return serialize_keras_object(target)
    if inspect.isfunction(target) or inspect.isbuiltin(target):
        kind = type(target).__name__
        name = next((name for name, known in _registered.items() if known is target), kind)
        return {"module": "builtins", "class_name": kind, "config": target.__name__, "registered_name": name}
    cls = type(target)
    is_keras_class = public_module is not None and cls.__module__.partition(".")[0] == __name__.partition(".")[0]
    config = {
        "module": public_module if is_keras_class else None if cls.__module__ == "__main__" else cls.__module__,
        "class_name": cls.__name__,
        "config": target.get_config(),
        "registered_name": None if is_keras_class else get_registered_name(cls),
    }
    build_config = getattr(target, "get_build_config", lambda: None)()
    if build_config is not None:
        config["build_config"] = build_config
    _shared_objects.note_written(target, config)
    return config


def serialize_keras_object(instance) -> Any:
    """The dict of class name and configuration that describes an object, as Keras wrote it before Keras 3.

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
        config = {key: _legacy_part(value) for key, value in instance.get_config().items()}
        return {"class_name": get_registered_name(type(instance)), "config": config}
    if hasattr(instance, "__name__"):
        return get_registered_name(instance)
    raise ValueError(f"Cannot serialize {instance} because it doesn't implement `get_config()`.")


def _legacy_part(value):
    """A value in a configuration; objects in it are described, too, and marked."""
    if isinstance(value, str):
        return value
    try:
        described = serialize_keras_object(value)
    except ValueError:
        return value
    return {**described, _PART: True} if isinstance(described, dict) and not isinstance(value, dict) else described


def legacy_parts(config, objects, custom_objects=None):
    """A configuration with the objects and the registered functions that `serialize_keras_object` described in it."""
    if not isinstance(config, dict):
        return config
    found = dict(config)
    for key, value in config.items():
        if isinstance(value, dict) and _PART in value:
            found[key] = deserialize(value, objects, custom_objects, "config_item")
        elif isinstance(value, str) and key != "name":
            function = get_registered_object(value, custom_objects)
            found[key] = function if inspect.isfunction(function) else value
    return found


@contextlib.contextmanager
def legacy_config(layer):
    """A context in which the configuration of a model is that of HDF5 files: its layers have no `build_config`."""
    layer.__dict__["use_legacy_config"] = True
    try:
        yield
    finally:
        layer.__dict__.pop("use_legacy_config", None)


def deserialize(config, objects, custom_objects=None, kind="object", builds=False) -> Any:
    """The object that a name or a dict from `serialize` describes.

    Args:
      config: str or dict.
      objects: dict of the names Keras knows.
      custom_objects: dict of further names.
      kind: what it should be, for the message.
      builds: whether objects of Keras's own are built as the dict says; those of others always are.

    Returns:
      Instance of the class named, or the function named.

    Raises:
      ValueError: the name is not known.
    """
    others = known_names(custom_objects)
    known = {**objects, **others}
    if isinstance(config, str):
        target = known.get(config)
        if target is None:
            raise unknown(kind, config)
        return target() if inspect.isclass(target) else target
    if not isinstance(config, dict) or "class_name" not in config:
        raise ValueError(
            f"Improper config format for {kind}: {config}. Expected a name, or a dict with a class_name"
        )
    if isinstance(config["config"], str):
        # Functions have their name in place of a configuration.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/saving/serialization_lib.py
        names = (config["registered_name"], config["config"])
    else:
        names = (config.get("registered_name"), config["class_name"])
    target: Any = next((known[name] for name in names if name in known), None)
    if target is None:
        raise unknown(kind, names[1])
    if not hasattr(target, "from_config"):
        return target
    instance = _shared_objects.known(config)
    if instance is not None:
        return instance
    inner = dict(config.get("config") or {})
    if "registered_name" not in config:
        inner = legacy_parts(inner, objects, custom_objects)
    with CustomObjectScope(custom_objects) if custom_objects else contextlib.nullcontext():
        instance = target.from_config(inner)
        if config.get("build_config") and (builds or any(name in others for name in names)):
            instance.build_from_config(config["build_config"])
    _shared_objects.note_read(config, instance)
    return instance


def unknown(kind, name):
    return ValueError(
        f"Unknown {kind}: '{name}'. Please ensure you are using a `keras.utils.custom_object_scope` and that "
        "this object is included in the scope."
    )


def deserialize_value(value) -> Any:
    """The bytes, tensor or array that a dict in a configuration stands for; anything else as it is."""
    kind = value.get("class_name") if isinstance(value, dict) else None
    if kind not in (BYTES, TENSOR, ARRAY):
        return value
    config = value["config"]
    if kind == BYTES:
        return config["value"].encode()
    array = np.array(config["value"], config["dtype"])
    return convert_to_tensor(array) if kind == TENSOR else array
