"""Conditions of derivatives: what must hold of values where a derivative is taken, though not for the result itself.

The body of an operation marks an array: `marked(x, requires, *arrays)` is `x`. Tangents and cotangents of `x` pass
through a primitive that names the condition. So the condition is in the jaxpr of whatever JAX derives, of an operation,
a function, a loop or a jacobian, if the derivative goes that way. The check of a derived call is its jaxpr with the
report going through it.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
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
    ranks = tuple([np.ndim(array) for array in primals])
    return x, _required_p.bind(tangents[0], *arrays, requires=requires, ranks=ranks)


_required_p = Primitive("required")


def _same(x, *arrays, requires, ranks):
    return x


def _jvp(primals, tangents, **params):
    result = _required_p.bind(*primals, **params)
    return result, tangents[0]  # the first derivative has told


def _transpose(cotangent, x, *arrays, **params):
    if type(cotangent) is not ad.Zero:
        cotangent = _required_p.bind(cotangent, *arrays, **params)
    return [cotangent, *[None] * len(arrays)]


def _batched(values, axes, **params):
    (size,) = {x.shape[axis] for x, axis in zip(values, axes, strict=True) if axis is not None}
    moved = [x if axis is None else batching.bdim_at_front(x, axis, size)
             for x, axis in zip(values, axes, strict=True)]  # fmt: skip
    if axes[0] is None:
        moved[0] = batching.bdim_at_front(values[0], None, size)
    return _required_p.bind(*moved, **params), 0


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


def _through(jaxpr, constants, report, arrays, going=None):
    """(report, results) of a jaxpr.

    Args:
      going: which rows count, of a loop in each row that ends by itself; all if it is None.
    """
    known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *arrays), strict=True))

    def value(atom):
        return atom.val if isinstance(atom, Literal) else known[atom]

    for equation in jaxpr.eqns:
        report, results = _through_equation(equation, report, list(map(value, equation.invars)), going)
        known.update(zip(equation.outvars, results, strict=True))
    return report, list(map(value, jaxpr.outvars))


def _through_equation(equation, report, arrays, going):
    primitive, params = equation.primitive, equation.params
    if primitive is _required_p:
        requirements = params["requires"](*arrays)
        if going is not None:
            requirements = _of_rows_that_go_on(requirements, arrays, going, **params)
        return checked(report, requirements), arrays[:1]
    if _requires(equation):
        if primitive.name in _PARTED:
            return _PARTED[primitive.name](equation, report, arrays, going)
        traced = _traced(equation)
        called = (traced, arrays) if traced else control_flow.called(primitive.name, params, arrays)
        if called is not None:
            closed, inputs = called
            return _through(closed.jaxpr, closed.consts, report, inputs, going)
    return report, _bound(equation, arrays)


def _of_rows_that_go_on(requirements, arrays, going, requires, ranks):
    """`requirements`, met in rows of a loop that has ended. Where no row has one of its own, all share it."""
    row = [jax.ShapeDtypeStruct(array.shape[array.ndim - rank :], array.dtype)
           for array, rank in zip(arrays, ranks, strict=True)]  # fmt: skip
    shapes = jax.eval_shape(lambda *row: [one.holds for one in requires(*row)], *row)
    met = []
    for one, shape in zip(requirements, shapes, strict=True):
        axes = one.holds.ndim - shape.ndim  # of rows
        if axes >= going.ndim:
            ended = jnp.expand_dims(~going, range(going.ndim, one.holds.ndim))
            one = one._replace(holds=one.holds | ended)
        met.append(one)
    return met


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


def _scan(equation, report, arrays, going):
    params, body = equation.params, equation.params["jaxpr"]
    rows = sum(map(_is_stacked, equation.invars, body.jaxpr.invars))
    stop = len(arrays) - rows
    count = len(equation.outvars) - sum(map(_is_stacked, equation.outvars, body.jaxpr.outvars))
    fixed = arrays[: stop - count]

    def turn(carry, row):
        report, *state = carry
        report, results = _through(body.jaxpr, body.consts, report, (*fixed, *state, *row), going)
        return (report, *results[:count]), results[count:]

    (report, *state), columns = jax.lax.scan(
        turn, (report, *arrays[stop - count : stop]), arrays[stop:], params["length"], params["reverse"]
    )
    return report, [*state, *columns]


def _is_stacked(outside, inside):
    return len(outside.aval.shape) > len(inside.aval.shape)


def _while(equation, report, arrays, going):
    goes_on, body = equation.params["cond_jaxpr"], equation.params["body_jaxpr"]
    known = arrays[: equation.params["cond_nconsts"]]
    first = len(known) + equation.params["body_nconsts"]
    fixed = arrays[len(known) : first]

    def rows(state):
        return jaxpr_as_fun(goes_on)(*known, *state)[0]

    def turn(carry):
        report, *state = carry
        more = rows(state) if goes_on.out_avals[0].shape else None  # loops side by side, each of which ends by itself
        report, results = _through(body.jaxpr, body.consts, report, (*fixed, *state), going if more is None else more)
        if more is not None:
            results = [jnp.where(jnp.expand_dims(more, range(more.ndim, new.ndim)), new, old)
                       for new, old in zip(results, state, strict=True)]  # fmt: skip
        return (report, *results)

    report, *results = jax.lax.while_loop(lambda carry: rows(carry[1:]).any(), turn, (report, *arrays[first:]))
    return report, results


def _cond(equation, report, arrays, going):
    which, *inputs = arrays

    def one(closed):
        return lambda report, *inputs: _through(closed.jaxpr, closed.consts, report, inputs, going)

    return jax.lax.switch(which, list(map(one, equation.params["branches"])), report, *inputs)


_PARTED = {"scan": _scan, "while": _while, "cond": _cond}
