"""tensorflow/python/framework/tensor_shape.py."""
from tfcompat._core.shape import Dimension as Dimension
from tfcompat._core.shape import TensorShape as TensorShape
from tfcompat._core.shape import as_shape as as_shape
from tfcompat.compat import dimension_at_index as dimension_at_index
from tfcompat.compat import dimension_value as dimension_value
