"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.applications import ConvNeXtBase as ConvNeXtBase
from tfcompat.keras.applications import ConvNeXtLarge as ConvNeXtLarge
from tfcompat.keras.applications import ConvNeXtSmall as ConvNeXtSmall
from tfcompat.keras.applications import ConvNeXtTiny as ConvNeXtTiny
from tfcompat.keras.applications import ConvNeXtXLarge as ConvNeXtXLarge
def decode_predictions(preds, top: _p.Int = ...): ...
def preprocess_input(x, data_format=...): ...
