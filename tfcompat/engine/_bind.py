"""Binding: an operation, bound to attributes and the avals of its inputs, is a call.

An `Operation` is a name and a pure JAX function of arrays and static attributes. A `Call` knows the aval of its result.
From the one function come, on demand and cached: the shape rule (`jax.eval_shape`), the VJP call (`jax.vjp`), the JVP
call (`jax.jvp`) and the compiled kernel. VJP and JVP calls are calls like any other, so derivatives of derivatives need
no code of their own.

`Operation.bind` looks a call up. What is not there yet may be a member of a family, calls that differ in sizes alone;
else it is validated and traced. A trace takes milliseconds, for the shape rule, for each derivative and for the jaxpr
that the host computes. Where shapes keep changing (episodes, sentences of other lengths), an operation is therefore
traced once for symbols in place of the sizes that change, and the result holds for the whole family.
"""
import contextlib
import functools
import threading
from typing import Any

import jax
import numpy as np

from tfcompat._native import handed_over
from tfcompat.engine import _dependence, _sizes, conditions
from tfcompat.engine import _policy as policy
from tfcompat.engine._aval import NO_ATTRIBUTES, Aval, TupleAval
from tfcompat.engine._derivatives import of_constants, pull_back, push_forward

_SYMBOLS = jax.export.symbolic_shape("v0, v1, v2, v3")


@handed_over
class Operation:
    """A named pure function of arrays and static attributes.

    Args:
      name: shown in messages and statistics.
      fn: `fn(*arrays, **attributes) -> array | tuple of arrays`. Pure and JAX-traceable.
      attribute_names: names of the static attributes, in the order in which `bind` gets their values.
      differentiable: False where no derivative flows through (comparisons, argmax, floor).
      translate: called with an exception raised while the shape rule runs and the input avals; returns what is
        raised in its place.
      validate: called with (attribute values, avals) before the shape rule runs, to raise for unfit dtypes.
      composed: made of other operations, so that a result may depend on some inputs only; see `Call.depends`.
      coupled: how many results of a composed operation, from the first on, depend on what any of them depends on.
      refuses: its derivatives may raise, and are traced at once.
      unavoidable: its gradient raises, and is taken wherever it leads to a target, on the way to a source or not.
      zero_second: its gradient counts as depending on the inputs although it is piecewise constant.
      weight: how many recorded operations it stands for.
      infer: called with (attribute values, avals); returns (shape, dtype), or a list of these for several results,
        where that is cheaper than to trace `fn`, or None to trace it.
      requires: `requires(*arrays, **attributes)` lists the `Requirement`s on values; None if there are none.
      requires_of: kinds of the first input's dtype for which there are some.
      of_rows, gradient_of_rows: `of_rows(call, arrays)` takes or returns `Row`s of stacks where `fn` takes or returns
        a list of arrays; `gradient_of_rows(call, wrt, arrays)` does so for the VJP of all outputs.
    """

    __slots__ = (
        "name", "fn", "attribute_names", "differentiable", "translate", "validate", "composed", "refuses",
        "unavoidable", "zero_second", "coupled", "weight", "calls", "families", "infer", "of_rows", "gradient_of_rows",
        "requires", "requires_of", "_check",
    )  # fmt: skip

    def __init__(self, name, fn, attribute_names=(), *, differentiable=True, translate=None, validate=None,
                 composed=False, refuses=False, unavoidable=False, zero_second=False, coupled=0, weight=1,
                 infer=None, requires=None, requires_of=""):  # fmt: skip
        self.name = name
        self.fn = fn
        self.attribute_names = tuple(attribute_names)
        self.differentiable = differentiable
        self.translate = translate
        self.validate = validate
        self.composed, self.zero_second = composed, zero_second
        self.refuses, self.unavoidable = refuses or unavoidable, unavoidable
        self.coupled = coupled
        self.weight = weight
        self.infer = infer
        self.of_rows = self.gradient_of_rows = None
        self.requires, self.requires_of, self._check = requires, requires_of, None
        self.calls = {}
        self.families = {}

    def __repr__(self):
        return f"<Operation {self.name}>"

    def bind(self, attributes, avals):
        """The `Call` of this operation for `attributes` and input `avals`; cached, and cheap when warm."""
        key = (attributes, *avals)
        call = self.calls.get(key)
        if call is None:
            families = families_of(self, attributes.values, avals)
            call = self.bound(attributes, avals, families and families[0].member(families[1]))
            call = self.calls.setdefault(key, call)
            if families is not None and call.member is None:
                families[0].add(call, families[1])
        return call

    def check_of(self, attributes, avals):
        """The call that checks what a call of this operation requires of values; None if that is nothing."""
        if self.requires is None or self.requires_of and avals[0].dtype.kind not in self.requires_of:
            return None
        if not conditions.enabled() or any(aval.traced for aval in avals):
            return None
        if self._check is None:
            self._check = Operation(
                f"Check{self.name}", functools.partial(_checked, self.requires), self.attribute_names,
                differentiable=False, infer=_infer_report,
            )  # fmt: skip
        return self._check.bind(attributes, (conditions.ABSENT, *avals))

    def bound(self, attributes, avals, member=None):
        """A new Call of this operation; what `member` tells need not be traced."""
        if self.validate is not None:
            self.validate(attributes.values, avals)
        values, fn = attributes.values, self.fn
        if values:
            named = dict(zip(self.attribute_names, values, strict=True))
            fn = _sizes.bound(fn, named) if _sizes.has_symbols(values) else functools.partial(fn, **named)
        if not self.differentiable:  # nor where it is part of a function that is differentiated as a whole
            fn = functools.partial(of_constants, fn)
        try:
            return Call(self, attributes, fn, avals, member=member)
        except Exception as error:
            if self.translate is None:
                raise
            translated = self.translate(error, avals)
            if translated is error:
                raise
            raise translated from error


