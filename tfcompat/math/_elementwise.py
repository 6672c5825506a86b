"""Elementwise functions of one tensor: abs, exp, sqrt, the trigonometric ones, rounding..."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.op import COMPLEX, FLOATING, INEXACT, NUMERIC, REAL, SIGNED, op
from tfcompat.math import _host
from tfcompat.math._derivative import with_partials
from tfcompat.math._guarded import quotient_or_zero
from tfcompat.math._sine import cosine, sine
from tfcompat.math._zero_product import zero_product


@op("tf.math.abs", "tf.abs", kernel="Abs", tensors=("x",), dtypes=FLOATING | SIGNED | COMPLEX,
    numpy=_host.real(np.abs))  # fmt: skip
def abs(x):
    """Absolute value.

    Args:
      x: floating, signed integer or complex tensor, any shape.

    Returns:
      Tensor with the shape of `x`; dtype of `x`, the real one for complex `x`.

    Gradient: `sign(x)`, so 0 at 0.
    TF: `tf.math.abs`; no known difference.
    """
    return magnitude(x)


def _real_sign(x):
    return jnp.where(x == 0, jnp.zeros((), x.dtype), lax.sign(x))  # the latter is -0 for -0


_real_abs = with_partials(lambda y, x: _real_sign(x))(lax.abs)


def magnitude(x):
    """The absolute value of numbers of any dtype, with TF's derivative at 0, which is 0; that of `jnp.abs` is 1."""
    return _real_abs(x) if jnp.issubdtype(x.dtype, jnp.floating) else jnp.abs(x)


@op(
    "tf.math.negative",
    "tf.negative",
    kernel="Neg",
    tensors=("x",),
    dtypes=INEXACT | SIGNED,
    host=_host.unary(np.negative),
    numpy=True,
)
def negative(x):
    """Numerical negative.

    Args:
      x: floating, signed integer or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.negative`; no known difference.
    """
    return lax.neg(x)


@op("tf.math.sign", "tf.sign", kernel="Sign", tensors=("x",), dtypes=INEXACT | SIGNED)
def sign(x):
    """Sign: -1, 0 or 1, NaN for NaN; `x / |x|` for complex numbers.

    Args:
      x: floating, signed integer or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: 0 for real numbers, not None.
    TF: `tf.math.sign`; no known difference.
    """
    if not jnp.iscomplexobj(x):
        return _real_sign(x)
    size = lax.abs(x).astype(x.dtype)
    return quotient_or_zero(x, size)


@op("tf.math.square", "tf.square", kernel="Square", tensors=("x",), dtypes=NUMERIC, numpy=_host.unary(np.square))
def square(x):
    """Square.

    Args:
      x: numeric tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.square`; no known difference.
    """
    return _square(x)


_square = with_partials(lambda y, x: 2 * x)(lambda x: lax.mul(x, x))


@op("tf.math.sqrt", "tf.sqrt", kernel="Sqrt", tensors=("x",), dtypes=INEXACT, numpy=_host.real(np.sqrt))
def sqrt(x):
    """Square root; NaN for negative real numbers.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: infinite at 0; zero there too where the cotangent is zero, as behind a `tf.where`.
    TF: `tf.math.sqrt`; no known difference.
    """
    return square_root(x)


square_root = with_partials(lambda y, x: np.asarray(0.5, x.dtype) / y, product=zero_product)(lax.sqrt)


@op("tf.math.rsqrt", kernel="Rsqrt", tensors=("x",), dtypes=INEXACT)
def rsqrt(x):
    """Reciprocal of the square root; infinite at 0.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.rsqrt`; no known difference.
    """
    return _rsqrt(x)


_rsqrt = with_partials(lambda y, x: -0.5 * y * y * y, product=zero_product)(lax.rsqrt)


@op("tf.math.reciprocal", kernel="Reciprocal", tensors=("x",), dtypes=INEXACT)
def reciprocal(x):
    """`1 / x`; infinite at 0.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.reciprocal`; no known difference.
    """
    return _reciprocal(x)


@with_partials(lambda y, x: -y * y)
def inverse(x):
    """`1 / x`."""
    return lax.div(jnp.ones_like(x), x)


_reciprocal = with_partials(lambda y, x: -y * y, product=zero_product)(inverse)


