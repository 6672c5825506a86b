"""`tf.sets`: the numbers or texts of the last axis as sets."""

from tfcompat._package.missing import missing as _missing
from tfcompat.sets._sets import difference as difference
from tfcompat.sets._sets import intersection as intersection
from tfcompat.sets._sets import size as size
from tfcompat.sets._sets import union as union

__getattr__ = _missing("tf.sets")
