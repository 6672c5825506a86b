"""Errors of wrong arguments as they are raised while a function is traced."""

import re

from tfcompat import engine
from tfcompat.errors import InvalidArgumentError

# Messages of dtypes that do not fit, which TypeError tells in a function.
_OF_DTYPES = re.compile(
    "list of allowed values|was expected to be a|does not match expected type|[Mm]ust have the same (d?)type|"
    "int32 or int64 is needed"
)


def as_in_graph(kind, error):
    """`error` as TF raises it: while a function is traced, shape inference in Python raises `kind`.

    What a function knows only here for its sizes is checked when it runs in TF.
    """
    trace = engine.function_trace(engine.state.graph)
    if type(error) is InvalidArgumentError and trace is not None and not trace.forgets_sizes:
        return kind(str(error))
    return error


def of_argument(error):
    """An InvalidArgumentError of an argument as TF raises it: in a function TypeError for a dtype, else ValueError."""
    return as_in_graph(TypeError if _OF_DTYPES.search(str(error)) else ValueError, error)
