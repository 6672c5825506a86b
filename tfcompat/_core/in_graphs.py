"""Errors of wrong arguments as they are raised while a function is traced."""

import re

from tfcompat import engine
from tfcompat.errors import InvalidArgumentError

# Messages of dtypes that do not fit, which TypeError tells in a function.
_OF_DTYPES = re.compile(
    "list of allowed values|was expected to be a|does not match expected type|[Mm]ust have the same (d?)type|"
    "int32 or int64 is needed"
)
_WHEN_RUN = "checked_when_run"


def as_in_graph(kind, error):
    """`error` as TF raises it: while a function is traced, shape inference in Python raises `kind`.

    What a function knows only here for its sizes is checked when it runs in TF.
    """
    trace = engine.function_trace(engine.state.graph)
    if type(error) is InvalidArgumentError and not hasattr(error, _WHEN_RUN) and trace and not trace.forgets_sizes:
        return kind(str(error))
    return error


def when_run(message):
    """An InvalidArgumentError of what TF checks when an op runs, in functions too."""
    error = InvalidArgumentError(None, None, message)
    setattr(error, _WHEN_RUN, True)
    return error


def of_argument(error):
    """An InvalidArgumentError of an argument as TF raises it: in a function TypeError for a dtype, else ValueError."""
    return as_in_graph(TypeError if _OF_DTYPES.search(str(error)) else ValueError, error)
