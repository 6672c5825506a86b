"""Backward walks as operations: what a tape has walked before is recorded as one operation, not as its many.

The structure of the walk (calls, wiring, targets, sources) is the key of an operation that does all of it, so a
training step pays for its backward pass the price of one recorded operation and one look at the tape.
"""
import functools

from tfcompat import engine
from tfcompat._indexed_slices import IndexedSlices
from tfcompat.tape import _reverse

MAX_RECORDS = 400  # a walk of more is divided: XLA's time grows faster than the size of a program
SEGMENT = 200      # operations in one piece of a divided walk, about
MAX_KEPT = 1024     # walks remembered

_PLAIN = object()   # a walk that cannot be one operation
_SEEN = object()    # a walk that may be one operation when it comes again
_DIVIDED = object() # a long walk that does not compile as one loop
walks: dict = {}


class _Walk:
    """A walk as a call: the numbers of the nodes it starts from, and which of its results each source gets."""

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
    if engine.state.here.graph.symbolic or not records or engine.immediate():
        return _walked(records, seeds, sources)
    turn = 1
    if len(records) > MAX_RECORDS:
        turn = engine.period([call for call, _, _ in records])
        # One that compiles as one loop need not be divided; it is best compiled together with the forward loop.
        middle = records[len(records) // 2][2][0]
        if not turn or middle.value is not None:
            return _in_segments(records, seeds, sources, _segment(turn))
    key, numbers = structure(records, seeds, sources)
    walk = walks.get(key)
    if walk is None or walk is _SEEN:
        at_once = walk is _SEEN or len(records) > MAX_RECORDS
        walk = _composed(records, seeds, sources, numbers, at_once)
        remember(key, walk)
    if walk is _DIVIDED or walk is _PLAIN and len(records) > MAX_RECORDS:
        return _in_segments(records, seeds, sources, _segment(turn))
    if walk is _PLAIN or walk is _SEEN:
        return _walked(records, seeds, sources)
    nodes = list(numbers)
    found = engine.record(walk.call, tuple([nodes[k] for k in walk.captures]))
    return [None if k is None else found[k] for k in walk.results]


def remember(key, walk):
    """Keeps what was made of a walk of the structure `key`."""
    walks[key] = walk
    if len(walks) > MAX_KEPT:
        walks.pop(next(iter(walks)), None)


def forget():
    """Forgets every walk: the gradient of some operation has changed."""
    walks.clear()


def structure(records, seeds, sources):
    """A key that equal walks share, and the number in it of each node."""
    numbers, key = {}, []
    number, append = numbers.setdefault, key.append
    for call, inputs, outputs in records:
        append(call)
        for node in inputs:
            append(number(node, len(numbers)))
        for node in outputs:
            number(node, len(numbers))
    for node, seed in seeds:
        append(number(node, len(numbers)))
        append(None if seed is None else number(seed, len(numbers)))
    for nodes in sources:
        append(None)
        for node in nodes:
            append(number(node, len(numbers)))
    return tuple(key), numbers


def _segment(turn):
    """The operations in a piece of a divided walk: whole turns of a loop."""
    return max(SEGMENT // turn, 1) * turn if turn else SEGMENT


def _in_segments(records, seeds, sources, size):
    """As `totals`, `size` operations at a time; where they are turns of a loop, the pieces are alike."""
    starts = {node for nodes in sources for node in nodes}
    records, reached = _reverse.leading(records, starts)
    cotangents: dict = {}

    def accumulate(node, cotangent):
        known = cotangents.get(node)
        cotangents[node] = cotangent if known is None else _reverse.add(known, cotangent)

    for node, seed in seeds:
        if node in reached:
            accumulate(node, _reverse.ones_like(node) if seed is None else seed)
    for first in reversed(range(0, len(records), size)):
        segment = records[first : first + size]
        made = dict.fromkeys(node for _, _, outputs in segment for node in outputs)
        given = [(node, cotangents[node]) for node in made if node in cotangents]
        if not given:
            continue
        wanted = dict.fromkeys(
            node for _, inputs, _ in segment for node in inputs if node in reached and node.aval.inexact
        )
        wanted = [node for node in wanted if node not in made or node in starts]
        found = totals(segment, given, [[node] for node in wanted])
        for node in made:
            if node not in starts or node in wanted:  # what is wanted comes with what was given
                cotangents.pop(node, None)
        for node, cotangent in zip(wanted, found, strict=True):
            if cotangent is not None:
                accumulate(node, cotangent)
        engine.cut()
    parts = [[cotangents[node] for node in nodes if node in cotangents] for nodes in sources]
    return [functools.reduce(_reverse.add, each) if each else None for each in parts]


def _walked(records, seeds, sources):
    seeds = [(node, _reverse.ones_like(node) if seed is None else seed) for node, seed in seeds]
    found = _reverse.backward(records, seeds, {node for nodes in sources for node in nodes})
    parts = [[found[node] for node in nodes if node in found] for nodes in sources]
    return [functools.reduce(_reverse.add, each) if each else None for each in parts]


def _composed(records, seeds, sources, numbers, at_once):
    """The walk as one call; `_PLAIN`, `_SEEN` or `_DIVIDED` where it is better done operation by operation."""
    if any(node.aval.traced for node, _ in seeds) or not is_derived(records):
        return _PLAIN
    if not at_once and engine.storm():
        return _SEEN
    with engine.Capture() as capture:
        found = _walked(records, seeds, sources)
    try:
        return _as_call(capture, found, numbers, at_once, len(records))
    finally:
        capture.forget()


def _as_call(capture, found, numbers, at_once, length):
    if not at_once and capture.kernels_are_warm:
        return _SEEN
    outputs = [total for total in found if total is not None]
    if not outputs or any(type(total) is IndexedSlices for total in outputs):
        return _PLAIN
    call, captures = capture.call(outputs, "Gradient")
    if not all(node in numbers for node in captures):
        return _PLAIN
    if length > MAX_RECORDS and call.fn.__self__.size > MAX_RECORDS:
        return _DIVIDED
    places = iter(range(len(outputs)))
    results = [None if total is None else next(places) for total in found]
    return _Walk(call, [numbers[node] for node in captures], results)


def is_derived(records):
    """Whether the gradients of all recorded calls are derived by JAX, none given by Python code."""
    return all(type(call) is engine.Call and call.operation.name not in _reverse.REGISTERED for call, _, _ in records)
