"""tensorflow/python/util/deprecation.py: decorators of what is going out of use. They warn once for each function."""
import contextlib
import functools
import inspect
import threading

from tfcompat._package.logging import logger as _logger

_TOLD = set()
_silent = threading.local()


def deprecated(date, instructions, warn_once=True):
    """Decorator: says once that the function or class will be removed."""

    def decorate(target):
        return _telling(target, lambda bound: f"{target.__qualname__} is deprecated and will be removed "
                        f"{_when(date)}. {instructions}")  # fmt: skip

    return decorate


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """Decorator: says once that an argument will be removed, if it is given."""
    names = [entry if isinstance(entry, str) else entry[0] for entry in deprecated_arg_names_or_tuples]
    harmless = {entry[0]: entry[1] for entry in deprecated_arg_names_or_tuples if not isinstance(entry, str)}

    def decorate(function):
        def told(bound):
            passed = [n for n in names if n in bound and not (n in harmless and bound[n] is harmless[n])]
            if passed:
                return (f"{function.__qualname__}: argument {', '.join(passed)} is deprecated and will be removed "
                        f"{_when(date)}. {instructions}")  # fmt: skip

        return _telling(function, told)

    return decorate


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """Decorator: says once that a value of an argument is going out of use, if it is given."""

    def decorate(function):
        def told(bound):
            passed = [n for n, value in deprecated_kwargs.items() if n in bound and bound[n] is value]
            if passed:
                return (f"{function.__qualname__}: this value of {', '.join(passed)} is deprecated and will be removed "
                        f"{_when(date)}. {instructions}")  # fmt: skip

        return _telling(function, told)

    return decorate


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    """`func_or_class` under a name that is going out of use."""
    return _telling(func_or_class, lambda bound: f"{deprecated_name} is deprecated: use {name}")


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
    """The one of two values that is given; ValueError if both are."""
    if old_value is not None:
        if new_value is not None:
            raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
        return old_value
    return new_value


@contextlib.contextmanager
def silence():
    """Nothing is said in this block."""
    before = getattr(_silent, "on", False)
    _silent.on = True
    try:
        yield
    finally:
        _silent.on = before


def _when(date):
    return "in a future version" if date is None else f"after {date}"


def _telling(target, message):
    """`target`, which logs `message` of its arguments by name before its first call; None says nothing."""
    is_class = inspect.isclass(target)
    function = target.__init__ if is_class else target
    parameters = tuple(inspect.signature(function).parameters)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if not getattr(_silent, "on", False):
            warning = message({**dict(zip(parameters, args, strict=False)), **kwargs})
            if warning is not None and warning not in _TOLD:
                _TOLD.add(warning)
                _logger.warning(warning)
        return function(*args, **kwargs)

    if not is_class:
        return wrapper
    target.__init__ = wrapper
    return target
