"""The class DType, its instances, and the tables that look them up."""

from __future__ import annotations

import builtins
from types import SimpleNamespace

import ml_dtypes
import numpy as np

_FLOATING, _INTEGER, _COMPLEX, _QUANTIZED, _OTHER = range(5)

_BY_ENUM: dict[builtins.int, DType] = {}
_BY_NAME: dict[str, DType] = {}
_BY_NUMPY: dict[np.dtype, DType] = {}
_BY_SCALAR_TYPE: dict[type, DType] = {}


class DType:
    """The element type of a tensor. `tf.float32` and its kin are the only instances of this class.

    Attributes (all read-only by convention):
      name: TF's name, e.g. `"float32"`.
      as_datatype_enum: TF's number of the type.
      np: the `np.dtype`; `object` for `tf.string`, objects in a field for `tf.variant`, None for `tf.resource`.
      size: bytes of one element; 0 where that has no meaning.
      is_floating, is_integer, is_complex, is_bool, is_quantized, is_unsigned, is_numeric: bool.

    TF: `tf.dtypes.DType`. `DType(1)` is `tf.float32` itself, not a copy equal to it; the `_ref` types
    of TF 1 do not exist.
    """

    __module__ = "tensorflow.python.framework.dtypes"
    __slots__ = (
        "as_datatype_enum", "name", "np", "size", "is_floating", "is_integer", "is_complex", "is_bool",
        "is_quantized", "is_unsigned", "is_numeric", "__weakref__",
    )  # fmt: skip

    def __new__(cls, type_enum):
        dtype = _BY_ENUM.get(builtins.int(type_enum))
        if dtype is None:
            raise TypeError(f"{type_enum} does not correspond to a valid tensorflow::DataType")
        return dtype

    @property
    def as_numpy_dtype(self):
        """NumPy's scalar type, e.g. `np.float32`; a structured `np.dtype` for quantized types."""
        if not self.is_numpy_compatible:
            raise KeyError(self.as_datatype_enum)
        if self is string:
            return object
        return self.np if self.is_quantized else self.np.type

    @property
    def is_numpy_compatible(self):
        """Whether NumPy has an equivalent: all types except `tf.resource` and `tf.variant`."""
        return self is not resource and self is not variant

    @property
    def base_dtype(self):
        """The type itself; TF 1 had reference types beside it."""
        return self

    @property
    def real_dtype(self):
        """`tf.float32` of `tf.complex64`, `tf.float64` of `tf.complex128`, else the type itself."""
        if self is complex64:
            return float32
        if self is complex128:
            return float64
        return self

    @property
    def min(self):
        """The smallest finite value; TypeError for a type that is neither floating nor integer."""
        return self._finite_bound("min", "minimum")

    @property
    def max(self):
        """The largest finite value; TypeError for a type that is neither floating nor integer."""
        return self._finite_bound("max", "maximum")

    def _finite_bound(self, which, description):
        if self.is_floating:
            return getattr(ml_dtypes.finfo(self.np), which)
        if self.is_integer:
            return builtins.int(getattr(ml_dtypes.iinfo(self.np), which))
        if not self.is_numpy_compatible:
            detail = ""
        else:
            detail = f" with {'quantized ' if self.is_quantized else ''}type {self}"
        raise TypeError(f"Cannot find {description} value of {self}{detail}.")

    @property
    def limits(self):
        """The range `(0, largest)` that an image of this type spans; ValueError where TF defines none."""
        if not self.is_numpy_compatible:
            raise KeyError(self.as_datatype_enum)
        if self is bool:
            return 0, True
        if self is float32 or self is float64:
            return 0, 1
        if self.is_integer and self.is_numeric:
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other):
        """Whether `other`, anything that `as_dtype` takes, is this type."""
        return self is as_dtype(other)

    def is_subtype_of(self, other):
        """Whether `other` is this same DType."""
        return self is other

    def most_specific_common_supertype(self, types):
        """This type if all of `types` equal it, else None."""
        return self if all(other is self for other in types) else None

    def __int__(self):
        return self.as_datatype_enum

    def __eq__(self, other):
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __hash__(self):
        return self.as_datatype_enum

    def __repr__(self):
        return f"tf.{self.name}"

    def __str__(self):
        return f"<dtype: {self.name!r}>"

    def __reduce__(self):
        return as_dtype, (self.name,)


def _define(type_enum, name, numpy_type, kind, *, size=None, numeric=True):
    """Makes the one DType for `type_enum` and enters it into the look-up tables."""
    dtype = object.__new__(DType)
    dtype.as_datatype_enum = type_enum
    dtype.name = name
    dtype.np = None if numpy_type is None else np.dtype(numpy_type)
    dtype.size = dtype.np.itemsize if size is None else size
    dtype.is_floating = kind == _FLOATING
    dtype.is_integer = kind == _INTEGER
    dtype.is_complex = kind == _COMPLEX
    dtype.is_quantized = kind == _QUANTIZED
    dtype.is_bool = name == "bool"
    dtype.is_unsigned = kind == _INTEGER and name.startswith("u")
    dtype.is_numeric = numeric and kind != _OTHER
    _BY_ENUM[type_enum] = _BY_NAME[name] = dtype
    if dtype.np is not None:
        _BY_NUMPY[dtype.np] = dtype
        if dtype.np.names is None:
            _BY_SCALAR_TYPE[dtype.np.type] = dtype
    return dtype


