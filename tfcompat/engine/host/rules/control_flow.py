"""Calls: primitives that hold jaxprs."""

from tfcompat.engine.host.rules.registry import function_of


def _call(params, in_avals, out_avals):
    inner = params.get("jaxpr") or params.get("call_jaxpr")
    return function_of(inner.jaxpr, inner.consts)


RULES = dict.fromkeys(["jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call"], _call)
