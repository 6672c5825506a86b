"""Each rule of `engine/host/rules` gives what XLA gives: dtype, shape and numbers.

A row is a primitive, a function that comes down to it, and arguments. Arguments in float64 take on each dtype of the
row, others stay as they are. The tolerance counts units in the last place; without one, the numbers are the same.
"""

import functools
import pathlib
import tomllib
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _sampling import one_in
from jax import lax
from jax.extend.core import Literal

import tfcompat  # noqa: F401  rules of primitives of its own are registered
from tfcompat.engine.host import Unknown, rules
from tfcompat.engine.host.plan import Plan
from tfcompat.engine.host.rules import control_flow, registry

BFLOAT16 = jnp.dtype("bfloat16")
WIDE = [np.dtype(name) for name in ("float32", "float64")]
FLOATS = [*WIDE, np.dtype(np.float16), BFLOAT16]
COMPLEX = [np.dtype(name) for name in ("complex64", "complex128")]
INTEGERS = [np.dtype(name) for name in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()]
SIGNED = [dtype for dtype in INTEGERS if dtype.kind == "i"]
BOOL = [np.dtype(bool)]
LINEAR = [*WIDE, *COMPLEX]
NUMBERS = [*FLOATS, *COMPLEX, *INTEGERS]
ALL = [*NUMBERS, *BOOL]
REAL = [*FLOATS, *INTEGERS]


class Row(NamedTuple):
    primitive: str
    function: Callable
    inputs: tuple
    dtypes: list = [np.dtype(np.float64)]
    ulps: float = 0
    note: str = ""


def x(*shape, seed=0, low=-3.0, high=3.0) -> Any:
    return np.random.default_rng(seed).uniform(low, high, shape).round(3)


def i32(*values):
    return np.array(values, np.int32)


ODD = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5, 3e4, 1e-4])
POSITIVE = x(2, 5, low=0.1, high=4)
UNIT = x(2, 5, low=-0.95, high=0.95)
SMALL = x(2, 3, seed=1).round()
OTHER = np.where(x(2, 3, seed=2).round() == 0, 2.0, x(2, 3, seed=2).round())
SPD = np.stack([np.eye(3) * 4 + (a := x(3, 3, seed=s)) @ a.T for s in (3, 4)])
EXTREMES = {
    "div": (i32(5, -5, -7, -(2**31), 7), i32(0, 2, 0, -1, -2)),
    "shift": (np.int8([-1, 64, -64, 1, -1]), np.int8([1, 7, 8, -1, -3])),
    "bits": np.array([0, 1, -1, 2**62, -(2**63), 2**33 + 5, 2**53 + 1], np.int64),
}


def unary(name, function, values, dtypes, ulps=0.0):
    return Row(name, function, (values,), dtypes, ulps)


def gather(operand, indices, sizes, numbers, mode="clip"):
    numbers = lax.GatherDimensionNumbers(**numbers)
    return Row("gather", lambda a, i: lax.gather(a, i, numbers, sizes, mode=mode), (operand, indices), ALL)


def scatter(name, function, operand, indices, updates, numbers, mode="fill", ulps=0.0, dtypes=ALL):
    numbers = lax.ScatterDimensionNumbers(**numbers)
    return Row(name, lambda a, i, u: function(a, i, u, numbers, mode=mode), (operand, indices, updates), dtypes, ulps)


def convolution(image, kernel, strides, padding, dtypes=WIDE, **options):
    convolve = lambda a, b: lax.conv_general_dilated(a, b, strides, padding, **options)  # noqa: E731
    return Row("conv_general_dilated", convolve, (image, kernel), dtypes, 64)


def window(name, function, start, operand, size, strides, padding, dtypes, ulps=0.0, **dilations):
    reduce = lambda a: lax.reduce_window(a, a.dtype.type(start(a)), function, size, strides, padding, **dilations)  # noqa: E731
    return Row(name, reduce, (operand,), dtypes, ulps)


def _pooled(a):
    return lax.reduce_window(a, -np.inf, lax.max, (2, 3), (2, 1), ((0, 1), (1, 1)))


def _last(a):
    return a[0]


