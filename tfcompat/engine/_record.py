"""Recording operations, and reading values."""
import atexit
import contextlib
import sys
from operator import attrgetter
from typing import Any

import jax

from tfcompat._native import hand_over, handed_over, twin
from tfcompat.engine import _graph, conditions
from tfcompat.engine import _policy as policy
from tfcompat.engine._aval import NO_ATTRIBUTES, TupleAval
from tfcompat.engine._bind import Call, Operation
from tfcompat.engine._flush import end_run, flush, rolls_up, run_alone, run_now, wait_for
from tfcompat.engine._graph import RUNNING, Node, SymbolicValueError, leaf, new_node, state
from tfcompat.engine._parts import Part
from tfcompat.engine._program import Failure
from tfcompat.engine._structure import calls_of, drop_unwanted
from tfcompat.engine._swept import Swept
from tfcompat.engine.compile.unrolling import loop_of

_aval = attrgetter("aval")
hand_over(recording_policy=policy.RECORDING, tape_policy=policy.TAPE)


def apply(operation, inputs, attributes=NO_ATTRIBUTES) -> Any:
    """Records `operation` on `inputs`.

    Args:
      operation: Operation.
      inputs: tuple of nodes.
      attributes: `attributes_of(...)` the static attributes.

    Returns:
      The node of the result; a tuple of nodes if the operation has several results.
    """
    call = operation.calls.get((attributes, *map(_aval, inputs)))
    if call is None:
        call = operation.bind(attributes, tuple(map(_aval, inputs)))
    return record(call, inputs)


def apply_known(operation, inputs, avals):
    """As `apply`, of an operation without attributes whose results, a tuple, are known to have these avals.

    It need not be traced to learn them.
    """
    in_avals = tuple(map(_aval, inputs))
    key = (NO_ATTRIBUTES, *in_avals)
    if key not in operation.calls and not any([aval.traced for aval in in_avals]):
        call = Call(operation, NO_ATTRIBUTES, operation.fn, in_avals, TupleAval(avals))
        operation.calls.setdefault(key, call)
    return apply(operation, inputs)


@twin
def record(call, inputs) -> Any:
    """Records a bound call and tells the watchers; see `apply`."""
    context = state.context
    aval, graph = call.aval, context.graph
    result: Any
    if aval.traced and not graph.symbolic:
        result = _apply_to_tracers(call, inputs)
    else:
        result = Node()
        result.call = call
        result.inputs = inputs
        result.aval = aval
        result.value = None
        result.graph = graph
        result.index = -1
        nodes = graph.nodes
        nodes.append(result)
        if len(nodes) >= graph.limit or _graph.default_immediate:
            _limit_reached(graph, result)
        if type(aval) is TupleAval:
            result = _parts(result)
        if call.check is not None:
            _record_check(call, inputs, result, graph)
    watchers = context.watchers
    if watchers and call.differentiable:
        outputs = result if type(result) is tuple else (result,)
        for watcher in watchers:
            watcher.observe(call, inputs, outputs)
    return result


def _record_check(call, inputs, result, graph):
    """Records the check of what a call requires of its inputs, and maybe of its results."""
    if call.operation.requires_results:
        inputs = inputs + (result if type(result) is tuple else (result,))
    if graph.symbolic:
        conditions.check_in_capture(call, inputs)
        return
    if call.check.at_once is not False and conditions.check_known(call.check, inputs):
        return
    before = graph.report or conditions.NO_REPORT
    report = new_node(call.check, (before, *inputs), call.check.aval, None, graph)
    graph.nodes.append(report)
    graph.report = report
    if len(graph.nodes) >= graph.limit or _graph.default_immediate:
        _limit_reached(graph, report)


