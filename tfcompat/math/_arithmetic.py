"""Arithmetic of two tensors, with broadcasting: add, divide, floormod, pow, maximum, xlogy..."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import engine, errors
from tfcompat._core.composite import PassedOn, takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import FLOATING, INEXACT, NUMERIC, REAL, SIGNED, STRING, op
from tfcompat._core.tensor import EagerTensor, Tensor
from tfcompat.dtypes import float32, float64, int32, int64
from tfcompat.math import _host
from tfcompat.math._derivative import with_partials, with_tangent

_INTEGER_QUOTIENT = {"int8": float32, "int16": float32, "uint8": float32, "uint16": float32}


def _is_integer(x):
    return np.dtype(x.dtype).kind in "iu"


def conjugated(x):
    """`x`, conjugated if it is complex."""
    return lax.conj(x) if jnp.iscomplexobj(x) else x


_UNEXPECTED = "Unexpected error in binary operator (only integer div and mod should have errors)"


def _divides(text, kind, kernel):
    """What TF requires of a divisor of integers, where something is divided."""

    def requires(x, y):
        return [] if 0 in x.shape else [engine.require(y != 0, f"{text} [Op:{kernel}] name: ", kind=kind)]

    return requires


def _has_integer_power(x, y):
    if 0 in x.shape:
        return []
    return [engine.require(y >= 0, "Integers to negative integer powers are not allowed [Op:Pow] name: ")]


@op(
    "tf.math.add",
    "tf.add",
    kernel="AddV2",
    tensors=("x", "y"),
    dtypes=NUMERIC | STRING,
    host=_host.binary(np.add),
    numpy=True,
    in_order=True,
)
def add(x, y):
    """Sum, or concatenation of strings.

    Args:
      x: numeric or string tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.add`; no known difference.
    """
    return jnp.add(x, y)


@op(
    "tf.math.subtract",
    "tf.subtract",
    kernel="Sub",
    tensors=("x", "y"),
    dtypes=NUMERIC,
    host=_host.binary(np.subtract),
    numpy=True,
)
def subtract(x, y):
    """Difference.

    Args:
      x: numeric tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.subtract`; no known difference.
    """
    return jnp.subtract(x, y)


@op(
    "tf.math.multiply",
    "tf.multiply",
    kernel="Mul",
    tensors=("x", "y"),
    dtypes=NUMERIC,
    host=_host.binary(np.multiply),
    numpy=True,
)
def multiply(x, y):
    """Product.

    Args:
      x: numeric tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.multiply`; no known difference.
    """
    return jnp.multiply(x, y)


def scalar_mul(scalar, x, name=None):
    """Product of a number and a tensor or `tf.IndexedSlices`.

    Args:
      scalar: a number, or a tensor of rank 0 and the dtype of `x`.
      x: numeric tensor, any shape, or `tf.IndexedSlices`.
      name: ignored.

    Returns:
      The like of `x`.

    Raises:
      ValueError: `scalar` is not of rank 0, or a tensor of another dtype than `x`.
      TypeError: `scalar` is a Python number that does not fit the dtype of `x`.

    TF: `tf.math.scalar_mul`; no known difference.
    """
    fits = type(scalar) is type(x) is EagerTensor and scalar._node.aval.dtype is x._node.aval.dtype
    scalar = scalar if fits else convert_to_tensor(scalar, dtype=_dtype_of(x))
    if scalar.shape.rank != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if hasattr(x, "dense_shape"):
        return type(x)(multiply(scalar, x.values), x.indices, x.dense_shape)
    return multiply(scalar, x)


def _dtype_of(x):
    return x.dtype if hasattr(x, "dtype") else convert_to_tensor(x).dtype


@with_partials(lambda z, x, y: 1 / y, lambda z, x, y: -(x / y) / y)
def quotient(x, y):
    """`x / y` of floating or complex arrays, with TF's order of divisions in the derivative.

    XLA makes `x * (1 / y)` of a division by a scalar or a smaller array, and `x * rsqrt(y)` of one by a root. That
    rounds twice: `729 / 729` is less than 1, and what floors or casts it is off by one. It leaves a selection alone.
    """
    if jnp.issubdtype(y.dtype, jnp.floating):
        y = jnp.where(x != x, x, y)
    return jnp.true_divide(x, y)


def _real_div_on_host(x, y):
    return np.true_divide(*as_floating(x, y))


@op("_real_div", kernel="RealDiv", tensors=("x", "y"), dtypes=NUMERIC, numpy=_host.binary(_real_div_on_host))
def _real_div(x, y):
    return quotient(*as_floating(x, y))


_real_div.spec.without = ()  # TF's function casts integers before its kernel sees them


def as_floating(x, y):
    """Both as floating or complex numbers, as TF makes them of integers before a division."""
    if _is_integer(x):
        dtype = _INTEGER_QUOTIENT.get(np.dtype(x.dtype).name, float64).np
        return x.astype(dtype), y.astype(dtype)
    return x, y


def check_same_dtype(x, y):
    """Refuses tensors that cannot be divided by one another."""
    if x.dtype != y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if not (x.dtype.is_numeric if hasattr(x.dtype, "is_numeric") else True):
        raise TypeError(f"Invalid dtype {x.dtype!r} in __truediv__: expected a numeric one.")


@takes_composites("tf.math.truediv")
def truediv(x, y, name=None):
    """Quotient; integers are divided as floating numbers.

    Args:
      x: numeric tensor.
      y: tensor of the same dtype; the shapes broadcast.
      name: ignored.

    Returns:
      Tensor of the common shape; dtype of `x`, for integers float32 (8 and 16 bits) or float64.

    Raises:
      TypeError: dtypes differ, or are not numeric.
      tf.errors.InvalidArgumentError: shapes do not broadcast.

    TF: `tf.math.truediv`; no known difference.
    """
    if type(x) is not EagerTensor:
        x = convert_to_tensor(x)
    if type(y) is not EagerTensor:
        y = convert_to_tensor(y, dtype_hint=x.dtype)
    if x._node.aval.dtype != y._node.aval.dtype or not x._node.aval.inexact:
        check_same_dtype(x, y)
    return _real_div(x, y)


truediv.spec = _real_div.spec  # once the dtypes are found equal


@takes_composites("tf.math.divide")
def divide(x, y, name=None):
    """Quotient; integers are divided as floating numbers.

    Args:
      x: numeric tensor.
      y: tensor of the same dtype; the shapes broadcast.
      name: ignored.

    Returns:
      Tensor of the common shape; dtype of `x`, for integers float32 (8 and 16 bits) or float64.

    Raises:
      TypeError: dtypes differ, or are not numeric.
      tf.errors.InvalidArgumentError: shapes do not broadcast.

    TF: `tf.math.divide`; no known difference.
    """
    return x / y if isinstance(x, PassedOn) else truediv(converted_to_fit(x, y), y)


def converted_to_fit(x, y):
    """`x` as a tensor; a plain value takes the dtype of the tensor `y`."""
    if isinstance(x, Tensor) or hasattr(x, "_as_node"):
        return x
    return convert_to_tensor(x, dtype=y.dtype if isinstance(y, Tensor) or hasattr(y, "_as_node") else None)


@op("tf.realdiv", kernel="RealDiv", tensors=("x", "y"), dtypes=INEXACT)
def realdiv(x, y):
    """Quotient of floating or complex tensors.

    Args:
      x: floating or complex tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.realdiv`; no known difference.
    """
    return quotient(x, y)


_has_quotient = _divides("Integer division by zero", "InvalidArgumentError", "FloorDiv")
_has_remainder = _divides("Integer division by zero", "InvalidArgumentError", "FloorMod")


def _host_floordiv(x, y):
    engine.conditions.enforce(_has_quotient(x, y))
    return np.floor_divide(x, y)


@op(
    "tf.math.floordiv",
    kernel="FloorDiv",
    tensors=("x", "y"),
    requires=_has_quotient,
    requires_of="iu",
    dtypes=REAL,
    gradient="none",
    host=_host.binary(_host_floordiv),
)
def floordiv(x, y):
    """Quotient rounded towards minus infinity.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, shapes do not broadcast, or integers known on the host
        are divided by zero (computed ones give -1).

    Gradient: None.
    TF: `tf.math.floordiv`; TF raises for every integer division by zero.
    """
    return _floor_quotient(x, y)


def _floor_quotient(x, y):
    return jnp.floor_divide(x, y) if _is_integer(x) else lax.floor(quotient(x, y))


def _host_floormod(x, y):
    engine.conditions.enforce(_has_remainder(x, y))
    return np.remainder(x, y)


@op(
    "tf.math.floormod",
    "tf.math.mod",
    kernel="FloorMod",
    tensors=("x", "y"),
    requires=_has_remainder,
    requires_of="iu",
    dtypes=REAL,
    host=_host.binary(_host_floormod),
)
def floormod(x, y):
    """Remainder of the division rounded towards minus infinity; it has the sign of `y`.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, shapes do not broadcast, or integers known on the host
        are divided by zero (computed ones give `x`).

    Gradient: 1 by `x`, `-floor(x / y)` by `y`.
    TF: `tf.math.floormod`; TF raises for every integer division by zero.
    """
    return _floor_remainder(x, y)


@with_partials(lambda z, x, y: jnp.ones_like(z), lambda z, x, y: -_floor_quotient(x, y))
def _floor_remainder(x, y):
    return jnp.remainder(x, y)


_has_truncated_quotient = _divides(_UNEXPECTED, "InternalError", "TruncateDiv")
_has_truncated_remainder = _divides(_UNEXPECTED, "InternalError", "TruncateMod")


def _host_truncatediv(x, y):
    engine.conditions.enforce(_has_truncated_quotient(x, y))
    return np.trunc(x / y).astype(x.dtype) if x.dtype.itemsize < 8 else NotImplemented


@op(
    "tf.truncatediv",
    kernel="TruncateDiv",
    tensors=("x", "y"),
    requires=_has_truncated_quotient,
    requires_of="iu",
    dtypes=REAL,
    gradient="none",
    host=_host.binary(_host_truncatediv),
)
def truncatediv(x, y):
    """Quotient rounded towards zero.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, shapes do not broadcast, or integers known on the host
        are divided by zero (computed ones give -1).

    Gradient: None.
    TF: `tf.truncatediv`; TF raises for every integer division by zero.
    """
    x, y = jnp.broadcast_arrays(x, y)
    return lax.div(x, y) if _is_integer(x) else jnp.trunc(quotient(x, y))


def _host_truncatemod(x, y):
    engine.conditions.enforce(_has_truncated_remainder(x, y))
    return np.fmod(x, y)


@op(
    "tf.truncatemod",
    kernel="TruncateMod",
    tensors=("x", "y"),
    requires=_has_truncated_remainder,
    requires_of="iu",
    dtypes=FLOATING | {int32, int64},
    gradient="missing",
    host=_host.binary(_host_truncatemod),
)
def truncatemod(x, y):
    """Remainder of the division rounded towards zero; it has the sign of `x`.

    Args:
      x: floating, int32 or int64 tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, shapes do not broadcast, or integers known on the host
        are divided by zero (computed ones give `x`).
      LookupError: differentiated.

    TF: `tf.truncatemod`; TF raises for every integer division by zero.
    """
    return lax.rem(*jnp.broadcast_arrays(x, y))


def _power_partial_by_exponent(z, x, y):
    positive = x != 0 if jnp.iscomplexobj(x) else x > 0
    safe = jnp.where(positive, x, jnp.ones((), x.dtype))
    return z * jnp.where(positive, lax.log(safe), jnp.zeros((), x.dtype))


@with_partials(lambda z, x, y: y * power_of(x, y - 1), _power_partial_by_exponent)
def power_of(x, y):
    x, y = jnp.broadcast_arrays(x, y)
    if jnp.iscomplexobj(x):
        # A power of 0 is exp(y log 0) in TF, so the sign of y's real part decides. JAX has 0 ** 0 = 1, and NaN for
        # exponents that are not real.
        zero, part = x == 0, lax.real(y)
        rest = jnp.where(part > 0, 0, np.nan)
        of_zero = lax.complex(jnp.where(part < 0, np.inf, rest), rest).astype(x.dtype)
        return jnp.where(zero, of_zero, lax.pow(jnp.where(zero, jnp.ones((), x.dtype), x), y))
    return lax.pow(x, y)


def _integer_power(x, y):
    """`x ** y` of integers, modulo the range of their type; 0 for negative `y`."""
    x, y = jnp.broadcast_arrays(x, y)
    zero, one = jnp.zeros((), x.dtype), jnp.ones((), x.dtype)

    def turn(state):
        total, factor, exponent = state
        return jnp.where(exponent & one, total * factor, total), factor * factor, exponent >> one

    # Not jnp.power: it looks at six bits of the exponent, whatever the result of an overflow would be.
    # https://github.com/jax-ml/jax/issues/10692
    start = jnp.where(y < zero, zero, one), x, jnp.maximum(y, zero)
    return lax.while_loop(lambda state: jnp.any(state[2] > zero), turn, start)[0]


def _host_pow(x, y):
    engine.conditions.enforce(_has_integer_power(x, y))
    return np.power(x, y)


@op(
    "tf.math.pow",
    "tf.pow",
    kernel="Pow",
    tensors=("x", "y"),
    requires=_has_integer_power,
    requires_of="iu",
    dtypes=INEXACT | SIGNED,
    host=_host.binary(_host_pow),
)
def pow(x, y):
    """Power `x ** y`.

    Args:
      x: floating, complex or signed integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`; NaN for negative `x` and fractional `y`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, shapes do not broadcast, or integers known on the host
        are raised to a negative power (computed ones give 0).

    Gradient: `y x**(y-1)` by `x`, which is NaN where both are 0; `x**y log(x)` by `y`, where the logarithm of
      a number that is not positive counts as 0.
    TF: `tf.math.pow`; TF raises for every negative integer power.
    """
    return _integer_power(x, y) if _is_integer(x) else power_of(x, y)


def _choosing(kernel_of, prefers_x):
    """A choice of one of two arrays, whose derivative goes to the one that `prefers_x` names."""

    def tangent_of(result, primals, moving):
        x_wins, zero = prefers_x(*primals), jnp.zeros((), result.dtype)
        x, y = (dict(moving).get(i, zero) for i in (0, 1))
        return jnp.where(x_wins, x, y)

    return with_tangent(tangent_of)(kernel_of)


maximum_of = _choosing(jnp.maximum, lambda x, y: x >= y)
minimum_of = _choosing(jnp.minimum, lambda x, y: x <= y)


@op(
    "tf.math.maximum",
    "tf.maximum",
    kernel="Maximum",
    tensors=("x", "y"),
    dtypes=REAL,
    host=_host.binary(np.maximum),
    numpy=True,
)
def maximum(x, y):
    """The larger of each two elements; NaN if one is.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: goes to `x` where `x >= y`, so a tie is all for `x`.
    TF: `tf.math.maximum`; no known difference.
    """
    return maximum_of(x, y)


@op(
    "tf.math.minimum",
    "tf.minimum",
    kernel="Minimum",
    tensors=("x", "y"),
    dtypes=REAL,
    host=_host.binary(np.minimum),
    numpy=True,
)
def minimum(x, y):
    """The smaller of each two elements; NaN if one is.

    Args:
      x: floating or integer tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: goes to `x` where `x <= y`, so a tie is all for `x`.
    TF: `tf.math.minimum`; no known difference.
    """
    return minimum_of(x, y)


@op(
    "tf.math.squared_difference",
    kernel="SquaredDifference",
    tensors=("x", "y"),
    dtypes=INEXACT | {int32, int64},
)
def squared_difference(x, y):
    """`(x - y) * conj(x - y)`.

    Args:
      x: floating, complex, int32 or int64 tensor.
      y: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.squared_difference`; no known difference.
    """
    return _squared_difference(x, y)


# TF's gradient of the complex case is 2 (x - y), not conjugated.
@with_partials(lambda z, x, y: 2 * conjugated(x - y), lambda z, x, y: -2 * conjugated(x - y))
def _squared_difference(x, y):
    difference = x - y
    return difference * conjugated(difference)


@op("tf.math.atan2", "tf.atan2", kernel="Atan2", tensors=("y", "x"), dtypes=FLOATING)
def atan2(y, x):
    """Angle of the point `(x, y)`, in (-pi, pi].

    Args:
      y: floating tensor.
      x: tensor of the same dtype; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `y`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: NaN at the origin.
    TF: `tf.math.atan2`; no known difference.
    """
    return _atan2(y, x)


_atan2 = with_partials(lambda z, y, x: x / (y * y + x * x), lambda z, y, x: -y / (y * y + x * x))(jnp.arctan2)


@op("_nextafter", kernel="NextAfter", tensors=("x1", "x2"), dtypes={float32, float64})
def _nextafter(x1, x2):
    return _next(x1, x2)


_next = with_partials(lambda z, x, y: jnp.ones_like(z), lambda z, x, y: jnp.zeros_like(z))(jnp.nextafter)


@takes_composites("tf.math.nextafter")
def nextafter(x1, x2, name=None):
    """The floating number next to `x1` in the direction of `x2`.

    Args:
      x1: float32 or float64 tensor.
      x2: tensor of the same dtype; the shapes broadcast.
      name: ignored.

    Returns:
      Tensor of the common shape and the dtype of `x1`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: 1 by `x1`, 0 by `x2`.
    TF: `tf.math.nextafter`; no known difference.
    """
    if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
        x1 = convert_to_tensor(x1, dtype_hint=float32)
    return _nextafter(x1, x2)


@op("_add_n", kernel="AddN", tensors=("*inputs",), dtypes=NUMERIC)
def _add_n(inputs):
    shapes = {x.shape for x in inputs}
    if len(shapes) > 1:
        raise errors.InvalidArgumentError(
            None, None, f"Inputs to operation AddN must have the same size and shape, got {sorted(map(str, shapes))}"
        )
    total = inputs[0]
    for x in inputs[1:]:
        total = total + x
    return total


@takes_composites("tf.math.add_n")
def add_n(inputs, name=None):
    """Sum of several tensors of one shape.

    Args:
      inputs: list of numeric tensors or `tf.IndexedSlices` of one dtype and shape.
      name: ignored.

    Returns:
      Tensor of that shape and dtype.

    Raises:
      ValueError: the list is empty.
      TypeError: `inputs` is not iterable.
      tf.errors.InvalidArgumentError: dtypes or shapes differ.

    TF: `tf.math.add_n`; no known difference.
    """
    if isinstance(inputs, Tensor) and inputs.shape.rank == 0:
        raise ValueError(_ADD_N_NEEDS)
    inputs = list(inputs)
    if not inputs:
        raise ValueError(_ADD_N_NEEDS)
    tensors = [convert_to_tensor(x) for x in inputs]
    return _add_n(tensors) if len(tensors) > 1 else tensors[0]


_ADD_N_NEEDS = "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."


@takes_composites("tf.math.accumulate_n")
def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """Sum of several tensors of one shape.

    Args:
      inputs: list of numeric tensors of one dtype and shape.
      shape: shape they are expected to have, or None.
      tensor_dtype: dtype they are expected to have, or None.
      name: ignored.

    Returns:
      Tensor of that shape and dtype.

    Raises:
      ValueError: the list is empty, or a shape is unexpected.
      TypeError: a dtype is unexpected.

    TF: `tf.math.accumulate_n`; no known difference.
    """
    if not isinstance(inputs, list | tuple) or not inputs:
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    first = convert_to_tensor(inputs[0])
    tensors = [first, *(convert_to_tensor(x, dtype_hint=first.dtype) for x in inputs[1:])]
    if any(x.dtype != first.dtype for x in tensors):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    if tensor_dtype is not None and tensor_dtype != first.dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype!r}, but `input` is of type {first.dtype!r}. "
            "These must be equal. Try casting the input to the desired type"
        )
    expected = first.shape if shape is None else shape
    for x in tensors:
        if not x.shape.is_compatible_with(expected):
            raise ValueError(f"Shapes {expected} and {x.shape} are not compatible")
    return add_n(tensors)
