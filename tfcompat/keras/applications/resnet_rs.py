"""`tf.keras.applications.resnet_rs`: Bello and others 2021, arXiv:2103.07579."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.parts import preprocess_input as preprocess_input
from tfcompat.keras.applications._models.resnet_rs import ResNetRS50 as ResNetRS50
from tfcompat.keras.applications._models.resnet_rs import ResNetRS101 as ResNetRS101
from tfcompat.keras.applications._models.resnet_rs import ResNetRS152 as ResNetRS152
from tfcompat.keras.applications._models.resnet_rs import ResNetRS200 as ResNetRS200
from tfcompat.keras.applications._models.resnet_rs import ResNetRS270 as ResNetRS270
from tfcompat.keras.applications._models.resnet_rs import ResNetRS350 as ResNetRS350
from tfcompat.keras.applications._models.resnet_rs import ResNetRS420 as ResNetRS420

__getattr__ = _missing("tf.keras.applications.resnet_rs")
