"""Binding: an operation, bound to attributes and the avals of its inputs, is a call.

An `Operation` is a name and a pure JAX function of arrays and static attributes. A `Call` knows the aval of its result.
From the one function come, on demand and cached: the shape rule (`jax.eval_shape`), the VJP call (`jax.vjp`), the JVP
call (`jax.jvp`) and the compiled kernel. VJP and JVP calls are calls like any other, so derivatives of derivatives need
no code of their own.

`Operation.bind` looks a call up. A new one is validated; what a trace would tell is known if it is the member of a
family, see `_families`.
"""
import collections
import contextlib
import functools
from typing import Any

import jax
import numpy as np

from tfcompat._native import handed_over
from tfcompat.engine import _dependence, _interrupts, _refused_derivatives, _sizes, _unfit, conditions
from tfcompat.engine._aval import NO_ATTRIBUTES, Aval, TupleAval
from tfcompat.engine._conditions_of_derivatives import report_of
from tfcompat.engine._derivatives import of_constants, pull_back, push_forward
from tfcompat.engine._families import member_of
from tfcompat.engine._policy import COMPILING, KEEPING
from tfcompat.engine._swept import Swept
from tfcompat.engine.host.own_texts import Told
from tfcompat.engine.host.shelf import identity_of

_calls = Swept(KEEPING.calls)
_jaxprs: collections.deque = collections.deque()  # lists, each with one of the latest jaxprs until that is taken
_NOTHING: list = []


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
      composed: made of other operations, so that a result may depend on some inputs only: True, or a function of the
        input avals that gives `Call.depends` and `Call.zeros`, which its jaxpr tells otherwise.
      refuses: its derivatives may raise, and are traced at once.
      unavoidable: its gradient raises, and is taken wherever it leads to a target, on the way to a source or not.
      zero_second: its gradient counts as depending on the inputs although it is piecewise constant.
      weight: how many recorded operations it stands for.
      infer: called with (attribute values, avals); returns (shape, dtype), or a list of these for several results,
        where that is cheaper than to trace `fn`, or None to trace it.
      requires: `requires(*arrays, **attributes)` lists the `Requirement`s on values; None if there are none.
      requires_of: kinds of the first input's dtype for which there are some, or function of (attribute values, avals)
        that says whether there are.
      requires_results: whether `requires` takes the results after the inputs.
      conditional: whether its derivatives may require something of values, see `_conditions_of_derivatives`.
      known_sizes: how many inputs, from the first on, have sizes that decide what is computed; see `_families`.
      identity: text that tells the operation from every other, in each process that runs this version; None for that
        of the function, if it is one of a module of this package or of JAX.
      step: function of (call, nodes) to a tuple of nodes, which computes it in place of `fn`; see `_steps`.
      turns: of control flow: `turns(called, *values)` gives the results, where `called(operation, values)` calls a
        captured graph; values are nodes, or arrays. None elsewhere.
      of_rows, gradient_of_rows: `of_rows(call, arrays)` takes or returns `Row`s of stacks where `fn` takes or returns
        a list of arrays; `gradient_of_rows(call, wrt, arrays)` does so for the VJP of all outputs.
    """

    __slots__ = (
        "name", "fn", "attribute_names", "differentiable", "translate", "validate", "composed", "refuses",
        "unavoidable", "zero_second", "weight", "calls", "families", "infer", "of_rows", "gradient_of_rows",
        "requires", "requires_of", "requires_results", "conditional", "keeps_empty", "_check", "known_sizes",
        "identity", "made_of", "step", "turns", "avals", "player",
    )  # fmt: skip

    def __init__(self, name, fn, attribute_names=(), *, differentiable=True, translate=None, validate=None,
                 composed: Any = False, refuses=False, unavoidable=False, zero_second=False, weight=1, infer=None,
                 requires=None, requires_of: Any = "", requires_results=False, conditional=False, known_sizes=0,
                 identity=None, step: Any = None, turns: Any = None):  # fmt: skip
        self.name = name
        self.fn = fn
        self.attribute_names = tuple(attribute_names)
        self.differentiable = differentiable
        self.translate = translate
        self.validate = validate
        self.composed, self.zero_second = composed, zero_second
        self.refuses, self.unavoidable = refuses or unavoidable, unavoidable
        self.weight = weight
        self.infer = infer
        self.known_sizes = known_sizes
        self.identity = identity or identity_of(name, fn)
        self.made_of: Any = None  # without an `identity`: what tells it from others, see `host.own_texts`
        self.step, self.turns = step, turns
        self.avals: Any = None   # of the inputs of a captured graph that was recorded for symbols, or has steps
        self.player: Any = None  # see `_player`
        self.of_rows = self.gradient_of_rows = None
        self.requires, self.requires_of, self.requires_results = requires, requires_of, requires_results
        self.conditional = conditional
        self.keeps_empty = True  # calls without results, too; each of the others is bound, as if it were the first
        self._check = None
        self.calls = {}
        self.families = {}

    def __repr__(self):
        return f"<Operation {self.name}>"

    def bind(self, attributes, avals):
        """The `Call` of this operation for `attributes` and input `avals`; cached, and cheap when warm."""
        key = (attributes, *avals)
        call = self.calls.get(key)
        if call is None:
            call = self.bound(attributes, avals, member_of(self, attributes, avals))
            if not self.keeps_empty and 0 in getattr(call.aval, "parts", (call.aval,))[0].shape:
                return call
            call = self.calls.setdefault(key, call)
            _calls.note(self.calls, key)
        return call

    def check_of(self, attributes, avals, results):
        """The call that checks what a call of this operation requires of values; None if that is nothing."""
        if self.requires is None or not self._has_requirements(attributes, avals):
            return None
        if not conditions.enabled() or any(aval.traced for aval in avals):
            return None
        if self._check is None:
            self._check = Operation(
                f"Check{self.name}", functools.partial(_checked, self.requires), self.attribute_names,
                differentiable=False, infer=_infer_report, known_sizes=1,
                identity=self.identity and f"check of {self.identity}",
            )  # fmt: skip
        return self._check.bind(attributes, (conditions.ABSENT, *avals, *(results if self.requires_results else ())))

    def _has_requirements(self, attributes, avals):
        if callable(self.requires_of):
            return self.requires_of(attributes.values, avals)
        return not self.requires_of or avals[0].dtype.kind in self.requires_of

    def bound(self, attributes, avals, member=None):
        """A new Call of this operation; what `member` tells need not be traced."""
        try:
            return self._bound(attributes, avals, member)
        except Exception as error:
            if not _sizes.for_a_family():
                _unfit.mark(error, self._bound, attributes, avals)
            raise

    def _bound(self, attributes, avals, member=None):
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


def made_once(make):
    """Decorator of a function that makes an operation of operations and static values: for the same ones the same."""

    @functools.lru_cache(maxsize=KEEPING.made)
    @functools.wraps(make)
    def making(*parts, **named):
        operation = make(*parts, **named)
        operation.made_of = make, parts, tuple(named.items())
        return operation

    return making


@handed_over
class Call:
    """An operation bound to attributes and input avals.

    `aval` is the result's aval, `fn` a function of arrays alone. `depends` has, for each result, the set of inputs
    to which derivatives connect it; it is None where every result is connected to every input. `zeros` has those of
    them to which the derivative is surely zero, or is None where there are none. Both are traced when first asked for.
    `weight` is how many recorded operations it stands for, `kernel` what computes this call alone, once there is one;
    `programs` are those that run it when it is called, by which inputs they overwrite; `host` says whether host
    functions may take all inputs; `member` is the call as one of a family, or None; `check` is the call that checks
    what it requires of values, or None; `at_once` is the `conditions.KnownCheck` of a check, False if it has none.
    """

    __slots__ = (
        "operation", "attributes", "fn", "in_avals", "aval", "differentiable", "weight", "depends", "zeros",
        "of_rows", "kernel", "programs", "host", "member", "check", "at_once", "_derived", "_held",
    )  # fmt: skip

    def __init__(self, operation, attributes, fn, in_avals, aval=None, member=None):
        self.operation = operation
        self.attributes = attributes
        self.fn = fn
        self.in_avals = tuple(in_avals)
        self.aval: Any = aval
        self.member = member
        self._held = _NOTHING
        self.host = all([a.host for a in self.in_avals])
        if aval is None:
            self._trace()
        elif not operation.composed:
            self.depends = self.zeros = None
        parts = self.aval.parts if type(self.aval) is TupleAval else (self.aval,)
        self.weight = max(operation.weight, (len(self.in_avals) + len(parts)) // COMPILING.arrays)
        self.differentiable = operation.differentiable and any(p.inexact for p in parts)
        self.of_rows = operation.of_rows and functools.partial(operation.of_rows, self)
        self.kernel: Any = None
        self.at_once: Any = None
        self.programs = {}
        self.check = operation.check_of(attributes, self.in_avals, parts)
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
        with jax.enable_x64(True), _interrupts.delayed():
            if operation.composed is not True:
                self.depends, self.zeros = operation.composed(self.in_avals) if operation.composed else (None, None)
                if operation.composed and self.aval is not None:
                    return
            known = operation.infer and operation.infer(self.attributes.values, self.in_avals)
            result = self._told(shapes) if known is None else _results(known)
        if self.aval is None:
            self.aval = _aval_of_result(result, any(a.traced for a in self.in_avals))

    def _told(self, shapes):
        """Shapes and dtypes of results, as traced, if not by an earlier process; dependence of what is composed."""
        told = Told(self)
        known = told.result()
        if known is None:
            closed, result = self._traced(shapes)
            depends, zeros = _dependence.of_jaxpr(closed) if self.operation.composed is True else (None, None)
            told.note_result(_aval_of_result(result, False), depends, zeros)
        else:
            result, depends, zeros = _results(known[0]), *known[1:]
        if self.operation.composed is True:
            self.depends, self.zeros = depends, zeros
        return result

    def _traced(self, shapes):
        """The closed jaxpr, and shapes and dtypes of results. The jaxpr of one op is held: a plan may need it next."""
        closed, results = jax.make_jaxpr(self.fn, return_shape=True)(*shapes)
        if self.operation.weight == 1:
            self._held = [closed]
            _jaxprs.append(self._held)
            if len(_jaxprs) > KEEPING.jaxprs:
                _jaxprs.popleft().clear()
        return closed, results

    def jaxpr(self):
        """The closed jaxpr."""
        with contextlib.suppress(IndexError):
            return self._held.pop()
        shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in self.in_avals]
        with jax.enable_x64(True), _interrupts.delayed():
            return jax.make_jaxpr(self.fn)(*shapes)

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
            if self.operation.refuses:
                _refused_derivatives.raise_if_needed(fn, avals)
            parts = self.aval.parts if type(self.aval) is TupleAval else (self.aval,)
            known = self._derives_surely(avals) and all(part.inexact for part in parts)
            member = self.member and self.member.derived(Call.jvp, moving)
            derived = self._derive(key, fn, avals, f"{self.operation.name}JVP", self.aval if known else None, member)
        return derived

    def _derives_surely(self, avals):
        """Whether a derivative need not be traced to know that it exists, and its avals."""
        if self.operation.step is not None:  # which may be what no program can hold
            return False
        return not (self.operation.composed or self.operation.refuses or any(aval.traced for aval in avals))

    def _derive(self, key, fn, avals, name, aval, member):
        operation = Operation(name, fn, composed=True, weight=self.weight)
        operation.made_of = "derivative", key, self
        derived = Call(operation, NO_ATTRIBUTES, fn, avals, aval, member)
        if self.operation.conditional:
            derived.check_derivatives()
        return self._derived.setdefault(key, derived)

    def check_derivatives(self):
        """Makes the call check what the derivatives in it require of values."""
        if conditions.enabled() and not any(aval.traced for aval in self.in_avals):
            check = Operation(
                f"Check{self.operation.name}", functools.partial(report_of, self.fn), differentiable=False,
                infer=_infer_report,
            )  # fmt: skip
            self.check = check.bind(NO_ATTRIBUTES, (conditions.ABSENT, *self.in_avals))
            self.check.at_once = False  # it computes the derivative, which the program does as well


def is_derivative(call):
    """Whether a call is what `Call.vjp` or `Call.jvp` made; its operation's `made_of` then says of which call."""
    made_of = call.operation.made_of
    return made_of is not None and made_of[0] == "derivative"


def is_check(operation):
    """Whether an operation is what checks the conditions of another."""
    return getattr(operation.fn, "func", None) is _checked


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
