"""tensorflow/python/framework/tensor.py and tensor_spec.py."""
from tfcompat._core.spec import BoundedTensorSpec as BoundedTensorSpec
from tfcompat._core.spec import TensorSpec as TensorSpec
from tfcompat._core.spec import TypeSpec as _TypeSpec
from tfcompat._core.spec import as_dtype as _as_dtype
from tfcompat._core.spec import as_shape as _as_shape
from tfcompat._core.spec import dtypes as _dtypes
from tfcompat._core.tensor import Tensor as Tensor


class DenseSpec(_TypeSpec):
    """Base of specs of values that have a shape and a dtype."""

    __slots__ = ("_shape", "_dtype", "_name")

    def __init__(self, shape, dtype=_dtypes.float32, name=None):
        self._shape = _as_shape(shape)
        self._dtype = _as_dtype(dtype)
        self._name = name

    shape = property(lambda self: self._shape, doc="TensorShape.")
    dtype = property(lambda self: self._dtype, doc="DType.")
    name = property(lambda self: self._name, doc="The name, or None.")

    def _serialize(self):
        return self._shape, self._dtype, self._name
