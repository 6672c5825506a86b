"""Datasets inside a function being traced. Their elements are unknown then, so the function runs eagerly."""

from tfcompat import engine
from tfcompat._tracing.eagerly import RunsEagerly
from tfcompat._tracing.switch import Switch
from tfcompat.engine import function_trace
from tfcompat.errors import UnimplementedError

# Whether a function passed to `map` or the like is being traced.
tracing_for_elements = Switch(False)
# Whether such a function is being called for an element. Errors of its Python code become TF's.
calling_for_elements = Switch(False)


def needs_values(what):
    """Stops a trace where elements or other values must be known.

    Raises:
      RunsEagerly: a `tf.function` is being traced.
      tf.errors.UnimplementedError: something else is being traced.
    """
    if not engine.state.graph.symbolic:
        return
    if tracing_for_elements.value or function_trace(engine.state.graph) is None:
        raise UnimplementedError(None, None, f"{what} inside a function that is mapped or traced as a whole")
    raise RunsEagerly(what)
