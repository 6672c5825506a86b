"""Special functions: error functions, gamma functions, Bessel functions of the first public tier."""

import functools
import math

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, type_name
from tfcompat._core.in_graphs import as_in_graph
from tfcompat._core.op import FLOATING, NUMERIC, op
from tfcompat._core.tensor import Tensor
from tfcompat.array import zeros_like
from tfcompat.array._arguments import invalid
from tfcompat.array._shape_ops import detached
from tfcompat.dtypes import float32, float64
from tfcompat.errors import InvalidArgumentError
from tfcompat.math._blocks import in_blocks
from tfcompat.math._derivative import with_partials
from tfcompat.math._guarded import xlog1py_of, xlogy_of

_WIDE = frozenset({float32, float64})


@op("tf.math.erf", kernel="Erf", tensors=("x",), dtypes=FLOATING)
def erf(x):
    """Gauss error function.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.erf`; no known difference.
    """
    return _erf(x)


# At infinity TF's second derivative is NaN; that of `lax.erf` is zero from JAX 0.12 on.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py
_erf = with_partials(lambda y, x: 2 / math.sqrt(math.pi) * lax.exp(-x * x))(lax.erf)


@op("tf.math.erfc", kernel="Erfc", tensors=("x",), dtypes=FLOATING)
def erfc(x):
    """`1 - erf(x)`, exact for large `x`.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.erfc`; no known difference.
    """
    return _erfc(x)


_erfc = with_partials(lambda y, x: -2 / math.sqrt(math.pi) * lax.exp(-x * x))(lax.erfc)


@op("tf.math.erfinv", kernel="Erfinv", tensors=("x",), dtypes=FLOATING)
def erfinv(x):
    """Inverse of `erf`; infinite at -1 and 1, NaN beyond.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.erfinv`; also takes half precision, for which TF has no CPU kernel.
    """
    return _erfinv(x)


_erfinv = with_partials(lambda y, x: math.sqrt(math.pi) / 2 * lax.exp(y * y))(lax.erf_inv)


@op("tf.math.ndtri", kernel="Ndtri", tensors=("x",), dtypes=_WIDE)
def ndtri(x):
    """Quantile function of the standard normal distribution; NaN outside [0, 1].

    Args:
      x: float32 or float64 tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.ndtri`; no known difference.
    """
    return _ndtri(x)


_ndtri = with_partials(lambda y, x: math.sqrt(2 * math.pi) * lax.exp(y * y / 2))(jsp.ndtri)


@op("tf.math.erfcinv", kernel="Ndtri", tensors=("x",), dtypes=_WIDE, beside=0.5)
def erfcinv(x):
    """Inverse of `erfc`; NaN outside [0, 2].

    Args:
      x: float32 or float64 tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.erfcinv`; no known difference.
    """
    return -_ndtri(0.5 * x) * math.sqrt(0.5)


