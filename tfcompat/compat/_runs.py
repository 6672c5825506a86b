"""What a session does: it calls the operations that its fetches need again, with values, as one compiled function."""

import functools
import itertools
from typing import Any

import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.graphs import GraphTensor
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.streams import Frame, entered_here
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import ResourceVariable, Variable
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError
from tfcompat.function import function as tf_function
from tfcompat.function._gradients import gradients
from tfcompat.raw_ops._state import Unassigned, variable_of
from tfcompat.tape import GradientTape


class State:
    """What a session keeps from run to run: variables, and the states of random ops."""

    def __init__(self):
        self.variables: dict = {}  # of the graph -> ResourceVariable
        self.random: dict = {}  # operation -> states of its random ops
        self.kept: dict = {}  # operation -> what else it keeps: iterators

    def variable(self, variable):
        """The variable that holds the value of one of the graph.

        Raises:
          tf.errors.FailedPreconditionError: it is not initialized.
        """
        held = self.variables.get(variable)
        if held is None:
            raise FailedPreconditionError(
                None, None,
                f"Could not find variable {variable._name}. This could mean that the variable has been deleted. In "
                "TF1, it can also mean the variable is uninitialized.",
            )  # fmt: skip
        return held

    def initialize(self, variable, value):
        """Gives a variable of the graph its first value."""
        self.variables[variable] = ResourceVariable(
            value, trainable=variable.trainable, name=f"{variable._name}/", dtype=variable.dtype,
            shape=variable.shape, constraint=variable.constraint,
        )  # fmt: skip


def assigned(variable, method, args):
    """Calls a method that assigns a variable; one of rows with their indices and new values."""
    if method.startswith("scatter_") and "_nd_" not in method:
        indices, updates = args
        updates = convert_to_tensor(updates, dtype_hint=variable.dtype)
        args = (IndexedSlices(updates, convert_to_tensor(indices)),)
    return getattr(variable, method)(*args)


class Run:
    """Stands for the tensors and variables of a graph while operations are computed; see `graphs.computing`."""

    def __init__(self, graph, state, values):
        self.graph, self.state, self.values, self.tape = graph, state, values, None

    def value_of(self, tensor):
        if tensor not in self.values:
            raise InvalidArgumentError(
                None, None, f"{tensor.name} is used by a Python function that did not use it when it was recorded"
            )
        return self.values[tensor]

    def variable(self, variable):
        return self.state.variable(variable)

    def has(self, variable):
        return variable in self.state.variables

    def call(self, variable, method, *args):
        """Assigns to a variable; returns its new value."""
        if method == "initialize" or method == "assign" and not self.has(variable):
            if not self.has(variable):
                self.state.initialize(variable, args[0])
                return self.variable(variable).read_value()
            method = "assign"
        held = self.variable(variable)
        assigned(held, method, args)
        return held.read_value()

    def compute(self, op):
        """Computes the outputs of an operation."""
        args = nest.map_structure(graphs.resolved, op.args)
        kwargs = nest.map_structure(graphs.resolved, op.kwargs)
        if op.draws:
            frame = Frame(None, self.state.random.setdefault(op, {}))
            frame.seed, frame.unseeded = op.graph.seed, op.first_unseeded
            with entered_here(frame):
                results = op.function(*args, **kwargs)
        else:
            results = op.function(*args, **kwargs)
        flat = [x for x, kind in zip(nest.flatten(results), nest.flatten(op.structure), strict=True)
                if isinstance(kind, graphs.Result)]  # fmt: skip
        for tensor, x in zip(op.outputs, flat, strict=True):
            if "holds" not in op.attributes and tensor.dtype not in _HANDLES:
                x = _as_tensor(x)
            self.values[tensor] = x


_HANDLES = (dtypes.resource, dtypes.variant)  # Python objects stand for what these refer to


def _as_tensor(x):
    """The value of what an operation gave, which may be a tensor of the graph that a function closes over."""
    x = graphs.resolved(x)
    if isinstance(x, Variable | Unassigned):
        return variable_of(x).read_value()
    return x if isinstance(x, Tensor | IndexedSlices) else convert_to_tensor(x)


