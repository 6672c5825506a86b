"""Derivatives of TF's own where JAX's differ at kinks, zeros and infinities."""

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero


def with_partials(*partials, product=jnp.multiply):
    """Decorator: the derivative by argument i is `partials[i](result, *arguments)`, elementwise.

    A partial is evaluated only where its argument moves, so one that is not finite does no harm elsewhere.
    Derivatives of every order follow, both modes. `product` multiplies a partial by a tangent.
    """

    def decorate(function):
        def tangent_of(result, primals, moving):
            total = None
            for i, tangent in moving:
                term = product(partials[i](result, *primals), tangent)
                total = term if total is None else total + term
            return total

        return with_tangent(tangent_of)(function)

    return decorate


def with_tangent(tangent_of):
    """Decorator: `tangent_of(result, arguments, [(i, tangent of argument i), ...])` is the tangent."""

    def decorate(function):
        differentiable = jax.custom_jvp(function)

        def rule(primals, tangents):
            result = differentiable(*primals)
            moving = [(i, t) for i, t in enumerate(tangents) if type(t) is not SymbolicZero]
            if not moving:
                return result, jnp.zeros_like(result)
            total = tangent_of(result, primals, moving)
            return result, jnp.broadcast_to(total, result.shape).astype(result.dtype)

        differentiable.defjvp(rule, symbolic_zeros=True)
        return differentiable

    return decorate
