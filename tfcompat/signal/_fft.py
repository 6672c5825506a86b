"""Fourier transforms, complex and real, over the last axes or over any."""

import jax.numpy as jnp
import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import COMPLEX, op
from tfcompat._core.symbolic_sizes import is_symbol
from tfcompat._core.tensor import Tensor
from tfcompat.array._arguments import as_axis, as_ints, invalid, show_shape
from tfcompat.dtypes import complex64, float32, float64, int32

_REAL = frozenset({float32, float64})
_DEFAULT = {"input": complex64}


def _last(count):
    return tuple(range(-count, 0))


def _check_rank(x, count):
    if x.ndim < count:
        raise invalid(f"Input must have rank of at least {count} but got: {show_shape(x.shape)}")


def _complex_transform(transform, x, count):
    _check_rank(x, count)
    return transform(x, axes=_last(count)) if x.size else x


@op("tf.signal.fft", kernel="FFT", tensors=("input",), dtypes=COMPLEX, default_dtypes=_DEFAULT)
def fft(input):
    """Discrete Fourier transform over the last axis.

    Args:
      input: complex tensor of shape `[..., n]`.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, or a rank below 1.

    TF: `tf.signal.fft`; no known difference.
    """
    return _complex_transform(jnp.fft.fftn, input, 1)


@op("tf.signal.ifft", kernel="IFFT", tensors=("input",), dtypes=COMPLEX, default_dtypes=_DEFAULT)
def ifft(input):
    """Inverse discrete Fourier transform over the last axis, divided by the number of points.

    Args:
      input: complex tensor of shape `[..., n]`.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, or a rank below 1.

    TF: `tf.signal.ifft`; no known difference.
    """
    return _complex_transform(jnp.fft.ifftn, input, 1)


@op("tf.signal.fft2d", kernel="FFT2D", tensors=("input",), dtypes=COMPLEX, default_dtypes=_DEFAULT)
def fft2d(input):
    """Discrete Fourier transform over the last two axes.

    Args:
      input: complex tensor of shape `[..., m, n]`.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, or a rank below 2.

    TF: `tf.signal.fft2d`; no known difference.
    """
    return _complex_transform(jnp.fft.fftn, input, 2)


@op("tf.signal.ifft2d", kernel="IFFT2D", tensors=("input",), dtypes=COMPLEX, default_dtypes=_DEFAULT)
def ifft2d(input):
    """Inverse discrete Fourier transform over the last two axes, divided by the number of points.

    Args:
      input: complex tensor of shape `[..., m, n]`.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, or a rank below 2.

    TF: `tf.signal.ifft2d`; no known difference.
    """
    return _complex_transform(jnp.fft.ifftn, input, 2)


@op("tf.signal.fft3d", kernel="FFT3D", tensors=("input",), dtypes=COMPLEX, default_dtypes=_DEFAULT)
def fft3d(input):
    """Discrete Fourier transform over the last three axes.

    Args:
      input: complex tensor of shape `[..., l, m, n]`.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, or a rank below 3.

    TF: `tf.signal.fft3d`; no known difference.
    """
    return _complex_transform(jnp.fft.fftn, input, 3)


@op("tf.signal.ifft3d", kernel="IFFT3D", tensors=("input",), dtypes=COMPLEX, default_dtypes=_DEFAULT)
def ifft3d(input):
    """Inverse discrete Fourier transform over the last three axes, divided by the number of points.

    Args:
      input: complex tensor of shape `[..., l, m, n]`.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, or a rank below 3.

    TF: `tf.signal.ifft3d`; no known difference.
    """
    return _complex_transform(jnp.fft.ifftn, input, 3)


def _half(length):
    """How many points of the transform of `length` real numbers are kept."""
    return length // 2 + 1 if length else 0


def _lengths(fft_length, count):
    """The sizes of a real transform; None where they follow from the input."""
    if fft_length is None:
        return None
    if not isinstance(fft_length, tuple):
        raise TypeError(f"`fft_length` must be a vector, got {fft_length!r}")
    lengths = as_ints(fft_length, "fft_length")
    if len(lengths) != count:
        raise invalid(f"fft_length must have shape [{count}]")
    for place, length in enumerate(lengths):
        if length < 0:
            raise when_run(f"fft_length[{place}] must >= 0, but got: {length}")
    return lengths


def _check_filled(x, axes, lengths, kernel, fills):
    """Raises where an axis is too short. TF fills up axes with zeros, but not those of a tensor without elements."""
    for axis, length in zip(axes, lengths, strict=True):
        if not is_symbol(x.shape[axis]) and 0 < x.shape[axis] < length and not (fills and x.size):
            raise when_run(
                f"Input dimension {axis % x.ndim} must have length of at least {length} but got: {x.shape[axis]} "
                f"[Op:{kernel}]"
            )


