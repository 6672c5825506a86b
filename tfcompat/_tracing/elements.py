"""Datasets inside functions that are being traced: their elements are not known then, so the function runs eagerly."""

import contextlib
import threading

from tfcompat import engine
from tfcompat._tracing.eagerly import RunsEagerly
from tfcompat.engine import function_trace
from tfcompat.errors import UnimplementedError


class _Tracing(threading.local):
    mapped = False  # a function given to `map` or the like is being traced
    called = False  # such a function is called for an element


tracing = _Tracing()


@contextlib.contextmanager
def calls_of_elements():
    """In the context a function is called for an element: errors of Python code in it become TF's."""
    outer, tracing.called = tracing.called, True
    try:
        yield
    finally:
        tracing.called = outer


def needs_values(what):
    """Called where elements or other values must be known now.

    Raises:
      RunsEagerly: in a trace of a `tf.function`.
      tf.errors.UnimplementedError: where something else is traced.
    """
    if not engine.state.graph.symbolic:
        return
    if tracing.mapped or function_trace(engine.state.graph) is None:
        raise UnimplementedError(None, None, f"{what} inside a function that is mapped or traced as a whole")
    raise RunsEagerly(what)
