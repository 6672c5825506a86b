"""On which inputs the results of a composed function depend, as far as derivatives are concerned.

The gradient of an op of TF's is connected to all of its inputs, but what is derived here in one piece (a VJP, a JVP,
a function) need not be: the VJP of `3 * x` does not use `x`. Its jaxpr tells, so that a second derivative is None
where TF's is. Where TF's is zeros although nothing is used (`link`), it tells that as well, and the zeros need not be
computed with. The walk marks an input `i` that is so connected by `~i`.
"""

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from tfcompat.engine.compile.rolling import ROLLED

# Their inner functions run several times or not at all: every result may depend on every input.
_OPAQUE = frozenset({"while", "scan", "cond", "custom_vjp_call"})


def connected_by_zeros(x, y):
    return jax.lax.select(jnp.ones(x.shape, bool), x, y)


@jax.custom_jvp
def link(x, y):
    """`x`, which counts as depending on `y` of the same shape and dtype; the derivative is zero."""
    return jax.jit(connected_by_zeros)(x, y)


@link.defjvp
def _link_jvp(primals, tangents):
    return link(*primals), tangents[0]


def trace(fn, avals, together=0):
    """The shape rule of `fn`, and what its results depend on.

    Returns:
      (shapes, depends, zeros): shapes and dtypes as `jax.eval_shape` gives them; for each result the frozenset of
      inputs, the union for the first `together`, or None if every result depends on every input; for each result the
      frozenset of those inputs among them to which its derivative is surely zero, or None if there are none.
    """
    closed, shapes = jax.make_jaxpr(fn, return_shape=True)(*avals)
    found = _walk(closed.jaxpr)
    found = (frozenset().union(*found[:together]),) * together + found[together:]
    depends = tuple([frozenset([max(i, ~i) for i in marked]) for marked in found])
    zeros = tuple([frozenset([~i for i in marked if i < 0 and ~i not in marked]) for marked in found])
    everything = frozenset(i for i, v in enumerate(closed.jaxpr.invars) if _moves(v))
    return (
        shapes,
        None if all(needs == everything for needs in depends) else depends,
        zeros if any(zeros) else None,
    )


def _walk(jaxpr, rolled=False, given=None):
    """For each result, the indices of the inputs from which a chain of floating or complex values leads to it.

    `~i` in place of `i`: a chain that has a `link` in it.
    """
    if given is None:
        given = [frozenset([i]) for i in range(len(jaxpr.invars))]
    known = {v: needs for v, needs in zip(jaxpr.invars, given, strict=True) if _moves(v)}
    nothing = frozenset()

    def needs(v):
        return nothing if isinstance(v, Literal) else known.get(v, nothing)

    for equation in jaxpr.eqns:
        given = [needs(v) for v in equation.invars]
        for v, result in zip(equation.outvars, _of_equation(equation, given, rolled), strict=True):
            if result and _moves(v):
                known[v] = result
    return tuple([needs(v) for v in jaxpr.outvars])


def _of_equation(equation, given, rolled):
    count = len(equation.outvars)
    name = equation.primitive.name
    if name == "stop_gradient":
        return [frozenset()] * count
    linked = equation.params.get("name") == connected_by_zeros.__name__
    if linked and len(given) == 2 and all(map(_moves, equation.invars)):  # not a piece, into which JAX may divide it
        return [given[0] | {min(i, ~i) for i in given[1]}]
    if name == "scan" and rolled:
        return _of_scan(equation, given)
    inner = None if name in _OPAQUE else _inner_of(equation)
    if inner is None:
        return [frozenset().union(*given)] * count
    rolled = ROLLED in str(equation.params.get("name", ""))
    return [
        frozenset().union(*(given[i] if i >= 0 else {min(j, ~j) for j in given[~i]} for i in needs))
        for needs in _walk(inner, rolled)
    ]


def _of_scan(equation, given):
    """A rolled-up loop depends on what the same operations in a row depend on."""
    inner = equation.params["jaxpr"].jaxpr
    # Versions of JAX say in different ways how many are carried; of what is stacked the body sees one row.
    rows = sum(map(_is_stacked, equation.invars, inner.invars))
    stop = len(equation.invars) - rows
    first = stop - len(equation.outvars) + sum(map(_is_stacked, equation.outvars, inner.outvars))
    while True:
        found = _walk(inner, True, given)
        carried = [old | new for old, new in zip(given[first:stop], found, strict=False)]
        if carried == given[first:stop]:
            return list(found)
        given = given[:first] + carried + given[stop:]


def _is_stacked(outside, inside):
    return len(outside.aval.shape) > len(inside.aval.shape)


def _inner_of(equation):
    """The jaxpr that an equation calls with its own inputs, if it does just that."""
    for value in equation.params.values():
        inner = value.jaxpr if isinstance(value, ClosedJaxpr) else value
        if isinstance(inner, Jaxpr) and not inner.constvars:
            if len(inner.invars) == len(equation.invars) and len(inner.outvars) == len(equation.outvars):
                return inner
    return None


def _moves(v):
    return jnp.issubdtype(v.aval.dtype, jnp.inexact)