@op("tf.math.reciprocal_no_nan", kernel="DivNoNan", tensors=("x",), dtypes=INEXACT, beside=1)
def reciprocal_no_nan(x):
    """`1 / x`, and 0 where `x` is 0.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: 0 at 0.
    TF: `tf.math.reciprocal_no_nan`; no known difference.
    """
    return quotient_or_zero(jnp.ones_like(x), x)


@op("tf.math.exp", "tf.exp", kernel="Exp", tensors=("x",), dtypes=INEXACT)
def exp(x):
    """Exponential.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.exp`; no known difference.
    """
    return lax.exp(x)


@op("tf.math.expm1", kernel="Expm1", tensors=("x",), dtypes=INEXACT)
def expm1(x):
    """`exp(x) - 1`, exact for small `x`.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.expm1`; no known difference.
    """
    return _expm1(x)


_expm1 = with_partials(lambda y, x: lax.exp(x))(lax.expm1)


@op("tf.math.log", kernel="Log", tensors=("x",), dtypes=INEXACT)
def log(x):
    """Natural logarithm; -infinity at 0, NaN for negative real numbers.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.log`; no known difference.
    """
    return _log(x)


_log = with_partials(lambda y, x: inverse(x))(lax.log)


@op("tf.math.log1p", kernel="Log1p", tensors=("x",), dtypes=INEXACT)
def log1p(x):
    """`log(1 + x)`, exact for small `x`.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.log1p`; no known difference.
    """
    return _log1p(x)


_log1p = with_partials(lambda y, x: inverse(1 + x))(lax.log1p)


@op("tf.math.sin", "tf.sin", kernel="Sin", tensors=("x",), dtypes=INEXACT)
def sin(x):
    """Sine.

    Args:
      x: floating or complex tensor, any shape; radians.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.sin`; no known difference.
    """
    return sine(x)


@op("tf.math.cos", "tf.cos", kernel="Cos", tensors=("x",), dtypes=INEXACT)
def cos(x):
    """Cosine.

    Args:
      x: floating or complex tensor, any shape; radians.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.cos`; no known difference.
    """
    return cosine(x)


@op("tf.math.tan", "tf.tan", kernel="Tan", tensors=("x",), dtypes=INEXACT)
def tan(x):
    """Tangent.

    Args:
      x: floating or complex tensor, any shape; radians.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.tan`; no known difference.
    """
    return lax.tan(x)


@op("tf.math.asin", "tf.asin", kernel="Asin", tensors=("x",), dtypes=INEXACT)
def asin(x):
    """Inverse sine; NaN for real numbers outside [-1, 1].

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: infinite at -1 and 1.
    TF: `tf.math.asin`; no known difference.
    """
    return _asin(x)


_asin = with_partials(lambda y, x: inverse(lax.sqrt(1 - x * x)))(lax.asin)


@op("tf.math.acos", "tf.acos", kernel="Acos", tensors=("x",), dtypes=INEXACT)
def acos(x):
    """Inverse cosine; NaN for real numbers outside [-1, 1].

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: infinite at -1 and 1.
    TF: `tf.math.acos`; no known difference.
    """
    return _acos(x)


_acos = with_partials(lambda y, x: -inverse(lax.sqrt(1 - x * x)))(lax.acos)


@op("tf.math.atan", "tf.atan", kernel="Atan", tensors=("x",), dtypes=INEXACT)
def atan(x):
    """Inverse tangent.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.atan`; no known difference.
    """
    return _atan(x)


_atan = with_partials(lambda y, x: inverse(1 + x * x))(lax.atan)


@op("tf.math.sinh", "tf.sinh", kernel="Sinh", tensors=("x",), dtypes=INEXACT)
def sinh(x):
    """Hyperbolic sine.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.sinh`; no known difference.
    """
    return lax.sinh(x)


@op("tf.math.cosh", "tf.cosh", kernel="Cosh", tensors=("x",), dtypes=INEXACT)
def cosh(x):
    """Hyperbolic cosine.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.cosh`; no known difference.
    """
    return lax.cosh(x)


