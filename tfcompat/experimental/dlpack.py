"""`tf.experimental.dlpack`: tensors and the arrays of other libraries in the same memory."""

from tfcompat._package.missing import missing as _missing
from tfcompat.experimental._dlpack import from_dlpack as from_dlpack
from tfcompat.experimental._dlpack import to_dlpack as to_dlpack

__getattr__ = _missing("tf.experimental.dlpack")
