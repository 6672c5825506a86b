"""`tf.experimental`: the NumPy interface."""

from tfcompat._missing import missing as _missing
from tfcompat.experimental import numpy as numpy

__getattr__ = _missing("tf.experimental")
