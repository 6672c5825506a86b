"""The structure of what is pending: which calls there are, and where their inputs come from.

To encode it is to look at every input of every call. A structure that recurs is recognised instead, by comparing lists,
which Python does in C.

Reference counts tell which values anybody still wants, and which buffers a program may overwrite.
"""
import operator
import sys
import threading

import numpy as np

from tfcompat._native import twin
from tfcompat.engine import _forked, _interrupts
from tfcompat.engine import _policy as policy
from tfcompat.engine._graph import SHARED, Graph, leaf, new_node
from tfcompat.engine._parts import Part

_inputs, _value = map(operator.attrgetter, ("inputs", "value"))
_count = sys.getrefcount
_lock = threading.RLock()  # a finalizer may run a program where this module makes an object
_structures: dict = {}  # what `encode` finds -> Structure
_by_calls: dict = {}    # tuple of calls -> list of the structures made of them that came again


@_forked.when_forked
def _free():
    global _lock
    _lock = threading.RLock()


class Structure:
    """What is computed from what.

    Attributes:
      flat: each call, followed by where its inputs come from: k >= 0 is the k-th call, k < 0 is input ~k.
      uses, input_uses: how often each result, and each input, is used.
      programs: programs of it, by (outputs, inputs that may be overwritten).
      last: (what was `seen` last, the program for it); one tuple, since threads share structures.
    """

    __slots__ = ("flat", "uses", "input_uses", "programs", "last", "_calls", "_wiring", "_large")

    def __init__(self, flat, uses, input_uses):
        self.flat, self.uses, self.input_uses = flat, uses, input_uses
        self.programs = {}
        self.last = None, None
        self._calls = self._wiring = self._large = None

    @classmethod
    def of(cls, flat, uses, inputs, input_uses):
        """The structure that `encode` found. From the second time on, `recognised` finds it as well."""
        flat = tuple(flat)
        structure = _structures.get(flat)
        if structure is None:
            return _structures.setdefault(flat, cls(flat, uses, input_uses))
        if structure._calls is None and len(uses) <= policy.KEEPING.recognised:
            with _lock:
                structure._make_recognisable(tuple([i for i, node in enumerate(inputs) if node.aval.large]))
        return structure

    def _make_recognisable(self, large):
        many = len(self.uses)
        references = [k for k in self.flat if type(k) is int]
        self._wiring = Wiring((*range(many), *[k if k >= 0 else many + ~k for k in references]))
        self._large = large
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
        """See `seen`."""
        return seen(nodes, inputs, self._large)


@twin
class Wiring:
    """Which places of a sequence of nodes have the same node.

    Args:
      numbers: tuple; the number of the node at each place. The different nodes are numbered as they come.
    """

    __slots__ = ("_first", "_again", "_again_of")

    def __init__(self, numbers):
        first, again, again_of = [], [], []
        for place, number in enumerate(numbers):
            if number == len(first):
                first.append(place)
            else:
                again.append(place)
                again_of.append(number)
        self._first, self._again, self._again_of = map(_items, (first, again, again_of))

    def match(self, nodes):
        """The nodes of a tuple by their numbers, a tuple; None if places that have the same node have different ones.

        Nodes of different numbers may be the same one.
        """
        first = self._first(nodes)
        return first if self._again(nodes) == self._again_of(first) else None


@twin
def inputs_of(wiring, nodes):
    """The tuple of inputs of a list of nodes; None if they are wired in another way.

    `wiring` is that of the nodes and all their inputs, one after the other.
    """
    matched = wiring.match((*nodes, *[source for node in nodes for source in node.inputs]))
    return None if matched is None else matched[len(nodes):]


@twin
def seen(nodes, inputs, large):
    """All that decides which program computes `nodes`: kinds of values, and who holds nodes and values.

    Args:
      nodes: list of the nodes of a structure.
      inputs: tuple of the nodes that they are computed from.
      large: tuple; indices of the inputs that are large.

    Returns:
      Something to compare with what was seen before; None if an input is not known.
    """
    kinds = list(map(type, map(_value, inputs)))
    if type(None) in kinds:
        return None
    large = [inputs[i] for i in large]
    return [
        *kinds, *map(_count, nodes), *map(_count, map(_inputs, nodes)), *map(_count, large),
        *map(_count, map(_value, large)),
    ]  # fmt: skip


@twin
def calls_of(nodes, start, stop):
    """The tuple of the calls of `nodes[start:stop]`."""
    return tuple([node.call for node in nodes[start:stop]])


