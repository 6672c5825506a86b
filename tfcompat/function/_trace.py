"""Tracing: a Python function becomes one operation, with its variables as inputs and outputs."""
import contextlib
import functools
import itertools
import re

from tfcompat import dtypes, engine, nest
from tfcompat._core.assignment import rebound
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.indexed_slices import IndexedSlicesSpec
from tfcompat._core.name_scope import function_names
from tfcompat._core.node_names import NodeNames, note_names
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.steps import values_as_sizes
from tfcompat._core.streams import Frame, entered, frame
from tfcompat._core.symbolic_sizes import NeedsValues, are_known, for_all_sizes, known_or_none
from tfcompat._core.tensor import out_of_scope, wrap
from tfcompat._core.traced_operation import TracedOperation as TracedOperation
from tfcompat._core.variable import Variable, take_each
from tfcompat._core.variable_context import left
from tfcompat._native import twin
from tfcompat._tracing import assertions, waiting
from tfcompat._tracing.assertions import AT_ONCE, REPORT, Report
from tfcompat._tracing.eagerly import needs_values
from tfcompat._tracing.effects import EFFECTS, Effects, count_now, of_text, print_until, printing
from tfcompat._tracing.waiting import Assignment
from tfcompat.autograph._errors import cause_of
from tfcompat.engine import function_trace
from tfcompat.engine._flush import program_of
from tfcompat.errors import UnimplementedError
from tfcompat.function import _implementations

_CREATED_AGAIN = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)
_CREATED_LATE = "Creating variables on a non-first call to a function decorated with tf.function."


