"""`tf.profiler`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.profiler import experimental as experimental

__getattr__ = _missing("tf.profiler", otherwise="tf.profiler.experimental")
