"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def difference(a: _p.TensorLike, b, aminusb: _p.Flag | None = ..., validate_indices: _p.Flag | None = ...) -> _tf.SparseTensor: ...
def intersection(a: _p.TensorLike, b, validate_indices: _p.Flag | None = ...) -> _tf.SparseTensor: ...
def size(a, validate_indices: _p.Flag | None = ...) -> _tf.Tensor: ...
def union(a: _p.TensorLike, b, validate_indices: _p.Flag | None = ...) -> _tf.SparseTensor: ...
