"""Unrolling: several iterations of a small hot Python loop become one program.

An iteration of a loop begins where a tape is entered, and what is pending then runs. Running it costs some 50 µs of
Python, for ten small operations as for large ones. So once a loop has had `policy.UNROLLING.hot_iterations` in which no
value was read, its iterations stay pending until there are enough of them, or until a value is read. If that happens
after the same number of iterations, with the same values wanted, for the second time, a program of all of them is
compiled in the background while they still run one by one. The program runs from the first recurrence on that is
`policy.UNROLLING.compile_iterations` later. Time decides nothing, so digits repeat.
"""

import math
from typing import Any

import jax

from tfcompat._native import handed_over
from tfcompat.engine import _policy as policy
from tfcompat.engine._structure import calls_of
from tfcompat.engine.compile import tiers


@handed_over
class UnrolledLoop:
    """A loop, of `calls` in each iteration, that is to be unrolled. Graphs note the ends of pending iterations."""

    __slots__ = ("calls", "_iterations", "_max_pending", "_pending_from", "_programs", "_misses")

    def __init__(self, calls):
        self.calls = calls
        self._iterations = 0    # so far
        self._pending_from = 0  # the iteration from which on they stay pending
        self._max_pending = min(policy.UNROLLING.iterations, policy.UNROLLING.operations // len(calls))
        self._programs = 0      # made of several iterations
        self._misses = 0        # how often there was no program of what was pending, and none was made

    def goes_on(self, graph):
        """Whether what was recorded last in `graph` is one more iteration of the loop."""
        nodes, start = graph.nodes, graph.iteration_ends[-1] if graph.iteration_ends else 0
        if len(nodes) - start != len(self.calls) or calls_of(nodes, start, len(nodes)) != self.calls:
            return False
        self._iterations += 1
        return True

    def keeps(self, graph):
        """Whether the iteration that has just ended stays pending."""
        if self._iterations < self._pending_from:
            return False
        graph.iteration_ends.append(len(graph.nodes))
        graph.limit = len(graph.nodes) + policy.RECORDING.loop_check
        return len(graph.iteration_ends) < self._max_pending

    def takes(self, program, inputs):
        """Whether to run `program`, of all that is pending and its `inputs`; else the iterations run one by one."""
        known = _known(program)
        if known.runs_from is not None:
            return known.runs_from <= self._iterations
        if program.executable is not None:
            return True
        known.misses += 1
        if known.misses == 1 or self._programs >= policy.UNROLLING.programs:
            self._misses += 1
            return False
        known.runs_from = self._iterations + policy.UNROLLING.compile_iterations
        if not self._programs:
            self._pending_from = known.runs_from  # there is no program yet
        self._programs += 1
        program.prepare([jax.ShapeDtypeStruct(node.aval.shape, node.aval.dtype) for node in inputs])
        return False

    @property
    def irregular(self):
        """Whether values are read after numbers of iterations that keep changing."""
        return self._misses > policy.UNROLLING.max_misses


class _Known:
    """What is known of a program: as an iteration of a loop, and as several iterations."""

    __slots__ = ("iterations", "loop", "misses", "runs_from")

    def __init__(self):
        self.iterations = 0    # runs that ended where an iteration begins
        self.loop: Any = None  # the UnrolledLoop; False if the program is too large
        self.misses = 0        # how often it was pending but not compiled
        self.runs_from: int | None = None  # the iteration of the loop from which on it runs


def _known(program):
    if program.unrolling is None:
        program.unrolling = _Known()
    return program.unrolling


def loop_of(program):
    """Counts one more iteration of `program`. Returns its `UnrolledLoop`, or None if it is not to be unrolled."""
    known = _known(program)
    known.iterations += 1
    if known.iterations < policy.UNROLLING.hot_iterations:
        return None
    if known.loop is None:
        small = 2 * len(program.steps) <= policy.UNROLLING.operations and _is_small(program)
        known.loop = UnrolledLoop(tuple([call for call, _ in program.steps])) if small else False
    if not known.loop or known.loop.irregular:
        return None
    return known.loop


def _is_small(program):
    """Whether a run of the program takes about as long as recording it."""
    avals = program.input_avals()
    return None not in avals and _work(program.jaxpr(avals)) <= policy.UNROLLING.max_work


_FREE = frozenset({"stop_gradient"})  # of variables, at each read
_SLOW = frozenset({"lu", "cholesky", "triangular_solve", "eigh", "eig", "svd", "householder_product", "geqrf", "schur"})


def _work(jaxpr):
    """How many numbers a jaxpr computes, the products of a sum counted one by one."""
    total = 0
    for equation in jaxpr.eqns:
        parameters = equation.params
        inner = [_work(part) for value in parameters.values() for part in tiers.jaxprs(value)]
        if inner:
            length = math.inf if equation.primitive.name == "while" else parameters.get("length", 1)
            total += length * sum(inner)
            continue
        if equation.primitive.name in tiers.counts:
            total += tiers.counts[equation.primitive.name](equation)[1]
            continue
        size = sum(math.prod(out.aval.shape) for out in equation.outvars if hasattr(out.aval, "shape"))
        if equation.primitive.name == "dot_general":
            (contracted, _), _ = parameters["dimension_numbers"]
            size *= math.prod(equation.invars[0].aval.shape[axis] for axis in contracted)
        elif equation.primitive.name in _SLOW:
            size = math.inf
        elif equation.primitive.name in _FREE:
            size = 0
        total += size
    return total
