"""On which inputs the results of a composed function depend, as far as derivatives are concerned.

The gradient of an op of TF's is connected to all of its inputs, but what is derived here in one piece (a VJP, a JVP,
a function) need not be: the VJP of `3 * x` does not use `x`. Its jaxpr tells, so that a second derivative is None
where TF's is.
"""

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from tfcompat.engine._rolling import ROLLED

# Their inner functions run several times or not at all: every result may depend on every input.
_OPAQUE = frozenset({"while", "scan", "cond", "custom_vjp_call"})


def trace(fn, avals, together=0):
    """The shape rule of `fn`, and what its results depend on.

    Returns:
      (shapes, depends): shapes and dtypes as `jax.eval_shape` gives them; for each result the frozenset of inputs,
      the union for the first `together`, or None if every result depends on every input.
    """
    closed, shapes = jax.make_jaxpr(fn, return_shape=True)(*avals)
    found = _walk(closed.jaxpr)
    found = (frozenset().union(*found[:together]),) * together + found[together:]
    everything = frozenset(i for i, v in enumerate(closed.jaxpr.invars) if _moves(v))
    return shapes, None if all(needs == everything for needs in found) else found


def _walk(jaxpr, rolled=False, given=None):
    """For each result, the indices of the inputs from which a chain of floating or complex values leads to it."""
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
    if name == "scan" and rolled:
        return _of_scan(equation, given)
    inner = None if name in _OPAQUE else _inner_of(equation)
    if inner is None:
        return [frozenset().union(*given)] * count
    rolled = ROLLED in str(equation.params.get("name", ""))
    return [frozenset().union(*(given[i] for i in needs)) for needs in _walk(inner, rolled)]


def _of_scan(equation, given):
    """A rolled-up loop depends on what the same operations in a row depend on."""
    inner = equation.params["jaxpr"].jaxpr
    first = equation.params["num_consts"]
    stop = first + equation.params["num_carry"]
    while True:
        found = _walk(inner, True, given)
        carried = [old | new for old, new in zip(given[first:stop], found, strict=False)]
        if carried == given[first:stop]:
            return list(found)
        given = given[:first] + carried + given[stop:]


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
