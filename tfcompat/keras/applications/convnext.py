"""`tf.keras.applications.convnext`: Liu and others 2022, arXiv:2201.03545."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.convnext import ConvNeXtBase as ConvNeXtBase
from tfcompat.keras.applications._models.convnext import ConvNeXtLarge as ConvNeXtLarge
from tfcompat.keras.applications._models.convnext import ConvNeXtSmall as ConvNeXtSmall
from tfcompat.keras.applications._models.convnext import ConvNeXtTiny as ConvNeXtTiny
from tfcompat.keras.applications._models.convnext import ConvNeXtXLarge as ConvNeXtXLarge
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.parts import preprocess_input as preprocess_input

__getattr__ = _missing("tf.keras.applications.convnext")
