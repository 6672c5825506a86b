"""`tf.types`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.types import experimental as experimental

__getattr__ = _missing("tf.types")
