"""tensorflow/python/util/tf_decorator.py, and `tf.__internal__.decorator`: they say what they decorate."""

import functools
import inspect


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc="", decorator_argspec=None):
    """`decorator_func`, named, described and annotated as `target`, and what `unwrap` finds.

    Args:
      target: what is decorated.
      decorator_func: what is called in its place.
      decorator_name, decorator_doc: changes nothing.
      decorator_argspec: arguments that `inspect.signature` tells, a FullArgSpec; None: those of `target`.
    """
    for name in functools.WRAPPER_ASSIGNMENTS:
        if getattr(target, name, None) is not None:
            setattr(decorator_func, name, getattr(target, name))
    decorator_func.__dict__.update(getattr(target, "__dict__", {}) if inspect.isroutine(target) else {})
    decorator_func.__wrapped__ = target
    decorator_func._tf_decorator = True
    if decorator_argspec is not None:
        decorator_func.__signature__ = _signature(decorator_argspec)
    return decorator_func


def unwrap(maybe_tf_decorator):
    """The decorators, the outermost first, and what they decorate."""
    decorators = []
    while is_tf_decorator(maybe_tf_decorator):
        decorators.append(maybe_tf_decorator)
        maybe_tf_decorator = maybe_tf_decorator.__wrapped__
    return decorators, maybe_tf_decorator


def is_tf_decorator(function):
    """Whether it stands for another function, as ours do and those of `make_decorator`, not of `functools.wraps`."""
    modules = type(function).__module__, getattr(function, "__module__", None) or ""  # the first for a `tf.function`
    ours = hasattr(function, "_tf_decorator") or any(module.startswith("tfcompat") for module in modules)
    return ours and hasattr(function, "__wrapped__")


def _signature(spec):
    kinds = inspect.Parameter
    count = len(spec.args) - len(spec.defaults or ())
    defaults = dict(zip(spec.args[count:], spec.defaults or (), strict=True))
    parameters = [kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=defaults.get(n, kinds.empty)) for n in spec.args]
    if spec.varargs:
        parameters.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    only = spec.kwonlydefaults or {}
    parameters += [kinds(n, kinds.KEYWORD_ONLY, default=only.get(n, kinds.empty)) for n in spec.kwonlyargs]
    if spec.varkw:
        parameters.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)