ONE_AXIS = dict(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
SWAPPED = dict(offset_dims=(0, 2), collapsed_slice_dims=(), start_index_map=(1, 0))
BATCHED = dict(offset_dims=(1,), collapsed_slice_dims=(1,), start_index_map=(1,), operand_batching_dims=(0,),
               start_indices_batching_dims=(0,))  # fmt: skip
ONTO_ROWS = dict(update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
ONTO_WINDOWS = dict(update_window_dims=(0, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(1, 0))
ONTO_BATCH = dict(update_window_dims=(1,), inserted_window_dims=(1,), scatter_dims_to_operand_dims=(1,),
                  operand_batching_dims=(0,), scatter_indices_batching_dims=(0,))  # fmt: skip
ROWS_AT = i32(2, 0, 2, 9, -1)[:, None]
WINDOWS_AT = i32(0, 0, 2, 1, 1, 3).reshape(3, 2)
BATCH_AT = i32(0, 2, 5)[:, None]
PLACES = lax.RoundingMethod

ROWS = [
    # elementwise
    unary("abs", lax.abs, ODD, [*FLOATS, *COMPLEX]),
    unary("abs", lax.abs, SMALL, SIGNED),
    unary("acos", lax.acos, UNIT, FLOATS, 8),
    unary("acosh", lax.acosh, POSITIVE + 1, FLOATS, 8),
    Row("add", lax.add, (SMALL, OTHER), NUMBERS),
    Row("add_any", lambda a: jax.vjp(lambda a: a * lax.tanh(a), a)[1](a)[0], (UNIT,), WIDE, 16),
    Row("and", lax.bitwise_and, (SMALL, OTHER), [*INTEGERS, *BOOL]),
    unary("asin", lax.asin, UNIT, FLOATS, 8),
    unary("asinh", lax.asinh, ODD, FLOATS, 8),
    unary("atan", lax.atan, ODD, FLOATS, 8),
    Row("atan2", lax.atan2, (x(2, 5), x(2, 5, seed=1)), FLOATS, 8),
    unary("atanh", lax.atanh, UNIT, FLOATS, 16),
    unary("bitcast_convert_type", lambda a: lax.bitcast_convert_type(a, np.uint8), x(2, 3), REAL),
    unary("bitcast_convert_type", lambda a: lax.bitcast_convert_type(a, np.int64), x(2, 3, 2), WIDE[:1]),
    unary("cbrt", lax.cbrt, ODD, FLOATS, 8),
    unary("ceil", lax.ceil, ODD, FLOATS),
    Row("clamp", lambda a: lax.clamp(a.dtype.type(1), a, a.dtype.type(2)), (ODD,), FLOATS),
    Row("clamp", lax.clamp, (SMALL, OTHER, SMALL + 1), REAL),
    unary("clz", lax.clz, SMALL, INTEGERS),
    unary("clz", lax.clz, EXTREMES["bits"], BOOL),
    Row("complex", lax.complex, (x(2, 3), ODD[:6].reshape(2, 3)), WIDE),
    unary("conj", lax.conj, x(2, 3), [*WIDE, *COMPLEX]),
    *[unary("convert_element_type", lambda a, to=to: lax.convert_element_type(a, to), x(2, 3), ALL) for to in ALL],
    *[unary("convert_element_type", lambda a, to=to: lax.convert_element_type(a, to), 1e4 * ODD, FLOATS)
      for to in [*INTEGERS, *BOOL]],
    unary("copy", jnp.copy, x(2, 3), ALL),
    unary("copy_p", lambda a: jax.jit(lambda a: a)(jnp.array(a)), x(2, 3), ALL),
    unary("cos", lax.cos, x(2, 5), [*FLOATS, *COMPLEX], 16),
    unary("cosh", lax.cosh, UNIT, [*FLOATS, *COMPLEX], 16),
    Row("div", lax.div, (SMALL, OTHER), NUMBERS, 4),
    Row("div", lax.div, EXTREMES["div"]),
    Row("eq", lax.eq, (SMALL, OTHER), ALL),
    Row("eq", lax.eq, (ODD, ODD), FLOATS),
    unary("eq_to", lambda a: lax.eq_to_p.bind(a, -a), ODD, FLOATS) if hasattr(lax, "eq_to_p") else None,
    unary("exp", lax.exp, x(2, 5), [*FLOATS, *COMPLEX], 16),
    unary("exp", lax.exp, ODD, FLOATS, 16),
    unary("exp2", lax.exp2, x(2, 5), [*FLOATS, *COMPLEX], 16),
    unary("expm1", lax.expm1, UNIT, [*FLOATS, *COMPLEX], 32),
    unary("floor", lax.floor, ODD, FLOATS),
    Row("ge", lax.ge, (ODD, ODD[::-1]), FLOATS),
    Row("gt", lax.gt, (SMALL, OTHER), [*REAL, *BOOL]),
    unary("imag", lax.imag, x(2, 3), COMPLEX),
    *[unary("integer_pow", lambda a, n=n: lax.integer_pow(a, n), x(2, 3), [*FLOATS, *COMPLEX], 8)
      for n in (0, 2, 3, 7, -1, -3)],
    unary("integer_pow", lambda a: lax.integer_pow(a, 3), SMALL, INTEGERS),
    unary("is_finite", lax.is_finite, ODD, FLOATS),
    Row("le", lax.le, (SMALL, OTHER), REAL),
    unary("log", lax.log, POSITIVE, [*FLOATS, *COMPLEX], 16),
    unary("log1p", lax.log1p, UNIT, FLOATS, 16),
    unary("log1p", lax.log1p, UNIT / 100, COMPLEX, 64),
    unary("log2", lambda a: lax.log2(a), POSITIVE, [*FLOATS, *COMPLEX], 16),
    unary("logistic", lax.logistic, x(2, 5), FLOATS, 8),
    Row("lt", lax.lt, (ODD, ODD[::-1]), FLOATS),
    Row("max", lax.max, (ODD, ODD[::-1]), FLOATS),
    Row("max", lax.max, (SMALL, OTHER), ALL),
    Row("min", lax.min, (ODD, ODD[::-1]), FLOATS),
    Row("min", lax.min, (SMALL, OTHER), ALL),
    Row("mul", lax.mul, (SMALL, OTHER), NUMBERS),
    Row("mulhi", lambda a: lax.mulhi(a, a[::-1]), (EXTREMES["bits"],)) if hasattr(lax, "mulhi") else None,
    Row("ne", lax.ne, (SMALL, OTHER), ALL),
    unary("neg", lax.neg, SMALL, NUMBERS),
    Row("nextafter", lax.nextafter, (x(2, 5), x(2, 5, seed=1)), FLOATS),
    Row("not", lax.bitwise_not, (SMALL,), [*INTEGERS, *BOOL]),
    unary("one_minus_square", lambda a: lax.one_minus_square(a), UNIT, [*FLOATS, *COMPLEX], 8),
    Row("or", lax.bitwise_or, (SMALL, OTHER), [*INTEGERS, *BOOL]),
    Row("polynomial", lambda a, b: lax.polynomial(a, [b, 2.0, -1.0]), (UNIT, x(1, 5)), [*FLOATS, *COMPLEX], 16),
    unary("population_count", lax.population_count, SMALL, INTEGERS),
    Row("population_count", lax.population_count, (EXTREMES["bits"],)),
    Row("pow", lax.pow, (POSITIVE, x(2, 5)), [*FLOATS, *COMPLEX], 64),
    Row("pow", lax.pow, (x(5), i32(0, 1, 2, 3, -2)), FLOATS, 16),
    unary("real", lax.real, x(2, 3), COMPLEX),
    unary("reduce_precision", lambda a: lax.reduce_precision(a, 5, 7), 1e3 * ODD, FLOATS),
    unary("reduce_precision", lambda a: lax.reduce_precision(a, 8, 7), x(2, 5), WIDE),
    Row("rem", lax.rem, (SMALL, OTHER), REAL),
    Row("rem", lax.rem, EXTREMES["div"]),
    unary("round", lambda a: lax.round(a, PLACES.TO_NEAREST_EVEN), ODD, FLOATS),
    unary("round", lambda a: lax.round(a, PLACES.AWAY_FROM_ZERO), ODD, FLOATS),
    unary("rsqrt", lax.rsqrt, POSITIVE, [*FLOATS, *COMPLEX], 8),
    Row("select_n", lax.select_n, (i32(0, 1, 2, 7, -1), x(5), x(5, seed=1), x(5, seed=2)), ALL),
    Row("select_n", lax.select_n, (np.array([[True], [False]]), x(2, 1), x(2, 1, seed=1)), ALL),
    Row("select_n", lax.select_n, (np.array(True), x(2, 3), x(2, 3, seed=1)), ALL),
    Row("shift_left", lax.shift_left, EXTREMES["shift"]),
    Row("shift_right_arithmetic", lax.shift_right_arithmetic, EXTREMES["shift"]),
    Row("shift_right_logical", lax.shift_right_logical, EXTREMES["shift"]),
    unary("sign", lax.sign, ODD, FLOATS),
    unary("sign", lax.sign, SMALL, [*INTEGERS, *COMPLEX]),
    unary("sin", lax.sin, x(2, 5), [*FLOATS, *COMPLEX], 16),
    unary("sinh", lax.sinh, UNIT, [*FLOATS, *COMPLEX], 32),
    unary("sqrt", lax.sqrt, POSITIVE, [*FLOATS, *COMPLEX], 4),
    unary("square", lax.square, SMALL, NUMBERS),
    unary("stop_gradient", lax.stop_gradient, x(2, 3), ALL),
    Row("sub", lax.sub, (SMALL, OTHER), NUMBERS),
    unary("tan", lax.tan, UNIT, [*FLOATS, *COMPLEX], 32),
    unary("tanh", lax.tanh, x(2, 5), [*FLOATS, *COMPLEX], 32),
    Row("xor", lax.bitwise_xor, (SMALL, OTHER), [*INTEGERS, *BOOL]),
    Row("add", lax.add, (np.float64(2), np.float64(3)), NUMBERS),
    # special functions
    unary("bessel_i0e", lax.bessel_i0e, x(2, 5), WIDE, 64),
    unary("bessel_i1e", lax.bessel_i1e, x(2, 5), WIDE, 64),
    unary("digamma", lax.digamma, POSITIVE, FLOATS, 128),
    unary("erf", lax.erf, x(2, 5), FLOATS, 16),
    unary("erf_inv", lax.erf_inv, UNIT, FLOATS, 64),
    unary("erfc", lax.erfc, x(2, 5), FLOATS, 64),
    Row("igamma", lax.igamma, (POSITIVE, POSITIVE[::-1]), WIDE, 256),
    Row("igammac", lax.igammac, (POSITIVE, POSITIVE[::-1]), WIDE, 256),
    unary("lgamma", lax.lgamma, POSITIVE, FLOATS, 128),
    Row("polygamma", lax.polygamma, (SMALL**2, POSITIVE[:, :3]), WIDE, 256),
    Row("regularized_incomplete_beta", lax.betainc, (POSITIVE, POSITIVE[::-1], abs(UNIT)), WIDE, 1024),
    Row("zeta", lax.zeta, (POSITIVE + 1.5, POSITIVE[::-1]), WIDE, 256),
    # moves
    unary("broadcast_in_dim", lambda a: lax.broadcast_in_dim(a, (2, 4, 3), (0, 2)), x(2, 3), ALL),
    unary("broadcast_in_dim", lambda a: lax.broadcast_in_dim(a, (2, 0), (0,)), x(1), ALL),
    Row("concatenate", lambda a, b: lax.concatenate([a, b, a], 1), (x(2, 3), x(2, 1)), ALL),
    unary("expand_dims", lambda a: jnp.expand_dims(a, (0, 2)), x(2, 3), ALL),
    Row("iota", lambda: tuple(lax.broadcasted_iota(d, (2, 3), 1) for d in NUMBERS), ()),
    Row("pad", lambda a, b: lax.pad(a, b, ((-1, 2, 1), (1, -2, 0))), (x(3, 4), np.float64(7)), ALL),
    Row("pad", lambda a, b: lax.pad(a, b, ((-3, -2, 2), (0, 0, 3))), (x(3, 4), np.float64(7)), ALL),
    Row("pad", lambda a, b: lax.pad(a, b, ((-9, 9, 0), (2, 2, 3))), (x(3, 1), np.float64(7)), ALL),
    Row("pad", lambda a, b: lax.pad(a, b, ((1, 2, 2),)), (x(0), np.float64(7)), ALL),
    unary("reshape", lambda a: lax.reshape(a, (3, 2)), x(2, 3), ALL),
    unary("rev", lambda a: lax.rev(a, (0, 2)), x(2, 3, 2), ALL),
    unary("slice", lambda a: lax.slice(a, (0, 1), (2, 6), (1, 2)), x(2, 7), ALL),
    unary("split", lambda a: lax.split(a, (1, 0, 2), 1), x(2, 3), ALL),
    unary("squeeze", lambda a: lax.squeeze(a, (1,)), x(2, 1), ALL),
    Row("stack", lambda a, b: jnp.stack([a, b], 1), (x(2, 3), x(2, 3, seed=1)), ALL),
    unary("tile", lambda a: jnp.tile(a, (2, 3)), x(2, 3), ALL),
    unary("transpose", lambda a: lax.transpose(a, (1, 2, 0)), x(2, 3, 2), ALL),
    unary("unstack", lambda a: tuple(jnp.unstack(a, axis=1)), x(2, 3), ALL),
    unary("optimization_barrier", lambda a: lax.optimization_barrier((a, a)), x(2), ALL),
    # reductions
    unary("argmax", lambda a: lax.argmax(a, 1, np.int32), x(3, 4), [*REAL, *BOOL]),
    unary("argmax", lambda a: lax.argmax(a, 0, np.int64), ODD[::-1], FLOATS),
    unary("argmin", lambda a: lax.argmin(a, 0, np.int64), ODD[::-1], FLOATS),
    unary("argmin", lambda a: lax.argmin(a, 0, np.int32), np.float64([3, 1, 1, 2]), [*REAL, *BOOL]),
    Row("reduce", lambda a, b: lax.reduce((a, b), (a.dtype.type(1), b.dtype.type(2)),
        lambda s, t: (s[0] * t[0], lax.max(s[1], t[1])), (0,)), (x(5, 2), x(5, 2, seed=1)), WIDE, 8),
    Row("reduce", lambda a: lax.reduce(a, a.dtype.type(1), lambda s, t: s * t + s + t, (0, 1)), (UNIT,), WIDE, 32),
    unary("reduce_and", lambda a: lax.reduce_and(a, (1,)), x(2, 0, 3), BOOL),
    unary("reduce_and", lambda a: lax.reduce_and(a, (0, 1)), SMALL, [*BOOL, *INTEGERS]),
    unary("reduce_max", lambda a: lax.reduce_max(a, (1,)), ODD.reshape(3, 4), FLOATS),
    unary("reduce_max", lambda a: lax.reduce_max(a, (0, 2)), x(2, 3, 2), REAL),
    unary("reduce_max", lambda a: lax.reduce_max(a, (1,)), x(2, 0), [*REAL, *BOOL]),
    unary("reduce_min", lambda a: lax.reduce_min(a, (1,)), ODD.reshape(3, 4), FLOATS),
    unary("reduce_min", lambda a: lax.reduce_min(a, (1,)), x(2, 0), [*REAL, *BOOL]),
    unary("reduce_or", lambda a: lax.reduce_or(a, (1,)), x(2, 0, 3), BOOL),
    unary("reduce_or", lambda a: lax.reduce_or(a, (1,)), SMALL, [*BOOL, *INTEGERS]),
    unary("reduce_prod", lambda a: lax.reduce_prod(a, (0,)), UNIT, [*FLOATS, *COMPLEX], 8),
    unary("reduce_prod", lambda a: lax.reduce_prod(a, (0,)), SMALL, INTEGERS),
    unary("reduce_sum", lambda a: lax.reduce_sum(a, (0, 1)), POSITIVE, [*FLOATS, *COMPLEX], 8),
    unary("reduce_sum", lambda a: lax.reduce_sum(a, (1,)), 40 * SMALL, INTEGERS),
    unary("reduce_sum", lambda a: lax.reduce_sum(a, (1,)), x(2, 0), NUMBERS),
    unary("reduce_xor", lambda a: lax.reduce_xor(a, (1,)), SMALL, [*BOOL, *INTEGERS]),
    # cumulative
    *[unary(name, lambda a, f=f, r=r: f(a, 1, r), POSITIVE, dtypes, ulps)
      for name, f, dtypes, ulps in [
          ("cumlogsumexp", lax.cumlogsumexp, WIDE, 16), ("cummax", lax.cummax, REAL, 0),
          ("cummin", lax.cummin, REAL, 0), ("cumprod", lax.cumprod, [*WIDE, *COMPLEX, *INTEGERS], 16),
          ("cumsum", lax.cumsum, NUMBERS, 16)] for r in (False, True)],
    unary("cummax", lambda a: lax.cummax(a, 0), ODD, WIDE),
    # sorting
    unary("sort", lambda a: lax.sort(a, 0), ODD, FLOATS),
    unary("sort", lambda a: lax.sort(a, 0), SMALL, [*INTEGERS, *BOOL]),
    Row("sort", lambda a, b: lax.sort((a, b), 0, num_keys=1), (SMALL, x(2, 3)), REAL),
    Row("sort", lambda a, b: lax.sort((a, b, b), 0, num_keys=2), (np.tile(ODD, 2), x(24)), FLOATS),
    unary("top_k", lambda a: lax.top_k(a, 5), np.append(ODD, [-np.nan, 0.0]), FLOATS),
    unary("top_k", lambda a: lax.top_k(a, 2), SMALL, INTEGERS),
    unary("approx_top_k", lambda a: lax.approx_max_k(a, 2), x(3, 6), WIDE),
    unary("approx_top_k", lambda a: lax.approx_min_k(a, 2, reduction_dimension=0), x(6, 2), WIDE),
    # products
    Row("dot_general", lax.dot, (x(2, 3), x(3, 4)), [*FLOATS, *COMPLEX], 64),
    Row("dot_general", lax.dot, (SMALL, OTHER.T), [*INTEGERS, *BOOL]),
    Row("dot_general", lax.dot, (x(3), x(3, seed=1)), [*WIDE, *COMPLEX], 64),
    Row("dot_general", lambda a, b: lax.dot_general(a, b, (((3, 1), (0, 3)), ((0,), (1,)))),
        (x(2, 3, 4, 5), x(5, 2, 4, 3)), FLOATS, 128),
    Row("dot_general", lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())),
        preferred_element_type=np.float32), (x(2, 3), x(3, 4)), FLOATS, 64),
    Row("dot_general", lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())),
        preferred_element_type=np.int32), (SMALL, SMALL.T), SIGNED[:3]),
    Row("dot_general", lax.dot, (x(2, 0), x(0, 4)), NUMBERS),
    # indexing
    Row("dynamic_slice", lambda a, i: lax.dynamic_slice(a, (i[0], i[1]), (2, 2)), (x(3, 4), i32(5, -9)), ALL),
    Row("dynamic_update_slice", lambda a, b, i: lax.dynamic_update_slice(a, b, (i[0], i[1])),
        (x(3, 4), x(2, 2, seed=1), i32(5, 1)), ALL),
    *[gather(x(4, 3), ROWS_AT, (1, 3), ONE_AXIS, mode) for mode in ("clip", "fill")],
    *[gather(x(4, 5, 3), WINDOWS_AT, (2, 2, 3), dict(offset_dims=(0, 2, 3), collapsed_slice_dims=(),
             start_index_map=(1, 0)), mode) for mode in ("clip", "fill")],
    *[gather(x(4, 5), WINDOWS_AT, (2, 3), SWAPPED, mode) for mode in ("clip", "fill")],
    *[gather(x(3, 4, 2), BATCH_AT, (1, 1, 2), BATCHED, mode) for mode in ("clip", "fill")],
    gather(x(4, 3), np.zeros((0, 1), np.int32), (1, 3), ONE_AXIS),
    gather(x(4), i32(2), (1,), dict(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,))),
    *[scatter(name, function, x(4, 3), ROWS_AT, x(5, 3, seed=1), ONTO_ROWS, mode, ulps, dtypes)
      for name, function, ulps, dtypes in [
          ("scatter", lax.scatter, 0, ALL), ("scatter-add", lax.scatter_add, 8, NUMBERS),
          ("scatter-sub", lax.scatter_sub, 8, NUMBERS), ("scatter-mul", lax.scatter_mul, 8, NUMBERS),
          ("scatter-max", lax.scatter_max, 0, REAL), ("scatter-min", lax.scatter_min, 0, REAL)]
      for mode in ("fill", "clip")],
    scatter("scatter", lax.scatter, x(4, 5), WINDOWS_AT, x(2, 3, 3, seed=1), ONTO_WINDOWS),
    scatter("scatter-add", lax.scatter_add, x(4, 5), WINDOWS_AT, x(2, 3, 3, seed=1), ONTO_WINDOWS, "clip", 8, WIDE),
    scatter("scatter-add", lax.scatter_add, x(3, 4, 2), BATCH_AT, x(3, 2, seed=1), ONTO_BATCH, "fill", 8, WIDE),
    Row("scatter", lambda a: a.at[np.array([2, 0])].apply(jnp.sin, unique_indices=True), (x(4, 2),), WIDE, 8),
    Row("scatter", lambda a: a.at[1].set(7), (x(3),), NUMBERS),
    # windows
    window("reduce_window_sum", lax.add, lambda a: 0, x(3, 7), (2, 3), (1, 2), ((1, 0), (2, 1)), NUMBERS, 16),
    window("reduce_window_max", lax.max, lambda a: _least(a.dtype), x(3, 7), (2, 3), (1, 2), ((1, 0), (0, 1)), REAL,
           window_dilation=(1, 2)),
    window("reduce_window_min", lax.min, lambda a: _greatest(a.dtype), x(3, 7), (2, 3), (2, 2), "SAME", REAL),
    window("reduce_window", lambda a, b: a * b, lambda a: 1, UNIT, (2, 3), (1, 2), ((1, 0), (0, 1)), WIDE, 8,
           base_dilation=(2, 1)),
    Row("select_and_gather_add", lambda a, b: jax.jvp(_pooled, (a,), (b,))[1], (x(4, 5).round(), x(4, 5)), WIDE),
    Row("select_and_scatter_add", lambda a, b: jax.vjp(_pooled, a)[1](b)[0], (x(4, 5).round(), x(2, 5)), WIDE, 4),
    convolution(x(2, 3, 7), x(4, 3, 2), (2,), "SAME", [*FLOATS, *COMPLEX]),
    convolution(x(2, 4, 7, 6), x(6, 2, 3, 2), (2, 1), ((1, 2), (0, -1)), feature_group_count=2, rhs_dilation=(2, 1)),
    convolution(x(4, 3, 5, 5), x(6, 3, 3, 2), (1, 1), "VALID", batch_group_count=2),
    convolution(x(2, 5, 6, 3), x(2, 3, 3, 4), (1, 1), ((1, 1), (2, 0)), lhs_dilation=(2, 2),
                dimension_numbers=("NHWC", "HWIO", "NHWC")),
    convolution(SMALL[None], SMALL.T[:, :2, None].repeat(2, 2), (1,), "VALID", SIGNED[2:]),
    # Fourier transforms
    unary("fft", lambda a: jnp.fft.fftn(a), x(2, 3, 4), COMPLEX, 64),
    unary("fft", lambda a: jnp.fft.ifft(a), x(2, 3, 4), COMPLEX, 64),
    unary("fft", lambda a: jnp.fft.rfft2(a), x(2, 3, 4), WIDE, 64),
    unary("fft", lambda a: jnp.fft.irfft(a, 5), x(2, 3), COMPLEX, 64),
    # linear algebra
    unary("cholesky", lambda a: lax.linalg.cholesky(a, symmetrize_input=False), SPD, LINEAR, 64),
    unary("cholesky", lambda a: lax.linalg.cholesky(a), np.stack([-SPD[0], SPD[1]]), LINEAR, 64),
    unary("eig", lambda a: lax.linalg.eig(a, compute_left_eigenvectors=False), x(3, 3), LINEAR, 512),
    unary("eig", lambda a: lax.linalg.eig(a), x(2, 3, 3), WIDE, 512),
    unary("eigh", lambda a: lax.linalg.eigh(a), SPD, LINEAR, 256),
    unary("geqrf", lambda a: lax.linalg.geqrf(a), x(2, 4, 3), LINEAR, 128)
    if hasattr(lax.linalg, "geqrf") else None,
    Row("householder_product", lax.linalg.householder_product, (x(2, 4, 3), x(2, 3)), LINEAR, 256),
    unary("lu", lax.linalg.lu, x(2, 4, 3), LINEAR, 128),
    Row("lu_pivots_to_permutation", lambda p: lax.linalg.lu_pivots_to_permutation(p, 4), (i32(2, 2, 3),)),
    *[unary("qr", lambda a, f=f: lax.linalg.qr(a, full_matrices=f), x(2, 4, 3), LINEAR, 256) for f in (False, True)],
    unary("qr", lambda a: lax.linalg.qr(a, pivoting=True, full_matrices=False), x(4, 3), WIDE, 256),
    unary("schur", lax.linalg.schur, x(3, 3), WIDE, 1024),
    *[unary("svd", lambda a, f=f: lax.linalg.svd(a, full_matrices=f), x(2, 4, 3), LINEAR, 256) for f in (False, True)],
    unary("svd", lambda a: lax.linalg.svd(a, compute_uv=False), x(2, 4, 3), LINEAR, 256),
    *[Row("triangular_solve", lambda a, b, o=o: lax.linalg.triangular_solve(a, b, **o), (SPD, x(2, 3, 3)), LINEAR, 256)
      for o in [dict(left_side=True, lower=True), dict(left_side=False, transpose_a=True, conjugate_a=True),
                dict(left_side=True, lower=True, unit_diagonal=True, conjugate_a=True)]],
    Row("tridiagonal_solve", lax.linalg.tridiagonal_solve, (x(4), x(4) + 9, x(4, seed=1), x(4, 2)), WIDE, 64),
    # control flow
    Row("while", lambda a: lax.while_loop(lambda c: c[0] < 9, lambda c: (c[0] + 1, c[1] * 2), (i32(3)[0], a)), (x(2),)),
    Row("while", jax.vmap(lambda a: lax.while_loop(lambda c: c[0] < 9, lambda c: (c[0] + 1, c * 2)[1], a)),
        (np.float64([[1, 2], [20, 1], [3, 4]]),), WIDE),
    Row("cond", lambda i, a: lax.switch(i, [jnp.sin, jnp.cos], a), (np.int32(5), x(2)), WIDE, 8),
    *[Row("scan", lambda a, r=r: lax.scan(lambda c, y: (c + y, (c * y, c)), a.dtype.type(0), a, reverse=r), (x(4),),
          WIDE, 8) for r in (False, True)],
    Row("jit", jax.jit(jnp.square), (x(3),)),
    Row("remat2", jax.checkpoint(jnp.square), (x(3),)),
    Row("custom_jvp_call", jax.nn.relu, (x(3),)),
    Row("custom_vjp_call", lambda a: _squared(a), (x(3),)),
    Row("composite", lax.composite(jnp.square, name="tests.square"), (x(3),)),
    Row("platform_index", lambda a: lax.platform_dependent(a, cpu=jnp.square, default=jnp.sin), (x(3),)),
    Row("custom_linear_solve", lambda a, b: jnp.linalg.solve(a, b), (SPD, x(2, 3, 1)), WIDE, 256),
    # primitives of ops
    unary("sine", lambda a: tfcompat.sin.raw(a), x(2, 5), WIDE, 16),
    unary("cosine", lambda a: tfcompat.cos.raw(a), x(2, 5), WIDE, 16),
]  # fmt: skip
ROWS = [row for row in ROWS if row is not None]
# The first row of each primitive, and one in two of the others.
CHOSEN = [
    row for i, row in enumerate(ROWS)
    if i % one_in(2) == 0 or row.primitive not in {other.primitive for other in ROWS[:i]}
]  # fmt: skip

