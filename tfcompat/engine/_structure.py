"""The structure of what is pending: which calls there are, and where their inputs come from.

Finding it takes a look at every input of every call. A structure that comes again is recognised by comparing lists,
which Python does in C.
"""
import operator
import sys
import threading

import numpy as np

from tfcompat.engine import _policy as policy
from tfcompat.engine._compiled import native
from tfcompat.engine._graph import SHARED, Graph, leaf, new_node

_inputs, _value = map(operator.attrgetter, ("inputs", "value"))
_count = sys.getrefcount
_lock = threading.Lock()
_structures: dict = {}  # what `encode` finds -> Structure
_by_calls: dict = {}    # tuple of calls -> list of the structures made of them that came again


class Structure:
    """What is computed from what.

    `flat` has each call, followed by where its inputs come from: k >= 0 is the k-th call, k < 0 is input ~k. `uses` and
    `input_uses` say how often each result, and each input, is used. `programs` are the programs computing results of
    it, by what is wanted and which inputs may be overwritten. `last` is (what was `seen` last, the program for it), in
    one, since threads share structures.
    """

    __slots__ = ("flat", "uses", "input_uses", "programs", "last", "_calls", "_pattern")

    def __init__(self, flat, uses, input_uses):
        self.flat, self.uses, self.input_uses = flat, uses, input_uses
        self.programs = {}
        self.last = None, None
        self._calls = self._pattern = None

    @classmethod
    def of(cls, flat, uses, inputs, input_uses):
        """The structure that `encode` found; from the second time on `recognised` finds it as well."""
        flat = tuple(flat)
        structure = _structures.get(flat)
        if structure is None:
            return _structures.setdefault(flat, cls(flat, uses, input_uses))
        if structure._calls is None and len(uses) <= policy.KEEPING.recognised:
            with _lock:
                structure._make_recognisable(tuple([i for i, node in enumerate(inputs) if node.aval.large]))
        return structure

    def _make_recognisable(self, large):
        self._pattern = Pattern(tuple([k for k in self.flat if type(k) is int]), large)
        self._calls = tuple([k for k in self.flat if type(k) is not int])
        alike = _by_calls.setdefault(self._calls, [])
        alike.insert(0, self)
        for forgotten in alike[policy.KEEPING.same_calls:]:
            forgotten._calls = None
        del alike[policy.KEEPING.same_calls:]

    def forget(self, key):
        """Gives up the program `key`, and the structure with its last program."""
        self.programs.pop(key, None)
        self.last = None, None
        if self.programs:
            return
        with _lock:
            _structures.pop(self.flat, None)
            alike = [other for other in _by_calls.pop(self._calls, ()) if other is not self]
            if alike:
                _by_calls[self._calls] = alike

    def seen(self, nodes, inputs):
        """See `Pattern.seen`."""
        return self._pattern.seen(nodes, inputs)


class Pattern:
    """How the nodes of a structure are wired.

    Args:
      references: tuple; where each input of each call comes from, as in `Structure.flat`.
      large: tuple; those of the inputs that are large.
    """

    __slots__ = ("_inner", "_inner_at", "_first_at", "_again", "_again_at", "_large")

    def __init__(self, references, large):
        inner, inner_at, first_at, again, again_at, inputs = [], [], [], [], [], 0
        for place, k in enumerate(references):
            if k >= 0:
                inner.append(k)
                inner_at.append(place)
            elif ~k == inputs:  # inputs are numbered as they come
                inputs += 1
                first_at.append(place)
            else:
                again.append(~k)
                again_at.append(place)
        self._inner, self._inner_at, self._first_at = items(inner), items(inner_at), items(first_at)
        self._again, self._again_at, self._large = items(again), items(again_at), items(large)

    def match(self, nodes):
        """The tuple of inputs of a list of nodes; None if they are wired in another way."""
        sources = []
        for node in nodes:
            sources += node.inputs
        nodes, sources = tuple(nodes), tuple(sources)
        if self._inner(nodes) != self._inner_at(sources):
            return None
        inputs = self._first_at(sources)
        return inputs if self._again(inputs) == self._again_at(sources) else None

    def seen(self, nodes, inputs):
        """All that decides which program computes `nodes`: kinds of values, and who holds nodes and values.

        Args:
          nodes: list of the nodes of this structure.
          inputs: tuple of the nodes that they are computed from.

        Returns:
          Something to compare with what was seen before; None where an input is not known.
        """
        kinds = list(map(type, map(_value, inputs)))
        if type(None) in kinds:
            return None
        large = self._large(inputs)
        return [
            *kinds, *map(_count, nodes), *map(_count, map(_inputs, nodes)), *map(_count, large),
            *map(_count, map(_value, large)),
        ]  # fmt: skip


def calls_of(nodes, start, stop):
    """The tuple of the calls of `nodes[start:stop]`."""
    return tuple([node.call for node in nodes[start:stop]])


