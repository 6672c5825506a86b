"""Values made of several tensors, and how ops that take tensors pass to what such a value does in their place."""

import functools

# What a public function does where an argument is made of several tensors: `handler(function, args, kwargs)`, which
# returns NotImplemented where it does not know either. Filled by the modules of these values.
HANDLERS: dict = {}


class CompositeTensor:
    """Base of values made of several tensors; `_type_spec` tells which."""

    __slots__ = ()


class CompositeArgument(ValueError):
    """Conversion of a composite value to a tensor."""


CompositeArgument.__name__ = "ValueError"  # what a user sees, as in TF


def dispatch(names, function, args, kwargs, error):
    """What a function of these names gives for arguments that are no tensors; `error` where nobody knows."""
    for name in names:
        for handler in HANDLERS.get(name, ()):
            result = handler(function, args, kwargs)
            if result is not NotImplemented:
                return result
    raise error


def handles(*names):
    """Decorator: `handler(function, args, kwargs)` stands in for these functions where arguments are composite."""

    def decorate(handler):
        for name in names:
            HANDLERS.setdefault(name, []).append(handler)
        return handler

    return decorate


def takes_composites(*names):
    """Decorator of a public function that is no op itself: composite arguments go to the handlers of `names`."""

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            try:
                return function(*args, **kwargs)
            except CompositeArgument as error:
                return dispatch(names, wrapper, args, kwargs, error)

        return wrapper

    return decorate
