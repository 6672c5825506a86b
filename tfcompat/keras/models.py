"""`tf.keras.models`."""

from tfcompat._missing import missing as _missing
from tfcompat.layers._cloning import clone_model as clone_model
from tfcompat.layers._model import Model as Model
from tfcompat.layers._model import Sequential as Sequential

__getattr__ = _missing(
    "tf.keras.models",
    {
        "load_model": "tf.saved_model.load, of what tf.saved_model.save wrote",
        "save_model": "tf.saved_model.save",
    },
)
