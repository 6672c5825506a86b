"""Graphs of TensorFlow 1: calls are recorded as operations, and a session runs those that its fetches need.

An `Operation` keeps the function that was called, and its arguments. A run calls the functions again, with values in
place of the graph's tensors; `tfcompat/compat/_runs.py` does so, and compiles what it calls.
"""
import collections.abc
import contextlib
import functools
import operator
import re
from typing import Any

import numpy as np

from tfcompat import engine, nest
from tfcompat._core import graph_constants as constants
from tfcompat._core import name_scope as _name_scope
from tfcompat._core.closures import as_it_is
from tfcompat._core.composite import CompositeArgument, PassedOn
from tfcompat._core.convert import converted, is_registered, to_node
from tfcompat._core.graph_state import paused as paused
from tfcompat._core.graph_state import process as process
from tfcompat._core.graph_state import state as state
from tfcompat._core.graph_state import upstairs as upstairs
from tfcompat._core.shape import Dimension, TensorShape
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable_context import creators
from tfcompat.errors import OperatorNotAllowedInGraphError, UnimplementedError


def _count_entered(change):
    with process.lock:
        before, process.entered = process.entered, process.entered + change
        if before == 0:
            upstairs.begin()
        elif process.entered == 0:
            upstairs.end()


def current():
    """The graph that calls are recorded in; None where they are computed."""
    if state.run is not None or engine.state.graph.symbolic:
        return None
    return state.entered[-1] if state.entered else process.default


def disable_eager_execution():
    """Makes all calls be recorded from now on, in a graph that is the default one."""
    if process.default is None:
        _count_entered(1)
        creators().insert(0, upstairs.make_variable)
        reset_default_graph()


def reset_default_graph():
    """Forgets the default graph, and begins another one.

    Raises:
      AssertionError: a graph has been entered.
    """
    if any(graph is not None for graph in state.entered):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
            "and create a new graph."
        )
    process.default = graph = Graph()
    _name_scope.use_counters(graph.counters)


at_eager_reset: list = []  # functions that forget what TensorFlow keeps with the default graph of eager code


def reset_eager_graph():
    """Forgets the names of layers given so far, and collections, as TensorFlow does with the default graph."""
    for forget in at_eager_reset:
        forget()


@contextlib.contextmanager
def computing(run):
    """Context in which calls are computed, and `run` stands for the graph's tensors and variables."""
    outer, state.run = state.run, run
    try:
        yield
    finally:
        state.run = outer


