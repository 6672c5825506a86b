"""`tf.__internal__.FuncGraph`: a graph to record in for the shapes alone; nothing in it is ever run."""

import contextlib
import functools

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.name_scope import function_names
from tfcompat._core.shape import TensorShape
from tfcompat._core.symbolic_sizes import new_symbols
from tfcompat._core.tensor import wrap
from tfcompat.engine import function_trace
from tfcompat.errors import UnimplementedError
from tfcompat.function._trace import FunctionTrace


class FuncGraph:
    """A graph whose placeholders are made by `tf.compat.v1.placeholder`; values assigned in it are forgotten.

    Args:
      name: of the graph.
      collections, capture_by_value, structured_input_signature, structured_outputs: unused.
    """

    def __init__(self, name, collections=None, capture_by_value=None, structured_input_signature=None,
                 structured_outputs=None):  # fmt: skip
        self.name = name

    @contextlib.contextmanager
    def as_default(self):
        """A context in which operations are recorded in the graph."""
        trace = _Scratch(self.name, None, function_trace(engine.state.graph))
        with function_names(), engine.Capture(owner=trace) as capture:
            trace.capture, trace.graph = capture, capture.graph
            try:
                yield self
            finally:
                capture.forget()


class _Scratch(FunctionTrace):
    """The trace of a FuncGraph."""

    records_steps = False

    def stand_in(self, shape, dtype):
        """A tensor of unknown value; one in `shape` that is None, since it depends on values, is a size of its own."""
        ((size,),) = new_symbols([["count"]])
        sizes = tuple([size if one is None else one for one in shape])
        return wrap(self.capture.placeholder(engine.Aval(sizes, np.dtype(dtype))))


def placeholder(dtype, shape=None, name=None):
    """A tensor of unknown value, and of sizes that may be unknown, in a FuncGraph.

    Unknown sizes of the same axis are taken for the same: they are batch sizes, as a rule.

    Raises:
      RuntimeError: outside of a FuncGraph.
      tf.errors.UnimplementedError: the rank is unknown.
    """
    trace = function_trace(engine.state.graph)
    if not isinstance(trace, _Scratch):
        raise RuntimeError(
            "tf.compat.v1.placeholder() is not compatible with eager execution: use function arguments"
        )
    shape = TensorShape(shape)
    if shape.rank is None:
        raise UnimplementedError(None, None, "tf.compat.v1.placeholder: give a shape; sizes in it may be None")
    sizes = tuple([_symbol(axis) if size is None else size for axis, size in enumerate(shape.as_list())])
    return wrap(trace.capture.placeholder(engine.Aval(sizes, dtypes.as_dtype(dtype).np)))


@functools.cache
def _symbol(axis):
    """The symbol of the unknown sizes of an axis; always the same, so that shape rules are found again."""
    return new_symbols([[f"axis{axis}"]])[0][0]