# Since JAX 0.12.
LATER = {"log2", "one_minus_square", "polynomial"}
# In this jax another name, or no way to it by public functions.
ALIASES = {"pjit", "call", "closed_call", "core_call", "checkpoint", "copy_p", "name", "stop_gradient", "expand_dims"}


def _least(dtype):
    return -np.inf if jnp.issubdtype(dtype, np.floating) else np.iinfo(dtype).min


def _greatest(dtype):
    return np.inf if jnp.issubdtype(dtype, np.floating) else np.iinfo(dtype).max


@jax.custom_vjp
def _squared(a):
    return a * a


_squared.defvjp(lambda a: (a * a, a), lambda a, g: (2 * a * g,))


def _arguments(row):
    """The arguments of a row in each of its dtypes."""
    for dtype in row.dtypes:
        with np.errstate(all="ignore"):
            yield [a.astype(dtype) if getattr(a, "dtype", None) == np.float64 else a for a in row.inputs]


def _computed(jaxpr, consts, arrays, names):
    """A jaxpr by rules; what they give must have the dtype and shape that JAX says."""
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*map(np.asarray, consts), *arrays], strict=True))

    def value(atom):
        return np.asarray(atom.val, atom.aval.dtype) if isinstance(atom, Literal) else values[atom]

    for equation in jaxpr.eqns:
        name = equation.primitive.name
        names.add(name)
        avals = [v.aval for v in equation.invars], [v.aval for v in equation.outvars]
        given = [value(v) for v in equation.invars]
        if name in control_flow.INLINED:
            results = _called(name, equation.params, given, names)
            values.update(zip(equation.outvars, results, strict=True))
            continue
        before = [np.array(a) for a in given]
        results = rules[name](equation.params, *avals)(*given)
        for a, b in zip(given, before, strict=True):
            assert np.array_equal(a, b) or a.tobytes() == b.tobytes(), f"{name} writes to its arguments"
        results = results if equation.primitive.multiple_results else [results]
        for v, result in zip(equation.outvars, results, strict=True):
            assert (result.dtype, result.shape) == (v.aval.dtype, v.aval.shape), name
            values[v] = result
    return [value(v) for v in jaxpr.outvars]


