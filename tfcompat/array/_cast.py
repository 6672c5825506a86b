"""Changes of dtype: cast, saturate_cast, bitcast."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes, engine, errors
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.op import ANY_OR_STRING, FLOATING, INTEGER, NUMERIC, op
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import ResourceVariable
from tfcompat.array._arguments import invalid, show_shape

_BITS = NUMERIC
_FLOAT8 = frozenset({dtypes.float8_e4m3fn, dtypes.float8_e5m2})
_INT4 = frozenset({dtypes.int4, dtypes.uint4})
_SMALL = frozenset(map(dtypes.as_dtype, range(dtypes.float8_e5m2.as_datatype_enum, 34)))  # of a byte or less


def of_bools(x, dtype):
    """The bools of an array as numbers of a NumPy dtype, 0 and 1.

    Not at once: where XLA finds numbers made of bools in a product, it chooses between the other factor and zero, so
    that what is not finite would not show, as it does in TF.
    """
    return x.astype(np.int8).astype(dtype)


def _has_cast(source, target):
    """Whether TensorFlow casts between two dtypes."""
    if dtypes.string in (source, target):
        return False
    if source not in _SMALL and target not in _SMALL:
        return True
    if source in _FLOAT8:
        return target not in _SMALL or target in _FLOAT8
    if target in _FLOAT8:
        return source in FLOATING
    return {source, target} <= INTEGER | _INT4


def _cast(x, dtype):
    source = dtypes.from_numpy(x.dtype)
    if not _has_cast(source, dtype):
        raise errors.UnimplementedError(None, None, f"Cast {source.name} to {dtype.name} is not supported")
    if x.dtype.kind == "c" and not dtype.is_complex:
        x = x.real
    return of_bools(x, dtype.np) if x.dtype == bool else x.astype(dtype.np)


_cast.is_elementwise = True


def _cast_any(x, dtype):
    if dtype.is_integer and x.dtype.kind not in "iub":
        # What does not fit is for the op to decide.
        bounds = np.iinfo(dtype.np)
        if x.dtype.kind != "f" or x.size and not (x.min() >= bounds.min and x.max() <= bounds.max // 2):
            return NotImplemented
    return _cast(x, dtype)


_CASTS = ANY_OR_STRING | _SMALL | dtypes.QUANTIZED_DTYPES


@op("_cast", kernel="Cast", tensors=("x",), dtypes=_CASTS, host=_cast, numpy=_cast_any)
def _cast_op(x, dtype):
    if x.dtype.itemsize == 1 and jnp.issubdtype(x.dtype, jnp.inexact) and dtype.is_integer and dtype not in _SMALL:
        return _to_integer(x.astype(np.float32), dtype, False)
    if dtype not in _SMALL and dtype.is_integer and jnp.issubdtype(x.dtype, jnp.inexact):
        return _to_integer(x.real, dtype, False) if x.dtype.kind == "c" else _to_integer(x, dtype)
    return _cast(x, dtype)


# From how many elements on TF's kernels for x86 convert whole vectors at once, by the dtype of the numbers.
_VECTOR = {"float64": 16, "float32": 32, "float16": 16, "bfloat16": 8}


def _to_integer(x, dtype, vectors=True):
    """As x86 does it, so as TF on a CPU: what does not fit becomes the lowest number of the register.

    Vectors of registers are then packed with saturation where single ones are cut.
    """
    if dtype == dtypes.uint64:
        with np.errstate(over="ignore"):  # float16 ends before the integers do
            half, end = np.array([2.0**63, 2.0**64]).astype(x.dtype)
        signed, unsigned = x.astype(np.int64).astype(np.uint64), x.astype(np.uint64)
        other = jnp.where((x >= half) & (x < end), unsigned, np.uint64(2**63))
        return jnp.where((x >= -half) & (x < half), signed, other)
    register = np.int64 if dtype in (dtypes.int64, dtypes.uint32) else np.int32
    lowest = np.iinfo(register).min
    with np.errstate(over="ignore"):
        bound = np.asarray(float(lowest)).astype(x.dtype)
    fits = (x >= bound) & (x < -bound)
    if dtype == dtypes.uint32 and vectors and _is_vector(x, 8):
        lowest = 2**31
    numbers = jnp.where(fits, x.astype(register), lowest)
    if dtype.size < 4 and vectors and _is_vector(x, _VECTOR.get(x.dtype.name, 8)):
        numbers = jnp.clip(numbers, dtype.min, dtype.max)
    return numbers.astype(dtype.np)


def _is_vector(x, length):
    engine.depend_on_sizes()
    return not all(isinstance(size, int) for size in x.shape) or x.size >= length


@takes_composites("tf.cast")
def cast(x, dtype, name=None):
    """Converts the elements to another dtype.

    Args:
      x: tensor of any numeric dtype, bool, float8_e4m3fn, float8_e5m2, int4, uint4 and quantized dtypes; also
        `tf.IndexedSlices`.
      dtype: likewise. Numbers of other dtypes than floats do not become float8; only integers become int4 and back.
      name: ignored.

    Returns:
      Tensor with the shape of `x`; `x` itself if it is a tensor or variable of that dtype.

    Raises:
      tf.errors.UnimplementedError: TensorFlow has no cast between these dtypes.

    Gradient: None from or to an integer or bool.
    TF: `tf.cast`; floating numbers that do not fit an integer dtype, where TF's result depends on the device,
      become what TF gives on a CPU. There small integers are cut to their bits in tensors of a few elements,
      and limited to their range in others, but for the last elements (here for all).
    """
    dtype = dtypes.as_dtype(dtype)
    if isinstance(x, Tensor) or type(x) is ResourceVariable:
        if x.dtype == dtype:
            return x
    elif isinstance(x, IndexedSlices):
        return type(x)(cast(x.values, dtype), x.indices, x.dense_shape)
    else:
        x = convert_to_tensor(x)
        if x.dtype == dtype:
            return x
    return _cast_op(x, dtype)


@np.errstate(over="ignore", invalid="ignore")  # the ends of a range need not be numbers of the other dtype
def _limits(source, target):
    """The numbers of `source` nearest to the ends of the range of `target`, within it."""
    kind = source.np.type
    wide = float if dtypes.bfloat16 in (source, target) else np.promote_types(source.np, target.np)
    low = kind(np.maximum(source.min, target.min))
    if np.array(low, wide) < np.array(target.min, wide):
        low = np.nextafter(low, kind(0), dtype=source.np)
    high = kind(np.minimum(float(source.max), float(target.max)))
    if np.array(high, wide) > np.array(target.max, wide):
        high = np.nextafter(high, kind(0), dtype=source.np)
    return low, high


@op("tf.saturate_cast", kernel="Cast", tensors=("value",))
def saturate_cast(value, dtype):
    """Converts the elements to another dtype, after limiting them to its range.

    Args:
      value: tensor of any numeric dtype.
      dtype: any numeric dtype.

    Returns:
      Tensor with the shape of `value`.

    Raises:
      TypeError: one of the dtypes is bool.

    Gradient: zero where the range ends the number, as for `tf.clip_by_value`.
    TF: `tf.saturate_cast`; no known difference.
    """
    target = dtypes.as_dtype(dtype)
    if target.is_bool or value.dtype == bool:
        raise TypeError("Cannot find minimum value of <dtype: 'bool'> with type <dtype: 'bool'>.")
    if value.dtype.kind == "c":
        if target.np == value.dtype:
            return value
        if target.is_complex:
            parts = [_saturated(part, target.real_dtype) for part in (value.real, value.imag)]
            return lax.complex(*parts).astype(target.np)
        value = value.real
    value = _saturated(value, target.real_dtype)
    if target.is_integer and jnp.issubdtype(value.dtype, jnp.inexact):
        return _to_integer(value, target)
    return value.astype(target.np)


def _saturated(value, target):
    low, high = _limits(dtypes.from_numpy(value.dtype), target)
    capped = jnp.where(value > high, high, value)
    return jnp.where(capped < low, low, capped)


@op("tf.bitcast", kernel="Bitcast", tensors=("input",), dtypes=_BITS | dtypes.QUANTIZED_DTYPES, gradient="missing")
def bitcast(input, type):
    """The same bits, read as another dtype.

    Args:
      input: numeric tensor.
      type: numeric dtype. If it is smaller, a new last axis holds the pieces; if larger, the last axis must
        hold just the pieces of one element, and goes away.

    Returns:
      Tensor of dtype `type`.

    Raises:
      tf.errors.InvalidArgumentError: the last axis does not fit, or a dtype without bits of its own.

    Gradient: none is registered, as in TF.
    TF: `tf.bitcast`; no known difference.
    """
    target = dtypes.as_dtype(type)
    if target not in _BITS:
        raise invalid(f"Value for attr 'type' of {target.name} is not in the list of allowed values")
    size = input.dtype.itemsize
    ratio = target.size // size
    if ratio > 1 and (not input.ndim or input.shape[-1] != ratio):
        raise invalid(
            f"Cannot bitcast from {size} to {target.size} bytes with shape {show_shape(input.shape)}"
        )
    outer = input.shape if ratio == 1 else input.shape[:-1] if ratio else input.shape + (size // target.size,)
    if not input.size:
        return jnp.zeros(outer, target.np)
    # XLA has no bitcast of complex numbers: through their parts, and through bytes if these do not fit.
    # https://github.com/jax-ml/jax/issues/9496
    if input.dtype.kind == "c":
        input = jnp.stack([input.real, input.imag], -1)
    pieces = lax.bitcast_convert_type(input, np.uint8)
    element = target.real_dtype if target.is_complex else target
    pieces = pieces.reshape(*outer, -1, element.size) if element.size > 1 else pieces.reshape(*outer, -1)
    numbers = lax.bitcast_convert_type(pieces, element.np)
    if target.is_complex:
        return lax.complex(numbers[..., 0], numbers[..., 1])
    return numbers.reshape(outer)
