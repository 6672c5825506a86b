"""`tf.keras.applications.efficientnet_v2`: Tan and Le 2021, arXiv:2104.00298."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.efficientnet_v2 import EfficientNetV2B0 as EfficientNetV2B0
from tfcompat.keras.applications._models.efficientnet_v2 import EfficientNetV2B1 as EfficientNetV2B1
from tfcompat.keras.applications._models.efficientnet_v2 import EfficientNetV2B2 as EfficientNetV2B2
from tfcompat.keras.applications._models.efficientnet_v2 import EfficientNetV2B3 as EfficientNetV2B3
from tfcompat.keras.applications._models.efficientnet_v2 import EfficientNetV2L as EfficientNetV2L
from tfcompat.keras.applications._models.efficientnet_v2 import EfficientNetV2M as EfficientNetV2M
from tfcompat.keras.applications._models.efficientnet_v2 import EfficientNetV2S as EfficientNetV2S
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.parts import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.efficientnet_v2")
