"""`tf.keras.applications.mobilenet_v3`: Howard et al. 2019, arXiv:1905.02244."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.mobilenet_v3 import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.mobilenet_v3")
