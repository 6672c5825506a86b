"""Operations: pure JAX functions, and what is derived from them.

An `Operation` is a name and a pure function of arrays and static attributes. Bound to attributes and to the avals
of its inputs it is a `Call`, which knows the aval of its result. From the one function come, on demand and cached:
the shape rule (`jax.eval_shape`), the VJP call (`jax.vjp`), the JVP call (`jax.jvp`) and the compiled kernel. VJP and
JVP calls are calls like any other, so derivatives of derivatives need no code of their own.
"""
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat.engine import _dependence, _families, _sizes
from tfcompat.engine._compiled import native

_INEXACT = frozenset("fcV")  # 'V' is the kind of bfloat16 and the float8 types.
HOST_SIZE = 64      # elements; integer constants up to this size are computed on the host
LARGE_SIZE = 1024   # elements; arrays from this size on move to the device for good, and hand on their buffers


class Aval:
    """Abstract value: shape and NumPy dtype, interned, so that equal avals are one object.

    `traced` marks values that are JAX tracers: operations on them are applied at once. `inexact` is true of floating
    and complex values; `host` of values that host functions may take (text, and small integers, which shapes are
    made of); `large` of values whose buffers are worth keeping on the device, and worth reusing.
    `tf_dtype` and `tf_shape` are room for the layer above.
    """

    __slots__ = ("shape", "dtype", "traced", "inexact", "host", "large", "tf_dtype", "tf_shape")
    _interned: dict = {}

    def __new__(cls, shape, dtype, traced=False):
        key = (shape, dtype, traced)
        aval = cls._interned.get(key)
        if aval is None:
            aval = object.__new__(cls)
            aval.shape, aval.dtype, aval.traced = shape, dtype, traced
            aval.inexact = dtype.kind in _INEXACT
            size = math.prod(shape) if all(type(d) is int for d in shape) else math.inf  # a size may be a symbol
            aval.host = dtype.kind == "O" or dtype.kind in "iub" and size <= HOST_SIZE
            aval.large = dtype.kind != "O" and LARGE_SIZE <= size
            aval.tf_dtype = aval.tf_shape = None
            aval = cls._interned.setdefault(key, aval)
        return aval

    def __repr__(self):
        return f"{self.dtype.name}{list(self.shape)}" + ("*" if self.traced else "")


class TupleAval:
    """Abstract value of an operation with several results."""

    __slots__ = ("parts", "traced", "picks")
    inexact = host = large = False

    def __init__(self, parts):
        self.parts = tuple(parts)
        self.picks = None  # filled by the recorder: the calls that pick one part each
        self.traced = any(part.traced for part in self.parts)

    def __repr__(self):
        return f"({', '.join(map(repr, self.parts))})"


def aval_of_array(array):
    """The aval of a NumPy or JAX array (or tracer)."""
    return Aval(tuple(array.shape), np.dtype(array.dtype), isinstance(array, jax.core.Tracer))


def _aval_of_result(result, traced):
    if isinstance(result, tuple | list):
        return TupleAval(Aval(tuple(r.shape), np.dtype(r.dtype), traced) for r in result)
    return Aval(tuple(result.shape), np.dtype(result.dtype), traced)


