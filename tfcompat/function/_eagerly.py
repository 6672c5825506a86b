"""Functions that cannot be traced, since they take elements of a dataset: they run as plain Python."""

import numpy as np

from tfcompat import nest
from tfcompat._convert import convert_to_tensor
from tfcompat._tensor import wrap
from tfcompat.errors import UnimplementedError


class RunsEagerly(BaseException):
    """Ends the trace of a `tf.function` whose Python code needs values that exist only eagerly.

    No Exception, so that no `except Exception` of the user's stops it; the outermost function catches it.
    """


def call_eagerly(function, arguments):
    """The function's result, with tensors for arrays among the arguments and numbers in the result."""
    args, kwargs = arguments.filled([wrap(node) for node in arguments.nodes])
    result = function(*args, **kwargs)
    return nest.map_structure(
        lambda x: convert_to_tensor(x) if isinstance(x, bool | int | float | np.ndarray | np.generic) else x, result
    )


def refused(error, name):
    """The error where a function must be traced."""
    return UnimplementedError(
        None, None,
        f"tf.function {name} takes {error}: it runs as plain Python, and cannot be traced or saved as a whole",
    )  # fmt: skip
