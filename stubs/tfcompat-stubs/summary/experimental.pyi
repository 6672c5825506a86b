"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def get_step(): ...
def set_step(step): ...
def summary_scope(name, default_name=..., values=...): ...
def write_raw_pb(tensor: _builtins.str, step: _p.TensorLike | None = ..., name: _builtins.str | None = ...) -> _builtins.bool: ...