@op("tf.math.tanh", "tf.tanh", "tf.nn.tanh", kernel="Tanh", tensors=("x",), dtypes=INEXACT)
def tanh(x):
    """Hyperbolic tangent.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.tanh`; no known difference.
    """
    return _tanh(x)


# Not lax.tanh's own derivative, (g + g*y) * (1 - y): each further derivative of it is twice as many operations.
# https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/lax/lax.py, `tanh_p`
_tanh = with_partials(lambda y, x: 1 - y * y)(lax.tanh)


@op("tf.math.asinh", "tf.asinh", kernel="Asinh", tensors=("x",), dtypes=INEXACT)
def asinh(x):
    """Inverse hyperbolic sine.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.asinh`; no known difference.
    """
    return _asinh(x)


_asinh = with_partials(lambda y, x: inverse(lax.cosh(y)))(lax.asinh)


@op("tf.math.acosh", "tf.acosh", kernel="Acosh", tensors=("x",), dtypes=INEXACT)
def acosh(x):
    """Inverse hyperbolic cosine; NaN for real numbers below 1.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: infinite at 1.
    TF: `tf.math.acosh`; no known difference.
    """
    return _acosh(x)


_acosh = with_partials(lambda y, x: inverse(lax.sinh(y)))(lax.acosh)


@op("tf.math.atanh", "tf.atanh", kernel="Atanh", tensors=("x",), dtypes=INEXACT)
def atanh(x):
    """Inverse hyperbolic tangent; infinite at -1 and 1, NaN for real numbers beyond.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.atanh`; no known difference.
    """
    return _atanh(x)


_atanh = with_partials(lambda y, x: inverse(1 - x * x))(lax.atanh)


@op("tf.math.sigmoid", "tf.sigmoid", "tf.nn.sigmoid", kernel="Sigmoid", tensors=("x",), dtypes=INEXACT)
def sigmoid(x):
    """Logistic function `1 / (1 + exp(-x))`.

    Args:
      x: floating or complex tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.sigmoid`; no known difference.
    """
    return _sigmoid_of_half(x) if x.dtype.itemsize == 2 else lax.logistic(x)


# In steps of half precision, 1 + exp(-x) is 1 where the result is not.
_sigmoid_of_half = with_partials(lambda y, x: y * (1 - y))(
    lambda x: lax.logistic(x.astype(np.float32)).astype(x.dtype)
)


@op("tf.math.log_sigmoid", kernel="Softplus", tensors=("x",), dtypes=FLOATING)
def log_sigmoid(x):
    """`log(sigmoid(x))`, without underflow for large negative `x`.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    TF: `tf.math.log_sigmoid`; no known difference.
    """
    return -softplus_of(-x)


softplus_of = with_partials(lambda y, x: lax.logistic(x))(
    lambda x: jnp.maximum(x, 0) + lax.log1p(lax.exp(-lax.abs(x)))
)


@op("tf.math.floor", "tf.floor", kernel="Floor", tensors=("x",), dtypes=FLOATING, gradient="none",
    numpy=_host.unary(np.floor))  # fmt: skip
def floor(x):
    """Largest whole number not above `x`.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: None.
    TF: `tf.math.floor`; no known difference.
    """
    return lax.floor(x)


@op("tf.math.ceil", kernel="Ceil", tensors=("x",), dtypes=FLOATING, gradient="none", numpy=_host.unary(np.ceil))
def ceil(x):
    """Smallest whole number not below `x`.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: None.
    TF: `tf.math.ceil`; no known difference.
    """
    return lax.ceil(x)


@op("tf.math.rint", kernel="Rint", tensors=("x",), dtypes=FLOATING, gradient="none")
def rint(x):
    """Nearest whole number; halves go to the even one.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: None.
    TF: `tf.math.rint`; also takes half precision, for which TF has no CPU kernel.
    """
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


@op("tf.math.round", "tf.round", kernel="Round", tensors=("x",), dtypes=REAL, gradient="none",
    numpy=lambda x: np.rint(x) if x.dtype.kind not in "iu" else x)  # fmt: skip
def round(x):
    """Nearest whole number; halves go to the even one.

    Args:
      x: floating or integer tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`.

    Gradient: None.
    TF: `tf.math.round`; no known difference.
    """
    if jnp.issubdtype(x.dtype, jnp.integer):
        return x
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)
