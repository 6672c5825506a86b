"""Functions of arrays that compute derivatives of other such functions, by JAX."""
import jax
import jax.numpy as jnp
import numpy as np

from tfcompat.engine import _dependence
from tfcompat.engine._aval import INEXACT


def of_constants(fn, *arrays):
    return fn(*map(jax.lax.stop_gradient, arrays))


def _conjugate(x):
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def pull_back(fn, arity, wrt, present, linked, *arrays):
    inputs, seeds = list(arrays[:arity]), iter(arrays[arity:])

    def restricted(*moving):
        for i, x in zip(wrt, moving, strict=True):
            inputs[i] = x
        return fn(*inputs)

    result, pullback = jax.vjp(restricted, *(inputs[i] for i in wrt))
    single = not isinstance(result, tuple | list)
    outputs = [result] if single else result
    cotangents = []
    for output, is_present in zip(outputs, present, strict=True):
        if is_present:
            cotangents.append(_conjugate(next(seeds)))
        elif np.dtype(output.dtype).kind in INEXACT:
            cotangents.append(jnp.zeros_like(output))
        else:
            cotangents.append(np.zeros(output.shape, jax.dtypes.float0))
    grads = [_conjugate(g) for g in pullback(cotangents[0] if single else type(result)(cotangents))]
    if linked:
        grads = [_dependence.link(g, arrays[i]) for i, g in zip(wrt, grads, strict=True)]
    return grads[0] if len(grads) == 1 else tuple(grads)


def push_forward(fn, arity, moving, *arrays):
    inputs = list(arrays[:arity])

    def restricted(*values):
        for i, x in zip(moving, values, strict=True):
            inputs[i] = x
        return fn(*inputs)

    primals = tuple(inputs[i] for i in moving)
    result, tangents = jax.jvp(restricted, primals, tuple(arrays[arity:]))
    if not isinstance(result, tuple | list):
        return tangents
    # Integer outputs have float0 tangents, which are not arrays: their place is held by zeros.
    return tuple(t if t.dtype != jax.dtypes.float0 else jnp.zeros(t.shape, np.int8) for t in tangents)
