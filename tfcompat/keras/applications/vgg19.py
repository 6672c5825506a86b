"""`tf.keras.applications.vgg19`: Simonyan and Zisserman 2014, arXiv:1409.1556, with 19 layers of weights."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.vgg19 import VGG19 as VGG19
from tfcompat.keras.applications._models.vgg19 import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.vgg19")
