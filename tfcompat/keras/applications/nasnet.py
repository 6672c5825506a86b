"""`tf.keras.applications.nasnet`: Zoph et al. 2017, arXiv:1707.07012."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.nasnet import NASNetLarge as NASNetLarge
from tfcompat.keras.applications._models.nasnet import NASNetMobile as NASNetMobile
from tfcompat.keras.applications._models.nasnet import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.nasnet")
