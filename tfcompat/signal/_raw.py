"""`tf.fftnd`...: the transforms over any axes with the arguments of the ops themselves."""

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat.errors import InvalidArgumentError
from tfcompat.signal import _fft


def fftnd(input, fft_length, axes, name=None):
    """Discrete Fourier transform over any axes.

    Args:
      input: complex64 or complex128 tensor.
      fft_length: an integer for each axis, to which it is cut or padded with zeros.
      axes: integers in [-rank, rank), each at most once.
      name: ignored.

    Returns:
      Tensor of the dtype of `input`.

    TF: `tf.fftnd`, which has no CPU kernel; see `tf.signal.fftnd`.
    """
    return _fft.fftnd(input, fft_length, axes)


def ifftnd(input, fft_length, axes, name=None):
    """Inverse of `fftnd`.

    Args:
      input: complex64 or complex128 tensor.
      fft_length: an integer for each axis.
      axes: integers in [-rank, rank), each at most once.
      name: ignored.

    Returns:
      Tensor of the dtype of `input`.

    TF: `tf.ifftnd`, which has no CPU kernel; see `tf.signal.ifftnd`.
    """
    return _fft.ifftnd(input, fft_length, axes)


def rfftnd(input, fft_length, axes, Tcomplex=dtypes.complex64, name=None):  # noqa: N803
    """`fftnd` of real numbers: half of the last axis.

    Args:
      input: float32 or float64 tensor.
      fft_length: an integer for each axis.
      axes: integers in [-rank, rank), each at most once.
      Tcomplex: dtype of the result: complex64 of float32, complex128 of float64.
      name: ignored.

    Returns:
      Tensor of dtype `Tcomplex`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype.

    TF: `tf.rfftnd`, which has no CPU kernel; see `tf.signal.rfftnd`.
    """
    return _of_dtype(_fft.rfftnd(input, fft_length, axes), Tcomplex, "Tcomplex")


def irfftnd(input, fft_length, axes, Treal=dtypes.float32, name=None):  # noqa: N803
    """Inverse of `rfftnd`.

    Args:
      input: complex64 or complex128 tensor.
      fft_length: an integer for each axis, sizes of the result.
      axes: integers in [-rank, rank), each at most once.
      Treal: dtype of the result: float32 of complex64, float64 of complex128.
      name: ignored.

    Returns:
      Tensor of dtype `Treal`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype.

    TF: `tf.irfftnd`, which has no CPU kernel; see `tf.signal.irfftnd`.
    """
    return _of_dtype(_fft.irfftnd(input, fft_length, axes), Treal, "Treal")


def _of_dtype(result, dtype, attribute):
    if convert_to_tensor(result).dtype != dtypes.as_dtype(dtype):
        expected = dtypes.as_dtype(dtype).name
        raise InvalidArgumentError(None, None, f"{attribute} is {expected}, but the result is {result.dtype.name}")
    return result
