"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def backend(): ...
def disable_interactive_logging(): ...
def dtype_policy(): ...
def enable_interactive_logging(): ...
from tfcompat.keras.backend import epsilon as epsilon
from tfcompat.keras.backend import floatx as floatx
from tfcompat.keras.backend import image_data_format as image_data_format
def is_interactive_logging_enabled(): ...
def set_dtype_policy(policy): ...
from tfcompat.keras.backend import set_epsilon as set_epsilon
from tfcompat.keras.backend import set_floatx as set_floatx
from tfcompat.keras.backend import set_image_data_format as set_image_data_format
