"""From recorded structure to compiled programs.

What is pending is encoded as a flat tuple: each call, followed by where its inputs come from. That tuple, with the set
of values still wanted, is the key of a program. The arrays that it starts from are the program's inputs, constants
included. So a loop that records the same structure finds the same program in each iteration.
"""
import collections
import functools
import sys
import threading
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import jax
import numpy as np

from tfcompat._native import handed_over, twin
from tfcompat.engine import _interrupts, _parts, conditions
from tfcompat.engine import _policy as policy
from tfcompat.engine._graph import RUNNING, SymbolicValueError, state
from tfcompat.engine._program import (
    Failure,
    Program,
    arrays_for_replicas,
    arrays_of,
    counters,
    finished,
    keep,
    run_kernel,
)
from tfcompat.engine._structure import (
    Structure,
    calls_of,
    drop_unwanted,
    encode,
    given_up,
    many_wanted,
    recognised,
    steps_of,
    wanted,
)


@handed_over
def flush(graph, count=None, through=None):
    """Computes what is pending in `graph`. Values that nobody holds are not computed.

    Args:
      graph: pending Graph.
      count: how many nodes, from the first on; by default all.
      through: node, the last to compute; nothing is done if it is not pending.
    """
    if graph.report is not None and graph is state.context.pending:
        if graph.gathering is not None:
            graph.gathering.settle()
        conditions.settle(graph)
    # Nodes of another thread are computed first, the earliest before all others. No graph's lock is held meanwhile, and
    # no more is computed than needed, so that threads that use one another's values wait only for what was recorded
    # earlier.
    waiting = [(graph, count, through)]
    while waiting:
        graph, count, through = waiting.pop()
        if through is not None and through.graph is RUNNING:
            wait_for(through)
            continue
        if graph.gathering is not None:
            graph.gathering.settle()
        outcome, count = _next_part(graph, count, through)
        if outcome is not _DONE:
            waiting.append((graph, count, through))
            waiting += [(node.graph, None, node) for node in reversed(outcome.foreign)]


