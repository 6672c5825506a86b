"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def as_bytes(bytes_or_text, encoding=...): ...
def as_str(bytes_or_text, encoding=...): ...
def as_str_any(value, encoding=...): ...
as_text = _tf.compat.as_str
bytes_or_text_types: _t.Any
complex_types: _t.Any
def dimension_at_index(shape: _p.ShapeLike | None, index): ...
def dimension_value(dimension): ...
def forward_compatibility_horizon(year, month, day): ...
def forward_compatible(year, month, day): ...
integral_types: _t.Any
def path_to_str(path): ...
real_types: _t.Any
from tfcompat.compat import v1 as v1
v2 = _tf
