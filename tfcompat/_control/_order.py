"""The order of operations: nothing to do, but where a graph of TensorFlow 1 is built."""

import contextlib
from typing import Any

from tfcompat import engine
from tfcompat._core import graphs
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._tracing.eagerly import executing_eagerly
from tfcompat._tracing.waiting import waiting_for
from tfcompat.engine import function_trace

_COMPOSITE = (CompositeTensor, IndexedSlices)


class _InGraphs:
    """`group`, `no_op` and `tuple` where a graph is built; `tfcompat.compat` sets them."""

    group: Any = None
    no_op: Any = None
    tuple: Any = None


in_graphs = _InGraphs()


@contextlib.contextmanager
def control_dependencies(control_inputs):
    """A context in which a graph's operations come after others; elsewhere they run in the order of the calls.

    In a function, assignments in it are not done if what they wait for breaks a condition.

    TF: `tf.control_dependencies`.
    """
    graph, trace = graphs.current(), function_trace(engine.state.graph)
    with contextlib.ExitStack() as stack:
        if graph is not None:
            stack.enter_context(graph.control_dependencies(control_inputs))
        elif trace is not None:
            stack.enter_context(waiting_for(trace, control_inputs))
        yield


def group(*inputs, **kwargs):
    """An operation of a graph that comes after others; elsewhere nothing: operations have run in order.

    TF: `tf.group`.
    """
    if graphs.current() is not None:
        return in_graphs.group(*inputs, **kwargs)
    return None


def no_op(name=None):
    """Nothing; in a graph an operation that does so. TF: `tf.no_op`."""
    return None if graphs.current() is None else in_graphs.no_op(name)


def tuple_(tensors, control_inputs=None, name=None):
    """The tensors themselves; in a function, a list of what they are as tensors.

    Raises:
      ValueError: there is none, in a function.

    TF: `tf.tuple`.
    """
    if executing_eagerly():
        return tensors
    if graphs.current() is not None:
        return in_graphs.tuple(tensors, control_inputs, name)
    results = [x if x is None or isinstance(x, _COMPOSITE) else convert_to_tensor(x) for x in tensors]
    if control_inputs is None and all(x is None for x in results):
        raise ValueError(f"'tensors' must have at least one Tensor. Received: {results}.")
    return results
