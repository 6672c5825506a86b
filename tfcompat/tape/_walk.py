"""Backward walks as operations: what a tape has walked before is recorded as one operation, not as its many.

A walk is recognised by its calls and by which of its nodes (inputs, outputs, targets, sources) are the same, and what
was made of such a walk is one operation, so a training step pays for its backward pass the price of one recorded
operation and one look at the tape.
"""
import functools
from typing import Any

from tfcompat import engine
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.tensor import wrap
from tfcompat._native import hand_over, handed_over, twin
from tfcompat.engine._policy import KEEPING, TAPE
from tfcompat.tape import _reverse

_PLAIN = object()   # a walk that cannot be one operation
_DIVIDED = object() # a long walk that does not compile as one loop
_patterns: dict = {}  # the calls of a walk -> list of (`Wiring`, what is known of such walks)
hand_over(patterns=_patterns)


@handed_over
class Walk:
    """A walk as a call: which of its different nodes it starts from, and which of its results each source gets.

    That is None, the number of a result, or of IndexedSlices a tuple: the number of the values, that of the indices,
    and the shape of the whole. Indices that are only reshaped are a pair: which of the different nodes they are, and
    the call. They need no check where they are known.
    """

    __slots__ = ("call", "captures", "results")

    def __init__(self, call, captures, results):
        self.call, self.captures, self.results = call, captures, results


