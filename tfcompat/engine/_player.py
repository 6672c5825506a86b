"""Playing captured graphs on arrays, call by call, whatever sizes the arrays have.

A loop whose variables grow has other sizes in each turn. To trace or compile it for each would take thousands of times
as long as to run it. So nothing is traced: each call of the graph is bound to the sizes at hand, as it is where Python
code runs eagerly, and computed by its NumPy kernel. For sizes that it has met before, a call is found by the shapes of
its arrays.
"""

import numpy as np

from tfcompat.engine import _sizes, host
from tfcompat.engine._aval import Aval, TupleAval
from tfcompat.engine._bind import Call
from tfcompat.engine._families import member_of
from tfcompat.engine._graph import leaf, state
from tfcompat.engine._policy import HOST
from tfcompat.engine._program import finished, needed_steps, program_behind, run_kernel
from tfcompat.engine._record import array_of
from tfcompat.engine._steps import call_for_sizes, note_sizes


def plays(nodes):
    """Whether a captured graph may be played on the values of these nodes: nobody wants its derivatives."""
    if state.watchers and any([node.aval.inexact for node in nodes]) or not host.computes():
        return False
    return not state.graph.symbolic and not any([node.aval.traced for node in nodes])


def played_on_host(turns, nodes):
    """The nodes of the results of `turns(play, *arrays)`, a function of `play` below and of the values of nodes."""
    arrays = [array_of(node) for node in nodes]
    with np.errstate(all="ignore"):
        return tuple(map(leaf, finished(list(turns(play, *arrays)))))


def is_cold(operation, runs):
    """Whether NumPy is to compute the next of `runs` runs of a captured graph; else it is worth compiling for them.

    It says so for one run, which counts. The first run tells how long each takes.
    """
    program = operation.fn.__self__
    if not host.computes() or not program.is_interpreted():
        return False
    if program.sightings and program.interpreted_runs - program.sightings < runs // 2:
        return False
    program.sightings += 1
    return True


def play(operation, arrays):
    """The results of a captured graph on arrays, a list."""
    player = operation.player
    if player is None:
        player = operation.player = _Player(operation)
    return player(arrays)


class _Player:
    """Plays one captured graph. `play` keeps it with the operation."""

    __slots__ = ("_outputs", "_sites", "_size", "_symbols")

    def __init__(self, operation):
        program = operation.fn.__self__
        needed = needed_steps(program.steps, program.outputs)
        self._sites = [(i, _site(call, refs), refs) for i, (call, refs) in enumerate(program.steps) if i in needed]
        self._outputs, self._size = program.outputs, len(program.steps)
        looks = any([site.looks_at_sizes for _, site, _ in self._sites])
        # (input, axis, text of what its size is) of the sizes that are looked at. To make a text takes microseconds.
        self._symbols = [
            (place, axis, str(size)) for place, aval in enumerate(operation.avals or () if looks else ())
            for axis, size in enumerate(aval.shape) if type(size) is not int
        ]  # fmt: skip

    def __call__(self, arrays):
        if not self._symbols:
            return self._played(arrays)
        sizes = dict(_sizes.known_sizes())
        for place, axis, text in self._symbols:
            sizes[text] = arrays[place].shape[axis]
        with _sizes.sizes_known(sizes):
            return self._played(arrays)

    def _played(self, arrays):
        # Inputs stand behind the results, so that a reference, which is negative for an input, finds either.
        values = [None] * self._size
        values += arrays[::-1]
        for i, site, refs in self._sites:
            values[i] = site(*[values[r] for r in refs])
        return [values[r] for r in self._outputs]


def _site(call, refs):
    if type(call) is not Call:
        return _Pick(call.index)
    operation = call.operation
    if operation.turns is not None:
        return _Turns(operation.turns, type(call.aval) is TupleAval)
    if operation.step is not None:
        return _Step(call)
    if program_behind(call) is not None:
        return _Graph(operation)
    return _Site(call)


class _Pick:
    """Takes one of several results."""

    __slots__ = ("_index",)
    looks_at_sizes = False

    def __init__(self, index):
        self._index = index

    def __call__(self, parts):
        return parts[self._index]


