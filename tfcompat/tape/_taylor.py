"""Taylor mode: the derivatives of a function along a curve, order by order, in one pass.

`jax.experimental.jet` has the rules of the primitives. What it lacks is added here: functions with a derivative of
their own (`jax.custom_jvp`), which keep it, and primitives without a rule, for which forward mode is nested.
"""

import functools
import math

import jax
import jax.numpy as jnp
from jax.experimental.jet import jet
from jax.extend.core import Literal

from tfcompat.engine import host
from tfcompat.errors import UnimplementedError


def taylor(function, primals, series):
    """Derivatives at t = 0 of `function(x(t), ...)`.

    Args:
      function: of floating arrays, returns an array or a tuple of arrays.
      primals: list of arrays x(0).
      series: list of lists [x'(0), x''(0), ...], of equal length.

    Returns:
      list of (value, list of derivatives of order 1, 2, ...), one for each result.
    """
    order = len(series[0])
    closed = jax.make_jaxpr(function)(*primals)
    results = _interpreted(closed, list(zip(primals, series, strict=True)), order)
    return [(value, [jnp.zeros_like(value)] * order if rows is None else rows) for value, rows in results]


def _interpreted(closed, arguments, order):
    """The results of a closed jaxpr: (value, series), where a series is None for what does not move."""
    known: dict = dict(zip(closed.jaxpr.constvars, [(c, None) for c in closed.consts], strict=True))
    known.update(zip(closed.jaxpr.invars, arguments, strict=True))

    def read(atom):
        return (atom.val, None) if isinstance(atom, Literal) else known[atom]

    for equation in closed.jaxpr.eqns:
        results = _step(equation, [read(atom) for atom in equation.invars], order)
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in closed.jaxpr.outvars]


def _step(equation, inputs, order):
    bind = functools.partial(_bind, equation)
    moving = [i for i, (_, rows) in enumerate(inputs) if rows is not None]
    name = equation.primitive.name
    if not moving or order == 0:
        return [(value, None if order else []) for value in bind([value for value, _ in inputs])]
    if name in ("pjit", "jit"):
        return _interpreted(equation.params["jaxpr"], inputs, order)
    if name.startswith("custom_vjp_call"):
        raise UnimplementedError(
            None, None, "Taylor mode through tf.custom_gradient is not available in tfcompat; nest tapes"
        )

    def of_moving(*values):
        operands = [value for value, _ in inputs]
        for i, value in zip(moving, values, strict=True):
            operands[i] = value
        return tuple(bind(operands))

    primals, rows = [inputs[i][0] for i in moving], [inputs[i][1] for i in moving]
    if name == "custom_jvp_call":
        return _by_own_derivative(of_moving, primals, rows, order)
    if any(not jnp.issubdtype(variable.aval.dtype, jnp.inexact) for variable in equation.outvars):
        return [(value, None) for value in bind([value for value, _ in inputs])]
    try:
        values, higher = jet(of_moving, primals, rows)
    except (NotImplementedError, KeyError):  # which of them depends on the primitive
        values, higher = _nested(of_moving, primals, rows, order)
    return list(zip(values, map(list, higher), strict=True))


def _bind(equation, values):
    name, params = host.named(equation)
    if name != equation.primitive.name:  # for which there may be a rule
        return [getattr(jax.lax, name)(*values, **params)]
    params = equation.primitive.get_bind_params(equation.params)
    functions, params = params if isinstance(params, tuple) else ((), params)  # a pair until JAX 0.10.1
    results = equation.primitive.bind(*functions, *values, **params)
    return results if equation.primitive.multiple_results else [results]


def _by_own_derivative(function, primals, rows, order):
    """By the function's own derivative d: if y = f(x(t)), then y' = d(x(t), x'(t)), needed to one order less."""
    count = len(primals)

    def derivative(*arguments):
        return jax.jvp(function, arguments[:count], arguments[count:])[1]

    moved = [(x, row[:-1]) for x, row in zip(primals, rows, strict=True)]
    moved += [(row[0], row[1:]) for row in rows]
    closed = jax.make_jaxpr(derivative)(*[x for x, _ in moved])
    derivatives = _interpreted(closed, moved, order - 1)
    results = []
    for value, (first, rest) in zip(function(*primals), derivatives, strict=True):
        results.append((value, [first, *([jnp.zeros_like(first)] * (order - 1) if rest is None else rest)]))
    return results


def _nested(function, primals, rows, order):
    """By forward mode, nested."""

    def along(t):
        powers = [t ** (k + 1) / math.factorial(k + 1) for k in range(order)]
        moved = [x + sum(p.astype(x.dtype) * r for p, r in zip(powers, row, strict=True))
                 for x, row in zip(primals, rows, strict=True)]  # fmt: skip
        return function(*moved)

    start = jnp.zeros((), jnp.result_type(*primals))
    levels, current = [], along
    for _ in range(order):
        current = functools.partial(_derivative, current)
        levels.append(current(start))
    return function(*primals), list(zip(*levels, strict=True))


def _derivative(function, t):
    return jax.jvp(function, (t,), (jnp.ones_like(t),))[1]
