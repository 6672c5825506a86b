"""Families: calls of one operation that differ in sizes alone.

A trace takes milliseconds: for the shape rule, for each derivative, for the plan by which NumPy computes. None of it
depends on the sizes. An operation is therefore traced for symbols in place of sizes, from its first call on, and what
comes of it holds for every call of the family.

A family has the same static attributes, dtypes and numbers of axes, and sizes that are equal where those of another
member are. Sizes of 0 and 1 are no symbols, since they broadcast.
"""
import contextlib
import threading
from typing import Any

import jax

from tfcompat.engine import _policy as policy
from tfcompat.engine._aval import Attributes, Aval, types_of
from tfcompat.engine._swept import Swept
from tfcompat.engine.host.plan import Plan, with_sizes
from tfcompat.engine.host.shelf import (
    SHELF,
    NotText,
    data_of,
    dependence_of,
    plan_of,
    results_of,
    shapes_of,
    text_of,
)

# JAX takes a symbol for unequal to any number, and expressions of symbols for true, where Python asks
# (https://docs.jax.dev/en/latest/export/shape_poly.html#comparison-of-symbolic-dimensions-is-partially-supported).
# The ops of these modules take other ways for certain sizes, or for even ones.
BRANCHING = tuple(f"tfcompat.{name}" for name in "audio image linalg quantization random signal sparse".split())
_SYMBOLS = jax.export.symbolic_shape(",".join(f"v{i}" for i in range(policy.FAMILIES.symbols)))
_NAMES = tuple(map(str, _SYMBOLS))
_families = Swept(policy.KEEPING.families)


class Family:
    """What the calls of a family have in common; what is derived from them is a family, too.

    Args:
      make_general: function that gives the call bound to symbols.
      key: text under which `SHELF` keeps what is known of the family; None if there is no such text.
    """

    __slots__ = ("_data", "_dependence", "_derived", "_general", "_key", "_make_general", "_plan", "_shapes")

    def __init__(self, make_general, key, general=None):
        self._make_general, self._key, self._general = make_general, key, general
        self._derived = {}
        self._plan = self._shapes = self._dependence = _UNKNOWN
        self._data: dict = (SHELF.get(key) if key is not None else None) or {}

    def general(self) -> Any:
        """The call bound to symbols; None if it cannot be traced for them."""
        if self._general is None:
            self._general = attempted(self._make_general)
        return self._general

    def _note(self, name, data):
        if self._key is not None:
            if name != "plan":  # the plan itself is kept
                self._data[name] = data
            SHELF.put(self._key, (SHELF.get(self._key) or {}) | {name: data})

    def exists(self):
        """Whether the calls can be traced for symbols."""
        if "results" not in self._data:
            general = self.general()
            self._note("results", None if general is None else results_of(general.aval))
            if self._key is None:
                return general is not None
        return self._data["results"] is not None

    def shapes(self):
        """(shape, dtype) of the result, or a list of them for several results; `Size`s are expressions of symbols."""
        if self._shapes is _UNKNOWN:
            self._shapes = shapes_of(self._data.get("results") or results_of(self.general().aval))
        return self._shapes

    def derived(self, derive, *which):
        """The family of what `Call.vjp` or `Call.jvp` derives from a call; None if it cannot be for symbols."""
        name = derive.__name__, which
        if name not in self._derived:
            def make_general():
                return derive(self.general(), *which)

            family = Family(make_general, self._key and f"{self._key} {derive.__name__}{which}")
            self._derived[name] = family if family.exists() else None
        return self._derived[name]

    def dependence(self):
        """`Call.depends` and `Call.zeros`; None if they cannot be told for symbols."""
        if self._dependence is _UNKNOWN:
            if "depends" in self._data:
                self._dependence = dependence_of(self._data["depends"])
            else:
                general = self.general()
                known = general.dependence() if general.is_traced else attempted(general.dependence)
                self._dependence = known
                self._note("depends", known and [part and [sorted(each) for each in part] for part in known])
        return self._dependence

    @property
    def is_planned(self):
        """Whether it is known how NumPy computes its calls, or that it cannot."""
        return self._plan is not _UNKNOWN or "plan" in self._data

    def plan(self):
        """The `Plan` of the general call; None if it cannot be traced for symbols, or NumPy cannot compute it."""
        if self._plan is _UNKNOWN:
            data = self._data.get("plan", _UNKNOWN)
            if data is not _UNKNOWN:
                self._plan = data and plan_of(data)
                self._data.pop("plan", None)
            else:
                self._plan = attempted(lambda: Plan.of(self.general().jaxpr()))
                with contextlib.suppress(NotText):
                    self._note("plan", self._plan and data_of(self._plan))
        return self._plan


