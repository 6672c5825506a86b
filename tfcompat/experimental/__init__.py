"""`tf.experimental`: the NumPy interface, and values that may be missing."""

from tfcompat._missing import missing as _missing
from tfcompat.data._iterator import Optional as Optional
from tfcompat.experimental import dtensor as dtensor
from tfcompat.experimental import numpy as numpy

__getattr__ = _missing("tf.experimental")
