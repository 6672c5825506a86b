"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat import DType as DType
QUANTIZED_DTYPES: _t.Any
from tfcompat import as_dtype as as_dtype
bfloat16: _tf.DType
bool: _tf.DType
from tfcompat import cast as cast
from tfcompat import complex as complex
complex128: _tf.DType
complex64: _tf.DType
double: _tf.DType
experimental: _t.Any
float16: _tf.DType
float32: _tf.DType
float4_e2m1fn: _tf.DType
float64: _tf.DType
float8_e4m3b11fnuz: _tf.DType
float8_e4m3fn: _tf.DType
float8_e4m3fnuz: _tf.DType
float8_e5m2: _tf.DType
float8_e5m2fnuz: _tf.DType
def from_numpy(numpy_dtype): ...
half: _tf.DType
int16: _tf.DType
int2: _tf.DType
int32: _tf.DType
int4: _tf.DType
int64: _tf.DType
int8: _tf.DType
qint16: _tf.DType
qint32: _tf.DType
qint8: _tf.DType
quint16: _tf.DType
quint8: _tf.DType
resource: _tf.DType
from tfcompat import saturate_cast as saturate_cast
string: _tf.DType
uint16: _tf.DType
uint2: _tf.DType
uint32: _tf.DType
uint4: _tf.DType
uint64: _tf.DType
uint8: _tf.DType
variant: _tf.DType