if native is not None:
    Pattern, calls_of = native.Pattern, native.calls_of


def items(indices):
    """A function that gives the items of a tuple at `indices`, as a tuple."""
    if not indices:
        return _nothing
    if len(indices) == 1:
        return operator.itemgetter(slice(indices[0], indices[0] + 1))
    return operator.itemgetter(*indices)


def _nothing(sequence):
    return ()


def recognised(nodes):
    """The structure of `nodes` and its inputs, if it is one that came again; else None.

    Two inputs that were different nodes when the structure was first seen may be the same node now.
    """
    if len(nodes) > policy.KEEPING.recognised:
        return None
    for structure in _by_calls.get(calls_of(nodes, 0, len(nodes)), ()):
        inputs = structure._pattern.match(nodes)
        if inputs is not None:
            return structure, inputs
    return None


def encode(graph, nodes, inputs):
    """The structure of `nodes` as a flat list, and how often each is used by another.

    Appends to `inputs` the nodes from outside on which they depend.

    Returns:
      (flat, uses, input_uses): the structure; how often each node, and each input, is used.
    """
    flat, uses, input_uses = [], [0] * len(nodes), [0] * len(inputs)
    constants = {}  # a constant is one input for all calls alike, not one for each turn of a loop
    append = flat.append
    index = 0
    for node in nodes:
        node.index = index
        append(node.call)
        for source in node.inputs:
            k = source.index
            if 0 <= k < index and nodes[k] is source:
                uses[k] += 1
            elif k < 0 and ~k < len(inputs) and inputs[~k] is source:
                input_uses[~k] += 1
            elif source.graph is SHARED:
                new = ~len(inputs)
                k = constants.setdefault((node.call, source), new)
                if k == new:
                    inputs.append(source)
                    input_uses.append(1)
            else:
                k = source.index = ~len(inputs)
                inputs.append(source)
                input_uses.append(1)
            append(k)
        index += 1
    return flat, uses, input_uses


def steps_of(flat):
    """The steps of a program: (call, where its inputs come from)."""
    steps, i = [], 0
    while i < len(flat):
        call, refs = flat[i], []
        i += 1
        while i < len(flat) and type(flat[i]) is int:
            refs.append(flat[i])
            i += 1
        steps.append((call, refs))
    return steps


def wanted(nodes, uses):
    """Indices of the nodes that somebody beside the pending graph holds: a handle, a tape, a variable, a frame.

    Reference counts tell. They can only err upwards (a debugger holding a frame), which costs an output.
    """
    own, shared = _references(nodes)
    wanted = [i for i, used in enumerate(uses) if own[i] - used > _OWN]
    if max(shared) > _SHARED_INPUTS:
        extra = set(wanted)
        place = {node: i for i, node in enumerate(nodes)}
        for node, count in zip(nodes, shared, strict=True):
            if count > _SHARED_INPUTS:
                extra.update(place[source] for source in node.inputs if source in place)
        wanted = sorted(extra)
    return tuple(wanted)


def many_wanted(graph):
    """How many nodes of a graph are `wanted`."""
    if native is not None:
        return native.many_wanted(graph.nodes)
    nodes = graph.nodes[:]
    return len(wanted(nodes, encode(graph, nodes, [])[1]))


def _references(nodes):
    """How many references to each node there are, and to its tuple of inputs."""
    return list(map(_count, nodes)), list(map(_count, map(_inputs, nodes)))


def _calibrate():
    """The counts which `_references` finds for a node that only a pending graph holds."""
    graph = Graph()
    source = leaf(np.zeros(()))
    for _ in range(2):
        graph.nodes.append(new_node(None, (source, source), source.aval, None, graph))
    nodes = graph.nodes[:]
    own, shared = _references(nodes)
    return own[0], shared[0]


_OWN, _SHARED_INPUTS = _calibrate()


def given_up(inputs, uses, among):
    """Those of the indices `among` of inputs whose buffers the program may overwrite.

    Such a buffer belongs to a leaf that only the nodes about to run refer to: the value of a variable before it was
    assigned.
    """
    found = []
    for i in among:
        node = inputs[i]
        if node.aval.large and _count(node) - uses[i] <= _LEAF and _count(node.value) <= _ARRAY:
            found.append(i)
    return tuple(found)


def _calibrate_donation():
    """The counts which `given_up` finds for a leaf, and its array, that only pending nodes refer to."""
    counts = []
    source = leaf(np.zeros(()))
    graph = Graph()
    graph.nodes.append(new_node(None, (source,), source.aval, None, graph))
    del source
    inputs = []
    _, _, uses = encode(graph, graph.nodes[:], inputs)
    for node in inputs:
        counts.append((_count(node) - uses[0], _count(node.value)))
    return counts[0]


_LEAF, _ARRAY = _calibrate_donation()
