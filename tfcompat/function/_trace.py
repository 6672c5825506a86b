"""Tracing: a Python function becomes one operation, with its variables as inputs and outputs."""
import contextlib

import jax

from tfcompat import engine, nest
from tfcompat._convert import to_node
from tfcompat._name_scope import function_names
from tfcompat._spec import TensorSpec
from tfcompat._tensor import Tensor, dtype_of, shape_of, wrap
from tfcompat._variable import Variable
from tfcompat.engine import _executor as executor


@jax.custom_jvp
def _rebind(value, variable):
    return value


@_rebind.defjvp
def _rebind_jvp(primals, tangents):
    return primals[0], tangents[1]


_REBIND = engine.Operation("AssignVariableOp", _rebind)


class FunctionTrace:
    """What a function does to variables while it is being traced."""

    def __init__(self, name):
        self.name = name
        self.capture = None
        self.inputs = {}    # id -> (variable, placeholder): the values at the start
        self.current = {}   # id -> node: the value at this point of the trace
        self.assigned = {}  # id -> variable
        self.created = []
        self.has_custom_gradient = False

    def read(self, variable):
        """The node of a variable's value at this point."""
        node = self.current.get(id(variable))
        if node is None:
            outer = _node_outside(variable, self.capture.graph.parent)
            node = self.capture.placeholder(outer.aval)
            self.inputs[id(variable)] = (variable, node)
            self.current[id(variable)] = node
        return node

    def assign(self, variable, node):
        """From here on the variable has the value `node`, which to derivatives is the variable all the same."""
        self.read(variable)
        start = self.inputs[id(variable)][1]
        if start.aval is node.aval and node.aval.inexact:
            node = engine.apply(_REBIND, (node, start))
        self.current[id(variable)] = node
        self.assigned[id(variable)] = variable

    def initial_value(self, node):
        """The concrete node of an initial value computed while tracing.

        Raises:
          ValueError: it depends on the function's arguments.
        """
        if not (node.value is None and node.graph.symbolic):
            return node
        program, captures = executor.program_of(node.graph, [], [node])
        if any(n.value is None and n.graph.symbolic for n in captures):
            raise ValueError(
                f"tf.function {self.name}: the initial value of a tf.Variable depends on an argument of the function; "
                "pass a function without arguments, or create the variable outside"
            )
        with engine.eager_scope():
            return engine.apply(engine.Operation("InitialValue", program.replay), tuple(captures))[0]


def _node_outside(variable, graph):
    """The variable's node as seen from `graph`, which may belong to a function being traced itself."""
    from tfcompat._variable import function_trace

    trace = function_trace(graph)
    return variable._node if trace is None else trace.read(variable)


@contextlib.contextmanager
def init_scope():
    """Leaves the function being traced: operations in the context run eagerly. TF: `tf.init_scope`."""
    with engine.eager_scope():
        yield


class ConcreteOperation:
    """The outcome of one trace: an operation and what it reads and writes.

    `call(nodes)` takes the nodes of the tensor arguments and returns the nodes of the tensor results.
    """

    def __init__(self, python_function, args, kwargs, avals, name):
        trace = self.trace = FunctionTrace(name)
        with function_names(), engine.Capture(owner=trace) as capture:
            trace.capture = capture
            tensors = [wrap(capture.placeholder(aval)) for aval in avals]
            result = python_function(*args(tensors), **kwargs(tensors))
            self.structure = result
            flat = nest.flatten(result, expand_composites=True)
            self.is_tensor = [_becomes_tensor(x) for x in flat]
            self.others = [None if t else x for x, t in zip(flat, self.is_tensor, strict=True)]
            outputs = [to_node(x) for x, t in zip(flat, self.is_tensor, strict=True) if t]
            written = [trace.current[key] for key in trace.assigned]
        # Placeholders were made in the order: arguments, then variables as they were first read.
        # To TF a function is one op: a gradient of one of its results is connected to what any result depends on.
        self.operation, self.captures = capture.operation([*outputs, *written], name, together=len(outputs))
        self.variables = [variable for variable, _ in trace.inputs.values()]
        self.assigned = list(trace.assigned.values())
        self.outputs = outputs
        self.has_custom_gradient = trace.has_custom_gradient

    def call(self, nodes):
        """Records one call; assigns the variables; returns the nodes of the results."""
        inputs = (*nodes, *[v._as_node() for v in self.variables], *self.captures)
        results = engine.apply(self.operation, inputs)
        count = len(self.outputs)
        for variable, node in zip(self.assigned, results[count:], strict=True):
            variable._set(node)
        return results[:count]

    def pack(self, nodes):
        """The function's result from the nodes of its tensors."""
        tensors = iter(nodes)
        flat = [wrap(next(tensors)) if t else x for t, x in zip(self.is_tensor, self.others, strict=True)]
        return nest.pack_sequence_as(self.structure, flat, expand_composites=True)


    def specs(self):
        """The function's result with a TensorSpec for each tensor."""
        specs = iter([_spec_of(node) for node in self.outputs])
        flat = [next(specs) if t else x for t, x in zip(self.is_tensor, self.others, strict=True)]
        return nest.pack_sequence_as(self.structure, flat, expand_composites=True)


def _spec_of(node):
    return TensorSpec(shape_of(node), dtype_of(node))


def _becomes_tensor(x):
    """Whether a value that a traced function returns is one of its outputs, rather than handed through."""
    if x is None:
        return False
    if isinstance(x, Tensor | Variable):
        return True
    try:
        to_node(x)
    except (TypeError, ValueError):
        return False
    return True
