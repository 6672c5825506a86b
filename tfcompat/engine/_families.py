"""Families: calls of one operation that differ in sizes alone.

A trace takes milliseconds: for the shape rule, for each derivative, for the plan by which NumPy computes. None of it
depends on the sizes. An operation is therefore traced for symbols in place of sizes, from its first call on, and what
comes of it holds for every call of the family.

A family has the same static attributes, dtypes and numbers of axes, and sizes that are equal where those of another
member are. Sizes of 0 and 1 are no symbols, since they broadcast. Of operations that look at each axis by itself, each
axis has a symbol of its own. A size that is unknown while a function is traced is one more size.
"""
import contextlib
import math
import threading
from typing import Any, NamedTuple

import jax

from tfcompat.engine import _policy as policy
from tfcompat.engine import _sizes
from tfcompat.engine._aval import Attributes, Aval, integers, types_of
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
# These ops take other ways for certain sizes, or for even ones; windows of symbols cannot be counted.
BRANCHING = tuple([
    "tfcompat.nn._conv:", "tfcompat.nn._pool:",
    *[f"tfcompat.{name}" for name in "audio image quantization signal sparse".split()],
    *[f"tfcompat.random.{name}:" for name in ("_candidates", "_index_shuffle", "_seed")],
    *[f"tfcompat.linalg.{name}:" for name in (
        "_products:tf.linalg.cross", "_solve:tf.linalg.det", "_functions:tf.linalg.logm", "_functions:tf.linalg.sqrtm",
    )],
])  # fmt: skip
# What these do depends at least not on the number of examples, the first size of the first array: convolutions, and
# `reshape` of [n, 4, 4, 16] to [n, 256].
BY_BATCH = ("tfcompat.nn._conv:", "tfcompat.nn._pool:", "tfcompat.array._shape_ops:tf.reshape")
_OPTIMIZERS = "tfcompat.keras.optimizers."  # the rows of a sparse gradient do not broadcast to the variable
# These broadcast, and otherwise look at each axis by itself: it matters neither which sizes are equal, nor which are 1.
BY_AXIS = tuple([
    *[f"tfcompat.{name}:" for name in (
        "bitwise._elementwise", "math._activation", "math._arithmetic", "math._bessel", "math._compare",
        "math._complex", "math._elementwise", "math._guarded", "math._operators", "math._reduce", "math._scan",
        "math._special", "nn._activation",
    )],
    *[f"{_OPTIMIZERS}{name}" for name in (
        "_adam:", "_adaptive:_adadelta", "_adaptive:_adagrad", "_adaptive:_rmsprop", "_ftrl:", "_gradient_descent:",
        "_legacy_kinds:",
    )],
    "tfcompat.array._cast:", "tfcompat.array._select:_select", "tfcompat.array._shape_ops:tf.identity",
    "tfcompat.math._clip:_clip_by_value", "tfcompat.nn._loss:_sigmoid_cross_entropy",
    "tfcompat._core.assignment:<lambda>:Identity", "tfcompat._core.assignment:_rebind:", "tfcompat._core.variable:",
    "choice of a value", "AddN", "AddV2", "add", "subtract",
])  # fmt: skip
_NAMES = tuple([f"v{i}" for i in range(policy.FAMILIES.symbols)])
_SYMBOLS = dict(zip(_NAMES, jax.export.symbolic_shape(",".join(_NAMES)), strict=True))
SIZED = " sized"  # ends the texts of families of a single combination of sizes
_families = Swept(policy.KEEPING.families)


