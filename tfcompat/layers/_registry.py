"""Layers as dicts, and back."""

from tfcompat.layers import _serialization


def _known_layers():
    from tfcompat import layers
    from tfcompat.layers._base import Layer
    from tfcompat.layers._model import Model, Sequential

    return {
        name: value
        for name, value in vars(layers).items()
        if isinstance(value, type) and issubclass(value, Layer)
    } | {
        "Sequential": Sequential,
        "Model": Model,
    }


def serialize(layer, use_legacy_format=False):
    """The dict that describes a layer. TF: `tf.keras.layers.serialize`."""
    return _serialization.serialize(layer, "keras.layers")


def deserialize(config, custom_objects=None, use_legacy_format=False):
    """The layer that a dict describes, with new weights; ValueError if its class is not known.

    TF: `tf.keras.layers.deserialize`.
    """
    return _serialization.deserialize(config, _known_layers(), custom_objects, "layer")
