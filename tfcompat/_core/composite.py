"""Values made of several tensors, and how ops that get such a value pass their call on to it."""

import functools

from tfcompat._core.in_graphs import of_argument
from tfcompat.errors import InvalidArgumentError

# By name of a public function, its handlers for arguments made of several tensors: `handler(function, args, kwargs)`
# returns NotImplemented where it does not apply. Filled by the modules of these values.
HANDLERS: dict = {}

# By name, the public functions that are not ops themselves and pass on arguments that they cannot take.
PASSING: dict = {}

# By function, what programs registered for it: pairs of a test of (args, kwargs) and the function to call instead.
REGISTERED: dict = {}


# Types of tensors: arguments of these types are passed on by nobody.
NEVER_PASSED_ON: set = set()


class PassedOn:
    """Base of values that no op converts to a tensor: what takes tensors passes its call on to them.

    One with a method `_record_call(names, function, args, kwargs)` takes the calls of all functions itself; for the
    others there are HANDLERS. One with `_record_slice(tensor, key)` may stand in the key that a tensor is sliced by.
    """

    __slots__ = ()
    _record_call = None
    _record_slice = None
    _is_shape = False  # whether it may stand where an op takes a shape
    _tf_tensor_type = True  # whether `tf.is_tensor` says so


class CompositeTensor(PassedOn):
    """Base of values made of several tensors; `_type_spec` tells which."""

    __slots__ = ()
    _has_gradient = False  # whether functions with custom gradients may take and return it

    def _differentiable_part(self):
        """The tensor that gradients with respect to this value are taken of."""
        raise NotImplementedError

    def _with_differentiable_part(self, tensor):
        """This value with another tensor in its place."""
        raise NotImplementedError


class CompositeArgument(ValueError):
    """Conversion of a composite value to a tensor. The text, which shows the value, is made when it is asked for."""

    def __init__(self, value):
        super().__init__(value)
        self._value = value

    def __str__(self):
        return f"Attempt to convert a value ({self._value}) with an unsupported type ({type(self._value)}) to a Tensor."


CompositeArgument.__name__ = "ValueError"  # what a user sees, as in TF


def registered(function, args, kwargs):
    """The result of what a program registered for `function` and these arguments; NotImplemented if nothing.

    Raises:
      ValueError: it registered several functions that fit.
    """
    chosen = None
    for fits, target in REGISTERED.get(function, ()):
        if target is not chosen and fits(args, kwargs):
            if chosen is not None:
                raise ValueError(
                    f"Multiple dispatch targets that were registered with tf.dispatch_for ({chosen} and {target}) "
                    f"match the arguments to {function.__name__}"
                )
            chosen = target
    return NotImplemented if chosen is None else chosen(*args, **kwargs)


def dispatch(names, function, args, kwargs, error):
    """The result of a function of these names for arguments that are not tensors; raises `error` if nothing applies."""
    if REGISTERED:
        result = registered(function, args, kwargs)
        if result is not NotImplemented:
            return result
    if error._value._record_call is not None:
        return error._value._record_call(names, function, args, kwargs)
    for name in names:
        for handler in HANDLERS.get(name, ()):
            result = handler(function, args, kwargs)
            if result is not NotImplemented:
                return result
    raise error


def handles(*names):
    """Decorator of `handler(function, args, kwargs)`, which replaces these functions for composite arguments."""

    def decorate(handler):
        for name in names:
            HANDLERS.setdefault(name, []).append(handler)
        return handler

    return decorate


def takes_composites(*names, op=None):
    """Decorator of a public function that is not an op itself: composite arguments go to the handlers of `names`.

    If the function only calls `op` where it gets tensors, with the same leading arguments, it shares the known calls of
    that op.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            if REGISTERED:
                result = registered(wrapper, args, kwargs)
                if result is not NotImplemented:
                    return result
            for x in args:
                if type(x) in NEVER_PASSED_ON:
                    continue
                if isinstance(x, list) and x:
                    x = next((each for each in x if isinstance(each, PassedOn)), None)
                if isinstance(x, PassedOn) and x._record_call is not None:
                    return x._record_call(names, wrapper, args, kwargs)
            try:
                return function(*args, **kwargs)
            except CompositeArgument as error:
                return dispatch(names, wrapper, args, kwargs, error)
            except InvalidArgumentError as error:
                raise of_argument(error) from error.__cause__

        PASSING.update(dict.fromkeys(names, wrapper))
        if op is None:
            return wrapper
        return functools.wraps(wrapper)(op.spec.known.function(lambda args, kwargs: wrapper(*args, **kwargs)))

    return decorate
