"""`tf.keras.saving`: models in files, and custom objects by name."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras._saving import deserialize_keras_object as deserialize_keras_object
from tfcompat.keras._saving import load_model as load_model
from tfcompat.keras._saving import save_model as save_model
from tfcompat.keras._saving import serialize_keras_object as serialize_keras_object
from tfcompat.layers._layer.serialization import CustomObjectScope as custom_object_scope  # noqa: F401
from tfcompat.layers._layer.serialization import get_custom_objects as get_custom_objects
from tfcompat.layers._layer.serialization import get_registered_name as get_registered_name
from tfcompat.layers._layer.serialization import get_registered_object as get_registered_object
from tfcompat.layers._layer.serialization import register_keras_serializable as register_keras_serializable

__getattr__ = _missing("tf.keras.saving")
