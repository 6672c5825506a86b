"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

ANY: _t.Any
COMPLEX: _t.Any
FLOATING: _t.Any
INEXACT: _t.Any
INTEGER: _t.Any
NUMERIC: _t.Any
REAL: _t.Any
def op(*names, kernel, tensors, same: _p.TensorLike | None = ..., mixed=..., dtypes=..., default_dtypes=..., gradient=..., host=..., numpy=..., in_order: _p.Flag | None = ..., zero_second: _p.Flag | None = ..., requires: _t.Callable[..., _t.Any] | None = ..., requires_of=..., requires_results: _p.Flag | None = ..., conditional: _p.Flag | None = ..., hinted: _p.TensorLike = ..., beside=...): ...
