"""`tf.keras.applications.resnet`: He et al. 2015, arXiv:1512.03385."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.resnet import ResNet50 as ResNet50
from tfcompat.keras.applications._models.resnet import ResNet101 as ResNet101
from tfcompat.keras.applications._models.resnet import ResNet152 as ResNet152
from tfcompat.keras.applications._models.resnet import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.resnet")
