"""Datasets inside a function being traced. Their elements are unknown then, so the function runs eagerly."""

import contextlib
import threading

from tfcompat import engine
from tfcompat._tracing.eagerly import RunsEagerly
from tfcompat.engine import function_trace
from tfcompat.errors import UnimplementedError


class _Tracing(threading.local):
    mapped = False  # whether a function passed to `map` or the like is being traced
    called = False  # whether such a function is being called for an element


tracing = _Tracing()


@contextlib.contextmanager
def calls_of_elements():
    """A context that calls a function for an element: errors of its Python code become TF's."""
    outer, tracing.called = tracing.called, True
    try:
        yield
    finally:
        tracing.called = outer


def needs_values(what):
    """Stops a trace where elements or other values must be known.

    Raises:
      RunsEagerly: a `tf.function` is being traced.
      tf.errors.UnimplementedError: something else is being traced.
    """
    if not engine.state.graph.symbolic:
        return
    if tracing.mapped or function_trace(engine.state.graph) is None:
        raise UnimplementedError(None, None, f"{what} inside a function that is mapped or traced as a whole")
    raise RunsEagerly(what)