@twin
def run_at_once(operation, inputs, overwritten, assigned, first, assign) -> Any:
    """Runs `operation`, a captured graph that is worth a program of its own, without recording it.

    Variables are assigned before the program runs. Then nobody else can ask for the values that it overwrites, and
    another thread that reads the variables waits for what they will be.

    Args:
      operation: Operation with several results.
      inputs: list of nodes.
      overwritten: indices of inputs that are the values of variables about to be assigned. Their memory may be
        overwritten if nothing else holds them.
      assigned: indices of the inputs that results replace.
      first: index of the first of these results, which come one after the other.
      assign: function of (new nodes, old nodes, False) that makes variables take new values if they still have the old
        ones, and returns whether. None if nothing is assigned, or only later.

    Returns:
      Tuple of nodes; False if another thread has assigned the variables; None where the operation is to be recorded: a
      tape watches, a graph is being captured, it is small, or inputs are not known.
    """
    context = state.context
    graph = context.graph
    small = operation.weight < policy.RECORDING.at_once
    if small or context.watchers or graph.symbolic or type(graph.nodes) is not list:
        return None
    if _graph.default_immediate if graph.immediate is None else graph.immediate:
        return None
    call = operation.bind(NO_ATTRIBUTES, tuple(map(_aval, inputs)))
    if call.aval.traced:
        return None
    if graph.nodes:
        flush(graph)
    if call.aval.picks is None:
        call.aval.picks = _picks(call.aval)
    unknown = [node for node in inputs if node.value is None]
    if unknown and (assign is None or any(node.graph.symbolic for node in unknown)):
        return None
    if any(type(node.value) is Failure for node in inputs):
        return None
    if assign is None:
        return _leaves(call.aval.parts, run_alone(call, inputs, overwritten, 1, []))
    nodes = tuple([new_node(None, (), aval, None, RUNNING) for aval in call.aval.parts])
    rescued: list = []
    context.running = nodes
    try:
        if not assign(nodes[first:first + len(assigned)], [inputs[i] for i in assigned], False):
            context.running = ()
            return False
        for node in unknown:  # another thread computes it; whoever comes next waits for the nodes of this call
            value_of(node)
        end_run(nodes, run_alone(call, inputs, overwritten, 0, rescued))
    except BaseException as error:
        _undo(nodes, inputs, assigned, first, assign, rescued, error)
        raise
    return nodes


@handed_over
def _undo(nodes, inputs, assigned, first, assign, rescued, error):
    """Ends a run that failed: variables have their former values, as far as these were not overwritten.

    If the program had run all the same, when it was interrupted, they have the new ones.
    """
    if rescued:
        end_run(nodes, rescued[0])
        return
    assign(tuple([inputs[i] for i in assigned]), list(nodes[first:first + len(assigned)]), False)
    values: list = [Failure(error if isinstance(error, Exception) else RuntimeError("interrupted"))] * len(nodes)
    for place, i in enumerate(assigned, first):
        former = inputs[i].value
        if former is not None and not getattr(former, "is_deleted", bool)():
            values[place] = former
    end_run(nodes, values)


@twin
def _leaves(avals, values):
    """A tuple of nodes with these values, which a program may still be computing."""
    return tuple([new_node(None, (), aval, value, RUNNING) for aval, value in zip(avals, values, strict=True)])


