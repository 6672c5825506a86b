"""Which assignments in a function wait for which checks, as in TensorFlow's graph of it.

There an op waits for the ops that compute its inputs. An assignment waits as well for the former assignment of the same
variable, and for what reads the variable itself since then, such as `tf.gather`; what reads the variable waits for the
last assignment. What waits for an op that fails is not done. So a variable that is assigned several times may end with
any of the values.

Checks are numbered in their order in a graph that was captured. Since each takes the report of the one before, a report
tells of the check with its number and of all before.
"""

import contextlib
import functools
from typing import Any, NamedTuple

from tfcompat import engine, nest
from tfcompat._core.assignment import guarded, is_fine, rebound
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat._tracing.assertions import REPORT, handed_on_by
from tfcompat._tracing.effects import Effects
from tfcompat.engine import function_trace

_BEFORE = 1  # stands for what was checked before the graph began: in former turns, if it is the body of a loop


class Assignment(NamedTuple):
    """What a variable was assigned while a graph was captured.

    Attributes:
      key: id of the variable.
      place: how many nodes the graph had.
      node: the new value.
      waits: nodes that the assignment waits for besides: those of `tf.control_dependencies`.
      is_final: whether the value is that of a branch, a loop or a function, where the checks in it have been regarded.
    """

    key: int
    place: int
    node: Any
    waits: tuple
    is_final: bool


class Doubts(NamedTuple):
    """What may not have been computed, or assigned, after a call of a branch, a loop or a function.

    Attributes:
      results: indices of results whose values mean nothing if a check in it fails.
      late: ids of variables of which the last assignment waits for a check in it.
      used: ids of variables that it reads and assigns, if it has checks that what uses them later waits for; else none.
    """

    results: frozenset
    late: frozenset
    used: frozenset

    def of(self, names):
        """The same where variables have other ids: `names` maps one to the other."""
        return self._replace(**{
            field: frozenset([names.get(key, key) for key in getattr(self, field)]) for field in ("late", "used")
        })


def of_branches(doubts):
    """The `Doubts` of a call of one of several branches that have these."""
    return Doubts(*[frozenset().union(*each) for each in zip(*doubts, strict=True)])


def guard(trace, graph, checks, outputs, read, repeats=False):
    """Has variables keep what they had before the first assignment that waits for a broken check.

    Args:
      trace: FunctionTrace, of `graph` or of a part that this is.
      checks: as `finish` gives them.
      outputs: nodes of the results.
      read: ids of the variables that are read.
      repeats: whether the graph is the body of a loop.

    Returns:
      (doubts, kept): its `Doubts`, None where nothing is checked; ids of the variables that may keep what they had.
    """
    if id(REPORT) not in trace.assigned:
        return None, ()
    waiting = _Waiting(trace, graph, checks, ())
    if repeats and any(waiting.latest.values()):
        waiting = _Waiting(trace, graph, checks, [key for key, number in waiting.latest.items() if number])
    kept = []
    fine = functools.cache(lambda number: is_fine(waiting.reports[number]))
    with engine.watching(()):
        for key, steps in waiting.steps.items():
            if type(trace.assigned[key]) is Effects:
                continue
            value = trace.before(trace.assigned[key])
            for k, (node, number) in enumerate(steps):
                if not number:
                    value = node
                elif k + 1 == len(steps) or steps[k + 1][1] != number:
                    value = guarded(node, value, fine(number))
            if value is not steps[-1][0]:
                trace.current[key] = rebound(value, trace.inputs[key][1])
                kept.append(key)
    results = frozenset([i for i, node in enumerate(outputs) if waiting.after.get(node)])
    late = frozenset([key for key in waiting.steps if waiting.latest[key]])
    used = frozenset([*trace.assigned, *read]) if waiting.is_stateful else frozenset()
    return Doubts(results, late, used), kept


@contextlib.contextmanager
def waiting_for(trace, inputs):
    """Context in which assignments wait for `inputs`, as those of `tf.control_dependencies`."""
    outer = trace.waits
    trace.waits = () if inputs is None else (*outer, *map(_waited_for, nest.flatten(inputs, expand_composites=True)))
    try:
        yield
    finally:
        trace.waits = outer