def _called(name, params, arrays, names):
    """The results of an equation that becomes a part of a plan."""
    if name == "platform_index":
        return [control_flow.platform(params)]
    closed, arrays = control_flow.called(name, params, arrays)
    return _computed(closed.jaxpr, closed.consts, arrays, names)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")  # the rows mean to convert so
@pytest.mark.parametrize("row", CHOSEN, ids=[f"{i}-{row.primitive}" for i, row in enumerate(CHOSEN)])
def test_a_rule_gives_what_xla_gives(row, monkeypatch):
    if row.primitive in LATER and not hasattr(lax, row.primitive):
        pytest.skip("this jax has no such primitive")
    sets = list(_arguments(row))
    with jax.enable_x64(True):
        expected = [jax.tree.leaves(r) for r in jax.jit(lambda sets: [row.function(*a) for a in sets])(sets)]
        traced = [jax.make_jaxpr(row.function)(*a) for a in sets]
    names = set()

    def function_of(jaxpr, consts):
        function = functools.partial(lambda *arrays: _computed(jaxpr, consts, arrays, names))
        function.milliseconds = 0.0
        return function

    monkeypatch.setattr(registry._Planner, "make", function_of)
    for closed, arrays, wanted in zip(traced, sets, expected, strict=True):
        with np.errstate(all="ignore"):
            results = _computed(closed.jaxpr, closed.consts, arrays, names)
            of_plan = Plan.of(closed).sized({})(*arrays)
        for result, one in zip([*results, *of_plan], map(np.asarray, [*wanted, *wanted]), strict=True):
            assert (result.dtype, result.shape) == (one.dtype, one.shape)
            _compare(result, one, row.ulps, closed.in_avals)
    assert row.primitive in names | ALIASES