@handed_over
class Call:
    """An operation bound to attributes and input avals.

    `aval` is the result's aval, `fn` a function of arrays alone. `depends` has, for each result, the set of inputs
    to which derivatives connect it; it is None where every result is connected to every input. `zeros` has those of
    them to which the derivative is surely zero, or is None where there are none. Both are traced when first asked for.
    `weight` is how many recorded operations it stands for, `kernel` the program of this call alone, once there is one,
    and `missed` says how many structures were fused that could have used one before;
    `programs` are those that run it when it is called, by which inputs they overwrite; `host` says whether host
    functions may take all inputs; `member` is the call as one of a family, or None; `check` is the call that checks
    what it requires of values, or None.
    """

    __slots__ = (
        "operation", "attributes", "fn", "in_avals", "aval", "differentiable", "weight", "depends", "zeros",
        "of_rows", "kernel", "missed", "programs", "host", "member", "check", "_derived",
    )  # fmt: skip

    def __init__(self, operation, attributes, fn, in_avals, aval=None, member=None):
        self.operation = operation
        self.attributes = attributes
        self.fn = fn
        self.in_avals = tuple(in_avals)
        self.aval: Any = aval
        self.member = member
        self.weight = operation.weight
        self.host = all([a.host for a in self.in_avals])
        if aval is None:
            self._trace()
        elif not operation.composed:
            self.depends = self.zeros = None
        parts = self.aval.parts if type(self.aval) is TupleAval else (self.aval,)
        self.differentiable = operation.differentiable and any(p.inexact for p in parts)
        self.of_rows = operation.of_rows and functools.partial(operation.of_rows, self)
        self.kernel: Any = None
        self.missed = 0
        self.programs = {}
        self.check = operation.check_of(attributes, self.in_avals)
        self._derived = {}

    @property
    def is_traced(self):
        """Whether it is known what results depend on."""
        try:
            object.__getattribute__(self, "depends")
        except AttributeError:
            return False
        return True

    def dependence(self):
        """`depends` and `zeros`."""
        return self.depends, self.zeros

    def __getattr__(self, name):
        if name in ("depends", "zeros"):  # not set yet
            self._trace()
            return getattr(self, name)
        raise AttributeError(name)

    def _trace(self):
        """Finds the aval by the shape rule, and what results depend on."""
        operation = self.operation
        if self.member is not None:
            dependence = self.member.dependence()
            if dependence is not None:
                self.depends, self.zeros = dependence
                if self.aval is None:
                    self.aval = _aval_of_result(_results(self.member.shapes()), False)
                return
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.in_avals]
        with jax.enable_x64(True):
            if operation.composed:
                result, self.depends, self.zeros = _dependence.trace(self.fn, shapes, operation.coupled)
            else:
                self.depends = self.zeros = None
                known = operation.infer and operation.infer(self.attributes.values, self.in_avals)
                result = jax.eval_shape(self.fn, *shapes) if known is None else _results(known)
        if self.aval is None:
            self.aval = _aval_of_result(result, any(a.traced for a in self.in_avals))

    def forget(self, key):
        """Gives up the program `key`."""
        self.programs.pop(key, None)

    def __repr__(self):
        return f"<Call {self.operation.name} {list(self.in_avals)} -> {self.aval}>"

    def vjp(self, wrt, present):
        """The call computing cotangents of inputs from inputs and cotangents of outputs.

        Args:
          wrt: indices of the inputs whose cotangents are asked for.
          present: for each output, whether its cotangent is given; the others are zero.

        Returns:
          Call of (inputs..., present cotangents...): one array for a single `wrt`, else a tuple. Complex
          cotangents follow TensorFlow's convention, the conjugate of JAX's.
        """
        key = (wrt, present)
        derived = self._derived.get(key)
        if derived is None:
            linked = self.operation.zero_second
            fn = functools.partial(pull_back, self.fn, len(self.in_avals), wrt, present, linked)
            parts = self.aval.parts if type(self.aval) is TupleAval else (self.aval,)
            avals = (*self.in_avals, *(p for p, is_present in zip(parts, present, strict=True) if is_present))
            aval = None
            if self._derives_surely(avals):
                aval = self.in_avals[wrt[0]] if len(wrt) == 1 else TupleAval([self.in_avals[i] for i in wrt])
            member = self.member and self.member.derived(Call.vjp, wrt, present)
            derived = self._derive(key, fn, avals, f"{self.operation.name}Grad", aval, member)
            if self.operation.gradient_of_rows is not None and all(present):
                derived.of_rows = functools.partial(self.operation.gradient_of_rows, self, wrt)
        return derived

    def jvp(self, moving):
        """The call computing the tangents of all outputs from inputs and tangents of the inputs `moving`."""
        key = (moving, "jvp")
        derived = self._derived.get(key)
        if derived is None:
            fn = functools.partial(push_forward, self.fn, len(self.in_avals), moving)
            avals = (*self.in_avals, *(self.in_avals[i] for i in moving))
            parts = self.aval.parts if type(self.aval) is TupleAval else (self.aval,)
            known = self._derives_surely(avals) and all(part.inexact for part in parts)
            member = self.member and self.member.derived(Call.jvp, moving)
            derived = self._derive(key, fn, avals, f"{self.operation.name}JVP", self.aval if known else None, member)
        return derived

    def _derives_surely(self, avals):
        """Whether a derivative need not be traced to know that it exists, and its avals."""
        return not (self.operation.composed or self.operation.refuses or any(aval.traced for aval in avals))

    def _derive(self, key, fn, avals, name, aval, member):
        operation = Operation(name, fn, composed=True, weight=self.weight)
        return self._derived.setdefault(key, Call(operation, NO_ATTRIBUTES, fn, avals, aval, member))


