"""tensorflow/python/util/tf_inspect.py: Python's `inspect`, looking through TensorFlow's decorators."""
import collections as _collections
import inspect as _inspect
from inspect import *  # noqa: F403

from tfcompat._private import tf_decorator as _tf_decorator


def getfullargspec(obj):
    """The arguments of a callable as `inspect.FullArgSpec`, with `self` where it is a method of a class.

    Raises:
      TypeError: `obj` has no signature, such as a partial of arguments that its function does not take.
    """
    try:
        return _full_argspec(obj)
    except ValueError as error:
        raise TypeError("unsupported callable") from error


def _full_argspec(obj):
    target = obj.__init__ if _inspect.isclass(obj) else obj
    while not hasattr(target, "__signature__") and _tf_decorator.is_tf_decorator(target):
        target = target.__wrapped__
    if not _inspect.isroutine(target) and not hasattr(target, "func") and not hasattr(target, "__signature__"):
        target = type(target).__call__
    if _inspect.ismethod(target):
        target = target.__func__
    parameters = _inspect.signature(target, follow_wrapped=False).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_keyword = [p for p in parameters if p.kind == p.KEYWORD_ONLY]
    return _inspect.FullArgSpec(
        args=[p.name for p in named],
        varargs=next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), None),
        varkw=next((p.name for p in parameters if p.kind == p.VAR_KEYWORD), None),
        defaults=tuple(p.default for p in named if p.default is not p.empty) or None,
        kwonlyargs=[p.name for p in by_keyword],
        kwonlydefaults={p.name: p.default for p in by_keyword if p.default is not p.empty} or None,
        annotations={p.name: p.annotation for p in parameters if p.annotation is not p.empty},
    )


ArgSpec = _collections.namedtuple("ArgSpec", ["args", "varargs", "keywords", "defaults"])


def getargspec(obj):
    """The arguments of a callable that may be positional, as an ArgSpec."""
    return ArgSpec(*_full_argspec(obj)[:4])


def getcallargs(*func_and_positional, **named):
    """The arguments that a call would give to a callable, by name; those that it does not take stay in as well."""
    function, *positional = func_and_positional
    specification = getfullargspec(function)
    this = getattr(function, "__self__", None)
    if _inspect.ismethod(function) and this is not None:
        positional = [this, *positional]
    arguments = dict(named)
    arguments.update(zip([name for name in specification.args if name not in named], positional, strict=False))
    defaults = specification.defaults or ()
    by_default = dict(zip(specification.args[len(specification.args) - len(defaults) :], defaults, strict=True))
    return {**by_default, **(specification.kwonlydefaults or {}), **arguments}
