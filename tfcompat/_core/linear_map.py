"""Linear maps with a transpose of their own, for derivatives that JAX knows in one mode only."""

import math

import jax
import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tfcompat.engine import host
from tfcompat.engine.compile import tiers


def linear_map(maps, residuals, tangents, like):
    """Applies a linear map to tangents. In reverse mode JAX uses its transpose.

    Args:
      maps: object with `push(residuals, tangents)`, the map, to a list of arrays; `pull(residuals, cotangents)`, its
        transpose; `differentiable(residuals, tangents)`, the map again, with derivatives in both arguments. `pull` has
        derivatives too. All take lists, and are closed over no tracers.
      residuals, tangents: lists of arrays.
      like: list of arrays, or of what else has a shape and a dtype, for the results.

    Returns:
      list of arrays.
    """
    avals = tuple(ShapedArray(x.shape, x.dtype) for x in like)
    return _linear_p.bind(*residuals, *tangents, linear=maps, count=len(residuals), avals=avals)


def transposable(forward, backward, residuals, x, shape, terms=1):
    """`forward(*residuals, x)`, a linear function of `x` whose transpose by JAX would be slow in XLA.

    Args:
      forward, backward: functions of arrays, closed over no tracers. The transpose is `backward(*residuals, x)`.
      residuals: list of arrays.
      x: array.
      shape: of the result, which has the dtype of `x`.
      terms: how many elements of `x` go into an element of the result, to estimate the cost.
    """
    maps = _Transposes(forward, backward, ShapedArray(x.shape, x.dtype), terms)
    return linear_map(maps, residuals, [x], [ShapedArray(shape, x.dtype)])[0]


class _Transposes:
    """Maps for `linear_map`: two functions, each the other's transpose."""

    def __init__(self, forward, backward, of, terms):
        self.forward, self.backward, self.of, self.terms = forward, backward, of, terms

    def push(self, residuals, tangents):
        return [self.forward(*residuals, *tangents)]

    differentiable = push

    def pull(self, residuals, cotangents):
        (cotangent,) = cotangents
        like = ShapedArray(cotangent.shape, cotangent.dtype)
        back = _Transposes(self.backward, self.forward, like, self.terms)
        return linear_map(back, residuals, cotangents, [self.of])


class _Batched:
    """Maps under vmap: all that they are linear in is batched, along the first axis."""

    def __init__(self, linear, axes):
        self.linear, self.axes = linear, list(axes)
        self.terms = getattr(linear, "terms", 1)

    def _mapped(self, fn):
        return lambda residuals, vectors: jax.vmap(fn, in_axes=(self.axes, 0))(list(residuals), list(vectors))

    @property
    def push(self):
        return self._mapped(self.linear.push)

    @property
    def differentiable(self):
        return self._mapped(self.linear.differentiable)

    @property
    def pull(self):
        return self._mapped(self.linear.pull)


_linear_p = Primitive("linear_map")
_linear_p.multiple_results = True


def _run(*args, linear, count, avals):
    del avals  # those of the results
    return linear.push(args[:count], args[count:])


def _jvp(primals, tangents, *, linear, count, avals):
    results = _linear_p.bind(*primals, linear=linear, count=count, avals=avals)
    still = [type(t) is ad.Zero for t in tangents]
    if all(still[:count]):
        moved = [ad.instantiate_zeros(t) for t in tangents[count:]]
        return results, _linear_p.bind(*primals[:count], *moved, linear=linear, count=count, avals=avals)
    moving = [i for i, t in enumerate(tangents) if not still[i] and jnp.issubdtype(primals[i].dtype, jnp.inexact)]

    def run(*values):
        args = list(primals)
        for i, x in zip(moving, values, strict=True):
            args[i] = x
        return linear.differentiable(args[:count], args[count:])

    return results, jax.jvp(run, [primals[i] for i in moving], [tangents[i] for i in moving])[1]


def _transpose(cotangents, *args, linear, count, avals):
    del avals
    residuals, primals = args[:count], args[count:]
    cotangents = [ad.instantiate_zeros(c) for c in cotangents]
    pulled = linear.pull(residuals, cotangents)
    return [None] * count + [p if ad.is_undefined_primal(x) else None for p, x in zip(pulled, primals, strict=True)]


def _batch(args, axes, *, linear, count, avals):
    (size,) = {x.shape[a] for x, a in zip(args, axes, strict=True) if a is not None}
    batched = [batching.bdim_at_front(x, a, size) for x, a in zip(args[count:], axes[count:], strict=True)]
    avals = tuple(ShapedArray((size, *a.shape), a.dtype) for a in avals)
    results = _linear_p.bind(*args[:count], *batched, linear=_Batched(linear, axes[:count]), count=count, avals=avals)
    return results, [0] * len(results)


def _counts(equation):
    """As `tiers.counts` has it."""
    terms = getattr(equation.params["linear"], "terms", 1)
    elements = terms * sum(math.prod(out.aval.shape) for out in equation.outvars)
    return elements, elements


_linear_p.def_impl(_run)
_linear_p.def_abstract_eval(lambda *_, avals, **__: list(avals))
ad.primitive_jvps[_linear_p] = _jvp
ad.primitive_transposes[_linear_p] = _transpose
batching.primitive_batchers[_linear_p] = _batch
mlir.register_lowering(_linear_p, mlir.lower_fun(_run, multiple_results=True))
host.rules["linear_map"] = host.by_tracing(_run, several=True)
tiers.counts["linear_map"] = _counts
