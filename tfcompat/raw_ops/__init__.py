"""`tf.raw_ops`: ops under TensorFlow's own names; keyword arguments only.

One table holds them, `_registry.OPS`: what TensorFlow's definition of an op says, and the function that computes it.
Reading and writing TensorFlow's graphs follow the same table.
"""

from tfcompat._package.missing import missing as _missing
from tfcompat.raw_ops import _arrays as _arrays
from tfcompat.raw_ops import _from_table as _from_table
from tfcompat.raw_ops import _functions as _functions
from tfcompat.raw_ops import _layers as _layers
from tfcompat.raw_ops import _lists as _lists
from tfcompat.raw_ops import _numbers as _numbers
from tfcompat.raw_ops import _parsing as _parsing
from tfcompat.raw_ops import _state as _state
from tfcompat.raw_ops import _tables as _tables
from tfcompat.raw_ops import _text as _text
from tfcompat.raw_ops import _variables as _variables
from tfcompat.raw_ops import _written as _written
from tfcompat.raw_ops._registry import OPS as _OPS

globals().update(_OPS)

__getattr__ = _missing("tf.raw_ops", otherwise="the public function of this op")
