"""Products of matrices whose cotangents XLA computes quickly.

The cotangent of `b` in `a @ b` is a sum over the rows of `a` and of the result's cotangent. JAX writes this product
with the cotangent first, and transposes it. For that XLA's quick library on a CPU has no code, and of three axes or
more an operand is copied as well. Here `a` comes first, and there are two axes to sum over. XLA then transposes `a`,
and has a plain product, for which the library has code. It may transpose `a` early and keep both, so a large `a` is
left as it is, in a product of two matrices, which takes no copies.
"""

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tfcompat.engine import host
from tfcompat.engine._policy import KERNELS
from tfcompat.engine.compile import tiers


def product(a, b, transpose_b=False):
    """Matrix product of arrays of one dtype that are known to fit.

    Args:
      a: of shape [..., m, k].
      b: of shape [..., k, n]; leading axes broadcast.
      transpose_b: whether `b` comes as [..., n, k].
    """
    if b.ndim == 2 and a.ndim > 1:
        return contracted(a, b, 1, transpose_b)
    return jnp.matmul(a, jnp.swapaxes(b, -1, -2) if transpose_b else b)


def contracted(a, b, count, at_the_end=False):
    """Sum of products over the last `count` axes of `a`, which are the first ones of `b`, or the last.

    Args:
      a, b: arrays of one dtype that are known to fit. One of the other axes at least is one of `a`.
      count: at least 1.
      at_the_end: whether they are the last ones of `b`.

    Returns:
      Array of that dtype; its axes are the other ones of `a`, then those of `b`.
    """
    if not jnp.issubdtype(a.dtype, jnp.inexact):
        return _compute(a, b, count=count, at_the_end=at_the_end)
    return _contracted.bind(a, b, count=count, at_the_end=at_the_end)


def _axes(a, b, count, at_the_end):
    """The axes of `a` and of `b` that are summed; arrays or avals."""
    first = len(b.shape) - count if at_the_end else 0
    return tuple(range(len(a.shape) - count, len(a.shape))), tuple(range(first, first + count))


def _summed_over(axes, a, b):
    return lax.dot_general(a, b, (axes, ((), ())), preferred_element_type=a.dtype)


def _compute(a, b, *, count, at_the_end):
    return _summed_over(_axes(a, b, count, at_the_end), a, b)


def _cotangent_of_a(cotangent, a, b, *, count, at_the_end):
    of_b = range(b.ndim - count) if at_the_end else range(count, b.ndim)
    return _summed_over((tuple(range(len(a.aval.shape) - count, cotangent.ndim)), tuple(of_b)), cotangent, b)


def _cotangent_of_b(cotangent, a, b, *, count, at_the_end):
    both = (cotangent, a) if at_the_end else (a, cotangent)
    return _over_rows.bind(*both, count=a.ndim - count)


def _shape(a, b, *, count, at_the_end):
    of_b = b.shape[: len(b.shape) - count] if at_the_end else b.shape[count:]
    return ShapedArray((*a.shape[: len(a.shape) - count], *of_b), a.dtype)


def _batched(factors, axes, *, count, at_the_end):
    (a, b), (of_a, of_b) = factors, axes
    if of_b is None:
        return _contracted.bind(jnp.moveaxis(a, of_a, 0), b, count=count, at_the_end=at_the_end), 0
    return jax.vmap(functools.partial(_compute, count=count, at_the_end=at_the_end), axes)(a, b), 0


def _leading(count):
    return tuple(range(count)), tuple(range(count))


def _compute_over_rows(a, b, *, count):
    """Sum of products over the first `count` axes of both."""
    return _summed_over(_leading(count), a, b)


def _compute_over_rows_on_cpu(a, b, *, count):
    of_a, of_b = a.shape[count:], b.shape[count:]
    # Of sizes that are not known nothing is decided. Without rows there is no sum. One column is no product of matrices
    # to XLA.
    is_known = all(type(n) is int for n in (*a.shape, *b.shape))
    if not is_known or not count or 1 in (math.prod(of_a), math.prod(of_b)):
        return _compute_over_rows(a, b, count=count)
    rows = math.prod(a.shape[:count])
    if a.size <= KERNELS.transposed and rows <= KERNELS.transposed_rows:
        return _compute_over_rows(a, b, count=count) if count > 1 else _compute_over_rows(a[None], b[None], count=2)
    flat = a.reshape(rows, math.prod(of_a)), b.reshape(rows, math.prod(of_b))
    return _compute_over_rows(*flat, count=1).reshape(*of_a, *of_b)


def _over_rows_batched(factors, axes, *, count):
    return jax.vmap(functools.partial(_compute_over_rows, count=count), axes)(*factors), 0


def _cotangent_of_a_over_rows(cotangent, a, b, *, count):
    first = cotangent.ndim - (b.ndim - count)
    return _summed_over((tuple(range(count, b.ndim)), tuple(range(first, cotangent.ndim))), b, cotangent)


def _cotangent_of_b_over_rows(cotangent, a, b, *, count):
    return _summed_over((tuple(range(count, a.ndim)), tuple(range(a.ndim - count))), a, cotangent)


def _defined(name, compute, shape, batched, cotangents, axes):
    """A new primitive, which is a `dot_general` to everyone but XLA.

    Args:
      name: of the primitive.
      compute: function of two arrays and parameters.
      shape, batched, cotangents: its rules: for the aval, for `jax.vmap`, and for the cotangents of both arrays.
      axes: function from avals and parameters to the axes of both that are summed.
    """
    primitive = Primitive(name)
    primitive.def_impl(lambda *arrays, **params: jax.jit(functools.partial(compute, **params))(*arrays))
    primitive.def_abstract_eval(shape)
    mlir.register_lowering(primitive, mlir.lower_fun(compute, multiple_results=False))
    batching.primitive_batchers[primitive] = batched
    ad.defbilinear(primitive, *cotangents)

    def as_dot_general(params, avals):
        return "dot_general", {"dimension_numbers": (axes(*avals, **params), ((), ()))}

    def counts(equation):
        first, second = [variable.aval for variable in equation.invars]
        size = math.prod(equation.outvars[0].aval.shape)
        return size, size * math.prod([first.shape[i] for i in axes(first, second, **equation.params)[0]])

    host.same_as[name], tiers.counts[name] = as_dot_general, counts
    return primitive


_contracted = _defined("contracted", _compute, _shape, _batched, (_cotangent_of_a, _cotangent_of_b), _axes)
_over_rows = _defined(
    "contracted_over_rows",
    _compute_over_rows,
    lambda a, b, *, count: ShapedArray((*a.shape[count:], *b.shape[count:]), a.dtype),
    _over_rows_batched,
    (_cotangent_of_a_over_rows, _cotangent_of_b_over_rows),
    lambda a, b, count: _leading(count),
)
mlir.register_lowering(_over_rows, mlir.lower_fun(_compute_over_rows_on_cpu, multiple_results=False), platform="cpu")
