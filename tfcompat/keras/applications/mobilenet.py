"""`tf.keras.applications.mobilenet`: Howard et al. 2017, arXiv:1704.04861."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.mobilenet import MobileNet as MobileNet
from tfcompat.keras.applications._models.mobilenet import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.mobilenet")
