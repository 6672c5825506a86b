"""tf.bitwise: operations on the bits of integers."""

from tfcompat._package.missing import missing as _missing
from tfcompat.bitwise._elementwise import bitwise_and as bitwise_and
from tfcompat.bitwise._elementwise import bitwise_or as bitwise_or
from tfcompat.bitwise._elementwise import bitwise_xor as bitwise_xor
from tfcompat.bitwise._elementwise import invert as invert
from tfcompat.bitwise._elementwise import left_shift as left_shift
from tfcompat.bitwise._elementwise import right_shift as right_shift

__getattr__ = _missing("tf.bitwise")