@op("tf.math.lgamma", kernel="Lgamma", tensors=("x",), dtypes=FLOATING)
def lgamma(x):
    """Logarithm of the absolute value of the gamma function; infinite at 0, -1, -2...

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.lgamma`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _lgamma(x)


_lgamma = with_partials(lambda y, x: _digamma(x))(lax.lgamma)


@op("tf.math.digamma", kernel="Digamma", tensors=("x",), dtypes=FLOATING)
def digamma(x):
    """Derivative of `lgamma`; NaN at -1, -2...

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.digamma`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _digamma(x)


def _plain_digamma(x):
    # At zero as in TF on every version of JAX: from 0.12 on, `lax.digamma` is infinite there.
    # https://github.com/jax-ml/jax/issues/37763
    return jnp.where(x == 0, jnp.nan, lax.digamma(x))


_digamma = with_partials(lambda y, x: _polygamma(jnp.ones_like(x), x))(_plain_digamma)


def _zero_partial(y, a, x):
    return jnp.zeros_like(y)


def _hurwitz(x, q):
    """The zeta function; lax.zeta is right for `q` of at least 0 and finite."""
    x, q = jnp.broadcast_arrays(x, q)
    stepped = (q < 0) & (q > -1e5) & (q != lax.floor(q))

    def turn(state):
        total, q = state
        is_negative = q < 0
        term = jnp.where(is_negative, lax.pow(jnp.where(is_negative, q, 1), -x), 0)
        return total + term, jnp.where(is_negative, q + 1, q)

    total, start = lax.while_loop(
        lambda state: jnp.any(state[1] < 0), turn, (jnp.zeros_like(q), jnp.where(stepped, q, 1))
    )
    value = total + lax.zeta(x, jnp.where(stepped, start, q))
    value = jnp.where(jnp.isnan(value) & (x > 1) & (q > 1), 0, value)  # of a large x
    # A pole has two signs, unless the power is even.
    is_odd = jnp.isnan(x) | (x > 1) & (x < jnp.inf) & (x % 2 != 0)
    value = jnp.where(is_odd & (q <= 0) & (q == lax.floor(q)), jnp.nan, value)
    return jnp.where((q == jnp.inf) & (x > 1), 0, value)


@with_partials(_zero_partial, lambda y, a, x: _polygamma(a + 1, x))
def _polygamma(a, x):
    a, x = jnp.broadcast_arrays(a, x)
    sign = jnp.where(a % 2 == 0, -1, 1).astype(x.dtype)
    value = jnp.where(a == 0, _plain_digamma(x), sign * lax.exp(lax.lgamma(a + 1)) * _hurwitz(a + 1, x))
    return jnp.where((a == lax.floor(a)) & (a >= 0), value, jnp.nan)


_zeta = with_partials(_zero_partial, lambda y, x, q: -x * _zeta(x + 1, q))(_hurwitz)


@op("_polygamma", kernel="Polygamma", tensors=("a", "x"), dtypes=_WIDE)
def _polygamma_op(a, x):
    return _polygamma(a, x)


def _matching(*values):
    """Tensors of one dtype: plain values take that of the first tensor."""
    known = next((v for v in values if isinstance(v, Tensor) or hasattr(v, "_as_node")), None)
    dtype = None if known is None else known.dtype
    result = []
    for value in values:
        plain = not isinstance(value, Tensor) and not hasattr(value, "_as_node")
        result.append(convert_to_tensor(value, dtype=dtype if plain else None))
        dtype = dtype or result[-1].dtype
    return result


@takes_composites("tf.math.polygamma")
def polygamma(a, x, name=None):
    """Derivative of order `a` of `digamma`.

    Args:
      a: float32 or float64 tensor of whole numbers, not negative.
      x: tensor of the same dtype; the shapes broadcast.
      name: ignored.

    Returns:
      Tensor of the common shape and the dtype of `a`; NaN where `a` is no whole number.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: None by `a`.
    TF: `tf.math.polygamma`; no known difference.
    """
    a, x = _matching(a, x)
    return _polygamma_op(detached(a), x)


@op("_zeta", kernel="Zeta", tensors=("x", "q"), dtypes=_WIDE)
def _zeta_op(x, q):
    return _zeta(x, q)


@takes_composites("tf.math.zeta")
def zeta(x, q, name=None):
    """Hurwitz zeta function: the sum of `(q + n)**-x` for n = 0, 1, 2...

    Args:
      x: float32 or float64 tensor.
      q: tensor of the same dtype; the shapes broadcast.
      name: ignored.

    Returns:
      Tensor of the common shape and the dtype of `x`; infinite for `x` 1, NaN below.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: None by `x`.
    TF: `tf.math.zeta`; no known difference.
    """
    x, q = _matching(x, q)
    return _zeta_op(detached(x), q)


def _gamma_density(y, a, x):
    return lax.exp(-x + (a - 1) * lax.log(x) - _lgamma(a))


@jax.custom_jvp
def _igamma_grad_a(a, x):
    return in_blocks(lax.igamma_grad_a)(a, x)


@_igamma_grad_a.defjvp
def _igamma_grad_a_jvp(primals, tangents):
    raise LookupError("gradient registry has no entry for: IgammaGradA")


def _igamma_by_a(y, a, x):
    return _igamma_grad_a(*jnp.broadcast_arrays(a, x))


def _for_positive(function, at_zero=math.nan):
    """`function(a, x)`; NaN where `a` is 0, and `at_zero` where `x` is 0, unless that is NaN."""

    def evaluated(a, x):
        a, x = jnp.broadcast_arrays(a, x)
        value = jnp.where(a == 0, jnp.full((), math.nan, a.dtype), function(a, x))
        return value if math.isnan(at_zero) else jnp.where(x == 0, jnp.full((), at_zero, a.dtype), value)

    return evaluated


_igamma = with_partials(_igamma_by_a, _gamma_density)(_for_positive(in_blocks(lax.igamma), 0.0))
_igammac = with_partials(lambda y, a, x: -_igamma_by_a(y, a, x), lambda y, a, x: -_gamma_density(y, a, x))(
    _for_positive(in_blocks(lax.igammac))
)


@op("tf.math.igamma", kernel="Igamma", tensors=("a", "x"), dtypes=FLOATING)
def igamma(a, x):
    """Lower regularized incomplete gamma function P(a, x).

    Args:
      a: floating tensor, positive.
      x: tensor of the same dtype, not negative; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `a`; NaN outside the domain.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: the one by `a` cannot be differentiated again: LookupError.
    TF: `tf.math.igamma`; also takes half precision, for which TF has no CPU kernel.
    """
    return _igamma(a, x)


@op("tf.math.igammac", kernel="Igammac", tensors=("a", "x"), dtypes=FLOATING)
def igammac(a, x):
    """Upper regularized incomplete gamma function Q(a, x) = 1 - P(a, x).

    Args:
      a: floating tensor, positive.
      x: tensor of the same dtype, not negative; the shapes broadcast.

    Returns:
      Tensor of the common shape and the dtype of `a`; NaN outside the domain.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    Gradient: the one by `a` cannot be differentiated again: LookupError.
    TF: `tf.math.igammac`; also takes half precision, for which TF has no CPU kernel.
    """
    return _igammac(a, x)


def _beta_density(y, a, b, x):
    log_beta = _lgamma(a) + _lgamma(b) - _lgamma(a + b)
    return lax.exp(xlog1py_of(b - 1, -x) + xlogy_of(a - 1, x) - log_beta)


_betainc = with_partials(_zero_partial, _zero_partial, _beta_density)(
    lambda a, b, x: in_blocks(jsp.betainc)(*jnp.broadcast_arrays(a, b, x))
)


@op("_betainc", kernel="Betainc", tensors=("a", "b", "x"), dtypes=_WIDE)
def _betainc_op(a, b, x):
    shapes = {array.shape for array in (a, b, x) if array.ndim}
    if len(shapes) > 1:
        raise invalid(f"Shapes of a, b and x are inconsistent: {a.shape} vs. {b.shape} vs. {x.shape} [Op:Betainc]")
    return _betainc(a, b, x)


@takes_composites("tf.math.betainc")
def betainc(a, b, x, name=None):
    """Regularized incomplete beta function I_x(a, b).

    Args:
      a: float32 or float64 tensor, positive.
      b: tensor of the same dtype, positive.
      x: tensor of the same dtype, in [0, 1]. Shapes are equal, but for scalars.
      name: ignored.

    Returns:
      Tensor of the common shape and the dtype of `a`; NaN outside the domain.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do.

    Gradient: None by `a` and `b`.
    TF: `tf.math.betainc`; no known difference.
    """
    a, b, x = _matching(a, b, x)
    return _betainc_op(detached(a), detached(b), x)


@op("tf.math.lbeta", kernel="Lgamma", tensors=("x",), dtypes=FLOATING)
def lbeta(x):
    """Logarithm of the absolute value of the beta function of the elements along the last axis.

    Args:
      x: floating tensor of rank at least 1.

    Returns:
      Tensor of the dtype of `x` without the last axis; -infinity where that has no element.

    Raises:
      tf.errors.InvalidArgumentError: `x` is a scalar.

    TF: `tf.math.lbeta`; no known difference.
    """
    if not x.ndim:
        raise invalid("Invalid reduction dimension (-1 for input with 0 dimension(s) [Op:Sum]")
    return jnp.sum(_lgamma(x), -1) - _lgamma(jnp.sum(x, -1))


@op("_polyval", kernel="Mul", tensors=("*coeffs", "x"), dtypes=NUMERIC)
def _polyval(coeffs, x):
    return functools.reduce(lambda value, coefficient: coefficient + value * x, coeffs)


def _check_terms(coeffs, x):
    """Raises what TF's product, or one of its sums, raises for terms of other dtypes."""
    first = coeffs[0].dtype
    for kernel, wanted, got in (("Mul", first, x.dtype), *[("AddV2", each.dtype, first) for each in coeffs[1:]]):
        if wanted != got:
            raise as_in_graph(TypeError, InvalidArgumentError(
                None, None, f"cannot compute {kernel} as input #1(zero-based) was expected to be a {type_name(wanted)} "
                f"tensor but is a {type_name(got)} tensor [Op:{kernel}] name: "
            ))  # fmt: skip


@takes_composites("tf.math.polyval")
def polyval(coeffs, x, name=None):
    """Value of a polynomial.

    Args:
      coeffs: list of tensors of the dtype of `x` whose shapes broadcast, the highest power's first.
      x: numeric tensor, any shape.
      name: ignored.

    Returns:
      Tensor of the common shape and the dtype of `x`; zeros without coefficients.

    Raises:
      ValueError: `coeffs` is no list.
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.

    TF: `tf.math.polyval`; no known difference.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x, coeffs = convert_to_tensor(x), [convert_to_tensor(each) for each in coeffs]
    if len(coeffs) < 2:
        return coeffs[0] if coeffs else zeros_like(x)
    try:
        return _polyval(coeffs, x)
    except (InvalidArgumentError, TypeError):
        _check_terms(coeffs, x)
        raise


# Modified Bessel functions; the derivatives are TF's, which choose the value at 0.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py

_i0e = with_partials(lambda y, x: _i1e(x) - lax.sign(x) * y)(lax.bessel_i0e)
_i1e = with_partials(
    lambda y, x: jnp.where(x == 0, jnp.full((), 0.5, x.dtype), _i0e(x) - y * (lax.sign(x) + 1 / _nonzero(x)))
)(lax.bessel_i1e)
_i0 = with_partials(lambda y, x: _i1(x))(lambda x: lax.exp(lax.abs(x)) * lax.bessel_i0e(x))
_i1 = with_partials(lambda y, x: jnp.where(x == 0, jnp.ones((), x.dtype), _i0(x) - y / _nonzero(x)))(
    lambda x: lax.exp(lax.abs(x)) * lax.bessel_i1e(x)
)


def _nonzero(x):
    return jnp.where(x == 0, jnp.ones((), x.dtype), x)


@op("tf.math.bessel_i0", "tf.math.special.bessel_i0", kernel="BesselI0", tensors=("x",), dtypes=FLOATING)
def bessel_i0(x):
    """Modified Bessel function of the first kind, of order 0.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.bessel_i0`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _i0(x)


