"""Conversions between text types, and the types that Python 2 and TensorFlow 1 had."""

import contextlib
import numbers

from tfcompat._core.shape import Dimension

integral_types = (numbers.Integral,)
real_types = (numbers.Real,)
complex_types = (numbers.Number,)
bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text, encoding="utf-8"):
    """Bytes of text, or bytes as they are; TypeError otherwise. TF: `tf.compat.as_bytes`."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text, encoding="utf-8"):
    """Text of bytes, or text as it is; TypeError otherwise. TF: `tf.compat.as_text`."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value, encoding="utf-8"):
    """`as_text` of bytes, `str` of anything else. TF: `tf.compat.as_str_any`."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def dimension_value(dimension):
    """The number of a Dimension, or the number itself. TF: `tf.compat.dimension_value`."""
    return dimension.value if hasattr(dimension, "value") else dimension


def dimension_at_index(shape, index):
    """Size `index` of a TensorShape as a Dimension. TF: `tf.compat.dimension_at_index`."""
    return Dimension(None if shape.rank is None else shape[index])


def path_to_str(path):
    """Text of a path. TF: `tf.compat.path_to_str`."""
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path


def forward_compatible(year, month, day):
    """True: there is but one version of every op. TF: `tf.compat.forward_compatible`."""
    return True


@contextlib.contextmanager
def forward_compatibility_horizon(year, month, day):
    """A context that changes nothing, see `forward_compatible`. TF: `tf.compat.forward_compatibility_horizon`."""
    yield
