"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.applications import ResNet101V2 as ResNet101V2
from tfcompat.keras.applications import ResNet152V2 as ResNet152V2
from tfcompat.keras.applications import ResNet50V2 as ResNet50V2
from tfcompat.keras.applications.convnext import decode_predictions as decode_predictions
def preprocess_input(x, data_format=...): ...
