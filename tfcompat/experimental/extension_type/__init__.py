"""`tf.experimental.extension_type`: extension types, and what ops do with their values."""

from tfcompat._missing import missing as _missing
from tfcompat.experimental.extension_type._types import as_dict as as_dict

__getattr__ = _missing("tf.experimental.extension_type")
