"""Whether AutoGraph converts functions that are called. It does while a function is traced with `autograph=True`."""

import enum
import functools
import types

from tfcompat._tracing.switch import Switch


class Status(enum.Enum):
    """Whether this thread converts functions."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


conversion_status = Switch(Status.UNSPECIFIED)
_MARK = "autograph_info__"
_converter: list = []


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
        with conversion_status.set_to(Status.DISABLED):
            return function(*args, **kwargs)

    if isinstance(function, types.FunctionType | types.MethodType):
        functools.update_wrapper(call, function)
    return artifact(call)


def converted(function):
    """`function`, converted if conversion is on. For ops that call a function of the user's."""
    if conversion_status.value is not Status.ENABLED or is_artifact(function):
        return function

    def call(*args, **kwargs):
        return _converter[0](function, args, kwargs)

    return artifact(call)


def register_converter(call):
    """Registers `call(function, args, kwargs)`, which converts a function and calls it. AutoGraph does so."""
    _converter.append(call)