def _waited_for(x):
    """The node of a tensor or variable. Others are results of ops without any, as of assertions: what was checked."""
    if isinstance(x, Variable):
        return x._current_node()
    return x._node if isinstance(x, Tensor) else function_trace(engine.state.graph).current.get(id(REPORT))


class _Waiting:
    """For what each node and each assignment in a graph waits.

    Attributes:
      reports: number of a check -> node of the report after it.
      after: node -> number of the last check that it waits for, if there is one.
      latest: id of a variable -> number of the last check that its next assignment waits for; 0 if there is none.
      steps: id of a variable -> list of (node, number of the check that it waits for) that it is assigned.
      is_stateful: whether there is a check that other ops wait for, though they do not take what it checks.
    """

    def __init__(self, trace, graph, checks, first):
        self._trace, self._checks = trace, checks
        self.reports, self._numbers = {_BEFORE: trace.before(REPORT)}, {}
        self.after, self.latest, self.steps = {}, dict.fromkeys(first, _BEFORE), {}
        self.is_stateful = False
        self._handing_on, self._before_call, self._parts = {}, {}, {}
        for number, node in enumerate(graph.nodes, _BEFORE + 1):
            if (call := handed_on_by(trace, node)) is not None:
                self._handing_on[call] = number
                self.reports[number] = node
            if _is_part(node):
                self._parts.setdefault(node.inputs[0], []).append(node)
        assignments = iter([*trace.history, None])
        assignment = next(assignments)
        for number, node in enumerate(graph.nodes, _BEFORE + 1):
            while assignment is not None and assignment.place <= number - _BEFORE - 1:
                self._assign(assignment)
                assignment = next(assignments)
            self._pass(number, node)
        while assignment is not None:
            self._assign(assignment)
            assignment = next(assignments)

    def _last(self, nodes):
        return max([self.after.get(node, 0) for node in nodes], default=0)

    def _pass(self, number, node):
        if node in self._checks:
            self._check(number, node)
        elif node not in self._trace.reports:
            last = self._last(node.inputs)
            call = node.inputs[0] if _is_part(node) else None
            if call in self._handing_on:
                doubts = self._trace.doubts.get(call)
                if doubts is None or node.call.index in doubts.results:
                    last = max(last, self._handing_on[call])
            if last:
                self.after[node] = last
        elif self.reports.get(number) is node:
            call = handed_on_by(self._trace, node)
            self._numbers[node] = number
            doubts = self._trace.doubts.get(call)
            for key in () if doubts is None else doubts.used:
                self.is_stateful = True
                self._before_call[call, key] = self.latest.get(key, 0)
                self.latest[key] = number

    def _check(self, number, node):
        self.reports[number], self._numbers[node] = node, number
        checked = self._checks[node]
        touched = self._trace.touched.get(node, ())
        for key in touched:
            self.latest[key] = number
        self.is_stateful = self.is_stateful or checked is None or bool(touched)
        if checked is not None:
            self.after[checked] = number
            for part in self._parts.get(checked, ()):
                self.after[part] = number

    def _assign(self, assignment):
        key, node = assignment.key, assignment.node
        last = max(self._last((node, *assignment.waits)), *[self._numbers.get(each, 0) for each in assignment.waits], 0)
        call = _call_of(node) if assignment.is_final else None
        wait = max(last, self._before_call.get((call, key), self.latest.get(key, 0)))
        self.steps.setdefault(key, []).append((node, wait))
        if call in self._handing_on:
            doubts = self._trace.doubts.get(call)
            if doubts is None or key in doubts.late or key in doubts.used:
                wait = self._handing_on[call]
        self.latest[key] = self.after[node] = wait


def _is_part(node):
    return node.call is not None and node.call.operation.name == "Pick"


def _call_of(node):
    """The call of a branch, a loop or a function that a node, what a variable was assigned, is a result of."""
    while node.inputs and not _is_part(node):
        node = node.inputs[0]
    return node.inputs[0] if node.inputs else None
