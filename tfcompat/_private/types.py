"""tensorflow/python/types: core.py, trace.py: types for annotations and `isinstance`."""

import tfcompat as _tf
from tfcompat._core.tensor import TensorType as Tensor

TensorLike = _tf.types.experimental.TensorLike
TraceType = _tf.types.experimental.TraceType

__all__ = ["Tensor", "TensorLike", "TraceType"]
