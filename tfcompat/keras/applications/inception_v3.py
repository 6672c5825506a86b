"""`tf.keras.applications.inception_v3`: Szegedy et al. 2015, arXiv:1512.00567."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.inception_v3 import InceptionV3 as InceptionV3
from tfcompat.keras.applications._models.inception_v3 import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.inception_v3")
