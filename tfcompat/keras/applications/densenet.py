"""`tf.keras.applications.densenet`: Huang et al. 2016, arXiv:1608.06993."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.densenet import DenseNet121 as DenseNet121
from tfcompat.keras.applications._models.densenet import DenseNet169 as DenseNet169
from tfcompat.keras.applications._models.densenet import DenseNet201 as DenseNet201
from tfcompat.keras.applications._models.densenet import preprocess_input as preprocess_input
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions

__getattr__ = _missing("tf.keras.applications.densenet")