@op("tf.math.bessel_i1", "tf.math.special.bessel_i1", kernel="BesselI1", tensors=("x",), dtypes=FLOATING)
def bessel_i1(x):
    """Modified Bessel function of the first kind, of order 1.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: TF's formula has 1 at 0 (the true one is 1/2).
    TF: `tf.math.bessel_i1`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _i1(x)


@op("tf.math.bessel_i0e", "tf.math.special.bessel_i0e", kernel="BesselI0e", tensors=("x",), dtypes=FLOATING)
def bessel_i0e(x):
    """Modified Bessel function of the first kind, of order 0, times `exp(-|x|)`.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.bessel_i0e`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _i0e(x)


@op("tf.math.bessel_i1e", "tf.math.special.bessel_i1e", kernel="BesselI1e", tensors=("x",), dtypes=FLOATING)
def bessel_i1e(x):
    """Modified Bessel function of the first kind, of order 1, times `exp(-|x|)`.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.bessel_i1e`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _i1e(x)


@op("tf.math.special.dawsn", kernel="Dawsn", tensors=("x",), dtypes=_WIDE)
def dawsn(x):
    """Dawson's integral: `exp(-x**2)` times the integral of `exp(t**2)` from 0 to `x`.

    Args:
      x: float32 or float64 tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.special.dawsn`; no known difference.
    """
    return _dawsn(x)


