"""Capturing: what is recorded in a context becomes one operation."""

import functools

import jax.numpy as jnp
import numpy as np

from tfcompat.engine import _interrupts, replicas
from tfcompat.engine import _policy as policy
from tfcompat.engine._aval import NO_ATTRIBUTES, TupleAval, attributes_of
from tfcompat.engine._bind import Call, Operation
from tfcompat.engine._dependence import of_calls
from tfcompat.engine._flush import program_of
from tfcompat.engine._graph import SHARED, Graph, new_node, state
from tfcompat.engine._steps import has_steps, played


class Capture:
    """Records what is done in its context into a symbolic graph.

    Watchers outside do not see the operations inside. They see the one operation that is made of them.
    """

    def __init__(self, owner=None):
        self.graph = Graph(symbolic=True, parent=state.graph, owner=owner)
        self.placeholders = []

    def __enter__(self):
        # An interrupt where `__exit__` begins would leave what follows in the graph.
        self._delay = _interrupts.delayed()
        self._delay.__enter__()
        self._outer = (state.graph, state.watchers)
        state.graph, state.watchers = self.graph, ()
        return self

    def __exit__(self, *exc):
        state.graph, state.watchers = self._outer
        self._delay.__exit__(None, None, None)

    def placeholder(self, aval):
        """A node whose value is an argument when the graph is replayed."""
        node = new_node(None, (), aval, None, self.graph)
        self.placeholders.append(node)
        return node

    def keep_constants(self):
        """Makes shared constants part of what is captured. They are no inputs then, and XLA knows their values.

        A capture with other values is another operation.
        """
        constants: dict = {}  # in the order of their use, which is the same each time
        for node in self.graph.nodes:
            for source in node.inputs:
                if source.graph is SHARED and source not in constants:
                    constants[source] = self._constant(source)
        for node in self.graph.nodes:
            if not constants.keys().isdisjoint(node.inputs):
                node.inputs = tuple([constants.get(source, source) for source in node.inputs])
        self.graph.nodes[:0] = constants.values()

    def _constant(self, constant):
        array = np.asarray(constant.value)
        call = _CONSTANT.bind(attributes_of(array.tobytes(), array.dtype, array.shape), ())
        return new_node(call, (), call.aval, None, self.graph)

    def operation(self, outputs, name, coupled=0):
        """The captured graph as an operation.

        Args:
          outputs: list of nodes, computed in the graph, placeholders, or from outside.
          name: of the operation.
          coupled: see `of_calls`.

        Returns:
          (operation, captures): the operation takes the values of the placeholders, then of `captures` (nodes
          from outside that the graph uses), and returns a tuple of arrays. Graphs of equal structure share one.
        """
        program, captures = program_of(self.graph, self.placeholders, outputs)
        avals = tuple([node.aval for node in (*self.placeholders, *captures)])
        in_steps = has_steps(program, avals)
        of_sizes = in_steps or not all([type(size) is int for aval in avals for size in aval.shape])
        key = (program.key, coupled, of_sizes and avals)
        operation = _captured.pop(key, None)
        if operation is None:
            weight = max(len(program.steps), sum([call.weight for call, _ in program.steps]), 1)
            depends = functools.partial(of_calls, program.steps, program.outputs, coupled)
            conditional = any([call.operation.conditional for call, _ in program.steps])
            operation = Operation(name, program.replay, composed=depends, weight=weight, conditional=conditional)
            operation.avals = avals if of_sizes else None
            if in_steps:
                operation.step = functools.partial(played, program, avals)
            if len(_captured) >= policy.KEEPING.captured:
                _captured.pop(next(iter(_captured)), None)
        operation = _captured.setdefault(key, operation)  # the last to be forgotten
        if (NO_ATTRIBUTES, *avals) not in operation.calls and not any(aval.traced for aval in avals):
            # The avals of its results are those of the nodes: it need not be traced for them.
            result = TupleAval(node.aval for node in outputs)
            call = Call(operation, NO_ATTRIBUTES, operation.fn, avals, result)
            operation.calls.setdefault((NO_ATTRIBUTES, *avals), call)
        return operation, captures

    def forget(self):
        """Frees what was captured without waiting for the garbage collector: nodes and graph refer to each other."""
        self.graph.nodes.clear()
        self.graph.names = None


_captured: dict = {}
_CONSTANT = Operation(
    "Const", lambda *, data, dtype, shape: jnp.asarray(np.frombuffer(data, dtype).reshape(shape)),
    ("data", "dtype", "shape"), differentiable=False,
)  # fmt: skip
_CONSTANT.identity = None  # its calls differ in more than sizes
replicas.CONSTANTS.add(_CONSTANT)
