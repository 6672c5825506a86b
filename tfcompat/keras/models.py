"""`tf.keras.models`."""

from tfcompat._missing import missing as _missing
from tfcompat.layers._cloning import clone_model as clone_model
from tfcompat.layers._model import Model as Model
from tfcompat.layers._model import Sequential as Sequential
from tfcompat.saving import load_model as load_model
from tfcompat.saving import model_from_config as model_from_config
from tfcompat.saving import model_from_json as model_from_json
from tfcompat.saving import save_model as save_model

__getattr__ = _missing("tf.keras.models", {"model_from_yaml": "model_from_json"})