class Family:
    """What the calls of a family have in common; what is derived from them is a family, too.

    Args:
      make_general: function that gives the call bound to symbols.
      key: text under which `SHELF` keeps what is known of the family; None if there is no such text.
      attempt: how to trace, see `attempted`.
    """

    __slots__ = (
        "_attempt", "_data", "_dependence", "_derived", "_general", "_key", "_make_general", "_plan", "_shapes",
    )  # fmt: skip

    def __init__(self, make_general, key, attempt):
        self._make_general, self._key, self._attempt = make_general, key, attempt
        self._general = None
        self._derived = {}
        self._plan = self._shapes = self._dependence = _UNKNOWN
        self._data: dict = (SHELF.get(key) if key is not None else None) or {}

    def general(self) -> Any:
        """The call bound to symbols; None if it cannot be traced for them."""
        if self._general is None:
            self._general = self._attempt(self._make_general)
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

            family = Family(make_general, self._key and f"{self._key} {derive.__name__}{which}", self._attempt)
            self._derived[name] = family if family.exists() else None
        return self._derived[name]

    def dependence(self):
        """`Call.depends` and `Call.zeros`; None if they cannot be told for symbols."""
        if self._dependence is _UNKNOWN:
            if "depends" in self._data:
                self._dependence = dependence_of(self._data["depends"])
            else:
                general = self.general()
                known = general.dependence() if general.is_traced else self._attempt(general.dependence)
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
                self._plan = self._attempt(lambda: Plan.of(self.general().jaxpr()))
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


class _Named(NamedTuple):
    """Shapes in which names of symbols stand for some sizes, and what the names stand for."""

    shapes: list
    sizes: dict


def member_of(operation, attributes, avals):
    """The call of `operation` with these attributes and avals as a Member; None if it is in no family.

    Calls that cannot be traced for symbols have a family for each combination of sizes: later processes find it.
    """
    if operation.weight > 1 or operation.identity is None:
        return None
    if any([aval.traced or aval.dtype.hasobject for aval in avals]):
        return None
    symbols = [size for aval in avals for size in aval.shape if type(size) is not int]
    if symbols and (_sizes.for_a_family() or not all([str(size).isidentifier() for size in symbols])):
        return None  # of an expression of symbols more is known than of a symbol
    if operation.identity.startswith(BY_AXIS):
        named = _named_by_axis([aval.shape for aval in avals])
        if named is not None or not operation.identity.startswith(_OPTIMIZERS):
            return named and _member(operation, attributes, avals, named, {})
    if _sizes.has_symbols(attributes.values):  # of a function for unknown sizes
        return None
    member = None
    if not operation.identity.startswith(BRANCHING):
        member = _member_by_size(operation, attributes, avals)
    if symbols:
        return member
    if member is None and operation.identity.startswith(BY_BATCH):
        member = _member_by_batch(operation, attributes, avals)
    if member is not None:
        return member
    return _member(operation, attributes, avals, _Named([aval.shape for aval in avals], {}), {})


def _member_by_batch(operation, attributes, avals):
    """A Member of a family in which the number of examples is a symbol; None if there is none."""
    first, *others = [aval.shape for aval in avals]
    if len(first) < 2 or first[0] < 2:
        return None
    name, size = _NAMES[0], first[0]
    numbers = {size: name} if size in _sizes_among(operation, attributes) else {}
    return _member(operation, attributes, avals, _Named([(name, *first[1:]), *others], {name: size}), numbers)


def _member_by_size(operation, attributes, avals):
    """A Member of a family in which equal sizes are the same symbol; None if there is none."""
    # Integers among the attributes may be sizes, or be compared with one. They may have to be known, too.
    known = frozenset().union(*[aval.shape for aval in avals[: operation.known_sizes]])
    sizes = [n for n in _sizes_among(operation, attributes) if n not in known]
    fixed = attributes.integers() | known
    for changing in (sizes, []) if sizes else (sizes,):
        named, names = _named_by_size([aval.shape for aval in avals], fixed.difference(changing), changing)
        if not named.sizes:
            return None
        member = _member(operation, attributes, avals, named, {n: names[n] for n in changing if n in names})
        if member is not None:
            return member
    return None


