"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

class ExportArchive(_builtins.object):
    def __init__(self) -> None: ...
    def track(self, resource): ...
    def add_endpoint(self, name, fn, input_signature=...): ...
    def add_variable_collection(self, name, variables): ...
    def write_out(self, filepath, options=...): ...