_dawsn = with_partials(lambda y, x: 1 - 2 * x * y)(lambda x: jsp.dawsn(x))


@op("tf.math.special.expint", kernel="Expint", tensors=("x",), dtypes=_WIDE)
def expint(x):
    """Exponential integral Ei.

    Args:
      x: float32 or float64 tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.special.expint`; no known difference.
    """
    return _expint(x)


_expint = with_partials(lambda y, x: lax.exp(x) / x)(
    # TF has no numbers left of zero, nor at infinity.
    lambda x: jnp.where((x < 0) | (x == jnp.inf), jnp.nan, jnp.where(x == 0, -jnp.inf, jsp.expi(x))).astype(x.dtype)
)


@op("tf.math.special.fresnel_cos", kernel="FresnelCos", tensors=("x",), dtypes=_WIDE)
def fresnel_cos(x):
    """Fresnel integral C: the integral of `cos(pi t**2 / 2)` from 0 to `x`.

    Args:
      x: float32 or float64 tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.special.fresnel_cos`; no known difference.
    """
    return _fresnel_cos(x)


_fresnel_cos = with_partials(lambda y, x: lax.cos(math.pi / 2 * x * x))(lambda x: jsp.fresnel(x)[1])


@op("tf.math.special.fresnel_sin", kernel="FresnelSin", tensors=("x",), dtypes=_WIDE)
def fresnel_sin(x):
    """Fresnel integral S: the integral of `sin(pi t**2 / 2)` from 0 to `x`.

    Args:
      x: float32 or float64 tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.special.fresnel_sin`; no known difference.
    """
    return _fresnel_sin(x)


_fresnel_sin = with_partials(lambda y, x: lax.sin(math.pi / 2 * x * x))(lambda x: jsp.fresnel(x)[0])


@op("tf.math.special.spence", kernel="Spence", tensors=("x",), dtypes=_WIDE)
def spence(x):
    """Spence's function: minus the integral of `log(t) / (t - 1)` from 1 to `x`; NaN for negative `x`.

    Args:
      x: float32 or float64 tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.special.spence`; no known difference.
    """
    return _spence(x)


_spence = with_partials(
    lambda y, x: jnp.where(x == 1, -jnp.ones((), x.dtype), lax.log(x) / jnp.where(x == 1, jnp.ones((), x.dtype), 1 - x))
)(lambda x: jsp.spence(x))
