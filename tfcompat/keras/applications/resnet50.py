"""`tf.keras.applications.resnet50`: some of `tf.keras.applications.resnet` by an older name."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.resnet import ResNet50 as ResNet50
from tfcompat.keras.applications._models.resnet import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.resnet50")
