"""`tf.xla`: functions that XLA compiles as a whole."""

from tfcompat._package.missing import missing as _missing
from tfcompat.xla import experimental as experimental

__getattr__ = _missing("tf.xla")
