"""Branches, loops and calls: primitives that hold jaxprs."""

from typing import Any

import numpy as np

from tfcompat.engine.host.rules.registry import Unknown, function_of


def _closed(jaxpr) -> Any:
    """A jaxpr as a function of arrays; in a plan it is one already."""
    if callable(jaxpr):
        return jaxpr
    return function_of(jaxpr.jaxpr, jaxpr.consts) if hasattr(jaxpr, "consts") else function_of(jaxpr, ())


def _call(params, in_avals, out_avals):
    return _closed(params.get("jaxpr") or params.get("call_jaxpr"))


def _branch(params, in_avals, out_avals):
    branches = [_closed(branch) for branch in params["branches"]]
    last = len(branches) - 1
    return lambda which, *arrays: branches[min(max(int(which), 0), last)](*arrays)


def _platform(params, in_avals, out_avals):
    for i, platforms in enumerate(params["platforms"]):
        if platforms is None or "cpu" in platforms:
            place = np.int32(i)
            return lambda: place
    raise Unknown("no branch for a CPU")


def _while(params, in_avals, out_avals):
    goes_on, body = _closed(params["cond_jaxpr"]), _closed(params["body_jaxpr"])
    of_condition = params["cond_nconsts"]
    first = of_condition + params["body_nconsts"]
    if params["cond_jaxpr"].out_avals[0].shape:
        return _while_any(goes_on, body, of_condition, first)

    def loop(*arrays):
        known, fixed, state = arrays[:of_condition], arrays[of_condition:first], arrays[first:]
        while goes_on(*known, *state)[0]:
            state = body(*fixed, *state)
        return list(state)

    return loop


def _while_any(goes_on, body, of_condition, first):
    """Loops side by side, each with a condition of its own, along the first axes; those that have ended stay."""

    def loop(*arrays):
        known, fixed, state = arrays[:of_condition], arrays[of_condition:first], arrays[first:]
        while np.any(going := goes_on(*known, *state)[0]):
            state = [
                np.where(going.reshape(going.shape + (1,) * (new.ndim - going.ndim)), new, old)
                for new, old in zip(body(*fixed, *state), state, strict=True)
            ]
        return list(state)

    return loop


def _scan(params, in_avals, out_avals):
    body, length = _closed(params["jaxpr"]), params["length"]
    # Versions of JAX say in different ways which arrays are stacked. Only those have another shape in the body.
    count = _as_in_body(out_avals, params["jaxpr"].out_avals)
    fixed = _as_in_body(in_avals, params["jaxpr"].in_avals) - count
    order = range(length - 1, -1, -1) if params["reverse"] else range(length)
    stacked = out_avals[count:]

    def scan(*arrays):
        known, state, rows = arrays[:fixed], list(arrays[fixed : fixed + count]), arrays[fixed + count :]
        results = [np.empty(aval.shape, aval.dtype) for aval in stacked]
        for i in order:
            given = body(*known, *state, *[x[i] for x in rows])
            state = given[:count]
            for result, row in zip(results, given[count:], strict=True):
                result[i] = row
        return [*state, *results]

    return scan


def _as_in_body(outside, inside):
    """How many arrays of a scan have the same axes in its body."""
    return sum([len(aval.shape) == len(row.shape) for aval, row in zip(outside, inside, strict=True)])


def _solve(params, in_avals, out_avals):
    matvec, vecmat, of_solve, transpose_solve = params["const_lengths"]
    solve = _closed(params["solve"] if "solve" in params else params["jaxprs"].solve)  # in a plan, that one alone
    first = matvec + vecmat
    last = first + of_solve
    rest = last + transpose_solve
    return lambda *arrays: solve(*arrays[first:last], *arrays[rest:])


RULES = {
    **dict.fromkeys(
        ["jit", "pjit", "call", "closed_call", "composite", "core_call", "custom_jvp_call", "custom_vjp_call", "remat2",
         "checkpoint"], _call),
    "cond": _branch,
    "custom_linear_solve": _solve,
    "platform_index": _platform,
    "scan": _scan,
    "while": _while,
}  # fmt: skip
