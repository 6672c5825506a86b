"""Tracebacks with the user's lines only."""

import os
import runpy
import types

from tfcompat._package.folder import PACKAGE_FOLDER

HINT = "frames of tfcompat and JAX are left out; TFCOMPAT_TRACEBACK=full shows them"
_RUNNERS = (runpy.__file__, "<frozen runpy>", "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
_LIBRARIES = tuple(f"{os.sep}{name}{os.sep}" for name in ("jax", "jaxlib", "malt"))


def trim(error):
    """Takes frames that are not the user's off the traceback of `error` and of what it was raised from.

    Frames of the runner in front always go; those behind, of this package and of JAX, unless TFCOMPAT_TRACEBACK=full.
    An error whose traceback has nothing of the user's keeps its frames, and is left out as a cause.

    Returns:
      bool: whether frames behind were taken off.
    """
    full = os.environ.get("TFCOMPAT_TRACEBACK") == "full"
    error.__traceback__ = without_runner(error.__traceback__)
    if full:
        return False
    trimmed, seen = _trim_inner(error), {id(error)}
    while (cause := _cause(error)) is not None and id(cause) not in seen:
        seen.add(id(cause))
        if cause.__traceback__ is not None and not any(map(_is_users, _frames(cause.__traceback__))):
            # JAX's own complaint, which the error was translated from: what came before it is told instead.
            error.__cause__, error.__context__, error.__suppress_context__ = None, _cause(cause), False
            trimmed = True
            continue
        trimmed |= _trim_inner(cause)
        error = cause
    return trimmed


def _cause(error):
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def trim_in_notebooks(shell):
    """Has an IPython shell show trimmed tracebacks."""

    def show(shell, kind, error, trace, tb_offset=None):
        trim(error)
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)

    shell.set_custom_exc((Exception,), show)


def without_runner(trace):
    """A traceback without the leading frames of this package and of the import machinery it called."""
    while trace is not None and (
        trace.tb_frame.f_code.co_filename in _RUNNERS or trace.tb_frame.f_code.co_filename.startswith(PACKAGE_FOLDER)
    ):
        trace = trace.tb_next
    return trace


def _trim_inner(error):
    if notes := getattr(error, "__notes__", None):
        notes[:] = [note for note in notes if "JAX has removed its internal frames" not in note]
    frames = _frames(error.__traceback__)
    kept = [frame for frame in frames if _is_users(frame)]
    if not kept or len(kept) == len(frames):
        return False
    trace = None
    for frame in reversed(kept):
        trace = types.TracebackType(trace, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    error.__traceback__ = trace
    return True


def _frames(trace):
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    return frames


def _is_users(trace):
    name = trace.tb_frame.f_code.co_filename
    return not name.startswith(PACKAGE_FOLDER) and not any(part in name for part in _LIBRARIES)
