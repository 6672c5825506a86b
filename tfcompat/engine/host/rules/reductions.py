"""Reductions along axes."""

from typing import Any

import numpy as np
from jax.extend.core import Literal

from tfcompat.engine.host.rules import elementwise
from tfcompat.engine.host.rules.registry import Unknown, is_floating, is_narrow


def least(dtype):
    """The identity of `max`."""
    if dtype.kind == "b":
        return np.False_
    if is_floating(dtype):
        return dtype.type(-np.inf)
    return dtype.type(np.iinfo(dtype).min)


def greatest(dtype):
    """The identity of `min`."""
    if dtype.kind == "b":
        return np.True_
    if is_floating(dtype):
        return dtype.type(np.inf)
    return dtype.type(np.iinfo(dtype).max)


def _by_ufunc(ufunc, identity):
    """Reduction by a ufunc; its identity, a function of the dtype, is asked for only where there are no elements."""

    def rule(params, in_avals, out_avals):
        axes, dtype = tuple(params["axes"]), in_avals[0].dtype
        if 0 in in_avals[0].shape:
            result = np.full(out_avals[0].shape, identity(dtype), dtype)
            return lambda x: result
        return lambda x: ufunc.reduce(x, axes)

    return rule


def _accumulated(ufunc):
    """Sum or product, accumulated in float32 where elements are narrower."""

    def rule(params, in_avals, out_avals):
        axes, dtype = tuple(params["axes"]), in_avals[0].dtype
        if is_narrow(dtype):
            return lambda x: ufunc.reduce(x.astype(np.float32), axes).astype(dtype)
        return lambda x: ufunc.reduce(x, axes, dtype)

    return rule


def _place(function):
    def rule(params, in_avals, out_avals):
        (axis,), dtype = params["axes"], params["index_dtype"]
        return lambda x: function(x, axis).astype(dtype)

    return rule


def of_elements(jaxpr, consts):
    """A jaxpr of scalars as a function of arrays, whose elements it takes one by one.

    Raises:
      Unknown: it has equations that are not elementwise.
    """
    if any(equation.primitive.name not in elementwise.RULES for equation in jaxpr.eqns):
        raise Unknown("a function that is not elementwise")
    known = dict(zip(jaxpr.constvars, map(np.asarray, consts), strict=True))
    steps = []
    for equation in jaxpr.eqns:
        avals = [v.aval for v in equation.invars], [v.aval for v in equation.outvars]
        function = elementwise.RULES[equation.primitive.name](equation.params, *avals)
        steps.append((function, equation.invars, equation.outvars[0]))

    def computed(*arrays):
        values = known | dict(zip(jaxpr.invars, arrays, strict=True))
        for function, atoms, result in steps:
            values[result] = function(*[_value(atom, values) for atom in atoms])
        return [_value(atom, values) for atom in jaxpr.outvars]

    return computed


def _value(atom, values):
    if not isinstance(atom, Literal):
        return values[atom]
    aval: Any = atom.aval
    return np.asarray(atom.val, aval.dtype)


def folded(function, stacks):
    """The elements of `stacks`, along their first axis, joined pairwise: a list of arrays without that axis."""
    while (count := stacks[0].shape[0]) > 1:
        joined = function(*[x[0 : count - 1 : 2] for x in stacks], *[x[1::2] for x in stacks])
        if count % 2:
            joined = [np.concatenate([new, x[-1:]]) for new, x in zip(joined, stacks, strict=True)]
        stacks = joined
    return [x[0] for x in stacks]


def _reduced(params, in_avals, out_avals):
    count, axes = len(in_avals) // 2, params["dimensions"]
    function = of_elements(params["jaxpr"], params.get("consts", ()))
    shape = in_avals[0].shape
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    order = [*axes, *kept]
    size = int(np.prod([shape[axis] for axis in axes], dtype=int))
    new_shape = (size, *out_avals[0].shape)

    def reduce(*arrays):
        starts = [np.broadcast_to(x, new_shape[1:]) for x in arrays[count:]]
        if not size:
            return starts
        stacks = [x.transpose(order).reshape(new_shape) for x in arrays[:count]]
        return function(*starts, *folded(function, stacks))

    return reduce


RULES = {
    "argmax": _place(np.argmax),
    "argmin": _place(np.argmin),
    "reduce": _reduced,
    "reduce_and": _by_ufunc(np.bitwise_and, lambda dtype: ~dtype.type(0)),
    "reduce_max": _by_ufunc(np.maximum, least),
    "reduce_min": _by_ufunc(np.minimum, greatest),
    "reduce_or": _by_ufunc(np.bitwise_or, lambda dtype: dtype.type(0)),
    "reduce_prod": _accumulated(np.multiply),
    "reduce_sum": _accumulated(np.add),
    "reduce_xor": _by_ufunc(np.bitwise_xor, lambda dtype: dtype.type(0)),
}
