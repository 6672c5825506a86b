"""Functions without a derivative, which say so where one is asked for.

TensorFlow walks back from what is differentiated: a function without a gradient raises if a cotangent reaches it, not
if it only lies beside the way, as before a `stop_gradient`. JAX pushes tangents through all of a function first. So the
tangent of such a function is a primitive that raises when it is transposed, or when its value is computed. Tangents of
an op by itself raise at once.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tfcompat.engine import host
from tfcompat.engine._sizes import has_symbols


def refusing(fn, make_error):
    """`fn`, which raises `make_error()` where its derivative is needed."""

    def wrapped(*arrays, **attributes):
        primal = jax.custom_jvp(lambda *xs: fn(*xs, **attributes))

        @primal.defjvp
        def _(primals, tangents):
            results = primal(*primals)
            flat, structure = jax.tree.flatten(results)
            if any(has_symbols(y.shape) and not jnp.issubdtype(y.dtype, jnp.inexact) for y in flat):
                raise make_error()  # JAX has no tangents of integers of unknown sizes
            moving = [t for t in tangents if t.dtype != jax.dtypes.float0]
            places = [i for i, y in enumerate(flat) if jnp.issubdtype(y.dtype, jnp.inexact)]
            avals = tuple(ShapedArray(flat[i].shape, flat[i].dtype) for i in places)
            refused = dict(zip(places, _refused_p.bind(*moving, avals=avals, make_error=make_error), strict=True))
            moved = [refused[i] if i in refused else np.zeros(y.shape, jax.dtypes.float0) for i, y in enumerate(flat)]
            return results, jax.tree.unflatten(structure, moved)

        return primal(*arrays)

    return wrapped


def raise_if_needed(fn, avals):
    """Raises the error of a function without a derivative, if what `fn` returns for `avals` needs it."""
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
    with jax.enable_x64(True):
        jaxpr = jax.make_jaxpr(fn)(*shapes).jaxpr
    _raise_if_needed(jaxpr)


def _raise_if_needed(jaxpr):
    needed = set(map(id, jaxpr.outvars))
    for equation in reversed(jaxpr.eqns):
        if needed.isdisjoint(map(id, equation.outvars)):
            continue
        needed.update(map(id, equation.invars))
        if equation.primitive is _refused_p:
            raise equation.params["make_error"]()
        for value in equation.params.values():
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                _raise_if_needed(inner)


_refused_p = Primitive("refused")
_refused_p.multiple_results = True


def _raise(*arrays, avals, make_error):
    raise make_error()


def _jvp(primals, tangents, *, avals, make_error):
    del tangents
    results = _refused_p.bind(*primals, avals=avals, make_error=make_error)
    return results, [ad.Zero(aval) for aval in avals]


def _transpose(cotangents, *arrays, avals, make_error):
    if any(type(cotangent) is not ad.Zero for cotangent in cotangents):
        raise make_error()
    return [None] * len(arrays)


def _batched(arrays, axes, *, avals, make_error):
    (size,) = {x.shape[axis] for x, axis in zip(arrays, axes, strict=True) if axis is not None}
    avals = tuple(ShapedArray((size, *aval.shape), aval.dtype) for aval in avals)
    results = _refused_p.bind(*arrays, avals=avals, make_error=make_error)
    return results, [0] * len(results)


_refused_p.def_impl(_raise)
_refused_p.def_abstract_eval(lambda *arrays, avals, make_error: list(avals))
ad.primitive_jvps[_refused_p] = _jvp
ad.primitive_transposes[_refused_p] = _transpose
batching.primitive_batchers[_refused_p] = _batched
mlir.register_lowering(_refused_p, lambda context, *arrays, **params: _raise(*arrays, **params))
host.rules["refused"] = lambda params, in_avals, out_avals: lambda *arrays: _raise(*arrays, **params)
