"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.applications import RegNetX002 as RegNetX002
from tfcompat.keras.applications import RegNetX004 as RegNetX004
from tfcompat.keras.applications import RegNetX006 as RegNetX006
from tfcompat.keras.applications import RegNetX008 as RegNetX008
from tfcompat.keras.applications import RegNetX016 as RegNetX016
from tfcompat.keras.applications import RegNetX032 as RegNetX032
from tfcompat.keras.applications import RegNetX040 as RegNetX040
from tfcompat.keras.applications import RegNetX064 as RegNetX064
from tfcompat.keras.applications import RegNetX080 as RegNetX080
from tfcompat.keras.applications import RegNetX120 as RegNetX120
from tfcompat.keras.applications import RegNetX160 as RegNetX160
from tfcompat.keras.applications import RegNetX320 as RegNetX320
from tfcompat.keras.applications import RegNetY002 as RegNetY002
from tfcompat.keras.applications import RegNetY004 as RegNetY004
from tfcompat.keras.applications import RegNetY006 as RegNetY006
from tfcompat.keras.applications import RegNetY008 as RegNetY008
from tfcompat.keras.applications import RegNetY016 as RegNetY016
from tfcompat.keras.applications import RegNetY032 as RegNetY032
from tfcompat.keras.applications import RegNetY040 as RegNetY040
from tfcompat.keras.applications import RegNetY064 as RegNetY064
from tfcompat.keras.applications import RegNetY080 as RegNetY080
from tfcompat.keras.applications import RegNetY120 as RegNetY120
from tfcompat.keras.applications import RegNetY160 as RegNetY160
from tfcompat.keras.applications import RegNetY320 as RegNetY320
from tfcompat.keras.applications.convnext import decode_predictions as decode_predictions
from tfcompat.keras.applications.convnext import preprocess_input as preprocess_input
