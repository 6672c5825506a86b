"""`tf.experimental.extension_type`: functions of values of extension types."""

from tfcompat._extension_type._types import as_dict as as_dict
from tfcompat._missing import missing as _missing

__getattr__ = _missing("tf.experimental.extension_type")