class Plan:
    """What is computed for some fetches, when some tensors are fed: operations in order.

    Args:
      fetches: list of tensors and operations.
      fed: list of tensors.
      done: set of operations that have run.

    Elements of datasets and queues are drawn first, each from what is computed for it. Then one compiled function
    computes most operations. Text that nothing but text is made of, such as summaries, is made by Python after it.
    """

    def __init__(self, fetches, fed, done=frozenset()):
        self.graph = fetches[0].graph if fetches else None
        self.fetches = [x for x in fetches if isinstance(x, GraphTensor) and x not in fed]
        ordered = in_order(needed(fetches, set(fed), done))
        self.drawn = [op for op in ordered if "draw" in op.attributes]
        self.sources_of_draws, self.fed, done = {}, [*fed], {*done}
        for op in self.drawn:
            self._plan_sources(op, ordered, done)
            done.add(op)
            self.fed += op.outputs
        ordered = [op for op in ordered if op not in done]
        self.late = _text_at_the_end(ordered)
        self.operations = [op for op in ordered if op not in self.late]
        known = {*self.fed, *[x for op in self.operations for x in op.outputs]}
        used = [*self.fetches, *[x for op in self.late for x in (*op.inputs, *op.captures)]]
        self.passed = [x for x in dict.fromkeys(used) if x in known]
        self.sources = {x for op in self.operations if op.type == "Gradients" for x in nest.flatten(op.args[1])}
        self.initialized = [x for op in self.operations for x in op.attributes.get("initializes", ())]
        texts = [x for x in (*self.fed, *known) if x.dtype.name == "string"]
        self.in_python = bool(texts) or any("on_host" in op.attributes for op in self.operations)
        self.compiled: Any = None
        reads = [(x, x.op.args[0]) for x in self.fetches if x.op.type == "ReadVariableOp" and x.op.args]
        self.variables_fetched = [
            (x, v) for x, v in reads if isinstance(v, graphs.Recorded) and not isinstance(v, GraphTensor)
            and x is v.value_in_graph
        ]  # fmt: skip

    def _plan_sources(self, op, ordered, done):
        """Plans what is drawn from, and what others use of that: no operation runs twice."""
        if op.inputs:
            sources = needed(op.inputs, set(self.fed), done)
            used = {x for other in ordered if other not in sources for x in (*other.inputs, *other.captures)}
            made = [x for other in sources for x in other.outputs if x.dtype not in _HANDLES]
            shared = [x for x in made if x in used or x in self.fetches]
            self.sources_of_draws[op] = Plan([*op.inputs, *shared], [*self.fed], {*done}), shared
            done.update(sources)
            self.fed += shared

    def run(self, state, values):
        """The values of the fetched tensors, a list of tensors, when those of the fed ones are `values`."""
        with graphs.paused():
            values = [*values]
            for op in self.drawn:
                values += self._drawn(op, state, values)
            if not self.operations:
                passed = [convert_to_tensor(dict(zip(self.fed, values, strict=True))[x]) for x in self.passed]
            elif self.in_python or any(variable not in state.variables for variable in self.initialized):
                passed = self._computed(state, *map(convert_to_tensor, values))
            else:
                if self.compiled is None:
                    self.compiled = self._compiled(state)
                passed = self.compiled(*values)
            run = Run(self.graph, state, dict(zip(self.passed, passed, strict=True)))
            with graphs.computing(run):
                for op in self.late:
                    run.compute(op)
            return [_as_tensor(run.values[x]) for x in self.fetches]

    def _drawn(self, op, state, values):
        """The values that `op` adds to those that are known: of what is shared of its sources, and what it draws."""
        draw = op.attributes["draw"]
        if op not in self.sources_of_draws:
            return draw(state)
        plan, shared = self.sources_of_draws[op]
        known = dict(zip(self.fed, values, strict=False))
        known.update(zip(plan.fetches, plan.run(state, values), strict=True))
        return [*[known[x] for x in shared], *draw(state, *[known[x] for x in op.inputs])]

    def _compiled(self, state):
        run = functools.partial(self._computed, state)
        run.__name__ = "Session.run"  # pyright: ignore
        compiled = tf_function(run, autograph=False)
        compiled.warns = False  # of traces for many shapes
        return compiled

    def _computed(self, state, *values):
        """The values of what is passed on, where `values` are those of what is fed."""
        run = Run(self.graph, state, dict(zip(self.fed, values, strict=True)))
        trace = engine.function_trace(engine.state.graph)
        if trace is not None:
            trace.forgets_sizes = True  # what is wrong with a graph is found when it is made, the rest in a run
        with graphs.computing(run):
            if self.sources and not engine.state.graph.symbolic:
                with GradientTape(persistent=True) as run.tape:
                    self._compute_all(run)
            else:
                self._compute_all(run)
            return [run.values[x] if x.dtype in _HANDLES else _as_tensor(run.values[x]) for x in self.passed]

    def _compute_all(self, run):
        if run.tape is not None:
            run.tape.watch([graphs.resolved(x) for x in self.sources if not isinstance(x, GraphTensor)])
            run.tape.watch([run.values[x] for x in self.fed if x in self.sources])
        for op in self.operations:
            run.compute(op)
            if run.tape is not None:
                run.tape.watch([run.values[x] for x in op.outputs if x in self.sources])


