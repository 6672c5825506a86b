"""`tf.keras.applications.inception_resnet_v2`: Szegedy et al. 2016, arXiv:1602.07261."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.inception_resnet_v2 import InceptionResNetV2 as InceptionResNetV2
from tfcompat.keras.applications._models.inception_resnet_v2 import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.inception_resnet_v2")