def _checked(requires, report, *arrays, **attributes):
    return conditions.checked(report, requires(*arrays, **attributes))


def _infer_report(attributes, avals):
    return conditions.ABSENT.shape, conditions.ABSENT.dtype


def _aval_of_result(result, traced):
    if isinstance(result, tuple | list):
        return TupleAval(Aval(tuple(r.shape), np.dtype(r.dtype), traced) for r in result)
    return Aval(tuple(result.shape), np.dtype(result.dtype), traced)


def _results(known):
    """What `Operation.infer` gave, as `jax.eval_shape` has it."""
    if isinstance(known, list):
        return [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in known]
    return jax.ShapeDtypeStruct(*known)


def _attempted(trace, *arguments):
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


@functools.lru_cache(maxsize=policy.KEEPING.traces)
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
        """Notes a call that is in none of the families. It founds one if several such calls have come."""
        previous, self.last = self.last, (call, integers)
        self.count += 1
        if self.count < policy.FAMILIES.shapes or previous is None or self.attempts >= policy.FAMILIES.attempts:
            return
        self.attempts += 1
        of_attributes = len(integers) - sum([len(aval.shape) for aval in call.in_avals])
        pattern = _pattern(previous[1], integers, of_attributes)
        if pattern is None:
            return
        general = _attempted(_bound, call, pattern)
        if general is None:
            return  # a size must be known, since it is compared with others, or an array is made of it
        for known, sizes in ((one, _matched(pattern, numbers)) for one, numbers in (previous, self.last)):
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
    """The size that each symbol of the pattern stands for, by name; None if the integers do not fit the pattern.

    JAX takes a symbol for unequal to every other size (https://github.com/jax-ml/jax/pull/14290), and broadcasts it as
    larger than 1. The size that it stands for must be so, too.
    """
    sizes: dict = {}
    for expected, number in zip(pattern, integers, strict=True):
        if type(expected) is int:
            if expected != number:
                return None
        elif sizes.setdefault(expected, number) != number:
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
    shapes = [(_sizes.with_sizes(part.shape), part.dtype) for part in parts or (aval,)]
    return shapes[0] if parts is None else shapes