class FunctionTrace:
    """What a function does to variables while it is being traced.

    Attributes:
      records_steps: see `_core/steps.py`.
      sizes_by_values: whether symbols stand for sizes that depend on values, so that what is traced may be in doubt.
      of_stand_ins: whether it uses what stands for tensors or variables of a graph, so that it serves for one call.
      forgets_sizes: whether it is traced for sizes that it does not know in TF, where they are checked when it runs.

    Args:
      name: of the function.
      created_before: whether an earlier trace created variables; None in the first trace, which may.
      outer: the FunctionTrace around this one, or None.
      random_states: see ConcreteOperation.
    """

    records_steps = True
    sizes_by_values = False
    of_stand_ins = False

    def __init__(self, name, created_before, outer, random_states=None):
        self.name, self.created_before, self.outer = name, created_before, outer
        self.forgets_sizes = outer is not None and outer.forgets_sizes
        self.capture = None
        self.graph = None   # where variables may be assigned: of the function, or of a branch in it
        self.inputs = {}    # id -> (variable, placeholder): the values at the start
        self.current = {}   # id -> node: the value at this point of the trace
        self._before = {}   # id -> node: as it was at the start of the part that is being captured
        self.assigned = {}  # id -> variable
        self.created = []
        self.names = {}     # node -> name of an argument
        self.arguments = {} # placeholder -> node of the argument in the call that it is traced for, if that is known
        self.effects = []   # (function of arrays, nodes, place): called, in this order, when the function has run
        self.implementations = {}  # name -> (arguments, node of the call), see `_implementations`
        self.has_custom_gradient = False
        self.watchers = engine.state.watchers  # tapes and accumulators outside of the function
        self.checks = {}    # node of a check -> the node whose computation it checks, or None
        self.reports = set()  # nodes that `REPORT` was assigned
        self.touched = {}   # node of a check -> ids of the variables of which itself something is checked
        self.doubts = {}    # node of a call of a branch, a loop or a function that hands on a report -> its `Doubts`
        self.history = []   # Assignments in the part that is being captured
        self.waits = ()     # nodes that assignments wait for: of `tf.control_dependencies`
        self.asserts = False  # whether there are assertions, not only conditions of ops
        self.frame = Frame(frame(), random_states)  # of the random ops of the graph that is traced

    def read(self, variable):
        """The node of a variable's value at this point."""
        key = id(variable)
        node = self.current.get(key)
        if node is not None:
            return node
        if key not in self.inputs:
            outer = variable._node if self.outer is None else self.outer.read(variable)
            self.inputs[key] = (variable, self.capture.placeholder(_untraced(outer.aval)))
        node = self.current[key] = self.inputs[key][1]
        return node

    def assign(self, variable, node, is_final=False):
        """Makes `node` the value of the variable from here on. Derivatives by the variable still reach it.

        Args:
          is_final: see `Assignment`.
        """
        if engine.state.graph is not self.graph:
            raise UnimplementedError(
                None, None,
                f"tf.function {self.name}: the variable {variable.name} is assigned inside a function that is mapped "
                "or differentiated as a whole; return the value and assign it after",
            )  # fmt: skip
        self.read(variable)
        key = id(variable)
        self.current[key] = node = rebound(node, self.inputs[key][1])
        self.assigned[key] = variable
        if variable is REPORT:
            self.reports.add(node)
        else:
            self.history.append(Assignment(key, len(self.graph.nodes), node, self.waits, is_final))

    def note_call(self, doubts):
        """Notes the `Doubts` of a call of a branch, a loop or a function, the last that has assigned `REPORT`."""
        call = assertions.handed_on_by(self, self.current[id(REPORT)])
        if call is not None:
            self.doubts[call] = doubts

    def defer(self, function, nodes, what, place=None):
        """Calls `function` with the arrays of `nodes` each time that the function has run; in loops for each turn.

        Args:
          function: of arrays.
          nodes: of its arguments.
          what: text that names it in messages.
          place: node of the count of effects after which it comes; by default this point of the trace.

        Raises:
          tf.errors.UnimplementedError: in a function that is mapped.
        """
        if engine.state.graph is not self.capture.graph:
            EFFECTS.add(printing(function, place is not None, of_text(nodes)), [*_some(place), *nodes], what)
        else:
            self.effects.append((function, list(nodes), count_now() if place is None else place))

    @contextlib.contextmanager
    def part(self, graph, is_branch=False):
        """Assignments in the context happen in `graph`, a branch or a loop's body, and are undone at its end.

        Yields:
          (current, assigned) as they are in the context.
        """
        with contextlib.ExitStack() as stack:
            if graph.parent.names is not None:
                note_names(graph, NodeNames(outer=graph.parent.names, is_branch=is_branch))
                stack.callback(graph.names.close)
            stack.enter_context(self.assigning_in(graph))
            stack.enter_context(entered(self.frame.inner(self.frame.next_place()), self))
            yield self.current, self.assigned

    @contextlib.contextmanager
    def assigning_in(self, graph):
        """Like `part`, but without a frame of its own for random ops."""
        outer = self.graph, self.current, self.assigned, self.history
        self.graph, self.current, self.assigned, self.history = graph, dict(self.current), {}, []
        before, self._before = self._before, outer[1]
        try:
            yield self.current, self.assigned
        finally:
            self.graph, self.current, self.assigned, self.history = outer
            self._before = before

    def before(self, variable):
        """The node of a variable's value at the start of the part that is being captured."""
        return self._before.get(id(variable)) or self.inputs[id(variable)][1]

    def check_creation(self):
        """Raises ValueError if variables may not be created in this trace."""
        trace = self
        while trace is not None:
            if trace.created_before is not None:
                raise ValueError(_CREATED_AGAIN if trace.created_before else _CREATED_LATE)
            trace = trace.outer

    def initial_value(self, node):
        """The concrete node of an initial value computed while tracing.

        Raises:
          ValueError: variables may not be created in this trace; the value depends on arguments that are not known.
        """
        self.check_creation()
        return self._known(node)

    def _known(self, node):
        """The concrete node of a node of this trace for the arguments of the call that it is made for."""
        if not _is_symbolic(node):
            return node
        program, captures = program_of(node.graph, [], [node])
        avals = [n.aval for n in captures]
        # Variables, and states of random ops, are read as they are now: this is computed once, outside of the function.
        now = {start: v._node for v, start in self.inputs.values() if is_stream(v) or id(v) not in self.assigned}
        captures = [now.get(n) or self.arguments.get(n, n) for n in captures]
        if self.outer is not None:
            captures = list(map(self.outer._known, captures))
        if any(map(_is_symbolic, captures)) or not are_known(node.aval.shape):
            raise ValueError(
                f"tf.function {self.name}: the initial value of a tf.Variable depends on an argument that is not "
                "known, or on a variable that the function assigns: call it before a concrete function is asked for, "
                "pass a function without arguments, or create the variable outside"
            )
        with engine.eager_scope():
            return engine.played(program, avals, None, captures)[0]


@contextlib.contextmanager
def init_scope():
    """Leaves the function being traced: operations in the context run eagerly. TF: `tf.init_scope`."""
    outer = left.trace
    left.trace = function_trace(engine.state.graph) or outer
    try:
        with engine.eager_scope(), entered(None):
            yield
    finally:
        left.trace = outer