def _text_at_the_end(ordered):
    """The operations that give text of which only text is made, in order."""
    late, waited = [], set()  # what others wait for
    for op in reversed(ordered):
        gives_text = any(x.dtype.name == "string" for x in op.outputs)
        does_more = op.effect or op.variables or op.draws or "draw" in op.attributes
        if gives_text and op not in waited and not does_more:
            late.append(op)
        else:
            waited.update(x.op for x in itertools.chain(op.inputs, op.captures))
            waited.update(op.control_inputs)
    return late[::-1]


def derivatives(ys, xs, grad_ys, stopped):
    """In a run: the gradients that an operation of type `Gradients` gives."""
    tape = graphs.state.run.tape
    if tape is None:
        results = gradients(ys, xs, grad_ys, stop_gradients=stopped, unconnected_gradients="zero")
    else:
        results = tape.gradient(ys, xs, grad_ys, unconnected_gradients="zero")
    return results


def needed(fetches, fed, done=frozenset()):
    """The operations that some tensors and operations depend on, when others are fed, or have run."""
    needed: dict = {}
    waiting = [x.op if isinstance(x, GraphTensor) else x for x in fetches if x not in fed]
    while waiting:
        op = waiting.pop()
        if op in needed or op in done:
            continue
        needed[op] = True
        waiting += [x.op for x in itertools.chain(op.inputs, op.captures) if x not in fed]
        waiting += op.control_inputs
    return needed


def in_order(needed):
    """Operations in the order of recording, but those that assign variables come as late as they can.

    TensorFlow reads variables as soon as it may, so what does not wait for an assignment sees the value before it.
    """
    waits: dict = {}  # operation -> those that it waits for
    late: set = set()  # operations that come after an assignment
    ordered = sorted(needed, key=lambda op: op.number)
    for op in ordered:
        before = [x.op for x in itertools.chain(op.inputs, op.captures) if x.op in needed] + op.control_inputs
        waits[op] = before
        if op.effect or any(x in late for x in before):
            late.add(op)
    result = [op for op in ordered if op not in late]
    done, left = set(result), [op for op in ordered if op in late]
    while left:
        ready = [op for op in left if all(x in done or x not in needed for x in waits[op])]
        chosen = [op for op in ready if not op.effect] or ready[:1]
        result += chosen
        done.update(chosen)
        left = [op for op in left if op not in done]
    return result


def fed_array(tensor, value):
    """A value that is fed for a tensor, as an array of its dtype.

    Raises:
      TypeError: it is a tensor.
      ValueError: its shape does not fit.
    """
    if isinstance(value, Tensor | Variable):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
            f"lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {value} which was passed "
            f"to the argument `feed_dict` with key {tensor}."
        )
    dtype = tensor.dtype.np
    if isinstance(value, int) and dtype.kind in "iu" and not isinstance(value, bool):
        if int(np.array(value).astype(dtype)) != value:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {dtype}. Try "
                "explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
            )
    array = np.asarray(value, None if dtype.kind == "O" else dtype)
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape {tensor.shape}"
        )
    return array

