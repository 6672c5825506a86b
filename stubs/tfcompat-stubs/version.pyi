"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

COMPILER_VERSION: _builtins.str
GIT_VERSION: _builtins.str
GRAPH_DEF_VERSION: _builtins.int
GRAPH_DEF_VERSION_MIN_CONSUMER: _builtins.int
GRAPH_DEF_VERSION_MIN_PRODUCER: _builtins.int
TFCOMPAT_VERSION: _builtins.str
VERSION: _builtins.str
