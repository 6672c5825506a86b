"""Raw ops of real Fourier transforms: sizes are cut, but never filled up with zeros, which the public functions do."""

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import when_run
from tfcompat.raw_ops._registry import made
from tfcompat.signal._fft import irfft_within, rfft_within

_COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


def _check_types(x, result, real, direction):
    if _COMPLEX_OF.get(real) not in (x.dtype, result):
        numbers = f"in={x.dtype.as_datatype_enum} out={result.as_datatype_enum}"
        raise when_run(f"Wrong types for {direction} real FFT: {numbers}")


def _forward(count):
    def transform(input, fft_length, Tcomplex):  # noqa: N803
        x, result = convert_to_tensor(input), dtypes.as_dtype(Tcomplex)
        _check_types(x, result, x.dtype, "forward")
        return rfft_within(x, fft_length, count)

    return transform


def _backward(count):
    def transform(input, fft_length, Treal):  # noqa: N803
        x, result = convert_to_tensor(input), dtypes.as_dtype(Treal)
        _check_types(x, result, result, "backward")
        return irfft_within(x, fft_length, count)

    return transform


for _count in (1, 2, 3):
    for _name, _make, _dtype in (("RFFT", _forward, "Tcomplex"), ("IRFFT", _backward, "Treal")):
        _suffix = "" if _count == 1 else f"{_count}D"
        _doc = "Fourier transform of real numbers." if _make is _forward else "Inverse of one of real numbers."
        made(_name + _suffix, _make(_count), {key: key for key in ("input", "fft_length", _dtype)}, doc=_doc)
