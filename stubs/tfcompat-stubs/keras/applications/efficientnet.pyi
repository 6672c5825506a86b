"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.applications import EfficientNetB0 as EfficientNetB0
from tfcompat.keras.applications import EfficientNetB1 as EfficientNetB1
from tfcompat.keras.applications import EfficientNetB2 as EfficientNetB2
from tfcompat.keras.applications import EfficientNetB3 as EfficientNetB3
from tfcompat.keras.applications import EfficientNetB4 as EfficientNetB4
from tfcompat.keras.applications import EfficientNetB5 as EfficientNetB5
from tfcompat.keras.applications import EfficientNetB6 as EfficientNetB6
from tfcompat.keras.applications import EfficientNetB7 as EfficientNetB7
from tfcompat.keras.applications.convnext import decode_predictions as decode_predictions
from tfcompat.keras.applications.convnext import preprocess_input as preprocess_input
