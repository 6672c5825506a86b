"""Keras models in files: what `tf.keras.Model.save`, `save_weights` and their counterparts do."""

from tfcompat.keras._saving.config import deserialize_keras_object as deserialize_keras_object
from tfcompat.keras._saving.config import serialize_keras_object as serialize_keras_object
from tfcompat.keras._saving.models import load_model as load_model
from tfcompat.keras._saving.models import model_from_config as model_from_config
from tfcompat.keras._saving.models import model_from_json as model_from_json
from tfcompat.keras._saving.models import save_model as save_model