def _next_part(graph, count, through):
    """Computes the first part of what `flush` is to compute.

    Returns:
      (_Outcome, count): `_DONE` if nothing is left to do, otherwise how many nodes are.
    """
    with graph.lock:
        if graph.gathering is not None and graph.gathering.is_elsewhere():
            return _GATHERING, count
        if through is not None:
            if through not in graph.nodes:
                return _DONE, None
            count = graph.nodes.index(through) + 1
        outcome = _attempt(graph, count)
        if outcome is _ONE_BY_ONE:
            for _ in graph.iteration_ends[:]:
                flush(graph, len(graph.loop.calls))
        if outcome is _IN_PIECES:
            n_recorded = len(graph.nodes)
            length = policy.period(calls_of(graph.nodes, 0, n_recorded)) or 1
            outcome = _attempt(graph, max(policy.RECORDING.loop_check // length, 1) * length)
            if outcome is _DONE:
                return _IN_PIECES, count and count - (n_recorded - len(graph.nodes))
        return outcome, count


class _Outcome(NamedTuple):
    """What an attempt to flush has come to: `foreign` are the pending nodes of other threads that it needs first."""

    what: str
    foreign: Sequence = ()


_value = attrgetter("value")
_DONE = _Outcome("done")
_ONE_BY_ONE = _Outcome("the pending iterations of a loop are to run one by one")
_GATHERING = _Outcome("replicas in another thread have to come to the same collective first")
_IN_PIECES = _Outcome("too long: best compiled in pieces")
_rolls_up: dict = {}  # the calls of an iteration of a loop -> whether it compiles as one loop


def rolls_up(graph, length, held):
    """Whether the loop pending in `graph` compiles as one loop.

    Args:
      graph: pending Graph.
      length: how many operations there are in an iteration of the loop.
      held: whether a tape holds values; it is expected to let go of them before they are computed.
    """
    nodes = graph.nodes
    middle = len(nodes) // 2
    calls = calls_of(nodes, middle - length, middle)
    known = _rolls_up.get(calls)
    if known is None:
        if len(_rolls_up) >= policy.KEEPING.programs:
            _rolls_up.clear()
        program = Program(None, steps_of(encode(graph, nodes, [])[0]), (len(nodes) - 1,))
        known = _rolls_up[calls] = policy.ROLLING.min_saving * program.size < len(nodes)
    return policy.roll(len(nodes), many_wanted(graph)) if known and not held else known


def _attempt(graph, count):
    """Computes the first `count` pending nodes, all if it is None; the caller has the graph's lock.

    Returns:
      _Outcome. Unless it is `_DONE`, everything is still pending.
    """
    if graph.dropping and count is None:
        graph.dropping = False
        drop_unwanted(graph)
    nodes = graph.nodes[:count]
    if not nodes:
        return _DONE
    structure, inputs = recognised(nodes) or (None, ())
    program: Any = None
    foreign: list = []
    if structure is not None:
        seen = structure.seen(nodes, inputs)
        last_seen, last = structure.last
        if seen is not None and seen == last_seen:
            program = last
        elif seen is not None:
            outputs = wanted(nodes, structure.uses)
            program = outputs and _program(structure, outputs, nodes, inputs)
            structure.last = seen, program
    if program is None:
        inputs = []
        flat, uses, input_uses = encode(graph, nodes, inputs)
        foreign = [node for node in inputs if node.value is None]
        pending = [node for node in foreign if not node.graph.symbolic]
        if pending:
            return _Outcome("values of other threads are needed", pending)
        outputs = wanted(nodes, uses)
        if len(nodes) > policy.RECORDING.max_pending and _is_too_long(tuple(flat), outputs):
            return _IN_PIECES
        if outputs:
            program = _program(Structure.of(flat, uses, inputs, input_uses), outputs, nodes, inputs)
    if graph.iteration_ends and count is None and program and not graph.loop.takes(program, inputs):
        return _ONE_BY_ONE
    graph.last_program = program if len(nodes) == len(graph.nodes) else None
    if not program:  # nobody wants anything
        _finish(graph, nodes, (), ())
        return _DONE
    if program.is_interpreted():
        arrays = list(map(_value, inputs))
    else:
        arrays = arrays_for_replicas(inputs) if program.of_replicas() else arrays_of(inputs)
    if foreign:  # from a graph that was captured: its values are unknown, the others are not
        arrays = [Failure(_out_of_scope(n)) if a is None else a for n, a in zip(inputs, arrays, strict=True)]
    rescued = []
    try:
        results = _computed(program, arrays, rescued)
        rescued[:] = [results]
        _finish(graph, nodes, program.outputs, results)
    except KeyboardInterrupt:
        if rescued and graph.nodes and graph.nodes[0] is nodes[0]:
            _finish(graph, nodes, program.outputs, rescued[0])
        raise  # without results everything is still pending
    return _DONE


@functools.lru_cache(maxsize=policy.KEEPING.long_structures)
def _is_too_long(flat, outputs):
    """Whether a long structure does not become short by rolling up loops."""
    return Program(None, steps_of(flat), outputs).size > policy.RECORDING.loop_check


def _finish(graph, nodes, outputs, results):
    """Sets the values of `nodes`, the first of a graph, and removes them from it."""
    _set_values(nodes, outputs, results)
    count = len(nodes)
    del graph.nodes[:count]
    if graph.iteration_ends:
        graph.iteration_ends = [end - count for end in graph.iteration_ends if end > count]
    if graph.limit > policy.RECORDING.loop_check:
        graph.limit = policy.RECORDING.loop_check
    graph.cut_point = graph.cut_point - count if graph.cut_point > count else 0
    counters["ops_recorded"] += count


@twin
def _set_values(nodes, outputs, results):
    for i, result in zip(outputs, results, strict=True):
        node = nodes[i]
        node.value = result
        node.inputs = ()


def _program(structure, outputs, nodes, inputs):
    """The program that computes those of `nodes` at the indices `outputs`."""
    key = outputs, given_up(inputs, structure.input_uses, range(len(inputs)))
    program = structure.programs.get(key)
    if program is None:
        program = _new_program(structure, key, [node.aval for node in inputs], [nodes[i].aval for i in outputs])
    return program


def _computed(program, arrays, rescued):
    """The results of a program; a `Failure` for each that could not be computed."""
    try:
        return program.run(arrays, rescued)
    except Exception as error:  # a Failure among the arrays is one, too
        if isinstance(error, RecursionError) and _is_deep() and not any(map(_is_deleted, arrays)):
            raise  # everything is still pending, and there will be more room
        # One bad operation must not take the others' values with it, unless the program failed so late that
        # the buffers it started from are gone.
        if any(map(_is_deleted, arrays)):
            return [Failure(error)] * len(program.outputs)
        return program.interpret(arrays, failures=True)


def _is_deleted(array):
    return isinstance(array, jax.Array) and array.is_deleted()


def _is_deep():
    """Whether more than half of the room on the stack was taken before a program began."""
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return 2 * depth > sys.getrecursionlimit()


def _out_of_scope(node):
    return SymbolicValueError(
        f"{node!r} is out of scope and cannot be used here: it was recorded in a function being traced, and is known "
        "when that runs. Use return values, explicit Python locals or collections to access it."
    )


def _new_program(structure, key, input_avals, output_avals):
    outputs, overwritten = key
    donated = _donatable(overwritten, input_avals, output_avals)
    return keep(structure, key, Program((structure, key), steps_of(structure.flat), outputs, donated))


def _donatable(given_up, input_avals, output_avals):
    """Those of the inputs `given_up` for which there is a result of the same shape and dtype."""
    available = collections.Counter(output_avals)
    donated = []
    for i in given_up:
        if available[input_avals[i]] > 0:
            available[input_avals[i]] -= 1
            donated.append(i)
    return tuple(donated)


def run_alone(call, inputs, overwritten, held, rescued):
    """Runs one call of known inputs by itself; see `_record.run_at_once`. Returns the tuple of the results.

    Args:
      held: how often an input that may be overwritten is held by a variable.
      rescued: list to which the results are appended before Python can be interrupted.
    """
    overwritten = given_up(inputs, [held] * len(inputs), overwritten) if overwritten else ()
    program = call.programs.get(overwritten)
    if program is None:
        steps = [(call, [~i for i in range(len(inputs))]), *[(pick, [0]) for pick in call.aval.picks]]
        donated = _donatable(overwritten, call.in_avals, call.aval.parts)
        program = keep(call, overwritten, Program((call, overwritten), steps, tuple(range(1, len(steps))), donated))
    arrays = list(map(_value, inputs)) if program.is_interpreted() else arrays_of(inputs)
    return program.run(arrays, rescued)


_run_lock = threading.RLock()
_run_ended = threading.Condition(_run_lock)
_waiting = 0  # threads that wait for nodes of `RUNNING`


def end_run(nodes, values):
    """Gives the nodes that this thread computes outside of a pending graph their values."""
    for node, value in zip(nodes, values, strict=True):
        node.value = value
    state.context.running = ()
    run_ended()


@handed_over
def run_ended():
    """Wakes the threads that wait for values of a run that is over."""
    if _waiting:
        with _run_lock:
            _run_ended.notify_all()


def wait_for(node):
    """Waits until another thread has computed a node of `RUNNING`.

    Raises:
      RuntimeError: it is this thread that computes it, so that waiting has no end.
    """
    global _waiting
    if any(node is other for other in state.context.running):
        raise RuntimeError(
            "a variable was read by a signal handler, or by an object's finalizer, in the middle of the function that "
            "assigns it: let the handler set a flag, and read the variable after the function"
        )
    with _run_lock:
        _waiting += 1
        try:
            while node.value is None:
                _interrupts.wait(_run_ended)
        finally:
            _waiting -= 1


def run_now(node):
    """Immediate execution: computes a node that was just recorded."""
    node.graph.nodes.pop()
    for source in node.inputs:
        if source.value is None:
            if source.graph.symbolic:
                raise _out_of_scope(source)
            flush(source.graph, through=source)  # pending in another thread, or since before this mode was entered
    arrays = _parts.taken([source.value for source in node.inputs])
    failure = next((a for a in arrays if type(a) is Failure), None)
    if failure is not None:
        raise failure.error
    with np.errstate(all="ignore"):
        (node.value,) = finished([run_kernel(node.call, arrays)])
    node.inputs = ()
    counters["ops_recorded"] += 1


def program_of(graph, placeholders, outputs):
    """The part of a symbolic graph that `outputs` need, and what decides on sizes, as a program.

    Returns:
      (program, captures): inputs of the program are the placeholders, then the captures.
    """
    needed, stack = set(), [*outputs, *graph.deciding]
    while stack:
        node = stack.pop()
        if node.graph is graph and node not in needed:
            needed.add(node)
            stack.extend(node.inputs)
    nodes = [node for node in graph.nodes if node in needed]
    inputs = list(placeholders)
    for k, node in enumerate(inputs):
        node.index = ~k
    flat, _, _ = encode(graph, nodes, inputs)
    refs = []
    for node in outputs:
        k = node.index
        if node in needed and node.call is not None or k < 0 and ~k < len(inputs) and inputs[~k] is node:
            refs.append(k)
        else:
            node.index = ~len(inputs)
            inputs.append(node)
            refs.append(node.index)
    key = (tuple(flat), tuple(refs), len(placeholders))
    return Program(key, steps_of(flat), tuple(refs)), inputs[len(placeholders):]
