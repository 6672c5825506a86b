"""Window functions: Hann, Hamming, Kaiser, Vorbis."""

import jax.numpy as jnp
import jax.scipy.special as jsp
import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import of_argument
from tfcompat._core.op import FLOATING, op
from tfcompat._core.symbolic_sizes import is_less, is_symbol
from tfcompat._core.tensor import Tensor
from tfcompat.array._arguments import invalid
from tfcompat.array._cast import cast


def _checked(window_length, dtype, smallest=0):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype!r}")
    if window_length is None or isinstance(window_length, Tensor) and window_length.dtype != dtypes.int32:
        raise ValueError(f"`window_length` must be an int32 scalar, got {window_length!r}")
    length = static_value(window_length)
    if isinstance(length, tuple):
        raise ValueError(f"Shape {np.shape(length)} must have rank 0")
    if not (isinstance(length, int) or is_symbol(length)) or isinstance(length, bool):
        raise TypeError(f"Cannot convert {length!r} to EagerTensor of dtype int32")
    if is_less(length, smallest):
        raise of_argument(invalid(f"`window_length` must be at least {smallest}, got {length}"))
    return length, dtype


@op("_cosine_window", kernel="Cos", tensors=(), gradient="none")
def _cosine_window(length, periodic, dtype, constant, swing):
    if type(length) is int and length == 1:
        return jnp.ones(1, dtype.np)
    turns = length - 1 + (1 - length % 2 if periodic else 0)
    angle = jnp.asarray(2 * np.pi, dtype.np) * jnp.arange(length).astype(dtype.np) / jnp.asarray(turns, dtype.np)
    window = (constant - swing * jnp.cos(angle)).astype(dtype.np)
    return window if type(length) is int else jnp.where(jnp.asarray(length) == 1, jnp.ones((), dtype.np), window)


def hann_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    """Hann window: one turn of a raised cosine.

    Args:
      window_length: non-negative integer.
      periodic: whether a window of even length leaves out its last point, as spectral analysis wants.
      dtype: a floating dtype.
      name: ignored.

    Returns:
      Tensor of shape `[window_length]`.

    Raises:
      ValueError: another dtype, or a length that is no scalar.

    TF: `tf.signal.hann_window`; no known difference.
    """
    length, dtype = _checked(window_length, dtype)
    return _cosine_window(length, bool(static_value(periodic)), dtype, 0.5, 0.5)


def hamming_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    """Hamming window: a raised cosine that does not reach zero.

    Args:
      window_length: non-negative integer.
      periodic: whether a window of even length leaves out its last point, as spectral analysis wants.
      dtype: a floating dtype.
      name: ignored.

    Returns:
      Tensor of shape `[window_length]`.

    Raises:
      ValueError: another dtype, or a length that is no scalar.

    TF: `tf.signal.hamming_window`; no known difference.
    """
    length, dtype = _checked(window_length, dtype)
    return _cosine_window(length, bool(static_value(periodic)), dtype, 0.54, 0.46)


@op("_vorbis_window", kernel="Sin", tensors=(), gradient="none")
def _vorbis_window(length, dtype):
    step = jnp.asarray(np.pi / max(length, 1), dtype.np)
    inner = jnp.sin(step * (jnp.arange(length).astype(dtype.np) + jnp.asarray(0.5, dtype.np)))
    return jnp.sin(jnp.asarray(np.pi / 2, dtype.np) * inner * inner)


def vorbis_window(window_length, dtype=dtypes.float32, name=None):
    """Vorbis window, whose squares add up to one where halves overlap.

    Args:
      window_length: non-negative integer.
      dtype: a floating dtype.
      name: ignored.

    Returns:
      Tensor of shape `[window_length]`.

    Raises:
      ValueError: another dtype, or a length that is no scalar.

    TF: `tf.signal.vorbis_window`; no known difference.
    """
    return _vorbis_window(*_checked(window_length, dtype))


def _kaiser(length, beta):
    if length == 1:
        return jnp.ones(1, beta.dtype)
    middle = (length - 1) / 2
    place = jnp.asarray((np.arange(length) - middle) / middle, beta.dtype)
    height = jnp.maximum(1 - place * place, 0)
    # The root has no finite derivative at the ends. TF's relu before it stops the gradient there.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/signal/window_ops.py
    inside = height > 0
    exponent = beta * jnp.where(inside, jnp.sqrt(jnp.where(inside, height, 1)), 0)
    return jnp.exp(exponent - beta) * (jsp.i0e(exponent) / jsp.i0e(beta))


@op("_kaiser_window", kernel="BesselI0e", tensors=("beta",), dtypes=FLOATING)
def _kaiser_window(beta, length):
    return _kaiser(length, beta)


@op("_kaiser_bessel_derived_window", kernel="Sqrt", tensors=("beta",), dtypes=FLOATING)
def _kaiser_bessel_derived_window(beta, length):
    sums = jnp.cumsum(_kaiser(length // 2 + 1, beta))
    half = jnp.sqrt(sums[:-1] / sums[-1])
    return jnp.concatenate([half, half[::-1]])


def kaiser_window(window_length, beta=12.0, dtype=dtypes.float32, name=None):
    """Kaiser window.

    Args:
      window_length: positive integer.
      beta: real scalar; the larger, the narrower the window.
      dtype: a floating dtype.
      name: ignored.

    Returns:
      Tensor of shape `[window_length]`.

    Raises:
      ValueError: another dtype, or a length that is no scalar.
      tf.errors.InvalidArgumentError: the length is not positive.

    TF: `tf.signal.kaiser_window`; no known difference.
    """
    length, dtype = _checked(window_length, dtype, 1)
    return _kaiser_window(cast(convert_to_tensor(beta), dtype), length)


def kaiser_bessel_derived_window(window_length, beta=12.0, dtype=dtypes.float32, name=None):
    """Window made of sums of a Kaiser window, whose squares add up to one where halves overlap.

    Args:
      window_length: non-negative integer; an odd one counts as the even one below it.
      beta: real scalar; the larger, the narrower the window.
      dtype: a floating dtype.
      name: ignored.

    Returns:
      Tensor of shape `[window_length]`.

    Raises:
      ValueError: another dtype, or a length that is no scalar.

    TF: `tf.signal.kaiser_bessel_derived_window`; no known difference.
    """
    length, dtype = _checked(window_length, dtype)
    return _kaiser_bessel_derived_window(cast(convert_to_tensor(beta), dtype), length)