def _results(known):
    """What `Operation.infer` gave, as `jax.eval_shape` has it."""
    if isinstance(known, list):
        return [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in known]
    return jax.ShapeDtypeStruct(*known)


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
      together: the first so many results of a composed operation depend on what any of them depends on.
      refuses: its derivatives may raise, and are traced at once.
      unavoidable: its gradient is taken wherever it leads to a target, on the way to a source or not; it raises.
      zero_second: its gradient counts as depending on the inputs although it is constant in pieces.
      weight: how many recorded operations it stands for.
      infer: called with (attribute values, avals), gives (shape, dtype), or a list of such for several results, where
        that is cheaper than to trace `fn`; None where it is to be traced.
      of_rows, gradient_of_rows: `of_rows(call, arrays)` takes or returns `Row`s of stacks where `fn` takes or returns
        a list of arrays; `gradient_of_rows(call, wrt, arrays)` does so for the VJP of all outputs.
    """

    __slots__ = (
        "name", "fn", "attribute_names", "differentiable", "translate", "validate", "composed", "refuses",
        "unavoidable", "zero_second", "together", "weight", "calls", "families", "infer", "of_rows", "gradient_of_rows",
    )  # fmt: skip

    def __init__(self, name, fn, attribute_names=(), *, differentiable=True, translate=None, validate=None,
                 composed=False, refuses=False, unavoidable=False, zero_second=False, together=0, weight=1,
                 infer=None):  # fmt: skip
        self.name = name
        self.fn = fn
        self.attribute_names = tuple(attribute_names)
        self.differentiable = differentiable
        self.translate = translate
        self.validate = validate
        self.composed, self.zero_second = composed, zero_second
        self.refuses, self.unavoidable = refuses or unavoidable, unavoidable
        self.together = together
        self.weight = weight
        self.infer = infer
        self.of_rows = self.gradient_of_rows = None
        self.calls = {}
        self.families = {}

    def __repr__(self):
        return f"<Operation {self.name}>"

    def bind(self, attributes, avals):
        """The `Call` of this operation for `attributes` and input `avals`; cached, and cheap when warm."""
        key = (attributes, *avals)
        call = self.calls.get(key)
        if call is None:
            families = _families.families_of(self, attributes.values, avals)
            call = self.bound(attributes, avals, families and families[0].member(families[1]))
            call = self.calls.setdefault(key, call)
            if families is not None and call.member is None:
                families[0].add(call, families[1])
        return call

    def bound(self, attributes, avals, member=None):
        """A new Call of this operation, which knows of itself what `member` tells, if that is given."""
        if self.validate is not None:
            self.validate(attributes.values, avals)
        values, fn = attributes.values, self.fn
        if values:
            named = dict(zip(self.attribute_names, values, strict=True))
            fn = _sizes.bound(fn, named) if _sizes.has_symbols(values) else functools.partial(fn, **named)
        if not self.differentiable:  # nor where it is part of a function that is differentiated as a whole
            fn = functools.partial(_of_constants, fn)
        try:
            return Call(self, attributes, fn, avals, member=member)
        except Exception as error:
            if self.translate is None:
                raise
            translated = self.translate(error, avals)
            if translated is error:
                raise
            raise translated from error


class Attributes:
    """Static attributes of a call, interned, so that they are compared by identity."""

    __slots__ = ("values",)
    _interned: dict = {}

    def __init__(self, values):
        self.values = values

    def __repr__(self):
        return f"Attributes{self.values}"


def _types(values):
    return tuple([_types(v) if type(v) is tuple else type(v) for v in values])


def attributes_of(*values):
    """The static attributes `values` as one object; 1, 1.0 and True differ."""
    key = (values, _types(values))
    attributes = Attributes._interned.get(key)
    if attributes is None:
        attributes = Attributes._interned.setdefault(key, Attributes(values))
    return attributes


NO_ATTRIBUTES = attributes_of()


class Call:
    """An operation bound to attributes and input avals.

    `aval` is the result's aval, `fn` a function of arrays alone. `depends` has, for each result, the set of inputs
    to which derivatives connect it; it is None where every result is connected to every input. `zeros` has those of
    them to which the derivative is surely zero, or is None where there are none. Both are traced when first asked for.
    `weight` is how many recorded operations it stands for, `kernel` the program of this call alone, once there is one,
    and `missed` says how many structures were fused that could have used one before;
    `programs` are those that run it when it is called, by which inputs they overwrite; `host` says whether host
    functions may take all inputs; `member` is the call as one of a family (`_families`), or None.
    """

    __slots__ = (
        "operation", "attributes", "fn", "in_avals", "aval", "differentiable", "weight", "depends", "zeros",
        "of_rows", "kernel", "missed", "programs", "host", "member", "_derived",
    )  # fmt: skip

    def __init__(self, operation, attributes, fn, in_avals, aval=None, member=None):
        self.operation = operation
        self.attributes = attributes
        self.fn = fn
        self.in_avals = tuple(in_avals)
        self.aval = aval
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
        self.kernel = None
        self.missed = 0
        self.programs = {}
        self._derived = {}

    @property
    def is_traced(self):
        """Whether it is known what results depend on."""
        try:
            Call.depends.__get__(self)
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
                result, self.depends, self.zeros = _dependence.trace(self.fn, shapes, operation.together)
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
            fn = functools.partial(_pull_back, self.fn, len(self.in_avals), wrt, present, linked)
            parts = self.aval.parts if type(self.aval) is TupleAval else (self.aval,)
            avals = (*self.in_avals, *(p for p, here in zip(parts, present, strict=True) if here))
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
            fn = functools.partial(_push_forward, self.fn, len(self.in_avals), moving)
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


if native is not None:
    native.register(Aval=Aval, TupleAval=TupleAval, Call=Call, Operation=Operation, no_attributes=NO_ATTRIBUTES)


def _of_constants(fn, *arrays):
    return fn(*map(jax.lax.stop_gradient, arrays))


def refusing(fn, make_error):
    """`fn`, which raises `make_error()` where it is differentiated."""

    def wrapped(*arrays, **attributes):
        primal = jax.custom_jvp(lambda *xs: fn(*xs, **attributes))

        @primal.defjvp
        def _(primals, tangents):
            raise make_error()

        return primal(*arrays)

    return wrapped


def _conjugate(x):
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def _pull_back(fn, arity, wrt, present, linked, *arrays):
    inputs, given = list(arrays[:arity]), iter(arrays[arity:])

    def restricted(*moving):
        for i, x in zip(wrt, moving, strict=True):
            inputs[i] = x
        return fn(*inputs)

    result, pullback = jax.vjp(restricted, *(inputs[i] for i in wrt))
    single = not isinstance(result, tuple | list)
    outputs = [result] if single else result
    cotangents = []
    for output, here in zip(outputs, present, strict=True):
        if here:
            cotangents.append(_conjugate(next(given)))
        elif np.dtype(output.dtype).kind in _INEXACT:
            cotangents.append(jnp.zeros_like(output))
        else:
            cotangents.append(np.zeros(output.shape, jax.dtypes.float0))
    grads = [_conjugate(g) for g in pullback(cotangents[0] if single else type(result)(cotangents))]
    if linked:
        grads = [_dependence.link(g, arrays[i]) for i, g in zip(wrt, grads, strict=True)]
    return grads[0] if len(grads) == 1 else tuple(grads)


def _push_forward(fn, arity, moving, *arrays):
    inputs = list(arrays[:arity])

    def restricted(*values):
        for i, x in zip(moving, values, strict=True):
            inputs[i] = x
        return fn(*inputs)

    primals = tuple(inputs[i] for i in moving)
    result, tangents = jax.jvp(restricted, primals, tuple(arrays[arity:]))
    if not isinstance(result, tuple | list):
        return tangents
    # Integer outputs have float0 tangents, which are not arrays: their place is held by zeros.
    return tuple(t if t.dtype != jax.dtypes.float0 else jnp.zeros(t.shape, np.int8) for t in tangents)