@op("_rfft", kernel="RFFT", tensors=("x",), dtypes=_REAL)
def _rfft(x, lengths, axes, fills=True):
    lengths = lengths or tuple(x.shape[axis] for axis in axes)
    if not (x.size and fills):
        _check_filled(x, axes, lengths, "RFFT", fills)
    if x.size and 0 not in lengths:
        return jnp.fft.rfftn(x, lengths, axes)
    shape = list(x.shape)
    for axis, length in zip(axes, (*lengths[:-1], _half(lengths[-1])), strict=True):
        shape[axis] = length
    return jnp.zeros(shape, jnp.result_type(x, np.complex64))


@op("_irfft", kernel="IRFFT", tensors=("x",), dtypes=COMPLEX)
def _irfft(x, lengths, axes, fills=True):
    if lengths is None:
        sizes = [x.shape[axis] for axis in axes]
        lengths = (*sizes[:-1], max(0, 2 * (sizes[-1] - 1)))
    if not (x.size and fills):
        _check_filled(x, axes, (*lengths[:-1], _half(lengths[-1])), "IRFFT", fills)
    if x.size and 0 not in lengths:
        return jnp.fft.irfftn(x, lengths, axes)
    shape = list(x.shape)
    for axis, length in zip(axes, lengths, strict=True):
        shape[axis] = length
    return jnp.zeros(shape, x.real.dtype)


def _real_transform(transform, name, input_tensor, fft_length, count, fills=True):
    """`rfft` and its like; without `fills` a size is never filled up with zeros, as in the op itself."""
    real = transform is _rfft
    x = convert_to_tensor(input_tensor, dtype_hint=float32 if real else complex64)
    if x.dtype not in (_REAL if real else COMPLEX):
        allowed = "tf.float32 or tf.float64" if real else "tf.complex64 or tf.complex128"
        raise ValueError(f"{name} requires {allowed} inputs, got: {x.dtype!r}")
    if len(x.shape) < count:
        raise ValueError(f"Shape {x.shape} must have rank at least {count}")
    if isinstance(fft_length, Tensor):
        fft_length = convert_to_tensor(fft_length, int32)  # a ValueError for another dtype, as in TF
        if not fft_length.shape.rank:
            raise ValueError(f"`fft_length` must be a vector, got {fft_length!r}")
    return transform(x, _lengths(static_value(fft_length), count), _last(count), fills)


def rfft_within(x, fft_length, count):
    """The transform of the op itself, over `count` axes: no size is filled up with zeros."""
    return _real_transform(_rfft, "RFFT", x, fft_length, count, fills=False)


def irfft_within(x, fft_length, count):
    """As `rfft_within`, the inverse."""
    return _real_transform(_irfft, "IRFFT", x, fft_length, count, fills=False)


@takes_composites("tf.signal.rfft")
def rfft(input_tensor, fft_length=None, name=None):
    """Fourier transform of real numbers over the last axis; the half of the points that tells all.

    Args:
      input_tensor: float32 or float64 tensor of shape `[..., n]`.
      fft_length: 1 integer, to which the axis is cut or padded with zeros; None leaves it.
      name: ignored.

    Returns:
      complex64 or complex128 tensor, the last size being `fft_length[-1] // 2 + 1`.

    Raises:
      ValueError: another dtype, or a rank below 1.
      tf.errors.InvalidArgumentError: `fft_length` of another size, or negative.

    TF: `tf.signal.rfft`; no known difference.
    """
    return _real_transform(_rfft, "RFFT", input_tensor, fft_length, 1)


@takes_composites("tf.signal.irfft")
def irfft(input_tensor, fft_length=None, name=None):
    """Inverse of `rfft`: real numbers from half of their transform.

    Args:
      input_tensor: complex64 or complex128 tensor of shape `[..., n]`.
      fft_length: 1 integer, the size of the result; None: those of the input, the last one `2 (n - 1)`.
      name: ignored.

    Returns:
      float32 or float64 tensor.

    Raises:
      ValueError: another dtype, or a rank below 1.
      tf.errors.InvalidArgumentError: `fft_length` of another size, or negative.

    TF: `tf.signal.irfft`; no known difference.
    """
    return _real_transform(_irfft, "IRFFT", input_tensor, fft_length, 1)


