"""What surrounds variables: how replicas keep them together, who makes them, and where a thread may assign them."""

import contextlib
import enum
from typing import Any

from tfcompat._package.thread_state import ThreadState


class VariableSynchronization(enum.Enum):
    """How a distributed variable is synchronized. TF: `tf.VariableSynchronization`."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregationV2(enum.Enum):
    """How a distributed variable is aggregated. TF: `tf.VariableAggregation`."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


VariableAggregation = VariableAggregationV2


class _Assigned(ThreadState):
    """The captured graph in which variables may be assigned, outside of a tf.function, and their values before it."""

    graph: Any = None
    before: Any = None  # id -> (variable, node)


assigned = _Assigned()


@contextlib.contextmanager
def assigning_in(graph):
    """Context in which variables may be assigned in the captured `graph`, outside of a tf.function.

    Afterwards the variables have the values that they had before.

    Yields:
      Function without arguments that lists (variable, node of its value in the context).
    """
    outer = assigned.graph, assigned.before
    assigned.graph, assigned.before = graph, before = graph, {}
    try:
        yield lambda: [(variable, variable._node) for variable, _ in before.values()]
    finally:
        assigned.graph, assigned.before = outer
        for variable, node in before.values():
            variable._node = node


class _Left(ThreadState):
    """The function being traced whose graph `tf.init_scope` has left. Variables created there still belong to it."""

    trace: Any = None


left = _Left()


class _Creators(ThreadState):
    """The functions of `tf.variable_creator_scope` that are active in a thread."""

    def __init__(self):
        self.active = []


_creators = _Creators()


def creators():
    """The list of creators that are active in this thread, the innermost last."""
    return _creators.active