class _Turns:
    """A branch or a loop."""

    __slots__ = ("_is_tuple", "_turns")
    looks_at_sizes = True

    def __init__(self, turns, is_tuple):
        self._turns, self._is_tuple = turns, is_tuple

    def __call__(self, *arrays):
        results = self._turns(play, *arrays)
        return results if self._is_tuple else results[0]


class _Graph:
    """A captured graph in a captured graph."""

    __slots__ = ("_operation",)
    looks_at_sizes = True

    def __init__(self, operation):
        self._operation = operation

    def __call__(self, *arrays):
        return play(self._operation, arrays)


class _Step:
    """A call that has a step: its nodes, whose values are arrays."""

    __slots__ = ("_call",)
    looks_at_sizes = True

    def __init__(self, call):
        self._call = call

    def __call__(self, *arrays):
        call = self._call
        results = call.operation.step(call, tuple(map(leaf, arrays)))
        several = type(call.aval) is TupleAval
        for aval, node in zip(call.aval.parts if several else (call.aval,), results, strict=True):
            note_sizes(_sizes.known_sizes(), aval, node)
        arrays = [array_of(node) for node in results]
        return arrays if several else arrays[0]


class _Site:
    """Any other call. `_known` has what computes it, by the shapes of its arrays and the sizes among its attributes."""

    __slots__ = ("looks_at_sizes", "_call", "_dtypes", "_expressions", "_families", "_fixed", "_known")

    def __init__(self, call):
        self._call, self._known, self._families, self._fixed = call, {}, set(), None
        self._dtypes = [aval.dtype for aval in call.in_avals]
        self._expressions = tuple(_expressions(call.attributes.values))
        self.looks_at_sizes = bool(self._expressions) or bool(call.operation.composed)

    def __call__(self, *arrays):
        function = self._fixed
        if function is None:
            key = tuple([array.shape for array in arrays])
            if self._expressions:
                sizes = _sizes.known_sizes()
                key += tuple([_sizes.evaluated(text, sizes) for text in self._expressions])
            function = self._known.get(key)
            if function is None:
                function = self._found(key, arrays)
        return function(*arrays)

    def _found(self, key, arrays):
        call, is_tuple = self._call, type(self._call.aval) is TupleAval
        if not self.looks_at_sizes and not _has_symbols(call.in_avals):
            function = self._fixed = _function(call, is_tuple)
            return function
        avals = tuple([Aval(array.shape, dtype) for array, dtype in zip(arrays, self._dtypes, strict=True)])
        operation, attributes = call_for_sizes(call) if self.looks_at_sizes else (call.operation, call.attributes)
        if len(self._known) >= HOST.sizes:
            self._known.clear()
        function = self._of_family(operation, attributes, avals, is_tuple)
        if function is None:
            bound = operation.bind(attributes, avals)
            if bound.member is not None:
                self._families.add(bound.member.family)
            function = _function(bound, is_tuple)
        self._known[key] = function
        return function

    def _of_family(self, operation, attributes, avals, is_tuple):
        """A function for a call of a family that was bound before: its plan for other sizes; None for other calls."""
        member = None if any([0 in aval.shape for aval in avals]) else member_of(operation, attributes, avals)
        if member is None or member.family not in self._families:
            return None
        plan = member.family.plan()
        if not plan:
            return None
        try:
            function = plan.sized(member.sizes)
        except host.Unknown:
            return None
        return _alone(function, is_tuple) if host.is_short(function) else None


def _function(call, is_tuple):
    """A function of arrays that computes a call."""
    kernel = call.kernel
    if kernel is None:
        kernel = call.kernel = host.kernel_of(call)
    if type(kernel) is host.Kernel and host.is_short(kernel.function):
        return _alone(kernel.function, is_tuple)
    if is_tuple:
        return lambda *arrays: [np.asarray(x) for x in run_kernel(call, arrays)]
    return lambda *arrays: np.asarray(run_kernel(call, arrays))


def _alone(function, is_tuple):
    """A function that gives a list of arrays as one that gives its only result, unless there are several."""
    return function if is_tuple else lambda *arrays: function(*arrays)[0]


def _has_symbols(avals):
    return any([type(size) is not int for aval in avals for size in aval.shape])


def _expressions(value):
    """The texts of the expressions of symbols in a static attribute, a value or a nested tuple."""
    if type(value) is tuple:
        for item in value:
            yield from _expressions(item)
    elif _sizes.has_symbols(value):
        yield str(value)
