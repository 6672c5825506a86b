"""Layers as dicts, and back."""

from tfcompat.layers._layer import serialization as _serialization

# Where tf_keras has what is not in `keras.layers`. What it does not export it knows by the name of the class too.
_MODULES = {
    "Sequential": "keras",
    "Model": "keras",
    "FeatureSpace": "keras.utils",
    "Functional": "tf_keras.src.engine.functional",
    "AddLoss": "tf_keras.src.engine.base_layer",
    "AddMetric": "tf_keras.src.engine.base_layer",
    "InstanceMethod": "tf_keras.src.layers.core.tf_op_layer",
    "InstanceProperty": "tf_keras.src.layers.core.tf_op_layer",
    "TFOpLambda": "tf_keras.src.layers.core.tf_op_layer",
    "SlicingOpLambda": "tf_keras.src.layers.core.tf_op_layer",
    "LayerScale": "tf_keras.src.applications.convnext",
    "StochasticDepth": "tf_keras.src.applications.convnext",
}


def _known_layers():
    from tfcompat import layers
    from tfcompat.keras._feature_space import FeatureSpace
    from tfcompat.keras.applications._convnext_layers import LayerScale, StochasticDepth
    from tfcompat.layers._layer.layer import Layer
    from tfcompat.layers._models.functional import AddLoss, AddMetric, Functional
    from tfcompat.layers._models.model import Model, Sequential
    from tfcompat.layers._symbolic.attribute_layers import InstanceMethod, InstanceProperty
    from tfcompat.layers._symbolic.op_layers import SlicingOpLambda, TFOpLambda

    return {
        name: value
        for name, value in vars(layers).items()
        if isinstance(value, type) and issubclass(value, Layer)
    } | {
        "Sequential": Sequential,
        "Model": Model,
        "FeatureSpace": FeatureSpace,
        "Functional": Functional,
        "AddLoss": AddLoss,
        "AddMetric": AddMetric,
        "InstanceMethod": InstanceMethod,
        "InstanceProperty": InstanceProperty,
        "TFOpLambda": TFOpLambda,
        "SlicingOpLambda": SlicingOpLambda,
        "LayerScale": LayerScale,
        "StochasticDepth": StochasticDepth,
    }


def serialize(layer, use_legacy_format=False):
    """The dict that describes a layer. TF: `tf.keras.layers.serialize`."""
    if use_legacy_format:
        return _serialization.serialize(layer, legacy=True)
    module = _MODULES.get(type(layer).__name__, "keras.layers")
    config = _serialization.serialize(layer, module)
    if config is not None and config["module"] == module and module.startswith("tf_keras"):
        config["registered_name"] = config["class_name"]
    return config


def deserialize(config, custom_objects=None, use_legacy_format=False):
    """The layer that a dict describes, with new weights; ValueError if its class is not known.

    TF: `tf.keras.layers.deserialize`.
    """
    return _serialization.deserialize(config, _known_layers(), custom_objects, "layer")


def deserialize_built(config, custom_objects=None):
    """As `deserialize`, but Keras's own layers are built, too, where the dict says for which shape."""
    return _serialization.deserialize(config, _known_layers(), custom_objects, "layer", builds=True)
