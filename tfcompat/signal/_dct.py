"""Discrete cosine transforms of types 1 to 4, by Fourier transforms of real numbers."""

import jax.numpy as jnp
import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.op import op
from tfcompat.dtypes import float32, float64


def _turns(angles, dtype):
    """`exp(-i angle)` in the complex dtype that belongs to `dtype`."""
    return jnp.asarray(np.exp(-1j * angles), np.result_type(dtype, np.complex64))


def _second(x):
    """`2 sum(x[k] cos(pi (k + 1/2) j / n))` for j below n."""
    n = x.shape[-1]
    spectrum = jnp.fft.rfft(x, 2 * n)[..., :n]
    return 2 * (spectrum * _turns(np.pi * np.arange(n) / (2 * n), x.dtype)).real


def _third(x):
    """`x[0] + 2 sum(x[j] cos(pi j (k + 1/2) / n))` for k below n: the transpose of `_second`, halved at 0."""
    n = x.shape[-1]
    turned = x * jnp.conj(_turns(np.pi * np.arange(n) / (2 * n), x.dtype))
    # As many points again, all zero, and twice the real part, for the half that a real transform leaves out.
    whole = jnp.fft.ifft(turned, 2 * n)[..., :n].real * (2 * n)
    return 2 * whole - x[..., :1]


def _fourth(x):
    """`2 sum(x[k] cos(pi (k + 1/2) (j + 1/2) / n))` for j below n."""
    n = x.shape[-1]
    places = np.arange(n)
    shifted = x * _turns(np.pi * places / (2 * n), x.dtype)
    spectrum = jnp.fft.fft(shifted, 2 * n)[..., :n]
    return 2 * (spectrum * _turns(np.pi * (2 * places + 1) / (4 * n), x.dtype)).real


def _orthonormal(n, dtype):
    """Factors by which `_second` becomes orthogonal."""
    scale = np.full(n, np.sqrt(0.5 / n))
    scale[:1] *= np.sqrt(0.5)
    return jnp.asarray(scale, dtype)


def cosine_transform(x, type, norm):
    """The transform of this type over the last axis, which is not empty."""
    n = x.shape[-1]
    if type == 1:
        return jnp.fft.rfft(jnp.concatenate([x, x[..., -2:0:-1]], -1)).real
    if type == 4:
        return _fourth(x) * (np.asarray(np.sqrt(0.5 / n), x.dtype) if norm else 1)
    scale = _orthonormal(n, x.dtype) if norm else None
    if type == 2:
        return _second(x) if scale is None else _second(x) * scale
    if scale is None:
        return _third(x)
    first = jnp.asarray(np.where(np.arange(n) == 0, 2.0, 1.0), x.dtype)
    return _third(x * scale * first)


@op("_dct", kernel="RFFT", tensors=("x",), dtypes=frozenset({float32, float64}))
def _dct(x, type, n, norm):
    if n is not None:
        x = x[..., :n]
        x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - x.shape[-1])])
    return cosine_transform(x, type, norm == "ortho") if x.size else x


def _checked(input, type, n, axis, norm):
    x = convert_to_tensor(input)
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    n = static_value(n)
    if n is not None and (not isinstance(n, int) or isinstance(n, bool)):
        raise TypeError(f"n must be a positive integer or None, got {n!r}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if not len(x.shape):
        raise IndexError("tuple index out of range: a scalar has no last axis")
    if type == 1 and norm:
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if type == 1 and (x.shape[-1] if n is None else n) < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if x.dtype not in (float32, float64):
        raise TypeError(f"A cosine transform needs float32 or float64, got {x.dtype!r}")
    return x, type, n, norm


@takes_composites("tf.signal.dct")
def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """Discrete cosine transform over the last axis.

    Args:
      input: float32 or float64 tensor of rank at least 1.
      type: 1, 2, 3 or 4.
      n: positive integer, to which the axis is cut or padded with zeros; or None.
      axis: must be -1.
      norm: None, or "ortho" for an orthogonal matrix (not type 1).
      name: ignored.

    Returns:
      Tensor of the dtype of `input`.

    Raises:
      ValueError: another `type`, `norm` or `n`, or too few points for type 1.
      NotImplementedError: another axis.
      TypeError: another dtype.

    TF: `tf.signal.dct`; no known difference.
    """
    return _dct(*_checked(input, type, n, axis, norm))


_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


@takes_composites("tf.signal.idct")
def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """Inverse of `dct` of the same type, up to a factor where `norm` is None.

    Args:
      input: float32 or float64 tensor of rank at least 1.
      type: 1, 2, 3 or 4.
      n: must be None.
      axis: must be -1.
      norm: None, or "ortho" for an orthogonal matrix (not type 1).
      name: ignored.

    Returns:
      Tensor of the dtype of `input`.

    Raises:
      ValueError: another `type` or `norm`, or too few points for type 1.
      NotImplementedError: another axis.
      TypeError: another dtype.

    TF: `tf.signal.idct`; no known difference.
    """
    x, type, n, norm = _checked(input, type, n, axis, norm)
    return _dct(x, _INVERSES[type], n, norm)
