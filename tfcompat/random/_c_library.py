"""Logarithm, sine and cosine that round as glibc's (2.28 and later), which TF's kernels call.

In float64, XLA calls the C library itself. NumPy has a logarithm of its own, which differs in three numbers of a
thousand, so that `log_64` is a primitive: NumPy leaves it to Python's `math`.

In float32 its functions are polynomials in float64, rounded once at the end: coefficients that fit less tightly than
float64 allows decide one number in a hundred. The constants are those of Arm's optimized routines, where glibc's come
from. Every argument that a random number can lead to has been compared with the C library.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

from tfcompat.engine import host

_LOG_START = np.uint32(0x3F330000)  # the significand is taken from here to twice as much
_LOG_2 = float.fromhex("0x1.62e42fefa39efp-1")
_LOG_POLYNOMIAL = tuple(
    map(float.fromhex, ("-0x1.ffffef20a4123p-2", "0x1.5575b0be00b6ap-2", "-0x1.00ea348b88334p-2"))
)
# For each sixteenth of the significand's range the reciprocal of a number near its middle, and its logarithm.
_RECIPROCALS = """0x1.661ec79f8f3bep+0 0x1.571ed4aaf883dp+0 0x1.49539f0f010bp+0 0x1.3c995b0b80385p+0
    0x1.30d190c8864a5p+0 0x1.25e227b0b8eap+0 0x1.1bb4a4a1a343fp+0 0x1.12358f08ae5bap+0
    0x1.0953f419900a7p+0 0x1p+0 0x1.e608cfd9a47acp-1 0x1.ca4b31f026aap-1
    0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1 0x1.886e6037841edp-1 0x1.767dcf5534862p-1"""
_LOGARITHMS = """-0x1.57bf7808caadep-2 -0x1.2bef0a7c06ddbp-2 -0x1.01eae7f513a67p-2 -0x1.b31d8a68224e9p-3
    -0x1.6574f0ac07758p-3 -0x1.1aa2bc79c81p-3 -0x1.a4e76ce8c0e5ep-4 -0x1.1973c5a611cccp-4
    -0x1.252f438e10c1ep-5 0x0p+0 0x1.aa5aa5df25984p-5 0x1.c5e53aa362eb4p-4
    0x1.526e57720db08p-3 0x1.bc2860d22477p-3 0x1.1058bc8a07ee1p-2 0x1.4043057b6ee09p-2"""
_LOG_TABLE = np.array([[*map(float.fromhex, row.split())] for row in (_RECIPROCALS, _LOGARITHMS)])

_SINE = tuple(
    map(float.fromhex, ("0x1p0", "-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13"))
)
_COSINE = tuple(
    map(
        float.fromhex,
        ("0x1p0", "-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5", "-0x1.6c087e89a359dp-10", "0x1.99343027bf8c3p-16"),
    )
)
_HALF_PI = float.fromhex("0x1.921fb54442d18p0")


def log(x, xp=jnp):
    """The logarithm of positive, normal float32 numbers; `xp` is NumPy for its arrays."""
    bits = x.view(np.uint32)
    above = bits - _LOG_START
    part = above >> np.uint32(19) & np.uint32(15)
    exponent = above.view(np.int32) >> np.int32(23)
    significand = (bits - (above & np.uint32(0xFF800000))).view(np.float32)
    reciprocal, logarithm = (_chosen(row, part, xp) for row in xp.asarray(_LOG_TABLE))
    rest = significand.astype(np.float64) * reciprocal - 1.0
    square = rest * rest
    value = _LOG_POLYNOMIAL[0] + _LOG_POLYNOMIAL[1] * rest + _LOG_POLYNOMIAL[2] * square
    return (value * square + (logarithm + exponent.astype(np.float64) * _LOG_2 + rest)).astype(np.float32)


def sine_or_cosine(angle, is_cosine, xp=jnp):
    """Sine, or cosine where asked, of float32 angles in [0, 2 pi]; `xp` is NumPy for its arrays."""
    quadrant = xp.round(angle * np.float32(1 / _HALF_PI))
    reduced = angle.astype(np.float64) - quadrant.astype(np.float64) * _HALF_PI
    turns = quadrant.astype(np.int32) + is_cosine.astype(np.int32)
    square = reduced * reduced
    sine, cosine = reduced * _polynomial(square, _SINE), _polynomial(square, _COSINE)
    value = xp.where(turns & 1 == 1, cosine, sine)
    return xp.where(turns & 2 == 2, -value, value).astype(np.float32)


def _chosen(row, places, xp):
    return row[places] if xp is np else row.at[places].get(mode="promise_in_bounds")


def _polynomial(x, coefficients):
    value = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        value = value * x + coefficient
    return value


_log_64 = Primitive("log_of_c_library")
_log_64.def_impl(jax.jit(_log_64.bind))
_log_64.def_abstract_eval(lambda x: x)
mlir.register_lowering(_log_64, mlir.lower_fun(lax.log, multiple_results=False))
batching.defvectorized(_log_64)
host.rules["log_of_c_library"] = lambda params, in_avals, out_avals: (
    lambda x: np.fromiter(map(math.log, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
)


def log_64(x):
    """The logarithm of positive float64 numbers."""
    return _log_64.bind(x)
