"""tensorflow/python/types/core.py: types for annotations and `isinstance`."""

import tfcompat as _tf
from tfcompat._tensor import TensorType as Tensor

TensorLike = _tf.types.experimental.TensorLike

__all__ = ["Tensor", "TensorLike"]
