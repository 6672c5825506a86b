"""What is known of the graphs of TensorFlow 1 that are built: by threads, by all, and what stands above `graphs.py`."""

import contextlib
import threading
from typing import Any

from tfcompat._core.shape import TensorShape
from tfcompat._package.thread_state import ThreadState


class _Building(ThreadState):
    """The graphs that a thread has entered, and what stands for their tensors while a part of one is computed."""

    def __init__(self):
        self.entered = []
        self.run: Any = None


state = _Building()


class _Process:
    """What all threads share.

    Attributes:
      default: the default graph of programs that have disabled eager execution; None in others.
      entered: how many times a graph has been entered and not left.
      shapes: class of the shapes of its tensors.
      references: whether a variable that is fetched gives its value after the run, as references of TensorFlow 1 do.
    """

    default: Any = None
    entered = 0
    shapes = TensorShape
    references = False
    lock = threading.Lock()


process = _Process()


class _Upstairs:
    """What stands above this storey; `tfcompat.compat` sets it.

    Attributes:
      inferred: function of (function, args, kwargs, graph, kind) to an `Inferred`.
      stand_ins: function of a graph to what `computing` takes, for a trace of which only the specs are of interest.
      default_session: function that gives the default session or None.
      session: function of `graph`, a graph or None for the default one, to a session.
      training: function that gives the context in which Keras trains in a graph.
      gradients, jacobian: functions that record derivatives, see `tfcompat/compat/_recorded.py`.
      make_variable: creator of variables, which makes those of a graph where one is built.
      graph_def: function of a graph to its GraphDef.
      composites: classes of tensors of a graph that consist of several; none until there are such.
      rebuilding: wraps a function that takes or gives such tensors, as one of their components.
      sparse_tensor: class of sparse tensors of a graph.
      tensor_array: class of TensorArrays of a graph.
      has_parts: function of a structure: whether components of such tensors are in it.
      composed: function of what that gives, to a structure with such tensors of the graph.
      begin, end: functions called when a first graph is entered, and when none is entered any more.
    """

    inferred: Any = None
    stand_ins: Any = None
    default_session: Any = None
    session: Any = None
    training: Any = None
    gradients: Any = None
    jacobian: Any = None
    make_variable: Any = None
    begin: Any = None
    end: Any = None
    graph_def: Any = None
    composites: Any = ()
    rebuilding: Any = None
    has_parts: Any = None
    composed: Any = None
    sparse_tensor: Any = None
    tensor_array: Any = None


upstairs = _Upstairs()


@contextlib.contextmanager
def paused():
    """Context in which nothing is recorded."""
    state.entered.append(None)
    try:
        yield
    finally:
        state.entered.pop()