def totals(records, seeds, sources):
    """The cotangent of each source.

    Args:
      records: list of (call, inputs, outputs), in the order in which they were recorded.
      seeds: list of (node, cotangent node or None for ones) of the targets.
      sources: list of lists of nodes, whose cotangents are added up.

    Returns:
      list with a node, IndexedSlices or None (no path) for each of `sources`.

    Raises:
      LookupError: an operation on the path has no gradient.
    """
    if engine.state.context.graph.symbolic or not records or engine.immediate():
        return _walked(records, seeds, sources)
    if any([type(seed) is IndexedSlices for _, seed in seeds]):
        return _walked(records, seeds, sources)
    if _collectives(records):
        return _walked(records, seeds, sources) if len(records) == 1 else _in_segments(records, seeds, sources, _apart)
    turn = 1
    if len(records) > TAPE.max_records:
        turn = engine.period([call for call, _, _ in records])
        # One that compiles as one loop need not be divided; it is best compiled together with the forward loop.
        middle = records[len(records) // 2][2][0]
        if not turn or middle.value is not None:
            return _in_segments(records, seeds, sources, _segments(turn))
    key, nodes = flattened(records, seeds, sources, None)
    walk, different = find(key, nodes)
    if walk is None:
        walk = _composed(records, seeds, sources, different)
        remember(key, nodes, walk)
    if walk is _DIVIDED or walk is _PLAIN and len(records) > TAPE.max_records:
        return _in_segments(records, seeds, sources, _segments(turn))
    if walk is _PLAIN:
        return _walked(records, seeds, sources)
    cotangents = engine.record(walk.call, tuple([different[k] for k in walk.captures]))
    return [_cotangent(k, cotangents, different) for k in walk.results]


def _cotangent(place, cotangents, different):
    """What a source gets: see `Walk`."""
    if type(place) is not tuple:
        return None if place is None else cotangents[place]
    values, indices, dense_shape = place
    if type(indices) is tuple:
        start, reshape = indices
        indices = engine.record(reshape, (different[start],))
    else:
        indices = cotangents[indices]
    return IndexedSlices(wrap(cotangents[values]), wrap(indices), dense_shape)


def find(key, nodes) -> tuple[Any, tuple]:
    """What is known of a walk, or None; and the different ones among its nodes, in their order. See `flattened`."""
    for wiring, known in _patterns.get(key, ()):
        different = _different(wiring, nodes)
        if different is not None:
            return known, different
    return None, tuple(dict.fromkeys(nodes))


def _different(wiring, nodes):
    """The different ones of `nodes`, if exactly those are the same that are the same in `wiring`; else None."""
    matched = wiring.match(nodes)
    return matched if matched is not None and len(set(matched)) == len(matched) else None


def places_of(captures, different):
    """Where each of the nodes `captures` is among the `different` ones of a walk; None if one is not there."""
    numbers = {node: i for i, node in enumerate(different)}
    return [numbers[node] for node in captures] if all(node in numbers for node in captures) else None


def remember(key, nodes, known):
    """Keeps what is known of a walk, for `find`."""
    numbers: dict = {}
    new_wiring = engine.Wiring(tuple([numbers.setdefault(node, len(numbers)) for node in nodes]))
    alike = [(wiring, other) for wiring, other in _patterns.get(key, ()) if _different(wiring, nodes) is None]
    _patterns[key] = [(new_wiring, known), *alike[: KEEPING.same_calls - 1]]
    if len(_patterns) > KEEPING.walks:
        _patterns.pop(next(iter(_patterns)), None)


def forget():
    """Forgets every walk: the gradient of some operation has changed."""
    _patterns.clear()


@twin
def flattened(records, seeds, sources, kind):
    """All calls of a walk, and all nodes, in an order that the calls tell.

    Returns:
      (key, nodes): tuples. The key has the `kind` of walk as well, and how many nodes there are where that varies.
    """
    key, nodes = [kind], []
    for call, inputs, outputs in records:
        key.append(call)
        nodes += inputs
        nodes += outputs
    for node, seed in seeds:
        key.append(seed is None)
        nodes.append(node)
        if seed is not None:
            nodes.append(seed)
    for of_source in sources:
        key.append(~len(of_source))  # True and 1 are equal
        nodes += of_source
    return tuple(key), tuple(nodes)


def _segments(turn):
    """A function that divides a long walk into whole turns of a loop. Each part is computed before the next one."""
    size = max(TAPE.segment // turn, 1) * turn if turn else TAPE.segment

    def divided(records):
        for first in reversed(range(0, len(records), size)):
            yield records[first : first + size]
            engine.cut()

    return divided


def _collectives(records):
    """The places of the collectives of replicas, which divide a walk; none where there are other custom gradients."""
    kind = engine.Call
    custom = [i for i, (call, _, _) in enumerate(records) if type(call) is not kind]
    return custom if all([records[i][0].divides for i in custom]) else ()


def _apart(records):
    """The parts of a walk: collectives, and what is between them."""
    stop = len(records)
    for place in reversed(_collectives(records)):
        yield records[place + 1 : stop]
        yield records[place : place + 1]
        stop = place
    yield records[:stop]


def _in_segments(records, seeds, sources, divided):
    """As `totals`, in parts.

    Args:
      divided: function of the records on the way that gives the parts of them, the last ones first.
    """
    starts = {node for nodes in sources for node in nodes}
    records, reached = _reverse.leading(records, starts)
    cotangents: dict = {}

    def accumulate(node, cotangent):
        known = cotangents.get(node)
        cotangents[node] = cotangent if known is None else _reverse.add(known, cotangent)

    for node, seed in seeds:
        if node in reached:
            accumulate(node, _reverse.ones_like(node) if seed is None else seed)
    for segment in divided(records):
        made = dict.fromkeys(node for _, _, outputs in segment for node in outputs)
        of_outputs = [(node, cotangents[node]) for node in made if node in cotangents]
        if not of_outputs:
            continue
        wanted = dict.fromkeys(
            node for _, inputs, _ in segment for node in inputs if node in reached and node.aval.inexact
        )
        wanted = [node for node in wanted if node not in made or node in starts]
        of_segment = totals(segment, of_outputs, [[node] for node in wanted])
        for node in made:
            if node not in starts or node in wanted:  # `totals` counts the cotangents of wanted nodes itself
                cotangents.pop(node, None)
        for node, cotangent in zip(wanted, of_segment, strict=True):
            if cotangent is not None:
                accumulate(node, cotangent)
    parts = [[cotangents[node] for node in nodes if node in cotangents] for nodes in sources]
    return [functools.reduce(_reverse.add, each) if each else None for each in parts]


def _walked(records, seeds, sources):
    seeds = [(node, _reverse.ones_like(node) if seed is None else seed) for node, seed in seeds]
    cotangents = _reverse.backward(records, seeds, {node for nodes in sources for node in nodes})
    parts = [[cotangents[node] for node in nodes if node in cotangents] for nodes in sources]
    return [functools.reduce(_reverse.add, each) if each else None for each in parts]


def _composed(records, seeds, sources, different) -> Any:
    """The walk as one call; `_PLAIN` or `_DIVIDED` where it is better done operation by operation."""
    if any(node.aval.traced for node, _ in seeds) or not is_derived(records):
        return _PLAIN
    with engine.Capture() as capture:
        cotangents = _walked(records, seeds, sources)
    try:
        return _as_call(capture, cotangents, different, len(records))
    finally:
        capture.forget()


def _as_call(capture, cotangents, different, length):
    outputs, places = [], []
    for total in cotangents:
        if type(total) is IndexedSlices:
            shape = total.dense_shape
            if shape is not None and shape._node.value is None:
                return _PLAIN
            indices = total.indices._node
            is_reshaped = indices.call is not None and indices.call.operation.name == "Reshape"
            if is_reshaped and indices.inputs[0] in different:
                places.append((len(outputs), (different.index(indices.inputs[0]), indices.call), shape))
                outputs.append(total.values._node)
                continue
            places.append((len(outputs), len(outputs) + 1, shape))
            outputs += [total.values._node, indices]
        else:
            places.append(None if total is None else len(outputs))
            outputs += () if total is None else (total,)
    if not outputs:
        return _PLAIN
    operation, captures = capture.operation(outputs, "Gradient")
    call = operation.bind(engine.NO_ATTRIBUTES, tuple(node.aval for node in captures))
    if capture.graph.report is not None:
        call.check_derivatives()
    starts = places_of(captures, different)
    if starts is None:
        return _PLAIN
    if length > TAPE.max_records and call.fn.__self__.size > TAPE.max_records:
        return _DIVIDED
    return Walk(call, starts, places)


def is_derived(records):
    """Whether the gradients of all recorded calls are derived by JAX, none given by Python code."""
    return all(type(call) is engine.Call and call.operation.name not in _reverse.REGISTERED for call, _, _ in records)
