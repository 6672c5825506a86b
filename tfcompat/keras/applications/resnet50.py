"""`tf.keras.applications.resnet50`: some of `tf.keras.applications.resnet` by an older name."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications.resnet import ResNet50 as ResNet50
from tfcompat.keras.applications.resnet import decode_predictions as decode_predictions
from tfcompat.keras.applications.resnet import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.resnet50")
