"""Whether AutoGraph converts what is called: on while a function is traced with `autograph=True`."""

import contextlib
import enum
import functools
import threading
import types


class Status(enum.Enum):
    """What has been said about conversion in this thread."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class _Current(threading.local):
    status = Status.UNSPECIFIED


_current = _Current()
_MARK = "autograph_info__"
_converter: list = []


def status():
    """The Status of this thread."""
    return _current.status


@contextlib.contextmanager
def having(status):
    """Sets the Status of this thread for a while."""
    outer, _current.status = _current.status, status
    try:
        yield
    finally:
        _current.status = outer


def artifact(function):
    """Marks a function as one that is never converted (again); returns it."""
    setattr(getattr(function, "__func__", function), _MARK, True)
    return function


def is_artifact(function):
    """Whether a function is marked as one that is never converted."""
    return hasattr(function, _MARK)


def unconverted(function):
    """A function that calls `function` with conversion off."""

    def call(*args, **kwargs):
        with having(Status.DISABLED):
            return function(*args, **kwargs)

    if isinstance(function, types.FunctionType | types.MethodType):
        functools.update_wrapper(call, function)
    return artifact(call)


def converted(function):
    """For library functions that call a function of the user's: `function`, converted where conversion is on."""
    if _current.status is not Status.ENABLED or is_artifact(function):
        return function

    def call(*args, **kwargs):
        return _converter[0](function, args, kwargs)

    return artifact(call)


def register_converter(call):
    """Makes `call(function, args, kwargs)` what `converted` functions are called with; AutoGraph registers it."""
    _converter.append(call)