def _sizes_among(operation, attributes):
    """The integers above 1 among the attributes that may be sizes, in order: large ones, and those of a shape."""
    of_shape, others = set(), set()
    for name, value in zip(operation.attribute_names, attributes.values, strict=True):
        (of_shape if name in ("shape", "output_shape") else others).update(integers((value,)))
    all_of_them = dict.fromkeys(integers(attributes.values))
    return [n for n in all_of_them if n >= policy.FAMILIES.least_size or n in of_shape - others]


def _named_by_size(shapes, fixed, changing):
    """Names for sizes: the same where sizes are equal.

    Args:
      shapes: list of shapes.
      fixed: numbers that get no name.
      changing: further numbers that get names, in this order.

    Returns:
      (_Named, the names by size).
    """
    names: dict = {}

    def named(size):
        if size in names:
            return names[size]
        if type(size) is int and (size < 2 or size in fixed) or len(names) == len(_NAMES):
            return size
        return names.setdefault(size, _NAMES[len(names)])

    named_shapes = [tuple(map(named, shape)) for shape in shapes]
    for number in changing:
        named(number)
    return _Named(named_shapes, {name: size for size, name in names.items()}), names


def _named_by_axis(shapes):
    """Names for the sizes of shapes that are broadcast: a name for each axis, from the last one on.

    Returns:
      _Named; None if the shapes cannot be broadcast, or have too many axes.
    """
    rank = max(map(len, shapes), default=0)
    if rank > len(_NAMES):
        return None
    named: list = [[] for _ in shapes]
    sizes = {}
    for axis in range(1, rank + 1):
        present = {shape[-axis] for shape in shapes if len(shape) >= axis}
        size = max(present, key=lambda size: size if type(size) is int else math.inf)
        if not present <= {1, size}:
            return None
        name = _NAMES[axis - 1]
        if 0 not in present:
            sizes[name] = size
        for shape, names in zip(shapes, named, strict=True):
            if len(shape) >= axis:
                names.insert(0, name if shape[-axis] == size and name in sizes else shape[-axis])
    return _Named([tuple(names) for names in named], sizes)


def _member(operation, attributes, avals, named, numbers):
    """The call of a named form as a Member; None if it cannot be traced for symbols.

    Args:
      numbers: names of the integers among the attributes that are symbols, by integer.
    """
    statics = (_with(attributes.values, numbers), types_of(attributes.values)) if numbers else attributes
    key = (statics, *[(aval.dtype, shape) for aval, shape in zip(avals, named.shapes, strict=True)])
    family = operation.families.get(key, _UNKNOWN)
    if family is _UNKNOWN:
        family = _founded(operation, key, attributes, avals, named, numbers)
    return family and Member(family, named.sizes)


def _founded(operation, key, attributes, avals, named, numbers):
    """The new family of these calls of `operation`; None if they cannot be traced for symbols."""
    failures = operation.families.get(None, 0)
    if named.sizes and failures >= policy.FAMILIES.attempts:
        return None
    values = attributes.values
    if numbers:
        values = _with(values, {n: _SYMBOLS[name] for n, name in numbers.items()})
    avals = tuple([
        Aval(tuple([_SYMBOLS.get(size, size) for size in shape]), aval.dtype)
        for aval, shape in zip(avals, named.shapes, strict=True)
    ])  # fmt: skip
    text = _text(operation, values, avals)
    is_general = bool(named.sizes) or operation.identity.startswith(BY_AXIS)
    if not is_general and text is not None:
        text += SIZED
    family = Family(lambda: operation.bound(Attributes(values), avals), text, attempted if is_general else _attempted)
    if not is_general and text is None or not family.exists():
        operation.families[None] = failures + is_general
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
        _sizes.trace_for_a_family()
        with contextlib.suppress(Exception):
            results.append(trace(*arguments))

    thread = threading.Thread(target=attempt, name="tfcompat-families")
    thread.start()
    thread.join()
    return results[0] if results else None


def _attempted(trace, *arguments):
    """`trace(*arguments)`, which traces for sizes that are known; None if that cannot be done."""
    with contextlib.suppress(Exception):
        return trace(*arguments)
    return None
