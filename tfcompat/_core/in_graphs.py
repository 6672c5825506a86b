"""Errors of wrong arguments as they are raised while a function is traced."""

import contextlib
import re

from tfcompat import engine
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError

# Messages of dtypes that do not fit, which TypeError tells in a function.
_OF_DTYPES = re.compile(
    r"of \w+ is not in the list of allowed values|was expected to be a|does not match expected type|"
    "[Mm]ust have the same d?type|int32 or int64 is needed|image must be uint8 or uint16|"
    "Accepted dtypes .*are subtypes of|must be (of integer type|integers of the same type)|not inexact"  # JAX's
)
_WHEN_RUN = "checked_when_run"


def traced():
    """Whether a function is being traced."""
    return engine.function_trace(engine.state.graph) is not None


def as_in_graph(kind, error):
    """`error` as TF raises it: while a function is traced, shape inference in Python raises `kind`.

    What depends on sizes that the function does not know in TF is checked when it runs; see `without_sizes`.
    """
    trace = engine.function_trace(engine.state.graph)
    if type(error) not in (InvalidArgumentError, FailedPreconditionError) or trace is None:
        return error
    if is_checked_when_run(error):
        return error
    if kind is ValueError and trace.forgets_sizes:
        return error
    return kind(str(error))


@contextlib.contextmanager
def without_sizes():
    """In the context a function is traced for sizes that it does not know in TF.

    Raises:
      ValueError: for an InvalidArgumentError of a call that is wrong for all sizes: shape inference finds it in TF.
    """
    try:
        yield
    except InvalidArgumentError as error:
        if is_checked_when_run(error) or not engine.fails_for_other_sizes(error):
            raise
        raise ValueError(str(error)) from error


def of_kernel(error):
    """`error` as one of what TF checks when an op runs, in functions too."""
    setattr(error, _WHEN_RUN, True)
    return error


def is_checked_when_run(error):
    """Whether an error is one of `of_kernel`."""
    return hasattr(error, _WHEN_RUN)


def when_run(message):
    """An InvalidArgumentError of what TF checks when an op runs, in functions too."""
    return of_kernel(InvalidArgumentError(None, None, message))


def without_kernel(kernel, dtype):
    """The error for a dtype that an op takes but for which TF has no kernel, which a function finds when it runs."""
    node = f"{kernel}[T={dtype}]"
    if traced():
        return when_run(f"No OpKernel was registered to support Op '{kernel}' with these attrs: {node}")
    return of_kernel(NotFoundError(None, None, f"Could not find device for node: {node} [Op:{kernel}]"))


def in_function(error):
    """`error` as a function raises it that runs as plain Python: TypeError for a dtype, which TF finds in its graph."""
    if type(error) is NotFoundError and is_checked_when_run(error):  # no kernel for a dtype
        return when_run(str(error))
    is_of_dtype = not is_checked_when_run(error) and _OF_DTYPES.search(str(error))
    return TypeError(str(error)) if is_of_dtype else error


def of_sizes(message):
    """The error for wrong sizes: a ValueError, but for sizes that a function does not know in TF it asserts."""
    trace = engine.function_trace(engine.state.graph)
    return when_run(message) if trace is not None and trace.forgets_sizes else ValueError(message)


def of_rank(error):
    """An InvalidArgumentError of a wrong rank as TF raises it: ValueError in a function, whatever sizes it knows."""
    return ValueError(str(error)) if traced() else error


def of_argument(error):
    """An InvalidArgumentError of an argument as TF raises it: in a function TypeError for a dtype, else ValueError."""
    return as_in_graph(TypeError if _OF_DTYPES.search(str(error)) else ValueError, error)
