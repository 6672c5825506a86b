"""What the numbers computed in a loop are in each of its turns, where that is known while the loop is traced.

In `for i in tf.range(9): x[i * n : (i + 1) * n]` no trace knows the bounds of the slice. The numbers that `i` stands
for are known, so the size of the slice is, too, if it is the same in all turns. If it is not, the loop can be made in
pieces in which it is.
"""

import contextlib
from typing import Any

import numpy as np

from tfcompat import engine
from tfcompat._core.convert import folded
from tfcompat._core.op import spec_of
from tfcompat._package.thread_state import ThreadState
from tfcompat.engine._policy import FUNCTIONS


class UnequalTurns(TypeError):
    """A size is another in turn `turn` of the loop over `numbers` than in its first turn."""

    def __init__(self, numbers, turn):
        super().__init__(
            f"a slice has another size in turn {turn} of a loop than in its first one, so it has no known shape; use "
            "tf.slice with a tensor `begin` and a fixed `size`"
        )
        self.numbers, self.turn = numbers, turn


UnequalTurns.__name__ = UnequalTurns.__qualname__ = "TypeError"  # the name that users see


class _Turns(ThreadState):
    """Attributes:
    known: tuple of pairs (node, array): scalars of the loops that are being traced, and what they are in each turn.
    """

    known: Any = ()


_turns = _Turns()


@contextlib.contextmanager
def known_in_turns(row, numbers):
    """A context in which the tensor `row` of a loop's body stands for one of `numbers`, an array, or None for any."""
    if numbers is None:
        yield
        return
    outer = _turns.known
    _turns.known = (*outer, (row._node, numbers))
    try:
        yield
    finally:
        _turns.known = outer


def numbers_of(rows):
    """The integers that a loop over the vector `rows` is over, an array; None where it is over something else."""
    aval = rows._node.aval
    if aval.dtype.kind not in "iu" or len(aval.shape) != 1 or type(aval.shape[0]) is not int:
        return None
    if not 0 < aval.shape[0] <= FUNCTIONS.known_turns:
        return None
    try:
        return folded(rows._node)
    except engine.SymbolicValueError:
        return None


def in_turns(*bounds):
    """What some scalars are in each turn of the only loop that they depend on.

    Args:
      bounds: ints, None and integer tensors.

    Returns:
      (numbers, values): the numbers of the loop, and a list with an array of a value for each turn for each tensor, the
      other bounds as they are. None where something else decides on a bound.
    """
    loops: dict = {}
    values: list = []
    for bound in bounds:
        values.append(bound if bound is None or isinstance(bound, int) else _values(bound._node, loops))
        if bound is not None and values[-1] is None:
            return None
    if len(loops) != 1:
        return None
    (numbers,) = loops.values()
    return numbers, [np.broadcast_to(x, numbers.shape) if isinstance(x, np.ndarray) else x for x in values]


def _values(node, loops):
    """A scalar, or an array of one for each turn; None if they are not known. Adds the loop to `loops`."""
    for known, numbers in _turns.known:
        if known is node:
            loops[id(numbers)] = numbers
            return numbers
    if type(node.value) is np.ndarray:
        return node.value if not node.aval.shape and node.aval.dtype.kind in "iu" else None
    operation = getattr(node.call, "operation", None)
    spec = spec_of(operation)
    if spec is None or node.aval.shape or not (getattr(spec.host, "is_elementwise", False)):
        return None
    inputs = []
    for source in node.inputs:
        inputs.append(_values(source, loops))
        if inputs[-1] is None:
            return None
    layout, *statics = node.call.attributes.values
    result = spec.host(**spec._arguments(layout, inputs), **dict(zip(spec.statics, statics, strict=True)))
    return None if result is NotImplemented else np.asarray(result)


def block_of(start, stop, size):
    """What a slice in a loop takes of `size` elements, if it takes as many in each turn.

    Args:
      start, stop: ints, None and integer tensors.

    Returns:
      (begin, count): a tensor and an int; None where that is not known.

    Raises:
      UnequalTurns: it takes another number in some turn.
    """
    found = in_turns(start, stop)
    if found is None:
        return None
    numbers, (starts, stops) = found
    begins = _within(0 if start is None else starts, size)
    counts = np.maximum(_within(size if stop is None else stops, size) - begins, 0)
    counts = np.broadcast_to(counts, numbers.shape)
    (changes,) = np.nonzero(counts != counts[0])
    if len(changes):
        raise UnequalTurns(numbers, int(changes[0]))
    count = int(counts[0])
    if not count:
        return 0, 0
    if start is None or isinstance(start, int):
        return int(begins), count
    if (begins == starts).all():
        return start, count
    return (start + size, count) if (begins == starts + size).all() else None


def _within(bound, size):
    """Where a bound of a slice lies among `size` elements, as Python has it."""
    bound = np.asarray(bound, np.int64)
    return np.clip(np.where(bound < 0, bound + size, bound), 0, size)
