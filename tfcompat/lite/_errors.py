"""What cannot be converted, and libraries that are not installed."""

import contextlib

from tfcompat.errors import UnimplementedError


class ConverterError(Exception):
    """A model cannot be converted.

    TF: `ConverterError` of `tensorflow.lite.python.convert`.
    """


@contextlib.contextmanager
def needed(package):
    """What imports an optional package, of which it says how to install it.

    Raises:
      tf.errors.UnimplementedError: it is not there.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        # With its dependencies, the converter brings an old typing-extensions, which it does not use here.
        how = "--no-deps litert-converter" if package == "litert_converter" else "'tfcompat[lite]'"
        name = package.replace("_", "-")
        raise UnimplementedError(None, None, f"tf.lite needs the package {name}: pip install {how}") from None