@twin
def _read(variables):
    return [v._as_node() for v in variables]


class ConcreteOperation:
    """The outcome of one trace: an operation and what it reads and writes.

    Args:
      python_function: the function to trace.
      arguments: Arguments to trace it with.
      name: of the function.
      created_before: see FunctionTrace.
      run: function of (args, kwargs) to call in its place.
      names: for each tensor among the arguments, as they are printed.
      implements: name of what it implements for any device, see `_implementations`.
      random_states: dict of what random ops keep, if they share it with other traces; see `_streams.Frame`.
      keeps_constants: whether Python numbers are part of the operation, not inputs of it, so that traces for other
        numbers could use the same program.
      forgets_sizes: see FunctionTrace.

    Raises:
      TypeError: the function returns something that is no tensor; it uses a tensor of another, finished trace.
    """

    def __init__(self, python_function, arguments, name, created_before=None, run=None, names=None,
                 implements=None, random_states=None, keeps_constants=False, forgets_sizes=False):  # fmt: skip
        self._implements = implements
        outer = function_trace(engine.state.graph)
        trace, watchers = FunctionTrace(name, created_before, outer, random_states), engine.state.watchers
        trace.forgets_sizes |= forgets_sizes
        with function_names(), engine.Capture(owner=trace) as capture, contextlib.ExitStack() as stack:
            stack.enter_context(engine.watching(engine.looking_inside(watchers, stack)))
            trace.capture, trace.graph = capture, capture.graph
            note_names(capture.graph, NodeNames(lambda: trace.names))
            stack.callback(capture.graph.names.close)
            inputs = [capture.placeholder(aval) for aval in arguments.avals]
            trace.names = dict(zip(inputs, unique_names(names or ()), strict=False))
            if len(arguments.nodes) == len(inputs):  # else there are TensorSpecs among them
                trace.arguments = dict(zip(inputs, arguments.nodes, strict=True))
            args, kwargs = arguments.filled(map(wrap, inputs))
            try:
                result = python_function(*args, **kwargs) if run is None else run(args, kwargs)
            except Exception as error:
                if not trace.sizes_by_values or needs_values(error):
                    raise
                cause = cause_of(error).strip().splitlines() or [type(error).__name__]
                raise NeedsValues(None, None, f"sizes that depend on values do not do here: {cause[0]}") from error
            flat = [_as_result(x, python_function) for x in nest.flatten(result, expand_composites=True)]
            outputs = [x._node for x in flat if _is_computed(x)]
            capture.graph.names.close()
            shown = [node for _, nodes, place in trace.effects for node in (*_some(place), *nodes)]
            checks = assertions.finish(trace, capture.graph, [*outputs, *shown])
            self._doubts, guarded = waiting.guard(trace, capture.graph, checks, [*outputs, *shown], trace.inputs)
            assigned = sorted(trace.assigned.values(), key=lambda v: _ORDER.get(type(v), 0))
            written = [trace.current[id(v)] for v in assigned]
            if trace.asserts:
                assigned = [AT_ONCE if v is REPORT else v for v in assigned]
        if keeps_constants:
            capture.keep_constants()
        # Placeholders come in this order: arguments, then variables by first read.
        # To TF a function is one op: the gradient of any result is connected to the inputs of all results.
        self.operation, captures = capture.operation([*outputs, *shown, *written], name, coupled=len(outputs))
        self.recorded = self.operation  # for the symbols themselves
        if self.operation.step is None and not all(are_known(aval.shape) for aval in arguments.avals):
            self.operation = for_all_sizes(self.operation, tuple(arguments.avals))
        self.captures = tuple(captures)
        self._outer_graphs = {n.graph for n in captures if _is_symbolic(n)}
        # Variables that may change their shape, and the shape for which this is a trace.
        self._sized = [
            (v, n.aval.shape) for v, n in trace.inputs.values()
            if isinstance(v, Variable) and not v.shape.is_fully_defined()
        ]  # fmt: skip
        self._of_stand_ins = False
        if not self.in_scope():
            raise out_of_scope(next(n for n in captures if _is_symbolic(n)))
        self._of_stand_ins = trace.of_stand_ins
        if outer is not None:
            outer.of_stand_ins |= trace.of_stand_ins
        self._output_avals = [n.aval for n in outputs]
        self._structure = nest.map_structure(_without_tensors, result)
        self._fixed = [_COMPUTED if _is_computed(x) else x for x in flat]
        self._is_one_tensor = len(flat) == 1 and self._fixed[0] is _COMPUTED and flat[0] is result
        # Whether it is a dict of tensors, such as the logs of a step of training.
        self._is_dict_of_tensors = type(result) is type(self._structure) is dict and (
            [*map(id, flat)] == [id(result[key]) for key in sorted(result)] and all(map(_is_computed, flat))
        )
        # A variable is identified by itself, or by its place among the arguments.
        self.variables = [place_of(v, arguments.variables) for v, _ in trace.inputs.values()]
        self.assigned = [place_of(v, arguments.variables) for v in assigned]
        self._read = [id(v) for v, _ in trace.inputs.values()]
        # Places, among the inputs with arguments first, of assigned variables whose buffers are worth overwriting. What
        # Python that is called back may read is needed.
        calls_back = any(type(v) is Effects for v in assigned)
        self._overwritten = () if calls_back else tuple([
            i for i, (v, start) in enumerate(trace.inputs.values(), len(arguments.avals))
            if start.aval.large and id(v) in trace.assigned
        ])  # fmt: skip
        self._guarded = [id(v) in guarded for v in assigned]  # whether a broken condition leaves it as it was
        self.asserts = trace.asserts
        # How many variables are assigned when the call is made, or where Python is called back after it. Where they are
        # among the inputs, and the first of them among the results.
        self._n_assigned = sum(type(v) not in _ORDER for v in assigned)
        places = {id(v): i for i, (v, _) in enumerate(trace.inputs.values(), len(arguments.avals))}
        self._replaced = tuple([places[id(v)] for v in assigned[: self._n_assigned]])
        self._first_written = len(outputs) + len(shown)
        self._count_of_effects = places[id(EFFECTS)] - len(arguments.avals) if calls_back else None
        self._streams = [v for v in self.variables if is_stream(v)]
        self._effects = [(function, len(nodes), place is not None) for function, nodes, place in trace.effects]
        self.creates_variables = bool(trace.created)
        self.has_custom_gradient = trace.has_custom_gradient
        if outer is not None:
            outer.created.extend(trace.created)

    def in_scope(self):
        """Whether the tensors that it uses from outer functions belong to traces in progress.

        Nor is it in scope where a variable has taken another shape, or after it was tried out: then it is traced anew.
        """
        if self._of_stand_ins or self._sized and any(v._current_node().aval.shape != shape for v, shape in self._sized):
            return False
        if not self._outer_graphs:
            return True
        around, graph = set(), engine.state.graph
        while graph is not None:
            around.add(graph)
            graph = graph.parent
        return around >= self._outer_graphs

    def fits(self, avals, variables, sizes):
        """Whether a trace for unknown sizes applies to tensors of these avals, with `sizes` by name."""
        read = [(variables[v] if type(v) is int else v)._current_node() for v in self.variables]
        inputs = [_untraced(node.aval) for node in (*read, *self.captures)]
        if self.operation.step is not None:
            return True
        try:
            call = self.operation.bind(engine.NO_ATTRIBUTES, (*map(_untraced, avals), *inputs))
        except Exception:  # a trace for these sizes will report it with the user's lines
            return False
        with engine.sizes_known({**engine.known_sizes(), **sizes}):
            pairs = zip(self._output_avals, call.aval.parts[: len(self._output_avals)], strict=True)
            return all(engine.with_sizes(before.shape) == now.shape for before, now in pairs)

    def __call__(self, nodes, variables=()):
        """Records one call, assigns the variables, and returns the function's result.

        Args:
          nodes: of the tensors among the arguments.
          variables: the variables among the arguments.
        """
        graph = engine.state.context.graph
        outer = function_trace(graph) if graph.symbolic else None
        if outer is not None and self.has_custom_gradient:
            outer.has_custom_gradient = True
        around = frame() if self._streams else None
        read, assigned = self.variables, self.assigned
        if variables or around is not None:
            of_this_call: dict = {}
            if around is not None:
                # Identified by their order, because the next call here may be of a trace for other sizes.
                streams = around.at_next_place(list)
                streams.extend(v.of_another_call() for v in self._streams[len(streams):])
                of_this_call = dict(zip(map(id, self._streams), streams, strict=False))

            def meant(v):
                return variables[v] if type(v) is int else of_this_call.get(id(v), v)

            read, assigned = [*map(meant, read)], [*map(meant, assigned)]
        n_assigned = 0 if outer is not None else self._n_assigned
        assign = functools.partial(take_each, assigned[:n_assigned]) if n_assigned else None
        first, cut = self._first_written, True
        if outer is None and self._count_of_effects is not None:
            results = self._called_back(nodes, read, assign)
            return self._finished(results, nodes, read, assigned[n_assigned:], outer)
        while True:  # until no other thread assigns one of the variables between reading and assigning them
            inputs = [*nodes, *_read(read), *self.captures]
            results = None
            if self.operation.step is None:
                results = engine.run_at_once(self.operation, inputs, self._overwritten, self._replaced, first, assign)
            if results is None:
                results = engine.called(self.operation, inputs)
                present = [inputs[i] for i in self._replaced]
                if assign is None or assign(results[first:first + n_assigned], present, cut):
                    break
                cut = False
            elif results is not False:
                break
        return self._finished(results, nodes, read, assigned[n_assigned:], outer)

    def _called_back(self, nodes, read, assign):
        """The results of a call that calls Python back, which sees the variables as they were before the call.

        Where something else has assigned one of the variables meanwhile, the call is made again, with the results that
        Python has given.
        """
        first, cut, values = self._first_written, True, _read(read)
        place = self._count_of_effects
        count = values[place]
        while True:
            inputs = [*nodes, *values, *self.captures]
            results = None
            if self.operation.step is None:
                results = engine.run_at_once(self.operation, inputs, (), (), first, None)
            if results is None:
                results = engine.called(self.operation, inputs)
            engine.value_of(results[first + self._n_assigned])
            if assign is None:
                return results
            new = results[first:first + self._n_assigned]
            if assign(new, [inputs[i] for i in self._replaced], cut):
                return results
            if not EFFECTS.may_repeat(count):
                assign(new)
                return results
            cut, values = False, [count if v is EFFECTS else v._as_node() for v in read]

    def _finished(self, results, nodes, read, assigned, outer):
        """Finishes a call: assigns what is left, the last results, and prints; then returns the function's result."""
        if outer is None and not self._effects and not assigned:
            return wrap(results[0]) if self._is_one_tensor else self._packed(map(wrap, results))
        if self._implements and outer is not None:
            _implementations.called(outer, self._implements, nodes, results)
        rest = iter(results[len(self._output_avals):])
        effects: list = [] if not self._effects else [
            (function, next(rest) if has_place else None, list(itertools.islice(rest, count)))
            for function, count, has_place in self._effects
        ]
        effects_so_far = None
        if effects and outer is not None:
            effects_so_far = count_now() if engine.state.graph is outer.capture.graph else outer.read(EFFECTS)
        written = results[len(results) - len(assigned):]
        guarded = self._guarded[len(self._guarded) - len(assigned):]
        since = 0 if outer is None else len(outer.history)
        for v, node, is_guarded in zip(assigned, written, guarded, strict=True):
            if effects and outer is None and type(v) in _ORDER:
                _carry_out(effects)
            if is_guarded and outer is None:
                v._take_for_good(node)
            else:
                v._take(node)
        if outer is not None:
            outer.history[since:] = [each._replace(is_final=True) for each in outer.history[since:]]
            if self._doubts is not None:
                outer.note_call(self._doubts.of(dict(zip(self._read, map(id, read), strict=True))))
        for function, place, nodes in effects if outer is not None else ():
            outer.defer(function, nodes, "what is printed", effects_so_far if place is None else place)
        if outer is None:
            _carry_out(effects)
        if self._is_one_tensor:
            return wrap(results[0])
        return self._packed(map(wrap, results))

    def is_pure(self):
        """Whether it only computes results from its arguments and constants."""
        return not (self.variables or self.assigned or self._effects or self._outer_graphs)

    def sorted_results(self, results):
        """What the operation returns, sorted: outputs, (function, arguments) to call then, (variable, value)."""
        rest = iter(results[len(self._output_avals):])
        deferred = []
        for function, count, has_place in self._effects:
            if has_place:
                next(rest)
            deferred.append((function, list(itertools.islice(rest, count))))
        return list(results[: len(self._output_avals)]), deferred, list(zip(self.assigned, rest, strict=True))

    def specs(self):
        """The function's result with a TensorSpec for each tensor and a TypeSpec for each composite."""
        avals, fixed = iter(self._output_avals), iter(self._fixed)

        def spec(leaf):
            if isinstance(leaf, TypeSpec):
                for _ in nest.flatten(leaf, expand_composites=True):
                    if next(fixed) is _COMPUTED:
                        next(avals)
                return leaf
            value = next(fixed)
            if value is not _COMPUTED:
                return value
            aval = next(avals)
            return TensorSpec(known_or_none(aval.shape), dtypes.from_numpy(aval.dtype))

        return nest.map_structure(spec, self._structure)

    def structured_outputs(self):
        """The function's result with a TensorSpec for each tensor. Composites are there, of symbolic tensors."""
        with engine.Capture() as capture:
            result = self._packed(wrap(capture.placeholder(aval)) for aval in self._output_avals)
        return nest.map_structure(
            lambda spec, x: spec if spec is None or isinstance(spec, TensorSpec) else x, self.specs(), result
        )

    def capture_texts(self):
        """(number, text of the type) of each tensor and variable used from outside."""
        for node in self.captures:
            if node.graph is not engine.SHARED:
                yield id(node), repr(TensorSpec(known_or_none(node.aval.shape), dtypes.from_numpy(node.aval.dtype)))
        for variable in self.variables:
            if isinstance(variable, Variable):
                yield id(variable), repr(TensorSpec([], dtypes.resource))

    def _packed(self, computed):
        if self._is_dict_of_tensors:
            items = dict(zip(sorted(self._structure), computed, strict=False))
            return {key: items[key] for key in self._structure}
        computed = iter(computed)
        flat = [next(computed) if x is _COMPUTED else x for x in self._fixed]
        return nest.pack_sequence_as(self._structure, flat, expand_composites=True)


