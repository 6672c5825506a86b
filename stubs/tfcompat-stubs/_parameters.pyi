"""Made by stubs/render.py: what parameters take."""
import builtins as _builtins
import typing as _t

import numpy as _np

import tfcompat as _tf

class _HasArray(_t.Protocol):
    def __array__(self, *args: _t.Any, **kwargs: _t.Any) -> _t.Any: ...

Flag: _t.TypeAlias = _t.SupportsIndex | _HasArray | _tf.Tensor | _tf.Variable
Int: _t.TypeAlias = _t.SupportsIndex | _t.SupportsInt | _HasArray | _tf.Tensor | _tf.Variable
TensorLike: _t.TypeAlias = (
    _builtins.complex | _builtins.str | _builtins.bytes | _HasArray | _t.Sequence[_t.Any] | _t.SupportsIndex
    | _t.SupportsFloat | _tf.Tensor | _tf.Variable | _tf.TensorShape | _tf.IndexedSlices | _tf.RaggedTensor
    | _tf.SparseTensor | _tf.experimental.ExtensionType
)
ShapeLike: _t.TypeAlias = (
    _t.SupportsIndex | _t.Iterable[_t.Any] | _HasArray | _tf.Tensor | _tf.Variable | _tf.TensorShape
)
DTypeLike: _t.TypeAlias = (
    _tf.DType | _builtins.str | _builtins.type[_t.Any] | _np.dtype[_t.Any] | _builtins.int
    | _tf.keras.mixed_precision.Policy
)
