"""`tf.keras.utils.legacy`: objects as the dicts of class name and configuration that Keras wrote before Keras 3."""

from tfcompat.keras._saving._legacy import deserialize_keras_object as deserialize_keras_object
from tfcompat.keras._saving._legacy import serialize_keras_object as serialize_keras_object
