"""Calls that differ in sizes alone, traced once for all sizes.

A shape rule is a trace of an operation, and so are its derivatives and the jaxpr that the host computes: milliseconds
for each new shape. Where shapes keep changing (episodes, sentences of other lengths) an operation is bound to symbols
in place of the sizes that change. What that call tells holds for all of them.
"""

import contextlib
import functools
import threading

import jax

from tfcompat.engine import _policy as policy
from tfcompat.engine import _sizes

_SYMBOLS = jax.export.symbolic_shape("v0, v1, v2, v3")


def _attempted(trace, *arguments):
    """`trace(*arguments)`, which traces for symbols; None where that cannot be done.

    JAX keeps errors about symbols, and some in cycles, and their frames would hold all that is in the frames of the
    callers, whose values would count as wanted. So it is done in a thread of its own, in which there are none.
    """
    found = []

    def attempt():
        with contextlib.suppress(Exception):
            found.append(trace(*arguments))

    thread = threading.Thread(target=attempt, name="tfcompat-families")
    thread.start()
    thread.join()
    return found[0] if found else None


class Member:
    """A call as one of a family: `general`, the call bound to symbols, and the sizes that they stand for."""

    __slots__ = ("general", "sizes")

    def __init__(self, general, sizes):
        self.general, self.sizes = general, sizes

    def shapes(self):
        """Shape and dtype of the result, or a list of them for several results."""
        with _sizes.sizes_known(self.sizes):
            return _shapes(self.general.aval)

    def derived(self, derive, *which):
        """What `Call.vjp` or `Call.jvp` derives from the call, as a member; None if it cannot be for symbols."""
        derived = _attempted(derive, self.general, *which)
        return derived and Member(derived, self.sizes)

    def dependence(self):
        """`Call.depends` and `Call.zeros`; None if they cannot be told for symbols."""
        general = self.general
        return general.dependence() if general.is_traced else _attempted(type(general).dependence, general)


@functools.lru_cache(maxsize=4096)
def general_jaxpr(call):
    """The closed jaxpr of a call that is bound to symbols; None if it cannot be traced for them."""
    return _attempted(jaxpr_of, call)


def jaxpr_of(call):
    """The closed jaxpr of a call."""
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in call.in_avals]
    with jax.enable_x64(True):
        return jax.make_jaxpr(call.fn)(*shapes)


class Families:
    """Calls of one operation with the same dtypes, numbers of axes, and static attributes but for integers."""

    __slots__ = ("count", "last", "patterns", "attempts")

    def __init__(self):
        self.count, self.attempts = 0, 0
        self.last = None      # the latest call
        self.patterns = []    # (integers and, in place of sizes that change, symbols; the call bound to them)

    def member(self, integers):
        """The call with these integers as a Member, or None."""
        for pattern, general in self.patterns:
            sizes = _matched(pattern, integers)
            if sizes is not None:
                return Member(general, sizes)
        return None

    def add(self, call, integers):
        """Notes a call of none of the families; it founds one where several calls have come."""
        before, self.last = self.last, (call, integers)
        self.count += 1
        if self.count < policy.FAMILY or before is None or self.attempts >= policy.FAMILIES:
            return
        self.attempts += 1
        of_attributes = len(integers) - sum([len(aval.shape) for aval in call.in_avals])
        pattern = _pattern(before[1], integers, of_attributes)
        if pattern is None:
            return
        general = _attempted(_bound, call, pattern)
        if general is None:
            return  # a size must be known: it is compared with others, or an array is made of it
        for known, sizes in ((one, _matched(pattern, numbers)) for one, numbers in (before, self.last)):
            if sizes is None or Member(general, sizes).shapes() != _shapes(known.aval):
                return
        self.patterns.append((pattern, general))


def families_of(operation, values, avals):
    """(Families, integers) of a call with these static attributes and avals; None if it can be in no family."""
    if operation.weight > 1 or not avals:
        return None
    skeleton, integers = [], []
    _take_apart(values, skeleton, integers)
    for aval in avals:
        if aval.traced or not all([type(size) is int for size in aval.shape]):
            return None
        skeleton.append((aval.dtype, len(aval.shape)))
        integers.extend(aval.shape)
    skeleton = tuple(skeleton)
    families = operation.families.get(skeleton)
    if families is None:
        families = operation.families.setdefault(skeleton, Families())
    return families, tuple(integers)


def _take_apart(values, skeleton, integers):
    """Adds to `skeleton` what nested tuples are but for their integers, which are added to `integers`."""
    for value in values:
        if type(value) is tuple:
            skeleton.append(len(value))
            _take_apart(value, skeleton, integers)
        elif type(value) is int:
            skeleton.append(int)
            integers.append(value)
        else:
            skeleton.append((type(value), value))


def _pattern(before, now, of_attributes):
    """`now` with symbols in place of sizes that differ from `before`; None if not only sizes do.

    The first `of_attributes` integers are no sizes themselves, but may hold those that change.
    """
    symbols: dict = {}
    for pair in zip(before[of_attributes:], now[of_attributes:], strict=True):
        if pair[0] != pair[1] and pair not in symbols:
            if len(symbols) == len(_SYMBOLS):
                return None
            symbols[pair] = _SYMBOLS[len(symbols)]
    pattern = [old if old == new else symbols.get((old, new)) for old, new in zip(before, now, strict=True)]
    return None if not symbols or None in pattern else tuple(pattern)


def _matched(pattern, integers):
    """The size that each symbol of the pattern stands for, by name; None if it does not.

    A symbol is larger than 1, and counts as unequal to all other sizes: so must what it stands for be.
    """
    sizes: dict = {}
    for wanted, number in zip(pattern, integers, strict=True):
        if type(wanted) is int:
            if wanted != number:
                return None
        elif sizes.setdefault(wanted, number) != number:
            return None
    values = set(sizes.values())
    if len(values) < len(sizes) or min(values) < 2 or not values.isdisjoint([n for n in pattern if type(n) is int]):
        return None
    return {str(symbol): number for symbol, number in sizes.items()}


def _bound(call, pattern):
    """The operation of `call`, bound to `pattern` in place of its integers."""
    rest = iter(pattern)

    def filled(values):
        return tuple([filled(v) if type(v) is tuple else next(rest) if type(v) is int else v for v in values])

    attributes = type(call.attributes)(filled(call.attributes.values))
    avals = tuple([type(aval)(tuple([next(rest) for _ in aval.shape]), aval.dtype) for aval in call.in_avals])
    return call.operation.bound(attributes, avals)


def _shapes(aval):
    parts = getattr(aval, "parts", None)
    found = [(_sizes.with_sizes(part.shape), part.dtype) for part in parts or (aval,)]
    return found[0] if parts is None else found
