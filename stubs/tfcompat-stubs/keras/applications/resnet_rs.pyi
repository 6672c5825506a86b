"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.applications import ResNetRS101 as ResNetRS101
from tfcompat.keras.applications import ResNetRS152 as ResNetRS152
from tfcompat.keras.applications import ResNetRS200 as ResNetRS200
from tfcompat.keras.applications import ResNetRS270 as ResNetRS270
from tfcompat.keras.applications import ResNetRS350 as ResNetRS350
from tfcompat.keras.applications import ResNetRS420 as ResNetRS420
from tfcompat.keras.applications import ResNetRS50 as ResNetRS50
from tfcompat.keras.applications.convnext import decode_predictions as decode_predictions
from tfcompat.keras.applications.convnext import preprocess_input as preprocess_input
