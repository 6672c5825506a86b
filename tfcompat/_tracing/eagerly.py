"""Functions that cannot be traced: they take elements of a dataset, or have shapes that depend on values.

They run as plain Python.
"""

import numpy as np

from tfcompat import engine, nest
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import in_function
from tfcompat._core.symbolic_sizes import NeedsValues
from tfcompat._core.tensor import wrap
from tfcompat._package.causes import causes_of
from tfcompat._package.logging import logger
from tfcompat._tracing.switch import Switch
from tfcompat.errors import InvalidArgumentError, NotFoundError, OutOfRangeError, UnimplementedError


class RunsEagerly(BaseException):
    """Ends the trace of a `tf.function` whose Python code needs values that exist only eagerly.

    Not an Exception, so that the user's `except Exception` does not stop it. The outermost function catches it.
    """


def needs_values(error):
    """Whether a trace failed because a shape, or something else that must be known, depends on values."""
    for cause in causes_of(error):
        if isinstance(cause, NeedsValues | engine.SymbolicValueError):
            return True
        if isinstance(cause, NotImplementedError):  # the user's code reads a value, which is an error in TensorFlow too
            return False
    return False


def warn(name, error):
    """Logs that a function is not compiled."""
    reason = getattr(error, "_autograph_cause", None) or f"{type(error).__name__}: {error}"
    logger.warning("tf.function %s runs as plain Python, operation by operation: %s", name, reason)


class EndOfLoop(OutOfRangeError, StopIteration):
    """The end of an iterator over a dataset in a function that is not compiled.

    As a StopIteration it ends a `for`. For callers of `next` it is TF's error.
    """


EndOfLoop.__name__ = EndOfLoop.__qualname__ = "OutOfRangeError"  # as users see it


class CannotBeTraced(UnimplementedError):
    """A function that runs as plain Python cannot be traced."""


CannotBeTraced.__name__ = CannotBeTraced.__qualname__ = "UnimplementedError"  # as users see it


# Whether a function that is not compiled is running.
running_as_python = Switch(False)


def executing_eagerly():
    """Whether operations run eagerly: False in a function, and in a graph. TF: `tf.executing_eagerly`."""
    return graphs.current() is None and not inside_function()


def inside_function():
    """Whether a function is being traced, or runs as plain Python, which TF does not do. TF: `tf.inside_function`."""
    return engine.function_trace(engine.state.graph) is not None or running_as_python.value


def call_eagerly(run, arguments, streams, signature):
    """The result of running a function as plain Python, with tensors in place of arrays and numbers.

    Args:
      run: the converted function of args and kwargs.
      arguments: Arguments.
      streams: Streams of the function.
      signature: the one that TF would trace it under.
    """
    args, kwargs = arguments.filled([wrap(node) for node in arguments.nodes], traced=False)
    try:
        with running_as_python.set_to(True), streams.entered(signature):
            result = run(args, kwargs)
    except EndOfLoop as error:
        raise OutOfRangeError(None, None, error.message) from None
    except (InvalidArgumentError, NotFoundError) as error:
        raise in_function(error) from error.__cause__
    return nest.map_structure(
        lambda x: convert_to_tensor(x) if isinstance(x, bool | int | float | np.ndarray | np.generic) else x, result
    )


def refused(error, name):
    """The error for a function that must be traced but cannot be."""
    return CannotBeTraced(
        None, None,
        f"tf.function {name} takes {error}: it runs as plain Python, and cannot be traced or saved as a whole",
    )  # fmt: skip
