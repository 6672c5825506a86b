"""Conditions of derivatives: what must hold of values where a derivative is taken, though not for the result itself.

The body of an operation marks an array: `marked(x, requires, *arrays)` is `x`. Tangents and cotangents of `x` pass
through a primitive that names the condition. So the condition is in the jaxpr of whatever JAX derives, of an operation,
a function, a loop or a jacobian, if the derivative goes that way. The check of a derived call is its jaxpr with the
report going through it.
"""
import functools

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir

from tfcompat.engine import host
from tfcompat.engine.conditions import checked
from tfcompat.engine.host.rules import control_flow


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def marked(x, requires, *arrays):
    """`x`; where its derivative is taken, conditions must hold.

    Args:
      x: array.
      requires: function of a tangent or cotangent of `x`, and of `arrays`, all of which may have further axes in front,
        to a list of `Requirement`s. One object for equal conditions.
      arrays: what else it takes.
    """
    return x


@marked.defjvp
def _marked_jvp(requires, primals, tangents):
    x, *arrays = primals
    return x, _required_p.bind(tangents[0], *arrays, requires=requires)


_required_p = Primitive("required")


def _same(x, *arrays, requires):
    return x


def _jvp(primals, tangents, *, requires):
    result = _required_p.bind(*primals, requires=requires)
    return result, tangents[0]  # the first derivative has told


def _transpose(cotangent, x, *arrays, requires):
    if type(cotangent) is not ad.Zero:
        cotangent = _required_p.bind(cotangent, *arrays, requires=requires)
    return [cotangent, *[None] * len(arrays)]


def _batched(values, axes, *, requires):
    (size,) = {x.shape[axis] for x, axis in zip(values, axes, strict=True) if axis is not None}
    moved = [x if axis is None else batching.bdim_at_front(x, axis, size)
             for x, axis in zip(values, axes, strict=True)]  # fmt: skip
    if axes[0] is None:
        moved[0] = batching.bdim_at_front(values[0], None, size)
    return _required_p.bind(*moved, requires=requires), 0


_required_p.def_impl(_same)
_required_p.def_abstract_eval(_same)
ad.primitive_jvps[_required_p] = _jvp
ad.primitive_transposes[_required_p] = _transpose
batching.primitive_batchers[_required_p] = _batched
mlir.register_lowering(_required_p, mlir.lower_fun(_same, multiple_results=False))
host.rules["required"] = lambda params, in_avals, out_avals: lambda x, *arrays: x


# --- the check of a derived call ----------------------------------------------------------------------------------


def report_of(fn, report, *arrays):
    """The report after all that derivatives in `fn(*arrays)` require."""
    closed = jax.make_jaxpr(fn)(*arrays)
    return _through(closed.jaxpr, closed.consts, report, arrays)[0]


def _through(jaxpr, constants, report, arrays):
    """(report, results) of a jaxpr."""
    known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *arrays), strict=True))

    def value(atom):
        return atom.val if isinstance(atom, Literal) else known[atom]

    for equation in jaxpr.eqns:
        report, results = _through_equation(equation, report, list(map(value, equation.invars)))
        known.update(zip(equation.outvars, results, strict=True))
    return report, list(map(value, jaxpr.outvars))


def _through_equation(equation, report, arrays):
    primitive, params = equation.primitive, equation.params
    if primitive is _required_p:
        return checked(report, params["requires"](*arrays)), arrays[:1]
    if _requires(equation):
        if primitive.name in _PARTED:
            return _PARTED[primitive.name](equation, report, arrays)
        traced = _traced(equation)
        called = (traced, arrays) if traced else control_flow.called(primitive.name, params, arrays)
        if called is not None:
            closed, inputs = called
            return _through(closed.jaxpr, closed.consts, report, inputs)
    return report, _bound(equation, arrays)


def _bound(equation, arrays):
    primitive, params = equation.primitive, equation.params
    with equation.ctx.manager:
        results = primitive.bind(*arrays, **primitive.get_bind_params(params))
    return results if primitive.multiple_results else [results]


def _requires(equation):
    """Whether a derivative in an equation requires something."""
    return equation.primitive is _required_p or any(
        _requires(inner) for jaxpr in _jaxprs_in(equation) for inner in jaxpr.eqns
    )


def _jaxprs_in(equation):
    """The jaxprs that an equation holds or stands for."""
    traced = _traced(equation)
    held = [traced] if traced else jax.tree.leaves(list(equation.params.values()), is_leaf=_is_jaxpr)
    return [getattr(jaxpr, "jaxpr", jaxpr) for jaxpr in held if _is_jaxpr(jaxpr)]


def _is_jaxpr(value):
    return isinstance(value, ClosedJaxpr | Jaxpr)


def _traced(equation):
    """The closed jaxpr of an equation of a primitive that is a JAX function; None for others."""
    trace = getattr(host.rules.get(equation.primitive.name), "closed", None)
    return trace and trace(equation.params, [atom.aval for atom in equation.invars])


def _scan(equation, report, arrays):
    params, body = equation.params, equation.params["jaxpr"]
    rows = sum(map(_is_stacked, equation.invars, body.jaxpr.invars))
    stop = len(arrays) - rows
    count = len(equation.outvars) - sum(map(_is_stacked, equation.outvars, body.jaxpr.outvars))
    fixed = arrays[: stop - count]

    def turn(carry, row):
        report, *state = carry
        report, results = _through(body.jaxpr, body.consts, report, (*fixed, *state, *row))
        return (report, *results[:count]), results[count:]

    (report, *state), columns = jax.lax.scan(
        turn, (report, *arrays[stop - count : stop]), arrays[stop:], params["length"], params["reverse"]
    )
    return report, [*state, *columns]


def _is_stacked(outside, inside):
    return len(outside.aval.shape) > len(inside.aval.shape)


def _while(equation, report, arrays):
    goes_on, body = equation.params["cond_jaxpr"], equation.params["body_jaxpr"]
    if goes_on.out_avals[0].shape:  # loops side by side, each of which ends by itself
        return report, _bound(equation, arrays)
    known = arrays[: equation.params["cond_nconsts"]]
    first = len(known) + equation.params["body_nconsts"]
    fixed = arrays[len(known) : first]

    def more(carry):
        return jaxpr_as_fun(goes_on)(*known, *carry[1:])[0]

    def turn(carry):
        report, results = _through(body.jaxpr, body.consts, carry[0], (*fixed, *carry[1:]))
        return (report, *results)

    report, *results = jax.lax.while_loop(more, turn, (report, *arrays[first:]))
    return report, results


def _cond(equation, report, arrays):
    which, *inputs = arrays

    def one(closed):
        return lambda report, *inputs: _through(closed.jaxpr, closed.consts, report, inputs)

    return jax.lax.switch(which, list(map(one, equation.params["branches"])), report, *inputs)


_PARTED = {"scan": _scan, "while": _while, "cond": _cond}