def _untraced(aval):
    return engine.Aval(aval.shape, aval.dtype) if aval.traced else aval


_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")


def unique_names(names):
    """Names of placeholders as TF's graphs have them."""
    counts: dict = {}
    for name in names:
        name = name if _NAME.fullmatch(name) else "Placeholder"
        count = counts[name] = counts.get(name, -1) + 1
        yield f"{name}_{count}" if count else name


def _some(node):
    return () if node is None else (node,)


def _carry_out(effects):
    """Runs what was deferred until after the function, once."""
    while effects:
        function, place, nodes = effects.pop(0)
        if place is not None:
            print_until(*map(int, engine.value_of(place)))
        function(*[engine.array_of(node) for node in nodes])


_COMPUTED = object()
_ORDER = {Effects: 1, Report: 2}  # set after all variables


def _as_result(x, python_function):
    """A leaf of a function's result as a tensor, or None."""
    if x is None:
        return None
    try:
        return wrap(to_node(x)) if type(x) in (float, complex) else convert_to_tensor(x)
    except (TypeError, ValueError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
            f"None values; in compilation of {python_function}, found return value of type {type(x).__name__}, which "
            "is not a Tensor or ExtensionType."
        ) from None


def _is_computed(x):
    """Whether a leaf of the result is computed by the call. Text may be known before."""
    return x is not None and (not x._node.aval.dtype.hasobject or x._node.value is None)