def rfft2d(input_tensor, fft_length=None, name=None):
    """Fourier transform of real numbers over the last two axes; the half of the points that tells all.

    Args:
      input_tensor: float32 or float64 tensor of shape `[..., m, n]`.
      fft_length: 2 integers, to which the axes are cut or padded with zeros; None leaves them.
      name: ignored.

    Returns:
      complex64 or complex128 tensor, the last size being `fft_length[-1] // 2 + 1`.

    Raises:
      ValueError: another dtype, or a rank below 2.
      tf.errors.InvalidArgumentError: `fft_length` of another size, or negative.

    TF: `tf.signal.rfft2d`; no known difference.
    """
    return _real_transform(_rfft, "RFFT", input_tensor, fft_length, 2)


def irfft2d(input_tensor, fft_length=None, name=None):
    """Inverse of `rfft2d`: real numbers from half of their transform.

    Args:
      input_tensor: complex64 or complex128 tensor of shape `[..., m, n]`.
      fft_length: 2 integers, the sizes of the result; None: those of the input, the last one `2 (n - 1)`.
      name: ignored.

    Returns:
      float32 or float64 tensor.

    Raises:
      ValueError: another dtype, or a rank below 2.
      tf.errors.InvalidArgumentError: `fft_length` of another size, or negative.

    TF: `tf.signal.irfft2d`; no known difference.
    """
    return _real_transform(_irfft, "IRFFT", input_tensor, fft_length, 2)


def rfft3d(input_tensor, fft_length=None, name=None):
    """Fourier transform of real numbers over the last three axes; the half of the points that tells all.

    Args:
      input_tensor: float32 or float64 tensor of shape `[..., l, m, n]`.
      fft_length: 3 integers, to which the axes are cut or padded with zeros; None leaves them.
      name: ignored.

    Returns:
      complex64 or complex128 tensor, the last size being `fft_length[-1] // 2 + 1`.

    Raises:
      ValueError: another dtype, or a rank below 3.
      tf.errors.InvalidArgumentError: `fft_length` of another size, or negative.

    TF: `tf.signal.rfft3d`; no known difference.
    """
    return _real_transform(_rfft, "RFFT", input_tensor, fft_length, 3)


def irfft3d(input_tensor, fft_length=None, name=None):
    """Inverse of `rfft3d`: real numbers from half of their transform.

    Args:
      input_tensor: complex64 or complex128 tensor of shape `[..., l, m, n]`.
      fft_length: 3 integers, the sizes of the result; None: those of the input, the last one `2 (n - 1)`.
      name: ignored.

    Returns:
      float32 or float64 tensor.

    Raises:
      ValueError: another dtype, or a rank below 3.
      tf.errors.InvalidArgumentError: `fft_length` of another size, or negative.

    TF: `tf.signal.irfft3d`; no known difference.
    """
    return _real_transform(_irfft, "IRFFT", input_tensor, fft_length, 3)


@op("_fftnd", kernel="FFTND", tensors=("x",), dtypes=COMPLEX)
def _fftnd(x, lengths, axes, norm):
    return jnp.fft.fftn(x, lengths, axes, norm)


@op("_ifftnd", kernel="IFFTND", tensors=("x",), dtypes=COMPLEX)
def _ifftnd(x, lengths, axes, norm):
    return jnp.fft.ifftn(x, lengths, axes, norm)


@op("_rfftnd", kernel="RFFTND", tensors=("x",), dtypes=_REAL)
def _rfftnd(x, lengths, axes, norm):
    return jnp.fft.rfftn(x, lengths, axes, norm)


@op("_irfftnd", kernel="IRFFTND", tensors=("x",), dtypes=COMPLEX)
def _irfftnd(x, lengths, axes, norm):
    return jnp.fft.irfftn(x, lengths, axes, norm)


def _over_axes(transform, input_tensor, fft_length, axes, norm):
    x = convert_to_tensor(input_tensor, dtype_hint=float32 if transform is _rfftnd else complex64)
    if x.dtype not in (_REAL if transform is _rfftnd else COMPLEX):
        raise ValueError(f"{transform.spec.kernel} got an input of the wrong type: {x.dtype!r}")
    rank, axes, lengths = len(x.shape), static_value(axes), static_value(fft_length)
    axes = tuple(range(rank)) if axes is None else tuple(as_axis(a, rank, "axes") for a in as_ints(axes, "axes"))
    if len(set(axes)) != len(axes):
        raise invalid(f"`axes` must be different from one another, got {axes}")
    if norm not in (None, "backward", "forward", "ortho"):
        raise ValueError(f"`norm` must be None, 'backward', 'forward' or 'ortho', got {norm!r}")
    return transform(x, _lengths(lengths, len(axes)), axes, norm)


def fftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Discrete Fourier transform over any axes.

    Args:
      input_tensor: complex64 or complex128 tensor.
      fft_length: an integer for each axis, to which it is cut or padded with zeros; None leaves the sizes.
      axes: integers in [-rank, rank), each at most once; None means all.
      norm: "backward" or None (the inverse divides by the number of points), "forward" (the transform does) or
        "ortho" (both, by its root).
      name: ignored.

    Returns:
      Tensor of the dtype of `input_tensor`.

    Raises:
      ValueError: another dtype or `norm`.
      tf.errors.InvalidArgumentError: wrong `axes` or `fft_length`.

    TF: `tf.signal.fftnd`, which exists on GPUs only.
    """
    return _over_axes(_fftnd, input_tensor, fft_length, axes, norm)


def ifftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Inverse discrete Fourier transform over any axes.

    Args:
      input_tensor: complex64 or complex128 tensor.
      fft_length: an integer for each axis, to which it is cut or padded with zeros; None leaves the sizes.
      axes: integers in [-rank, rank), each at most once; None means all.
      norm: "backward" or None (the inverse divides by the number of points), "forward" (the transform does) or
        "ortho" (both, by its root).
      name: ignored.

    Returns:
      Tensor of the dtype of `input_tensor`.

    Raises:
      ValueError: another dtype or `norm`.
      tf.errors.InvalidArgumentError: wrong `axes` or `fft_length`.

    TF: `tf.signal.ifftnd`, which exists on GPUs only.
    """
    return _over_axes(_ifftnd, input_tensor, fft_length, axes, norm)


def rfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Fourier transform of real numbers over any axes; of the last of them half the points.

    Args:
      input_tensor: float32 or float64 tensor.
      fft_length: an integer for each axis, to which it is cut or padded with zeros; None leaves the sizes.
      axes: integers in [-rank, rank), each at most once; None means all.
      norm: "backward" or None (the inverse divides by the number of points), "forward" (the transform does) or
        "ortho" (both, by its root).
      name: ignored.

    Returns:
      complex64 or complex128 tensor.

    Raises:
      ValueError: another dtype or `norm`.
      tf.errors.InvalidArgumentError: wrong `axes` or `fft_length`.

    TF: `tf.signal.rfftnd`, which exists on GPUs only.
    """
    return _over_axes(_rfftnd, input_tensor, fft_length, axes, norm)


def irfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Inverse of `rfftnd`.

    Args:
      input_tensor: complex64 or complex128 tensor.
      fft_length: an integer for each axis, to which it is cut or padded with zeros; None leaves the sizes.
      axes: integers in [-rank, rank), each at most once; None means all.
      norm: "backward" or None (the inverse divides by the number of points), "forward" (the transform does) or
        "ortho" (both, by its root).
      name: ignored.

    Returns:
      float32 or float64 tensor.

    Raises:
      ValueError: another dtype or `norm`.
      tf.errors.InvalidArgumentError: wrong `axes` or `fft_length`.

    TF: `tf.signal.irfftnd`, which exists on GPUs only.
    """
    return _over_axes(_irfftnd, input_tensor, fft_length, axes, norm)


@op("_roll_half", kernel="Roll", tensors=("x",), host="moves")
def _roll_half(x, axes, back):
    if axes is None and not x.ndim:
        raise invalid("Value for attr 'Taxis' of float is not in the list of allowed values: int32, int64 [Op:Roll]")
    axes = tuple(range(x.ndim)) if axes is None else as_ints(axes, "axes")
    axes = tuple(as_axis(axis, x.ndim, "axes") for axis in axes)
    shifts = [-(-x.shape[axis] // 2) if back else x.shape[axis] // 2 for axis in axes]
    return jnp.roll(x, shifts, axes)


@takes_composites("tf.signal.fftshift")
def fftshift(x, axes=None, name=None):
    """Moves the point of frequency zero from the start to the middle.

    Args:
      x: tensor of any numeric dtype.
      axes: axis, or axes; None means all.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: an axis out of range.

    TF: `tf.signal.fftshift`; no known difference.
    """
    return _roll_half(x, axes, False)


@takes_composites("tf.signal.ifftshift")
def ifftshift(x, axes=None, name=None):
    """Undoes `fftshift`.

    Args:
      x: tensor of any numeric dtype.
      axes: axis, or axes; None means all.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: an axis out of range.

    TF: `tf.signal.ifftshift`; no known difference.
    """
    return _roll_half(x, axes, True)
