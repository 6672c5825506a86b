"""`tf.keras.applications.efficientnet`: Tan and Le 2019, arXiv:1905.11946."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.efficientnet import EfficientNetB0 as EfficientNetB0
from tfcompat.keras.applications._models.efficientnet import EfficientNetB1 as EfficientNetB1
from tfcompat.keras.applications._models.efficientnet import EfficientNetB2 as EfficientNetB2
from tfcompat.keras.applications._models.efficientnet import EfficientNetB3 as EfficientNetB3
from tfcompat.keras.applications._models.efficientnet import EfficientNetB4 as EfficientNetB4
from tfcompat.keras.applications._models.efficientnet import EfficientNetB5 as EfficientNetB5
from tfcompat.keras.applications._models.efficientnet import EfficientNetB6 as EfficientNetB6
from tfcompat.keras.applications._models.efficientnet import EfficientNetB7 as EfficientNetB7
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.parts import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.efficientnet")