def _items(indices):
    """A function that gives the items of a tuple at `indices`, as a tuple."""
    if not indices:
        return _nothing
    if len(indices) == 1:
        return operator.itemgetter(slice(indices[0], indices[0] + 1))
    return operator.itemgetter(*indices)


def _nothing(sequence):
    return ()


def recognised(nodes):
    """The structure of `nodes` and its inputs, if it has come more than once; else None.

    Two inputs that were different nodes at first may be the same node now.
    """
    if len(nodes) > policy.KEEPING.recognised:
        return None
    for structure in _by_calls.get(calls_of(nodes, 0, len(nodes)), ()):
        inputs = inputs_of(structure._wiring, nodes)
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
    constants = {}  # a constant is one input for all equal calls, not one for each iteration
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
    starts = [i for i, entry in enumerate(flat) if type(entry) is not int]
    stops = [*starts[1:], len(flat)]
    return [(flat[i], list(flat[i + 1:stop])) for i, stop in zip(starts, stops, strict=False)]  # there may be none


def wanted(nodes, uses):
    """Indices of the nodes that anything outside the pending graph holds: a tensor, a tape, a variable, a frame.

    Reference counts can only err upwards (a debugger holds a frame), which costs an output.
    """
    of_nodes, of_inputs = _references(nodes)
    indices = [i for i, used in enumerate(uses) if of_nodes[i] - used > _PENDING_NODE]
    if max(of_inputs) > _PENDING_INPUTS:
        extra = set(indices)
        index_of = {node: i for i, node in enumerate(nodes)}
        for node, count in zip(nodes, of_inputs, strict=True):
            if count > _PENDING_INPUTS:
                extra.update(index_of[source] for source in node.inputs if source in index_of)
        indices = sorted(extra)
    return tuple(indices)


def drop_unwanted(graph):
    """Takes out of a pending graph what nobody wants, directly or for a value that is wanted.

    Returns:
      How many nodes were taken out.
    """
    if graph.iteration_ends or type(graph.nodes) is not list:
        return 0
    with graph.lock:
        return take_unwanted(graph)


@twin
def take_unwanted(graph):
    """As `drop_unwanted`, for a graph whose nodes are in a list."""
    nodes, count, before = graph.nodes, _count, len(graph.nodes)
    with _interrupts.delayed():
        for i in range(before - 1, -1, -1):
            if count(nodes[i]) == _UNWANTED_NODE:
                nodes[i] = None  # then what only this one was computed from is unwanted, too
        graph.cut_point -= nodes[:graph.cut_point].count(None)
        nodes[:] = [node for node in nodes if node is not None]
    return before - len(nodes)


@twin
def many_wanted(graph):
    """How many nodes of a graph are `wanted`."""
    nodes = graph.nodes[:]
    return len(wanted(nodes, encode(graph, nodes, [])[1]))


def _references(nodes):
    """How many references to each node there are, and to its tuple of inputs."""
    return list(map(_count, nodes)), list(map(_count, map(_inputs, nodes)))


def _calibrate():
    """The counts that `_references` gives for a node that only a pending graph holds."""
    graph = Graph()
    source = leaf(np.zeros(()))
    for _ in range(2):
        graph.nodes.append(new_node(None, (source, source), source.aval, None, graph))
    nodes = graph.nodes[:]
    of_nodes, of_inputs = _references(nodes)
    return of_nodes[0], of_inputs[0]


_PENDING_NODE, _PENDING_INPUTS = _calibrate()


def _calibrate_unwanted():
    """The count that `take_unwanted` gets for a node that only the list holds."""
    nodes, count = [new_node(None, (), None, None, None)], _count
    return count(nodes[0])


_UNWANTED_NODE = _calibrate_unwanted()


def given_up(inputs, uses, among):
    """Those of the indices `among` of inputs whose buffers the program may overwrite.

    Such a buffer belongs to a leaf that only the nodes about to run refer to, such as the value that a variable had
    before it was assigned.
    """
    indices = []
    for i in among:
        node = inputs[i]
        if node.aval.large and _count(node) - uses[i] <= _LEAF and _count(node.value) <= _ARRAY:
            if type(node.value) is not Part:
                indices.append(i)
    return tuple(indices)


def _calibrate_donation():
    """The counts that `given_up` gets for a leaf, and its array, that only pending nodes refer to."""
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