def _without_tensors(x):
    """What stands for a leaf in the form of a function's result."""
    if not hasattr(type(x), "_type_spec"):
        return _COMPUTED  # not None, which some mappings leave out
    try:
        return x._type_spec
    except engine.SymbolicValueError:  # IndexedSlices whose shape is not known
        return IndexedSlicesSpec(None, x.dtype, x.indices.dtype, x.dense_shape.dtype)


def is_stream(variable):
    """Whether it is the state of a random op; see `random/_seed`."""
    return hasattr(type(variable), "of_another_call")


def place_of(variable, variables):
    """The index of a variable among `variables`, or the variable itself if it is not there."""
    return next((i for i, v in enumerate(variables) if v is variable), variable)


def _is_symbolic(node):
    return node.value is None and node.graph.symbolic


def trace_for_all_values(function, arguments):
    """The trace of a function of any kind, by its `_trace`; where values decide on sizes, for all of them."""
    try:
        return function._trace(arguments)
    except Exception as error:
        if not needs_values(error):
            raise
        return for_all_values(function._trace, arguments, error)


def for_all_values(trace, arguments, error):
    """What `trace(arguments)` gives where values may be sizes; if that fails, raises `error`, which tells why."""
    with contextlib.suppress(Exception), values_as_sizes():
        return trace(arguments)
    raise error
