"""`tf.compat`: conversions between text types; `tf.compat.v2` is tfcompat itself."""

import sys as _sys

from tfcompat._package.lazy import ELSEWHERE as _ELSEWHERE
from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing
from tfcompat.compat._texts import as_bytes as as_bytes
from tfcompat.compat._texts import as_str as as_str
from tfcompat.compat._texts import as_str_any as as_str_any
from tfcompat.compat._texts import as_text as as_text
from tfcompat.compat._texts import bytes_or_text_types as bytes_or_text_types
from tfcompat.compat._texts import complex_types as complex_types
from tfcompat.compat._texts import dimension_at_index as dimension_at_index
from tfcompat.compat._texts import dimension_value as dimension_value
from tfcompat.compat._texts import forward_compatibility_horizon as forward_compatibility_horizon
from tfcompat.compat._texts import forward_compatible as forward_compatible
from tfcompat.compat._texts import integral_types as integral_types
from tfcompat.compat._texts import path_to_str as path_to_str
from tfcompat.compat._texts import real_types as real_types

_ELSEWHERE["tfcompat.compat.v2"] = lambda: _sys.modules["tfcompat"]
__getattr__, __dir__ = _lazy(globals(), ["v1", "v2"], {}, _missing("tf.compat"))
