"""`tf.keras.models`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras._models.cloning import clone_model as clone_model
from tfcompat.keras._models.model import Model as Model
from tfcompat.keras._models.revived import Revived as _Revived  # noqa: F401  (registers itself)
from tfcompat.keras._models.sequential import Sequential as Sequential
from tfcompat.keras._saving import load_model as load_model
from tfcompat.keras._saving import model_from_config as model_from_config
from tfcompat.keras._saving import model_from_json as model_from_json
from tfcompat.keras._saving import save_model as save_model

__getattr__ = _missing("tf.keras.models", {"model_from_yaml": "model_from_json"})
