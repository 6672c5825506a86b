"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.autograph import experimental as experimental
def set_verbosity(level: _p.Int, alsologtostdout: _p.Flag | None = ...): ...
def to_code(entity, recursive=..., experimental_optional_features=...): ...
def to_graph(entity, recursive: _p.Flag | None = ..., experimental_optional_features=...): ...
def trace(*args): ...
