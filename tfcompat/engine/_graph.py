"""Nodes, the graphs they are recorded in, and what each thread is recording.

A `Node` is one recorded value. It points at the nodes it is computed from, never at the user's handles on it. Each
thread records into its own pending graph, which is computed when a value is looked at; a symbolic graph has
placeholders instead, and becomes one operation (the body of a `tf.function`, the backward walk of a jacobian).
"""
import os
import sys
import threading
from typing import Any

from tfcompat._native import hand_over, handed_over, twin
from tfcompat.engine._aval import aval_of_array
from tfcompat.engine._policy import RECORDING


class SymbolicValueError(TypeError):
    """The value of a node in a symbolic graph was asked for; it is known only when the graph is replayed."""


@handed_over
def node_text(node):
    """What `repr` says of a node."""
    state = "pending" if node.value is None else "known"
    return f"<Node {node.call.operation.name if node.call else 'leaf'} {node.aval} {state}>"


@twin
class Node:
    """One recorded value: the result of a `call` of `inputs`, or a leaf (`call` is None). Made by `new_node`.

    `value` is None while pending, else an array (NumPy or JAX; a tuple of arrays for several results). `index` is
    scratch space of whoever is encoding the graph. A leaf on the host gets `copy` when a program uses it: None, and the
    second time the array on the device.
    """

    __slots__ = ("call", "inputs", "aval", "value", "graph", "index", "copy")

    def __repr__(self):
        return node_text(self)


def new_node(call, inputs, aval, value, graph):
    """A Node; without a constructor it takes half the time, and `record` has these lines as its own."""
    node = Node()
    node.call = call
    node.inputs = inputs
    node.aval = aval
    node.value = value
    node.graph = graph
    node.index = -1
    return node


@handed_over
class Graph:
    """Nodes in the order in which they were recorded.

    Attributes:
      nodes: list of Node.
      symbolic: whether it is being captured, and its values are not known.
      immediate: how a pending graph runs; None where the process-wide default holds.
      limit: number of nodes at which `_record` looks at what is pending.
      parent: the graph that was recorded into before this symbolic one.
      owner: for the storey above: the function that is being traced.
      cut_point: how many nodes there were after the last assignment to a variable, where a loop may be cut.
      last_program: the program that ran all that was pending the last time.
      dropping: whether much of what was pending was wanted by nobody, and was taken out.
      loop, iteration_ends: the loop whose iterations stay pending, and where these end; see `compile/unrolling`.
      on_host: whether ops that have a NumPy version compute with it at once.
      deciding: nodes of steps that decide on sizes, see `_steps`; of a symbolic graph.
      names: for the storey above, of a symbolic graph: what `note`s each node that is recorded; see `_core/node_names`.
      report: node of the report on conditions of values that has not been looked at; None if there is none. Of a
        pending graph; see `conditions`.
      awaited: the reports of the last two programs, the earlier one first; None for one without.
      assignments: (variable, node before, node after, report in force) of those made under such a report.
      gathering: `_gathering.Gathering` of what replicas record, while not all have come to the same collective.
    """

    __slots__ = (
        "nodes", "symbolic", "immediate", "limit", "lock", "parent", "owner", "cut_point", "last_program", "loop",
        "iteration_ends", "on_host", "report", "assignments", "awaited", "dropping",
        "deciding", "names", "gathering",
    )  # fmt: skip

    def __init__(self, symbolic=False, parent=None, owner=None):
        self.nodes = []
        self.symbolic = symbolic
        self.immediate = None
        self.limit = sys.maxsize if symbolic else RECORDING.loop_check
        self.lock = threading.RLock()
        self.parent = parent
        self.owner = owner
        self.cut_point = 0
        self.last_program = self.loop = None
        self.iteration_ends = []
        self.on_host = False
        self.report: Any = None
        self.awaited: Any = None, None
        self.assignments = []
        self.dropping = False
        self.deciding = []
        self.names: Any = None
        self.gathering: Any = None


def function_trace(graph) -> Any:
    """The `tf.function` being traced into `graph` or into a graph around it: its `owner`. None outside of one."""
    while graph is not None and graph.symbolic:
        if graph.owner is not None:
            return graph.owner
        graph = graph.parent
    return None


# The graph of shared scalar constants. Many programs use these leaves. Each use is an input of its own, so that two
# constants that happen to be equal do not change the structure of a program.
SHARED = Graph()
# The graph of results of `_record.run_at_once` that are in use before they are known.
RUNNING = Graph()
NOWHERE = 1 << 60  # index of a shared leaf, which no place in a graph equals


def leaf(array):
    """A node whose value is `array` (a NumPy array, a JAX array or a tracer)."""
    return new_node(None, (), aval_of_array(array), array, None)


def shared_leaf(array):
    """A leaf that is kept and used by many programs; see `SHARED`."""
    node = new_node(None, (), aval_of_array(array), array, SHARED)
    node.index = NOWHERE
    return node


@handed_over
class Context:
    """What a thread is recording into, and who watches.

    `graph` is recorded into, `pending` is the thread's own graph. `watchers` are called as
    `watcher.observe(call, inputs, outputs)` after every recorded operation, in the order in which they were entered.
    `trial` is None, or the trial run under way (`_core/trial`): it is asked for the sizes of values, told of the shapes
    that the program states, and of variables about to be assigned. `running` are the nodes of `RUNNING` that this
    thread computes. `replica` is the number of the replica, of several, whose function is running; None elsewhere.
    """

    __slots__ = ("graph", "pending", "watchers", "trial", "running", "replica")

    def __init__(self):
        self.graph = self.pending = Graph()
        self.watchers: tuple = ()
        self.trial: Any = None
        self.running: tuple = ()
        self.replica: Any = None

    def of_replica(self, replica):
        """A context that records into the same graphs, for the thread of another replica."""
        context = Context()
        context.graph, context.pending, context.trial, context.replica = self.graph, self.pending, self.trial, replica
        return context


def _part(name):
    return property(lambda self: getattr(self.context, name), lambda self, value: setattr(self.context, name, value))


class _State(threading.local):
    """The `Context` of each thread, and its parts. Look it up once where time counts: thread-local access is slow."""

    graph, pending, watchers = _part("graph"), _part("pending"), _part("watchers")

    def __init__(self):
        self.context = Context()


state = _State()
hand_over(state=state, running=RUNNING)

default_immediate = False


def set_default_mode(mode):
    """How operations run where a thread has no mode of its own: "deferred" or "immediate"."""
    global default_immediate
    default_immediate = mode == "immediate"
    hand_over(immediate=default_immediate)


set_default_mode(os.environ.get("TFCOMPAT_EXECUTION", "deferred"))


def immediate():
    """Whether this thread runs operations as they are called."""
    mode = state.context.pending.immediate
    return default_immediate if mode is None else mode
