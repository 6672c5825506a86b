"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def difference(a, b, aminusb=..., validate_indices=...) -> _tf.SparseTensor: ...
def intersection(a, b, validate_indices=...) -> _tf.SparseTensor: ...
def size(a, validate_indices=...) -> _tf.Tensor: ...
def union(a, b, validate_indices=...) -> _tf.SparseTensor: ...
