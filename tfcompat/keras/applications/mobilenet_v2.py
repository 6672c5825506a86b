"""`tf.keras.applications.mobilenet_v2`: Sandler et al. 2018, arXiv:1801.04381."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.mobilenet_v2 import MobileNetV2 as MobileNetV2
from tfcompat.keras.applications._models.mobilenet_v2 import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.mobilenet_v2")
