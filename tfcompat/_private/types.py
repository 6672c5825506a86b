"""tensorflow/python/types: core.py, trace.py."""
import tfcompat as _tf
from tfcompat._tensor import TensorType as _TensorType

Tensor = TensorLike = _TensorType
TraceType = _tf.types.experimental.TraceType
