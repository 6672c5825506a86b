"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def get_inter_op_parallelism_threads(): ...
def get_intra_op_parallelism_threads(): ...
def set_inter_op_parallelism_threads(num_threads): ...
def set_intra_op_parallelism_threads(num_threads): ...