@handed_over
def _limit_reached(graph, node):
    """Computes the last node if execution is immediate; else looks for a loop in what is pending, or cuts it.

    A symbolic graph with names, whose limit is 0, notes the node.
    """
    if graph.symbolic:
        if graph.names is not None:
            graph.names.note(node)
        return
    if _graph.default_immediate if graph.immediate is None else graph.immediate:
        run_now(node)
        if graph.report is node:
            conditions.look(graph)
        return
    count = len(graph.nodes)
    if count < graph.limit:
        return
    # Of a loop whose results nobody looks at, only the last iteration has to be computed.
    if 2 * drop_unwanted(graph) > count:
        graph.limit = len(graph.nodes) + policy.RECORDING.loop_check
        graph.dropping = True
        return
    count = len(graph.nodes)
    # A loop without a natural cut. One that compiles as a single loop may go on. Of others whole iterations run, so
    # that the same structure is pending the next time.
    length = policy.period(calls_of(graph.nodes, 0, count))
    if length and count < policy.RECORDING.max_rolled and rolls_up(graph, length, held=bool(state.watchers)):
        graph.limit = 2 * count
    elif length:
        flush(graph, count // length * length)
    elif count >= policy.RECORDING.max_pending:
        flush(graph)
    else:
        graph.limit = min(count + policy.RECORDING.loop_check, policy.RECORDING.max_pending)


class _Pick:
    """A call that picks one result of an operation with several; bound to that result's aval alone."""

    __slots__ = ("operation", "aval", "fn", "index")
    differentiable = False
    weight = 0
    kernel = ()  # needs none
    of_rows = None
    _interned: dict = {}

    def __init__(self, aval, index):
        self.operation = _PICK
        self.aval, self.index = aval, index
        self.fn = lambda parts: parts[index]

    @classmethod
    def of(cls, aval, index):
        key = aval, index
        pick = cls._interned.get(key)
        if pick is None:
            pick = cls._interned.setdefault(key, cls(aval, index))
            _picks_known.note(cls._interned, key)
        return pick


_PICK = Operation("Pick", lambda parts, index: parts[index])
_picks_known = Swept(policy.KEEPING.values)


def _picks(aval):
    return [_Pick.of(part, i) for i, part in enumerate(aval.parts)]


@handed_over
def _parts(node):
    """The nodes of the results of a node with several."""
    aval, graph = node.aval, node.graph
    if node.value is not None:
        return _leaves(aval.parts, node.value)
    if aval.picks is None:
        aval.picks = _picks(aval)
    parts = tuple([new_node(pick, (node,), pick.aval, None, graph) for pick in aval.picks])
    graph.nodes.extend(parts)
    return parts


@handed_over
def _apply_to_tracers(call, inputs):
    with jax.enable_x64(True):
        result = call.fn(*[value_of(node) for node in inputs])
    if isinstance(result, tuple | list):
        return tuple([leaf(part) for part in result])
    return leaf(result)


def value_of(node):
    """The array of a node; computes everything pending if it is not known yet.

    Raises:
      SymbolicValueError: the node belongs to a graph being captured.
    """
    value = _computed(node)
    if type(value) is Part:
        value = node.value = value.taken()
    return value


def _computed(node):
    """As `value_of`, but a Part may remain one."""
    while node.value is None:  # more than once if another thread recorded the node while its graph was computed
        if node.graph.symbolic:
            raise SymbolicValueError(repr(node))
        if node.graph is RUNNING:
            wait_for(node)
        else:
            flush(node.graph)
    pending = state.context.pending
    if pending.report is not None:
        conditions.look(pending)
    value = node.value
    if type(value) is Failure:
        raise value.error
    return value


def array_of(node):
    """The value of a node as a NumPy array. It computes what is pending and waits. Nobody may write to the array.

    Raises:
      SymbolicValueError: the node belongs to a graph being captured.
      jax.errors.TracerArrayConversionError: the value is a tracer of JAX's.
    """
    value = _computed(node)
    if type(value) is Part:
        if value.number is None:
            return conditions.polled(value.whole)  # to JAX the same on all devices, and so it is
        value = node.value = value.taken()
    return conditions.polled(value)


def cut():
    """Starts computing what is pending in this thread."""
    graph = state.graph
    if not graph.symbolic and graph.nodes:
        flush(graph)


@twin
def next_iteration():
    """Begins an iteration, if this is a loop: what is pending runs, or waits for more iterations."""
    graph = state.graph
    if graph.symbolic or not graph.nodes or state.context.replica is not None:
        return
    if graph.loop is not None and graph.loop.goes_on(graph):
        if not graph.loop.keeps(graph):
            flush(graph)
        return
    flush(graph)
    graph.loop = loop_of(graph.last_program) if graph.last_program and type(graph.nodes) is list else None


def meet():
    """Lets the other replicas, if any, come as far as the one that is running, where the order among them counts."""
    gathering = state.context.pending.gathering
    if gathering is not None:
        gathering.meet()


def assigned(node):
    """A variable now has the value `node`."""
    graph = node.graph
    if graph is not None and not graph.symbolic:
        graph.cut_point = len(graph.nodes)


@handed_over
def cut_before_assignment(node):
    """Cuts a loop at its last assignment if `node`, the variable's previous value, is still pending."""
    graph = node.graph
    if node.value is not None or graph.symbolic or graph.iteration_ends:
        return
    if graph.gathering is None or graph.gathering.is_empty():
        flush(graph, graph.cut_point or None)


@atexit.register
def _tell_at_exit():
    """Tells of a broken condition that nobody has looked at."""
    graph = state.context.pending
    if graph.report is None:
        return
    try:
        flush(graph)
        conditions.look(graph)
    except Exception as error:
        sys.excepthook(type(error), error, None)


class watching:
    """Context that sets the watchers of this thread for a while. Each assignment under a tape enters one."""

    __slots__ = ("_watchers", "_outer")

    def __init__(self, watchers):
        self._watchers = watchers

    def __enter__(self):
        self._outer = state.watchers
        state.watchers = self._watchers

    def __exit__(self, *_):
        state.watchers = self._outer


def looking_inside(watchers, stack):
    """Those of `watchers` that see the operations of a capture, as long as the ExitStack `stack` lasts; a tuple.

    They are tapes and accumulators, whose derivatives may be taken inside. Outside, to them too, it is one operation.
    """
    inside = [w for w in watchers if hasattr(w, "inside_a_part")]
    for watcher in inside:
        stack.enter_context(watcher.inside_a_part())
    return tuple(inside)


@contextlib.contextmanager
def eager_scope():
    """Leaves every graph that is being captured: what is recorded in the context is pending in this thread."""
    outer = (state.graph, state.watchers)
    state.graph, state.watchers = state.pending, ()
    try:
        yield
    finally:
        state.graph, state.watchers = outer


@contextlib.contextmanager
def execution_mode(mode):
    """Runs this thread in "deferred" or "immediate" execution for a while."""
    if mode not in ("deferred", "immediate"):
        raise ValueError(f"execution mode must be 'deferred' or 'immediate', got {mode!r}")
    graph = state.pending
    outer = graph.immediate, graph.limit
    flush(graph)
    graph.immediate = mode == "immediate"
    graph.limit = 0 if graph.immediate else policy.RECORDING.loop_check
    try:
        yield
    finally:
        flush(graph)
        graph.immediate, graph.limit = outer