def in_session(function):
    """Wraps a function of Keras: where a graph is built, it is called in the session with the values of the graph."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if current() is None:
            return function(*args, **kwargs)
        with upstairs.training():
            return function(*args, **kwargs)

    return wrapped


class CompositeResult(UnimplementedError):
    """A call gives tensors that consist of several."""


class Result:
    """What is known of a result before it is computed: shape, dtype, and samples of its value if sizes decide it.

    Attributes:
      made_up: None, or of what is no tensor: a function of a size, for those that are not known, to what stands for it.
      stand_in: of what is no tensor, a function that gives the components of what stands for it where sizes are tried.
    """

    made_up: Any = None
    stand_in: Any = None

    def __init__(self, shape, dtype, samples=None):
        self.shape, self.dtype, self.samples = TensorShape(shape), dtype, samples


class Inferred:
    """What a call gives, learned without computing it.

    Attributes:
      results: its structure, with a `Result` for each tensor.
      captures: tensors of the graph that functions among the arguments use.
      variables: variables that they use.
      draws: whether it draws random numbers.
      unseeded: how many random ops without a seed there are in it.
    """

    def __init__(self, results, captures=(), variables=(), draws=False, unseeded=0):
        self.results, self.captures, self.variables = results, list(captures), list(variables)
        self.draws, self.unseeded = draws, unseeded


class Operation:
    """An operation of a graph; a graph makes them.

    TF: `tf.Operation`. One that was imported has a `node_def`; others are calls of Python functions.
    """

    graph: Any
    name: Any
    type: Any
    inputs: Any
    control_inputs: Any
    outputs: Any
    attributes: Any

    def __init__(self, /, *args, **kwargs):
        raise TypeError("tf.Operation: a tf.Graph makes operations, where ops are called")

    def run(self, feed_dict=None, session=None):
        """Runs the operation in a session, by default the default one. TF: `tf.Operation.run`."""
        session_for(session, "execute operation using `run()`", "run").run(self, feed_dict)

    def values(self):
        """Tuple of the outputs."""
        return tuple(self.outputs)

    def get_attr(self, name):
        """An attribute: `dtype` and `shape` of placeholders.

        Raises:
          ValueError: there is none of this name.
        """
        if name not in self.attributes:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return self.attributes[name]

    @property
    def device(self):
        """The empty string: XLA places operations."""
        return ""

    def colocation_groups(self):
        """A group of its own, as in TF where nothing else is said."""
        return [f"loc:@{self.name}".encode()]

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self):
        lines = [f'name: "{self.name}"', f'op: "{self.type}"']
        lines += [f'input: "{x.op.name if not x.value_index else x.name}"' for x in self.inputs]
        lines += [f'input: "^{op.name}"' for op in self.control_inputs]
        return "\n".join(lines) + "\n"


class RecordedOperation(Operation):
    """A call of a Python function.

    Args:
      graph, name: where it belongs.
      kind: TF's name of the kernel.
      function, args, kwargs: the call.
      inferred: `Inferred`, what it gives.
      effect: whether it assigns variables.
      attributes: dict of what else is known.
    """

    def __init__(self, graph, name, kind, function, args, kwargs, inferred, effect=False, attributes=None):
        self.graph, self.name, self.type = graph, name, kind
        self.function, self.args, self.kwargs = function, args, kwargs
        self.attributes = attributes or {}
        flat = nest.flatten((args, kwargs))
        self.inputs = [x for x in flat if isinstance(x, GraphTensor)]
        self.captures = inferred.captures
        self.variables = [x for x in flat if isinstance(x, Recorded) and x not in self.inputs] + inferred.variables
        self.draws, self.first_unseeded = inferred.draws, graph.unseeded
        self.effect = effect
        self.control_inputs = graph.control_inputs()
        self.structure = inferred.results
        self.outputs = []
        for result in nest.flatten(inferred.results):
            if isinstance(result, Result):
                self.outputs.append(GraphTensor(self, len(self.outputs), result))

    def results(self):
        """What the call returns: the outputs in its structure; the operation itself where there are none."""
        if not self.outputs:
            return self
        outputs = iter(self.outputs)
        return nest.map_structure(lambda x: next(outputs) if isinstance(x, Result) else x, self.structure)


def session_for(session, what, method):
    session = session or upstairs.default_session()
    if session is None:
        raise ValueError(
            f"Cannot {what}: No default session is registered. Use `with sess.as_default()` or pass an explicit "
            f"session to `{method}(session=sess)`"
        )
    return session


class Recorded:
    """A tensor or variable of a graph: its operators are recorded, too. `in_run()` is what stands for it in a run."""

    graph: Any
    in_run: Any
    value_in_graph: Any  # of a variable
    _tf_operators_first = True
    __array_priority__ = 200
    __array_ufunc__ = None

    def _record_call(self, names, function, args, kwargs):
        return record(function, args, kwargs)

    def _record_slice(self, tensor, key):
        return _sliced(tensor, key)

    def __getitem__(self, key):
        return _sliced(self, key)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __bool__(self):
        _not_allowed("Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.")


def _not_allowed(what):
    raise OperatorNotAllowedInGraphError(
        f"{what} You can attempt the following resolutions to the problem: If you are running in Graph mode, use Eager "
        "execution mode or decorate this function with @tf.function. If you are using AutoGraph, you can try "
        "decorating this function with @tf.function. If that does not work, then you may be using an unsupported "
        "feature or your source code may not be visible to AutoGraph."
    )


def _operator(name, function, kind, default, reflects=True):
    def forward(self, *others):
        return record(function, (self, *others), {}, default, kind)

    def reflected(self, other):
        return record(function, (other, self), {}, default, kind)

    setattr(Recorded, f"__{name}__", forward)
    if reflects:
        setattr(Recorded, f"__r{name}__", reflected)


for _name, _function, _kind, _default in (
    ("add", operator.add, "AddV2", "add"), ("sub", operator.sub, "Sub", "sub"), ("mul", operator.mul, "Mul", "mul"),
    ("truediv", operator.truediv, "RealDiv", "truediv"), ("floordiv", operator.floordiv, "FloorDiv", "floordiv"),
    ("mod", operator.mod, "FloorMod", "mod"), ("pow", operator.pow, "Pow", "pow"),
    ("matmul", operator.matmul, "MatMul", "matmul"), ("and", operator.and_, "LogicalAnd", "and"),
    ("or", operator.or_, "LogicalOr", "or"), ("xor", operator.xor, "LogicalXor", "xor"),
):  # fmt: skip
    _operator(_name, _function, _kind, _default)
for _name, _function, _kind, _default in (
    ("neg", operator.neg, "Neg", "Neg"), ("abs", operator.abs, "Abs", "Abs"),
    ("invert", operator.invert, "LogicalNot", "LogicalNot"), ("lt", operator.lt, "Less", "Less"),
    ("le", operator.le, "LessEqual", "LessEqual"), ("gt", operator.gt, "Greater", "Greater"),
    ("ge", operator.ge, "GreaterEqual", "GreaterEqual"),
):  # fmt: skip
    _operator(_name, _function, _kind, _default, reflects=False)


def _sliced(tensor, key):
    """`tensor[key]`, recorded; the bounds of slices may be tensors of the graph."""
    entries = [
        {"start": x.start, "stop": x.stop, "step": x.step} if isinstance(x, slice) else x
        for x in (key if isinstance(key, tuple) else (key,))
    ]
    return record(_slice, (tensor, entries), {}, "strided_slice", "StridedSlice")


def _slice(tensor, entries):
    keys = tuple([slice(x["start"], x["stop"], x["step"]) if isinstance(x, dict) else x for x in entries])
    return tensor[keys if len(keys) != 1 else keys[0]]


_UNASKED = object()


class GraphTensor(Recorded, Tensor, PassedOn):
    """A result of an operation. A session computes its value. TF: `tf.Tensor` of a graph."""

    __module__ = "tensorflow.python.framework.ops"
    __hash__ = Recorded.__hash__

    def __init__(self, op, value_index, result):
        self._op, self.value_index = op, value_index
        self._result, self._known, self._folded = result, _UNASKED, _UNASKED

    @property
    def _node(self) -> Any:  # pyright: ignore
        if state.run is None:
            raise CompositeArgument(self)
        return to_node(state.run.value_of(self))

    def in_run(self):
        """The value in the run that is under way."""
        return state.run.value_of(self)

    op = property(lambda self: self._op, doc="The operation that gives it.")
    graph = property(lambda self: self.op.graph, doc="The graph.")
    name = property(lambda self: f"{self.op.name}:{self.value_index}", doc="Name with the number of the output.")
    shape = property(lambda self: process.shapes(self._result.shape), doc="TensorShape, as far as it is known.")
    dtype = property(lambda self: self._result.dtype, doc="DType of the elements.")
    device = property(lambda self: "", doc="The empty string: XLA places operations.")

    def get_shape(self):
        """The shape, as the attribute."""
        return self.shape

    def set_shape(self, shape):
        """Refines the shape; ValueError if it contradicts what is known."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Shapes {self.shape} and {TensorShape(shape)} are incompatible")
        self._result = Result(self.shape.merge_with(shape), self.dtype, self._result.samples)

    @property
    def ndim(self):
        """Number of dimensions, None if it is not known."""
        return self.shape.rank

    def _rank(self):
        return self.shape.rank

    def known_value(self):
        """What `tf.get_static_value` tells: an array for constants, what they are put together to, and sizes; or None.

        As in TensorFlow, arithmetic and slices are not looked through.
        """
        if self._known is _UNASKED:
            self._known = constants.known_value(self)
        return self._known

    def folded_value(self):
        """The value as an array where constants decide it, by which TensorFlow tells shapes; else None."""
        if self._folded is _UNASKED:
            self._folded = constants.folded_value(self)
        return self._folded

    def eval(self, feed_dict=None, session=None):
        """The value, computed by a session, by default the default one. TF: `tf.Tensor.eval`."""
        return session_for(session, "evaluate tensor using `eval()`", "eval").run(self, feed_dict)

    def consumers(self):
        """The operations that take this tensor."""
        return [op for op in self.graph.get_operations() if any(x is self for x in op.inputs)]

    def __iter__(self):
        if current() is not None:
            _not_allowed("Iterating over a symbolic `tf.Tensor` is not allowed.")
        return iter(wrap(self._node))

    def __len__(self):
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)` "
            "for shape information."
        )

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported."
        )

    def __float__(self):
        raise TypeError(f"float() argument must be a string or a real number, not {type(self).__name__!r}")

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self):
        shape = f", shape={self.shape}" if self.shape.rank is not None else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'


GraphTensor.__name__ = GraphTensor.__qualname__ = "SymbolicTensor"  # as users see it


def record(function, args, kwargs, name=None, kind=None, inferred=None, **options) -> Any:
    """What a call gives: tensors of the graph, in the structure that it returns; values while a run is under way.

    Args:
      function: of values; called in each run.
      args, kwargs: structures with tensors and variables of the graph in them. `name` among them names the operation.
      name: of the operation, if `kwargs` has none; by default its kind.
      kind: TF's name of the kernel; by default that of the function.
      inferred: `Inferred`, what the call gives; by default that is learned by a trial.
      **options: of `Operation`.

    Raises:
      ValueError: arguments are of different graphs.
    """
    if state.run is not None:
        args, kwargs = _resolved_arguments(args, kwargs)
        return function(*args, **kwargs)
    flat = nest.flatten((tuple(args), dict(kwargs)))
    has_composites = any(isinstance(x, upstairs.composites) for x in flat)
    args, kwargs = _recordable_arguments(args, kwargs)
    name = kwargs.pop("name", None) or name
    graph = _graph_of(nest.flatten((args, kwargs)))
    kind = kind or kind_of(function)
    known: Any = inferred
    check = constants.is_check(kind)
    if check and not any(isinstance(x, Recorded) for x in flat):
        constants.computed_now(function, args, kwargs)
        check = False  # it has been made
    if known is None and not has_composites:
        try:
            known = upstairs.inferred(function, args, kwargs, graph, kind)
            has_composites = upstairs.has_parts(known.results)
        except CompositeResult:
            has_composites = True
    if check:
        constants.computed_now(function, args, kwargs)
    if has_composites:
        function = upstairs.rebuilding(function)
        known = known or function.inferred(args, kwargs)
    seen: Any = nest.map_structure(as_it_is, (args, kwargs))
    args, kwargs = seen
    op = RecordedOperation(graph, graph.unique_op_name(name or kind), kind, function, args, kwargs, known, **options)
    graph.add(op, known.unseeded)  # pyright: ignore
    return upstairs.composed(op.results()) if has_composites else op.results()


def _recordable_arguments(args, kwargs) -> Any:
    """Copies of (args, kwargs) and of arrays in them, with numbers in place of `Dimension`s.

    What a program has registered to become tensors becomes tensors of the graph.
    """
    return nest.map_structure(_recordable, (tuple(args), dict(kwargs)))


def _recordable(x):
    if isinstance(x, Dimension):
        return x.value
    if isinstance(x, upstairs.composites):
        return x.parts()
    if type(x) is np.ndarray:
        return x.copy()
    if isinstance(x, Recorded | Tensor) or not is_registered(x):
        return x
    made = converted(x)
    return x.__tf_tensor__(None, None) if made is None else made


def _resolved_arguments(args, kwargs) -> Any:
    return nest.map_structure(resolved, (tuple(args), dict(kwargs)))


def resolved(x):
    """The value that stands for a tensor or variable of the graph in the run; other values themselves."""
    return x.in_run() if isinstance(x, (Recorded, *upstairs.composites)) else x


def kind_of(function):
    """TF's name of the kernel of a function, or what is most like it."""
    return kernel_of(function) or getattr(function, "__name__", type(function).__name__).strip("_")


def kernel_of(function):
    """TF's name of the kernel of an op; None for other functions."""
    return getattr(function, "kernel", None) or getattr(getattr(function, "spec", None), "kernel", None)


def _graph_of(values) -> Any:
    """The graph that a call with these arguments is recorded in."""
    first = None
    for x in values:
        if isinstance(x, Recorded):
            if first is not None and x.graph is not first.graph:
                raise ValueError(
                    f"{x} must be from the same graph as {first} (graphs are {x.graph} and {first.graph})."
                )
            first = x if first is None else first
    return current() if first is None else first.graph


class Graph:
    """Operations in the order in which they were recorded, their names, and collections.

    TF: `tf.Graph`. An operation is a call of a Python function, or an imported node.
    """

    building_function = False

    def __init__(self):
        self.operations: list = []
        self.by_name: dict = {}
        self.counters: dict = {}
        self.collections: dict = {}
        self.variables: dict = {}  # of `get_variable`, by full name
        self.scopes: Any = None  # of variables; those who open them set it
        self.seed: Any = None
        self.unseeded = 0
        self.finalized = False
        # Of GraphDefs that were imported: the variables that tensors stand for, functions by name, and the nodes of
        # loops, which are no operations here.
        self.held_by: dict = {}
        self.functions: dict = {}
        self.loop_nodes: dict = {}
        self.exported: Any = None  # what `as_graph_def` made last
        self._control: list = [()]

    @contextlib.contextmanager
    def as_default(self):
        """A context in which calls are recorded in this graph. In the trace of a function it has no effect."""
        if engine.state.graph.symbolic:
            yield self
            return
        _count_entered(1)
        state.entered.append(self)
        creators().insert(0, upstairs.make_variable)
        try:
            with _name_scope.using_counters(self.counters):
                yield self
        finally:
            creators().remove(upstairs.make_variable)
            state.entered.pop()
            _count_entered(-1)

    def add(self, op, unseeded=0):
        """Adds an operation, which has so many random ops without a seed."""
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        op.number = len(self.operations)
        self.operations.append(op)
        self.by_name[op.name] = op
        self.unseeded += unseeded

    def finalize(self):
        """Refuses further operations: RuntimeError."""
        self.finalized = True

    def unique_name(self, name, mark_as_used=True):
        """`name` in the current name scope, with a number if it is in use."""
        full = _name_scope.current_scope() + name
        counters = self.counters if mark_as_used else dict(self.counters)
        return _name_scope.uncounted(full, counters)

    def unique_op_name(self, name):
        """As `unique_name`; a name that ends with a slash is taken as it is."""
        return name[:-1] if name.endswith("/") else self.unique_name(name)

    def name_scope(self, name):
        """As `tf.name_scope`."""
        return _name_scope.name_scope(name or "")

    def get_name_scope(self):
        """The current name scope without the slash at its end."""
        return _name_scope.current_scope().rstrip("/")

    def control_inputs(self):
        """The operations that what is recorded now comes after."""
        return list(self._control[-1])

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs):
        """A context in which what is recorded comes after these, a nest or an iterator; after nothing for None."""
        if control_inputs is None:
            inputs: tuple = ()
        else:
            nested = list(control_inputs) if isinstance(control_inputs, collections.abc.Iterator) else control_inputs
            ops = [self.operation_of(x) for x in nest.flatten(nested)]
            inputs = tuple(dict.fromkeys([*self._control[-1], *ops]))
        self._control.append(inputs)
        try:
            yield
        finally:
            self._control.pop()

    def operation_of(self, x):
        """The operation of a tensor, a variable or a name; an operation itself."""
        x = self.as_graph_element(x)
        return x if isinstance(x, Operation) else x.op

    def device(self, device_name_or_function):
        """A context of no effect: XLA places operations."""
        return contextlib.nullcontext()

    def get_operations(self):
        """The operations, in the order of recording."""
        return list(self.operations)

    def get_operation_by_name(self, name):
        """The operation of a name.

        Raises:
          KeyError: there is none.
        """
        if name not in self.by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self.by_name[name]

    def get_tensor_by_name(self, name):
        """The tensor of a name, `op:0`.

        Raises:
          KeyError: there is none.
          ValueError: the name is not one of a tensor.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_operation=False)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The tensor or operation that something stands for.

        Raises:
          KeyError: there is none of this name.
          ValueError: it is of another graph; the name is of another kind.
          TypeError: it is no tensor, operation, or name.
        """
        if isinstance(obj, Recorded) and not isinstance(obj, GraphTensor):
            obj = obj.value_in_graph
        if isinstance(obj, GraphTensor) and allow_tensor or isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                kind = "Tensor" if isinstance(obj, GraphTensor) else "Operation"
                raise ValueError(f"{kind} {obj} is not an element of this graph.")
            return obj
        kinds = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
        if not isinstance(obj, str | bytes):
            raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")
        name = obj.decode() if isinstance(obj, bytes) else obj
        op_name, colon, number = name.partition(":")
        if not colon:
            if not allow_operation:
                known = "refers to an Operation" if name in self.by_name else "looks like an (invalid) Operation name"
                raise ValueError(
                    f"The name {name!r} {known}, not a Tensor. Tensor names must be of the form "
                    '"<op_name>:<output_index>".'
                )
            if name not in self.by_name:
                raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
            return self.by_name[name]
        if not allow_tensor:
            raise ValueError(f"The name {name!r} appears to refer to a Tensor, not an Operation.")
        op = self.by_name.get(op_name)
        if op is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, does not "
                "exist in the graph."
            )
        if not number.isdigit() or int(number) >= len(op.outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, exists but "
                f"only has {len(op.outputs)} outputs."
            )
        return op.outputs[int(number)]

    def add_to_collection(self, name, value):
        """Adds a value to the list kept by a name."""
        self.get_collection_ref(name).append(value)

    def add_to_collections(self, names, value):
        """As `add_to_collection`, for one name or several."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name):
        """The list itself."""
        return self.collections.setdefault(name, [])

    def get_collection(self, name, scope=None):
        """The values in a collection, a list; with `scope`, those with a name that it matches from the beginning."""
        items = self.get_collection_ref(name)
        if scope is None:
            return list(items)
        return [value for value in items if hasattr(value, "name") and re.match(scope, value.name)]

    def get_all_collection_keys(self):
        """The names of the collections."""
        return [name for name, values in self.collections.items() if isinstance(name, str) and values]

    def clear_collection(self, name):
        """Empties a collection."""
        self.collections.pop(name, None)

    def is_feedable(self, tensor):
        """Whether a run may be given a value for `tensor`: True."""
        return True

    def as_graph_def(self, from_version=None, add_shapes=False):
        """The graph as a GraphDef.

        Args:
          from_version: must be None.
          add_shapes: must be False.

        Operations have their names. Nodes between them are those of this package: they are traced as in SavedModels.

        Raises:
          tf.errors.UnimplementedError: an operation calls Python, draws from a dataset, or is none of TensorFlow's.

        TF: `tf.Graph.as_graph_def`.
        """
        if from_version is not None or add_shapes:
            raise UnimplementedError(
                None, None, "as_graph_def: from_version and add_shapes are not available in tfcompat"
            )
        return upstairs.graph_def(self)

    def __getattr__(self, name):
        if name not in ("versions", "graph_def_versions", "gradient_override_map"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name)
        raise UnimplementedError(
            None, None,
            f"tf.Graph.{name} is not available in tfcompat: operations are calls of Python functions; for a file use "
            "tf.saved_model.save",
        )  # fmt: skip
