"""On which inputs the results of a composed function depend, as far as derivatives are concerned.

In TensorFlow the gradient of an op is connected to all inputs of the op. What is derived in one piece need not be. Of a
`tf.function` the calls tell (`of_calls`). The VJP of `3 * x` does not use `x`: its jaxpr tells (`of_jaxpr`), so that a
second derivative is None where TensorFlow's is. Where TensorFlow's is zeros although nothing is used (`link`), the
jaxpr tells that as well, and nothing is computed with the zeros. In the walk below, `~i` stands for such an input `i`.
"""

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from tfcompat.engine._aval import NO_ATTRIBUTES, TupleAval
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


def of_jaxpr(closed):
    """What the results of a closed jaxpr depend on, as of `_told`."""
    return _told(_walk(closed.jaxpr), closed.in_avals)


def of_calls(steps, outputs, coupled, avals):
    """What the results of calls in a row depend on, as of `_told`.

    Args:
      steps, outputs: as of a `Program`.
      coupled: how many results, from the first on, depend on what any of them depends on.
      avals: of the inputs.
    """
    known: dict = {~i: needs for i, needs in enumerate(_inputs(avals))}
    for i, (call, refs) in enumerate(steps):
        needed = [known[r] for r in refs]
        is_pick = len(refs) == 1 and type(needed[0]) is list
        results = call.fn(needed[0]) if is_pick else _through(call, needed)
        known[i] = results if is_pick or type(call.aval) is TupleAval else results[0]
    return _told([known[r] for r in outputs], avals, coupled)


def of_branches(operations, counts, coupled, avals):
    """As `of_calls`, of one of several operations; inputs are an index, then those of each operation."""
    needed, results, start = _inputs(avals), [], 1
    for operation, count in zip(operations, counts, strict=True):
        stop = start + count
        results.append(_through(operation.bind(NO_ATTRIBUTES, avals[start:stop]), needed[start:stop]))
        start = stop
    return _told([frozenset().union(*each) for each in zip(*results, strict=True)], avals, coupled)


def _inputs(avals):
    return [frozenset([i] if aval.inexact else ()) for i, aval in enumerate(avals)]


def _through(call, needed):
    """For each result of a call, what it depends on if the inputs depend on what is `needed`."""
    parts = call.aval.parts if type(call.aval) is TupleAval else (call.aval,)
    if not call.differentiable:
        return [frozenset()] * len(parts)
    depends = call.depends or [range(len(needed)) if part.inexact else () for part in parts]
    zeros = call.zeros or [()] * len(parts)
    return [
        _chained(needed, [~i if i in zero else i for i in each]) for each, zero in zip(depends, zeros, strict=True)
    ]  # fmt: skip


def _chained(needed, needs):
    """What a result depends on by inputs that depend on what is `needed`; `~i` as in `_walk`."""
    return frozenset().union(*(needed[i] if i >= 0 else {min(j, ~j) for j in needed[~i]} for i in needs))


def _told(results, avals, coupled=0):
    """For what results depend on, in the form of `_walk`:

    Returns:
      (depends, zeros): for each result the frozenset of inputs, the union for the first `coupled`, or None if every
      result depends on every input; for each result the frozenset of those inputs among them to which its derivative
      is surely zero, or None if there are none.
    """
    results = [frozenset().union(*results[:coupled])] * coupled + list(results[coupled:])
    depends = tuple([frozenset([max(i, ~i) for i in inputs]) for inputs in results])
    zeros = tuple([frozenset([~i for i in inputs if i < 0 and ~i not in inputs]) for inputs in results])
    everything = frozenset(i for i, aval in enumerate(avals) if jnp.issubdtype(aval.dtype, jnp.inexact))
    return None if all(needs == everything for needs in depends) else depends, zeros if any(zeros) else None


def _walk(jaxpr, rolled=False, needed=None):
    """For each result, the indices of the inputs from which a chain of floating or complex values leads to it.

    `~i` in place of `i`: a chain that has a `link` in it.
    """
    if needed is None:
        needed = [frozenset([i]) for i in range(len(jaxpr.invars))]
    known = {v: needs for v, needs in zip(jaxpr.invars, needed, strict=True) if _moves(v)}
    nothing = frozenset()

    def needs(v):
        return nothing if isinstance(v, Literal) else known.get(v, nothing)

    for equation in jaxpr.eqns:
        needed = [needs(v) for v in equation.invars]
        for v, result in zip(equation.outvars, _of_equation(equation, needed, rolled), strict=True):
            if result and _moves(v):
                known[v] = result
    return tuple([needs(v) for v in jaxpr.outvars])


def _of_equation(equation, needed, rolled):
    count = len(equation.outvars)
    name = equation.primitive.name
    if name == "stop_gradient":
        return [frozenset()] * count
    linked = equation.params.get("name") == connected_by_zeros.__name__
    if linked and len(needed) == 2 and all(map(_moves, equation.invars)):  # not a piece, into which JAX may divide it
        return [needed[0] | {min(i, ~i) for i in needed[1]}]
    if name == "scan" and rolled:
        return _of_scan(equation, needed)
    inner = None if name in _OPAQUE else _inner_of(equation)
    if inner is None:
        return [frozenset().union(*needed)] * count
    rolled = ROLLED in str(equation.params.get("name", ""))
    return [_chained(needed, needs) for needs in _walk(inner, rolled)]


def _of_scan(equation, needed):
    """A rolled-up loop depends on what the same operations in a row depend on."""
    inner = equation.params["jaxpr"].jaxpr
    # Versions of JAX say in different ways how many are carried; of what is stacked the body sees one row.
    rows = sum(map(_is_stacked, equation.invars, inner.invars))
    stop = len(equation.invars) - rows
    first = stop - len(equation.outvars) + sum(map(_is_stacked, equation.outvars, inner.outvars))
    while True:
        results = _walk(inner, True, needed)
        carried = [old | new for old, new in zip(needed[first:stop], results, strict=False)]
        if carried == needed[first:stop]:
            return list(results)
        needed = needed[:first] + carried + needed[stop:]


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
