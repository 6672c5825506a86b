"""Complex numbers: complex, real, imag, conj, angle."""

import math

import jax.numpy as jnp
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import ANY, COMPLEX, FLOATING, op
from tfcompat.dtypes import float32, float64
from tfcompat.math._derivative import with_partials


@op("_complex", kernel="Complex", tensors=("real", "imag"), dtypes={float32, float64})
def _complex(real, imag):
    return lax.complex(*jnp.broadcast_arrays(real, imag))


@takes_composites("tf.complex")
def complex(real, imag, name=None):
    """Complex numbers of their real and imaginary parts.

    Args:
      real: float32 or float64 tensor.
      imag: tensor of the same dtype; the shapes broadcast.
      name: ignored.

    Returns:
      complex64 or complex128 tensor of the common shape.

    Raises:
      TypeError: dtypes differ, or are neither float32 nor float64.
      tf.errors.InvalidArgumentError: shapes do not broadcast.

    TF: `tf.complex`; no known difference.
    """
    real, imag = convert_to_tensor(real), convert_to_tensor(imag)
    if real.dtype != imag.dtype or real.dtype not in (float32, float64):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. "
            f"They must be consistent, and one of {[float32, float64]}"
        )
    return _complex(real, imag)


@op("_real", kernel="Real", tensors=("input",), dtypes=COMPLEX)
def _real(input):
    return lax.real(input)


@takes_composites("tf.math.real")
def real(input, name=None):
    """Real part.

    Args:
      input: numeric tensor, any shape.
      name: ignored.

    Returns:
      Tensor with the shape of `input`; its real dtype if complex, else `input` itself.

    Raises:
      TypeError: `input` is not numeric.

    TF: `tf.math.real`; no known difference.
    """
    input = convert_to_tensor(input)
    if input.dtype.is_complex:
        return _real(input)
    if not (input.dtype.is_floating or input.dtype.is_integer):
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {input.dtype}")
    return input


@op("_imag", kernel="Imag", tensors=("input",), dtypes=COMPLEX)
def _imag(input):
    return lax.imag(input)


@op("_zeros_like", kernel="ZerosLike", tensors=("input",), dtypes=ANY, gradient="none")
def _zeros_like(input):
    return jnp.zeros_like(input)


@takes_composites("tf.math.imag")
def imag(input, name=None):
    """Imaginary part; zeros for a real tensor.

    Args:
      input: numeric tensor, any shape.
      name: ignored.

    Returns:
      Tensor with the shape of `input`; its real dtype if complex, else its dtype.

    Gradient: None for a real tensor.
    TF: `tf.math.imag`; no known difference.
    """
    input = convert_to_tensor(input)
    return _imag(input) if input.dtype.is_complex else _zeros_like(input)


@op("_angle", kernel="Angle", tensors=("input",), dtypes=COMPLEX)
def _angle(input):
    return _angle_of_parts(lax.imag(input), lax.real(input))


# By 1 / z: the squares of small numbers are 0.
_angle_of_parts = with_partials(
    lambda z, y, x: lax.real(1 / lax.complex(x, y)), lambda z, y, x: lax.imag(1 / lax.complex(x, y))
)(jnp.arctan2)


@op("_angle_of_real", kernel="SelectV2", tensors=("input",), dtypes=FLOATING, gradient="none")
def _angle_of_real(input):
    return jnp.where(input < 0, jnp.full((), math.pi, input.dtype), jnp.zeros((), input.dtype))


@takes_composites("tf.math.angle")
def angle(input, name=None):
    """Argument of complex numbers, in (-pi, pi]; 0 or pi for real ones.

    Args:
      input: complex or floating tensor, any shape.
      name: ignored.

    Returns:
      Floating tensor with the shape of `input`.

    Raises:
      TypeError: `input` holds integers.

    Gradient: NaN at 0; None for a real tensor.
    TF: `tf.math.angle`; no known difference.
    """
    input = convert_to_tensor(input)
    if input.dtype.is_complex:
        return _angle(input)
    if not input.dtype.is_floating:
        raise TypeError(f"tf.math.angle: a real tensor must be floating, got {input.dtype.name}")
    return _angle_of_real(input)


@op("_conj", kernel="Conj", tensors=("x",), dtypes=COMPLEX)
def _conj(x):
    return lax.conj(x)


@takes_composites("tf.math.conj")
def conj(x, name=None):
    """Complex conjugate.

    Args:
      x: numeric tensor, any shape.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `x`; `x` itself if real.

    Raises:
      TypeError: `x` is not numeric.

    TF: `tf.math.conj`; no known difference.
    """
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        return _conj(x)
    if not (x.dtype.is_floating or x.dtype.is_integer):
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
    return x