def _compare(result, expected, ulps, avals):
    if not ulps:
        if expected.dtype == BFLOAT16:
            result, expected = result.astype(np.float32), expected.astype(np.float32)
        np.testing.assert_array_equal(result, expected, str(avals))
        return
    epsilon = float(jnp.finfo(expected.dtype).eps) if jnp.issubdtype(expected.dtype, np.inexact) else 0
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    scale = np.nanmax(np.abs(expected.astype(wide)), initial=0, where=np.isfinite(expected))
    np.testing.assert_allclose(
        result.astype(wide), expected.astype(wide), rtol=ulps * epsilon, atol=ulps * epsilon * scale / 8,
        err_msg=str(avals),
    )  # fmt: skip


def test_every_rule_has_a_row():
    covered = {row.primitive for row in ROWS} | ALIASES
    assert not sorted((set(rules) | control_flow.INLINED) - covered - set(_elsewhere()["tested_elsewhere"]))


def _elsewhere():
    return tomllib.loads(pathlib.Path(__file__).with_name("host_rules.toml").read_text(encoding="utf-8"))


def test_what_has_no_rule_is_named_with_a_reason():
    without = _elsewhere()["without_rule"]
    assert not sorted(set(without) & set(rules))
    assert all(without.values())


def test_a_rule_may_refuse():
    aval = jax.core.ShapedArray((3, 3), np.float32)
    with pytest.raises(Unknown):
        rules["svd"]({"subset_by_index": (0, 1), "full_matrices": False}, [aval], [aval])


@pytest.mark.optimized  # otherwise XLA's is a little smaller than one
def test_the_hyperbolic_tangent_reaches_one_where_xlas_does():
    large = np.float32([8.5, -9.0, 20.0, np.inf])
    given = rules["tanh"]({}, [jax.typeof(large)], [jax.typeof(large)])(large)
    assert np.array_equal(given, np.sign(large))
    assert np.array_equal(given, jax.jit(lax.tanh)(large))
