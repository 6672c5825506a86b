"""tensorflow/python/util/function_utils.py: names and arguments of what can be called."""
import functools as _functools

from tfcompat._private import tf_decorator as _tf_decorator
from tfcompat._private import tf_inspect as _tf_inspect


def _is_bound_method(function):
    function = _tf_decorator.unwrap(function)[1]
    return _tf_inspect.ismethod(function) and function.__self__ is not None


def _is_callable_object(function):
    return callable(function) and _tf_inspect.ismethod(function.__call__)


def fn_args(fn):
    """The names of the arguments that a callable takes, without `self` where it is bound."""
    if isinstance(fn, _functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args) :] if name not in fn.keywords)
    if _is_callable_object(fn):
        fn = fn.__call__
    names = _tf_inspect.getfullargspec(fn).args
    return tuple(names[1:] if _is_bound_method(fn) else names)


def has_kwargs(fn):
    """Whether a callable takes `**kwargs`.

    Raises:
      TypeError: it cannot be called.
    """
    if isinstance(fn, _functools.partial):
        fn = fn.func
    elif _is_callable_object(fn):
        fn = fn.__call__
    elif not callable(fn):
        raise TypeError(f"Argument `fn` should be a callable. Received: fn={fn} (of type {type(fn)})")
    return _tf_inspect.getfullargspec(fn).varkw is not None


def _unwrapped(func):
    func = _tf_decorator.unwrap(func)[1]
    if not callable(func):
        raise ValueError(f"Argument `func` must be a callable. Received func={func} (of type {type(func)})")
    return func


def get_func_name(func):
    """The name of a function, `Class.name` of a bound method, and the type of any other callable as text."""
    func = _unwrapped(func)
    if _tf_inspect.isfunction(func):
        return func.__name__
    if _tf_inspect.ismethod(func):
        return f"{func.__self__.__class__.__name__}.{func.__func__.__name__}"
    return str(type(func))


def get_func_code(func):
    """The code object of a callable, or None."""
    func = _unwrapped(func)
    if _tf_inspect.isfunction(func) or _tf_inspect.ismethod(func):
        return func.__code__
    return getattr(func.__call__, "__code__", None)
