"""`tf.keras.applications.imagenet_utils`: what goes into models of ImageNet, and what comes out of them."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.imagenet import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.imagenet_utils")
