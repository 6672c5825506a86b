"""`tf.lookup.experimental`: tables that change."""

from tfcompat._package.missing import missing as _missing
from tfcompat.lookup._mutable import DenseHashTable as DenseHashTable
from tfcompat.lookup._mutable import MutableHashTable as MutableHashTable

__getattr__ = _missing("tf.lookup.experimental")
