"""Keras's own classes by name, and layers as dicts and back.

A name in a configuration is looked up among the objects that register themselves here, never imported. The classes
above layers (models, losses, metrics) register themselves, too, so nothing here imports them.
"""

import collections

from tfcompat.layers._layer import serialization as _serialization

_objects: dict = collections.defaultdict(dict)  # kind -> {name: class or function}
_modules: dict = {}  # class -> the module that configurations say it is of
_pending: list = []  # functions that import what registers more


def register_keras_object(module):
    """Registers a class of Keras's own where it is defined.

    Args:
      module: str, where tf_keras has the class. Configurations name it, and tf_keras finds the class there.

    Returns:
      Decorator that returns the class itself.
    """

    def decorate(cls):
        _modules[cls] = module
        _objects["layer"][cls.__name__] = cls
        return cls

    return decorate


def register_keras_objects(kind, objects):
    """Registers what a namespace of Keras exports.

    Args:
      kind: "layer", "activation", "loss", "metric", "optimizer" or "revived".
      objects: dict from names, aliases included, to classes and functions.
    """
    _objects[kind].update(objects)


def complete_by(load):
    """Has `load()` called before the first look-up; it imports modules above, whose objects register themselves."""
    _pending.append(load)


def keras_objects(kind):
    """The dict of all objects of a kind, by name; for kinds see `register_keras_objects`."""
    while _pending:
        _pending.pop()()
    return _objects[kind]


def registered(kind):
    """As `keras_objects`, but only what the modules imported so far have registered."""
    return _objects[kind]


def serialize(layer, use_legacy_format=False):
    """The dict that describes a layer. TF: `tf.keras.layers.serialize`."""
    if use_legacy_format:
        return _serialization.serialize(layer, legacy=True)
    module = _modules.get(type(layer), "keras.layers")
    config = _serialization.serialize(layer, module)
    if config is not None and module.startswith("tf_keras"):
        # tf_keras knows what it does not export by the name of the class:
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/saving/serialization_lib.py
        config["registered_name"] = config["class_name"]
    return config


def deserialize(config, custom_objects=None, use_legacy_format=False):
    """The layer that a dict describes, with new weights; ValueError if its class is not known.

    TF: `tf.keras.layers.deserialize`.
    """
    return _serialization.deserialize(config, keras_objects("layer"), custom_objects, "layer")


def deserialize_built(config, custom_objects=None):
    """As `deserialize`, but Keras's own layers are built as well, for the shape that the dict gives."""
    return _serialization.deserialize(config, keras_objects("layer"), custom_objects, "layer", builds=True)
