"""Unrolling: several iterations of a small hot loop of the user's become one program.

An iteration of a loop begins where a tape is entered, and what is pending then runs. Running it costs some 50 µs of
Python, for ten small operations as for large ones. So once a loop has had `policy.UNROLLING.hot_iterations` in which no
value was read, its iterations stay pending until there are enough of them, or until a value is read. If that happens
after the same number of iterations, with the same values wanted, for the second time, a program of all of them is
compiled in the background while they still run one by one. The program runs from the first recurrence on that is
`policy.UNROLLING.compile_iterations` later. Time decides nothing, so digits repeat.
"""

import math

import jax

from tfcompat._native import handed_over
from tfcompat.engine import _policy as policy
from tfcompat.engine._structure import calls_of
from tfcompat.engine.compile import tiers


@handed_over
class Loop:
    """A loop whose turns are gathered, of `calls` each. A graph in which some are pending notes their ends."""

    __slots__ = ("calls", "_turns", "_most", "_from", "_made", "_apart")

    def __init__(self, calls):
        self.calls = calls
        self._turns = self._from = 0  # how many there have been, and from which on they are gathered
        self._most = min(policy.UNROLLING.iterations, policy.UNROLLING.operations // len(calls))
        self._made = 0   # programs of several turns
        self._apart = 0  # how often there was no program, nor any made

    def goes_on(self, graph):
        """Whether what was recorded last in `graph` is one more turn of the loop."""
        nodes, start = graph.nodes, graph.ends[-1] if graph.ends else 0
        if len(nodes) - start != len(self.calls) or calls_of(nodes, start, len(nodes)) != self.calls:
            return False
        self._turns += 1
        return True

    def keeps(self, graph):
        """Whether the turn that has just ended stays pending."""
        if self._turns < self._from:
            return False
        graph.ends.append(len(graph.nodes))
        graph.limit = len(graph.nodes) + policy.RECORDING.loop_check
        return len(graph.ends) < self._most

    def takes(self, program, inputs):
        """Whether `program`, of all that is pending and its `inputs`, is to run; else the turns run one by one."""
        if program.due is not None:
            return program.due <= self._turns
        if program.compiled is not None:
            return True
        program.apart += 1
        if program.apart == 1 or self._made >= policy.UNROLLING.programs:
            self._apart += 1
            return False
        program.due = self._turns + policy.UNROLLING.compile_iterations
        if not self._made:
            self._from = program.due  # there is no program yet
        self._made += 1
        program.prepare([jax.ShapeDtypeStruct(node.aval.shape, node.aval.dtype) for node in inputs])
        return False

    @property
    def irregular(self):
        """Whether values are looked at after ever new numbers of turns."""
        return self._apart > policy.UNROLLING.max_misses


def loop_of(program):
    """The `Loop` of which `program` has run one more turn, if turns are to be gathered; else None."""
    program.turns_run += 1
    if program.turns_run < policy.UNROLLING.hot_iterations:
        return None
    if program.loop is None:
        small = 2 * len(program.steps) <= policy.UNROLLING.operations and _is_small(program)
        program.loop = Loop(tuple([call for call, _ in program.steps])) if small else False
    if not program.loop or program.loop.irregular:
        return None
    return program.loop


def _is_small(program):
    """Whether a run of the program takes about as long as recording it."""
    avals = program.input_avals()
    return None not in avals and _work(program.jaxpr(avals)) <= policy.UNROLLING.max_work


_SLOW = frozenset({"lu", "cholesky", "triangular_solve", "eigh", "eig", "svd", "householder_product", "geqrf", "schur"})


def _work(jaxpr):
    """How many numbers a jaxpr computes, the products of a sum counted one by one."""
    total = 0
    for equation in jaxpr.eqns:
        parameters = equation.params
        inner = [_work(part) for value in parameters.values() for part in tiers.jaxprs(value)]
        if inner:
            turns = math.inf if equation.primitive.name == "while" else parameters.get("length", 1)
            total += turns * sum(inner)
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
        total += size
    return total