_UNKNOWN = object()


class Member:
    """A call as one of a family, and the sizes that the symbols stand for, by name."""

    __slots__ = ("family", "sizes")

    def __init__(self, family, sizes):
        self.family, self.sizes = family, sizes

    def shapes(self):
        """Shape and dtype of the result, or a list of them for several results."""
        shapes = self.family.shapes()
        if type(shapes) is list:
            return [(with_sizes(shape, self.sizes), dtype) for shape, dtype in shapes]
        return with_sizes(shapes[0], self.sizes), shapes[1]

    def derived(self, derive, *which):
        """What `Call.vjp` or `Call.jvp` derives from the call, as a member; None if it cannot be for symbols."""
        derived = self.family.derived(derive, *which)
        return derived and Member(derived, self.sizes)

    def dependence(self):
        """See `Family.dependence`."""
        return self.family.dependence()


def member_of(operation, attributes, avals):
    """The call of `operation` with these attributes and avals as a Member; None if it is in no family."""
    if operation.weight > 1 or not avals or operation.identity is None or operation.identity.startswith(BRANCHING):
        return None
    for aval in avals:
        if aval.traced or not all([type(size) is int for size in aval.shape]):
            return None
    # A large integer among the attributes may be a size, or be compared with one. It may have to be known, too.
    numbers = attributes.integers()
    large = frozenset([n for n in numbers if n >= policy.FAMILIES.least_size])
    for changing in (large, frozenset()) if large else (large,):
        key, names = _common(attributes, avals, numbers - changing, changing)
        if not names:
            return None
        family = operation.families.get(key, _UNKNOWN)
        if family is _UNKNOWN:
            family = _founded(operation, key, attributes, avals, names, changing)
        if family is not None:
            return Member(family, {name: size for size, name in names.items()})
    return None


def _common(attributes, avals, fixed, changing):
    """What a call has in common with its family.

    Args:
      fixed: integers of the attributes that are not symbols, nor are sizes that are equal to them.
      changing: integers of the attributes that are symbols.

    Returns:
      (key, names): something hashable; the name of the symbol for each size.
    """
    names: dict = {}
    key: list = [attributes]
    for aval in avals:
        key.append(aval.dtype)
        for size in aval.shape:
            name = names.get(size)
            if name is None:
                if size < 2 or size in fixed or len(names) == len(_NAMES):
                    key.append(size)
                    continue
                name = names[size] = _NAMES[len(names)]
            key.append(name)
        key.append(None)
    if changing:
        for number in sorted(changing):
            if number not in names and len(names) < len(_NAMES):
                names[number] = _NAMES[len(names)]
        key[0] = _with(attributes.values, {n: names[n] for n in changing if n in names}), types_of(attributes.values)
    return tuple(key), names


def _founded(operation, key, attributes, avals, names, changing):
    """The new family of these calls of `operation`; None if they cannot be traced for symbols."""
    failures = operation.families.get(None, 0)
    if failures >= policy.FAMILIES.attempts:
        return None
    symbols = dict(zip(names, _SYMBOLS, strict=False))
    values = attributes.values
    if changing:
        values = _with(values, {size: symbols[size] for size in changing if size in symbols})
    avals = tuple([Aval(tuple([symbols.get(n, n) for n in aval.shape]), aval.dtype) for aval in avals])
    family = Family(lambda: operation.bound(Attributes(values), avals), _text(operation, values, avals))
    if not family.exists():
        operation.families[None] = failures + 1
        family = None
    family = operation.families.setdefault(key, family)
    _families.note(operation.families, key)
    return family


def _text(operation, values, avals):
    """The text under which a family is kept; None if something has no text."""
    if operation.identity is None:
        return None
    try:
        statics = ",".join(map(text_of, values))
    except NotText:
        return None
    return f"{operation.identity}({statics}) " + " ".join(map(repr, avals))


def _with(values, symbols):
    """Static attributes with symbols, or their names, in place of some integers."""
    return tuple([
        _with(v, symbols) if type(v) is tuple else symbols.get(v, v) if type(v) is int else v for v in values
    ])  # fmt: skip


def attempted(trace, *arguments):
    """`trace(*arguments)`, which traces for symbols; None if that cannot be done.

    JAX keeps errors about symbols, some of them in cycles. Their frames would hold everything in the frames of the
    callers, whose values would then count as wanted. A thread of its own has no such frames.
    """
    results = []

    def attempt():
        with contextlib.suppress(Exception):
            results.append(trace(*arguments))

    thread = threading.Thread(target=attempt, name="tfcompat-families")
    thread.start()
    thread.join()
    return results[0] if results else None
