"""`tf.keras.applications.xception`: Chollet 2016, arXiv:1610.02357."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.xception import Xception as Xception
from tfcompat.keras.applications._models.xception import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.xception")
