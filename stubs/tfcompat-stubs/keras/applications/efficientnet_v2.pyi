"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.applications import EfficientNetV2B0 as EfficientNetV2B0
from tfcompat.keras.applications import EfficientNetV2B1 as EfficientNetV2B1
from tfcompat.keras.applications import EfficientNetV2B2 as EfficientNetV2B2
from tfcompat.keras.applications import EfficientNetV2B3 as EfficientNetV2B3
from tfcompat.keras.applications import EfficientNetV2L as EfficientNetV2L
from tfcompat.keras.applications import EfficientNetV2M as EfficientNetV2M
from tfcompat.keras.applications import EfficientNetV2S as EfficientNetV2S
from tfcompat.keras.applications.convnext import decode_predictions as decode_predictions
from tfcompat.keras.applications.convnext import preprocess_input as preprocess_input