# Numbers as in tensorflow/core/framework/types.proto.
float32 = _define(1, "float32", np.float32, _FLOATING)
float64 = _define(2, "float64", np.float64, _FLOATING)
int32 = _define(3, "int32", np.int32, _INTEGER)
uint8 = _define(4, "uint8", np.uint8, _INTEGER)
int16 = _define(5, "int16", np.int16, _INTEGER)
int8 = _define(6, "int8", np.int8, _INTEGER)
string = _define(7, "string", object, _OTHER, size=0)
complex64 = _define(8, "complex64", np.complex64, _COMPLEX)
int64 = _define(9, "int64", np.int64, _INTEGER)
bool = _define(10, "bool", np.bool_, _OTHER)
qint8 = _define(11, "qint8", [("qint8", np.int8)], _QUANTIZED)
quint8 = _define(12, "quint8", [("quint8", np.uint8)], _QUANTIZED)
qint32 = _define(13, "qint32", [("qint32", np.int32)], _QUANTIZED)
bfloat16 = _define(14, "bfloat16", ml_dtypes.bfloat16, _FLOATING)
qint16 = _define(15, "qint16", [("qint16", np.int16)], _QUANTIZED)
quint16 = _define(16, "quint16", [("quint16", np.uint16)], _QUANTIZED)
uint16 = _define(17, "uint16", np.uint16, _INTEGER)
complex128 = _define(18, "complex128", np.complex128, _COMPLEX)
float16 = _define(19, "float16", np.float16, _FLOATING)
resource = _define(20, "resource", None, _OTHER, size=0)
variant = _define(21, "variant", [("variant", object)], _OTHER, size=0)
uint32 = _define(22, "uint32", np.uint32, _INTEGER)
uint64 = _define(23, "uint64", np.uint64, _INTEGER)
float8_e5m2 = _define(24, "float8_e5m2", ml_dtypes.float8_e5m2, _FLOATING, numeric=False)
float8_e4m3fn = _define(25, "float8_e4m3fn", ml_dtypes.float8_e4m3fn, _FLOATING, numeric=False)
float8_e4m3fnuz = _define(26, "float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, _FLOATING, numeric=False)
float8_e4m3b11fnuz = _define(27, "float8_e4m3b11fnuz", ml_dtypes.float8_e4m3b11fnuz, _FLOATING, numeric=False)
float8_e5m2fnuz = _define(28, "float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, _FLOATING, numeric=False)
int4 = _define(29, "int4", ml_dtypes.int4, _INTEGER, numeric=False)
uint4 = _define(30, "uint4", ml_dtypes.uint4, _INTEGER, numeric=False)
int2 = _define(31, "int2", ml_dtypes.int2, _INTEGER, numeric=False)
uint2 = _define(32, "uint2", ml_dtypes.uint2, _INTEGER, numeric=False)
float4_e2m1fn = _define(33, "float4_e2m1fn", ml_dtypes.float4_e2m1fn, _FLOATING, numeric=False)

half = float16
double = float64

QUANTIZED_DTYPES = frozenset(dtype for dtype in _BY_ENUM.values() if dtype.is_quantized)

experimental = SimpleNamespace(
    **{name: dtype for name, dtype in _BY_NAME.items() if dtype.as_datatype_enum >= 24}
)

_BY_NAME.update(half=float16, float=float32, double=float64)
_BY_NUMPY.update({np.dtype("longlong"): int64, np.dtype("ulonglong"): uint64})
_BY_SCALAR_TYPE.update(
    {np.bytes_: string, np.str_: string, np.longlong: int64, np.ulonglong: uint64, float: float32}
)
_BY_SCALAR_TYPE.update({builtins.bool: bool, object: string})

_BY_ANY = {**_BY_ENUM, **_BY_NAME, **_BY_SCALAR_TYPE}


def as_dtype(type_value):
    """Looks up a type by name, number, NumPy type or by an object's `dtype` attribute.

    Args:
      type_value: DType; `np.dtype` of any byte order; NumPy scalar type; Python's `float` (float32),
        `bool` or `object` (string); TF's name or number of a type; or anything with an `np.dtype` in
        `dtype`, such as an array.

    Returns:
      DType.

    Raises:
      TypeError: nothing of the above. Python's `int`, `complex`, `str` and NumPy's short names
        (`"f4"`) are refused as in TF.

    >>> as_dtype("float64"), as_dtype(bool)
    (tf.float64, tf.bool)

    TF: `tf.as_dtype`; no known difference except the `_ref` types.
    """
    if type(type_value) is DType:
        return type_value
    try:
        if isinstance(type_value, np.dtype):
            return _of_numpy_dtype(type_value)
        return _BY_ANY[type_value]
    except (KeyError, TypeError):  # TypeError: unhashable
        pass
    numpy_dtype = getattr(type_value, "dtype", None)
    if isinstance(numpy_dtype, np.dtype):
        try:
            return _of_numpy_dtype(numpy_dtype)
        except KeyError:
            pass
    raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")


def _of_numpy_dtype(numpy_dtype):
    """The DType of a `np.dtype` in any byte order and, for text, of any length; KeyError if none."""
    dtype = _BY_NUMPY.get(numpy_dtype)
    return _BY_SCALAR_TYPE[numpy_dtype.type] if dtype is None else dtype


def from_numpy(numpy_dtype):
    """The DType of an `np.dtype`, in one dict look-up where possible; TypeError if TF has none."""
    dtype = _BY_NUMPY.get(numpy_dtype)
    return as_dtype(numpy_dtype) if dtype is None else dtype
