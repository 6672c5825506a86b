"""Errors raised while a function is traced, with the user's lines in their messages."""

import linecache
import os
import sysconfig
import traceback
import types

import jax
import numpy as np

from tfcompat._package.causes import causes_of
from tfcompat._package.folder import PACKAGE_FOLDER
from tfcompat.errors import OpError

# Files whose frames a user cannot do anything about.
_LIBRARIES = (
    PACKAGE_FOLDER,
    *(os.path.dirname(os.path.abspath(file)) + os.sep for file in (jax.__file__, np.__file__)),
)
_LIBRARY_PARTS = (f"{os.sep}malt{os.sep}", f"{os.sep}jaxlib{os.sep}", "<frozen ")
_STANDARD_LIBRARY = sysconfig.get_path("stdlib") + os.sep

CONVERTED = "tfcompat_converted"  # in the qualified names of converted functions


class _KeyError(KeyError):
    """A KeyError that shows its text unquoted."""

    def __str__(self):
        return self.args[0]


_KeyError.__name__ = "KeyError"


def explained(error):
    """An exception of the class of `error`, with the user's lines in its message, to raise in its place.

    Where the class takes something other than a text, the lines become a note of `error` itself.
    """
    cause = cause_of(error)
    if isinstance(error, RecursionError):
        return error
    lines = ["in user code:", ""]
    for name, file, line in _frames(error.__traceback__):
        lines += [f'    File "{file}", line {line}, in {name}  *', f"        {linecache.getline(file, line).strip()}"]
    lines += ["", *("    " + line for line in cause.split("\n")), ""]
    message = "\n".join(lines)
    result = _with_message(error, message)
    if result is None:
        if not any(note.startswith("in user code:") for note in getattr(error, "__notes__", ())):
            error.add_note(message)
        return error
    for name, value in vars(error).items():  # what others noted on it
        vars(result).setdefault(name, value)
    result._autograph_cause = cause
    result.__cause__, result.__suppress_context__ = error.__cause__, True
    return result.with_traceback(error.__traceback__)


def cause_of(error):
    """The class and the message of an error, without the user's lines that `explained` wrote into it."""
    return getattr(error, "_autograph_cause", None) or f"{type(error).__name__}: {error}"


def is_of_program(error):
    """Whether the program itself raised an error, not because of one that was raised in a library's file."""
    for cause in causes_of(error):
        frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(cause.__traceback__)]
        if not frames or is_library_file(frames[-1]):
            return False
    return True


def _frames(traceback):
    """(function, file, line) of the user's frames, outermost first."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_library_file(code.co_filename):
            yield _name_of(code), code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next


def is_library_file(file):
    """Whether a file belongs to tfcompat, JAX, NumPy or Python."""
    if file.startswith(_LIBRARIES) or any(part in file for part in _LIBRARY_PARTS):
        return True
    return file.startswith(_STANDARD_LIBRARY) and "site-packages" not in file


def _name_of(code):
    """The name of the function that a code object belongs to: blocks of converted functions have code of their own."""
    if CONVERTED not in code.co_qualname:
        return code.co_name
    parts = [part for part in code.co_qualname.split(".") if part.startswith("tf__")]
    return parts[0].removeprefix("tf__").replace("lam", "<lambda>") if parts else code.co_name


def _with_message(error, message):
    cls = type(error)
    if isinstance(error, OpError):
        try:
            return cls(error.node_def, error.op, message)
        except TypeError:
            return None
    if isinstance(error, KeyError):
        return _KeyError(message) if cls in (KeyError, _KeyError) else None
    plain = isinstance(cls.__init__, types.WrapperDescriptorType) and isinstance(cls.__new__, types.BuiltinFunctionType)
    if not plain or len(error.args) != 1 or not isinstance(error.args[0], str):
        return None
    result = cls(message)
    result.__dict__.update(error.__dict__)
    return result
