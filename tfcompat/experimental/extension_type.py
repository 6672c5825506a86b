"""`tf.experimental.extension_type`: functions of values of extension types."""

from tfcompat._core.extension_type.types import as_dict as as_dict
from tfcompat._package.missing import missing as _missing

__getattr__ = _missing("tf.experimental.extension_type")
