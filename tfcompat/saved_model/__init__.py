"""Saving and loading modules: TF's `tf.saved_model`, with files of tfcompat's own."""
from tfcompat._missing import missing as _missing
from tfcompat.saved_model import experimental as experimental
from tfcompat.saved_model._load import contains_saved_model as contains_saved_model
from tfcompat.saved_model._load import load as load
from tfcompat.saved_model._options import LoadOptions as LoadOptions
from tfcompat.saved_model._options import SaveOptions as SaveOptions
from tfcompat.saved_model._save import save as save

__getattr__ = _missing(
    "tf.saved_model",
    hints={"Asset": "a file beside the model's folder, whose contents a tf.Variable or a Python attribute may hold"},
)
