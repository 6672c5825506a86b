"""What readers of files raise where a file is damaged, or made to harm: parsers have no exception in common."""

import contextlib
import struct
import zipfile
import zlib

from tfcompat.errors import OpError, ResourceExhaustedError

# What code raises that expects another structure than it finds. A KeyError says nothing of a file to anybody.
_STRAY = (
    LookupError, AttributeError, ArithmeticError, AssertionError, EOFError, RecursionError, struct.error, zlib.error,
    zipfile.BadZipFile, SyntaxError, StopIteration,
)  # fmt: skip


_LARGE, _MANY_TIMES = 1 << 30, 100  # bytes, and times the size of the file: more than both is no honest compression


def refuse_bomb(where, size, unpacked):
    """Raises ValueError if so many bytes come out of a file of `size` bytes that it was made to fill the memory."""
    if unpacked > max(_LARGE, _MANY_TIMES * size):
        raise ValueError(f"{where} has {size} bytes and says that it holds {unpacked}, which is refused: unpack it and "
                         "write it again without compression")  # fmt: skip


@contextlib.contextmanager
def refusing(where, kind, *more):
    """A context around code that reads a file. What is told of damage is raised as one exception.

    Args:
      where: str, the file, for the message.
      kind: exception of a message.
      *more: other exceptions that tell of damage here.

    Raises:
      tf.errors.ResourceExhaustedError: the file asks for more memory than there is.
    """
    try:
        yield
    except OpError:
        raise
    except MemoryError as error:
        raise ResourceExhaustedError(None, None, f"{where} asks for more memory than there is: {error}") from error
    except (*_STRAY, *more) as error:
        message = f"{where} is damaged, or of another kind: {type(error).__name__}: {error}"
        raise (kind(None, None, message) if issubclass(kind, OpError) else kind(message)) from error  # pyright: ignore
