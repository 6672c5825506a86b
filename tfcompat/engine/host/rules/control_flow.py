"""Branches, loops and calls: primitives that hold jaxprs."""

import math
import threading
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr

from tfcompat.engine.host.rules.registry import Unknown, function_of


class TooLong(Exception):
    """Loops have taken as long as compiling them takes."""


class _Patience(threading.local):
    left = math.inf  # milliseconds that loops may still take


_patience = _Patience()


def within(milliseconds, function, arrays):
    """The results of a function with loops, and how many of the milliseconds that they may take are left.

    Nobody knows beforehand how often a loop turns, so its turns are counted as it runs.

    Raises:
      TooLong: they take longer.
    """
    _patience.left = milliseconds
    try:
        return function(*arrays), _patience.left
    finally:
        _patience.left = math.inf


def _turn(milliseconds):
    """Counts a turn of a loop."""
    _patience.left -= milliseconds
    if _patience.left < 0:
        raise TooLong


def _closed(jaxpr) -> Any:
    """A jaxpr as a function of arrays; in a plan it is one already."""
    if callable(jaxpr):
        return jaxpr
    return function_of(jaxpr.jaxpr, jaxpr.consts) if hasattr(jaxpr, "consts") else function_of(jaxpr, ())


def called(name, params, arguments):
    """The closed jaxpr that an equation calls, and its arguments; None if it does something else.

    Args:
      arguments: list of those of the equation. Arrays among them are known.
    """
    if name in CALLS:
        jaxpr: Any = params.get("jaxpr") or params.get("call_jaxpr")
        return jaxpr if type(jaxpr) is ClosedJaxpr else ClosedJaxpr(jaxpr, ()), arguments
    if name == "custom_linear_solve":
        matvec, vecmat, of_solve, transpose_solve = params["const_lengths"]
        first = matvec + vecmat
        rest = first + of_solve + transpose_solve
        return params["jaxprs"].solve, [*arguments[first : first + of_solve], *arguments[rest:]]
    if name == "cond" and type(arguments[0]) is not int:
        last = len(params["branches"]) - 1
        return params["branches"][min(max(int(arguments[0]), 0), last)], arguments[1:]
    return None


def _branch(params, in_avals, out_avals):
    branches = [_closed(branch) for branch in params["branches"]]
    last = len(branches) - 1
    return lambda which, *arrays: branches[min(max(int(which), 0), last)](*arrays)


def platform(params):
    """The result of `platform_index`: which branch is the CPU's.

    Raises:
      Unknown: there is none.
    """
    for i, platforms in enumerate(params["platforms"]):
        if platforms is None or "cpu" in platforms:
            return np.int32(i)
    raise Unknown("no branch for a CPU")


def _while(params, in_avals, out_avals):
    goes_on, body = _closed(params["cond_jaxpr"]), _closed(params["body_jaxpr"])
    of_condition = params["cond_nconsts"]
    first = of_condition + params["body_nconsts"]
    milliseconds = goes_on.milliseconds + body.milliseconds
    if params["cond_jaxpr"].out_avals[0].shape:
        return _while_any(goes_on, body, of_condition, first, milliseconds)

    def loop(*arrays):
        known, fixed, state = arrays[:of_condition], arrays[of_condition:first], arrays[first:]
        while goes_on(*known, *state)[0]:
            state = body(*fixed, *state)
            _turn(milliseconds)
        return list(state)

    return loop


def _while_any(goes_on, body, of_condition, first, milliseconds):
    """Loops side by side, each with a condition of its own, along the first axes; those that have ended stay."""

    def loop(*arrays):
        known, fixed, state = arrays[:of_condition], arrays[of_condition:first], arrays[first:]
        while np.any(going := goes_on(*known, *state)[0]):
            state = [
                np.where(going.reshape(going.shape + (1,) * (new.ndim - going.ndim)), new, old)
                for new, old in zip(body(*fixed, *state), state, strict=True)
            ]
            _turn(milliseconds)
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
            _turn(body.milliseconds)
        return [*state, *results]

    return scan


def _as_in_body(outside, inside):
    """How many arrays of a scan have the same axes in its body."""
    return sum([len(aval.shape) == len(row.shape) for aval, row in zip(outside, inside, strict=True)])


# A plan has no steps of these: what they call becomes a part of it.
CALLS = frozenset(
    "jit pjit call closed_call composite core_call custom_jvp_call custom_vjp_call remat2 checkpoint".split()
)
RULES = {"cond": _branch, "scan": _scan, "while": _while}
INLINED = CALLS | {"custom_linear_solve", "platform_index"}
