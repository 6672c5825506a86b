"""`tf.keras.applications.resnet_v2`: He et al. 2016, arXiv:1603.05027."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.resnet_v2 import ResNet50V2 as ResNet50V2
from tfcompat.keras.applications._models.resnet_v2 import ResNet101V2 as ResNet101V2
from tfcompat.keras.applications._models.resnet_v2 import ResNet152V2 as ResNet152V2
from tfcompat.keras.applications._models.resnet_v2 import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.resnet_v2")
