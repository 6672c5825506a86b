"""A product in whose transpose zero wins over infinity and NaN.

TF's gradient kernels of `sqrt`, `rsqrt` and `reciprocal` give 0 wherever the cotangent is 0, at 0 too, so
`tf.where(x > 0, tf.sqrt(x), 0.)` has a finite gradient there. A `where` on the cotangent would not be linear
in it, as JAX wants it to be; a primitive of our own says that it is.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tfcompat.engine import host


def zero_product(coefficient, x):
    """`coefficient * x`, of one shape and dtype; the cotangent of `x` is 0 where that of the product is."""
    return _product.bind(coefficient, x, zero_wins=False)


def _compute(coefficient, x, *, zero_wins):
    product = coefficient * x
    return jnp.where(x == 0, jnp.zeros_like(x), product) if zero_wins else product


def _on_host(params, in_avals, out_avals):
    if params["zero_wins"]:
        return lambda coefficient, x: np.where(x == 0, x.dtype.type(0), coefficient * x)
    return np.multiply


def _batched(factors, axes, *, zero_wins):
    size = next(x.shape[axis] for x, axis in zip(factors, axes, strict=True) if axis is not None)
    both = [
        jnp.broadcast_to(x, (size, *x.shape)) if axis is None else jnp.moveaxis(x, axis, 0)
        for x, axis in zip(factors, axes, strict=True)
    ]
    return _product.bind(*both, zero_wins=zero_wins), 0


_product = Primitive("zero_product")
_product.def_impl(functools.partial(jax.jit, static_argnames="zero_wins")(_compute))
_product.def_abstract_eval(lambda coefficient, x, *, zero_wins: x)
mlir.register_lowering(_product, mlir.lower_fun(_compute, multiple_results=False))
batching.primitive_batchers[_product] = _batched
host.rules["zero_product"] = _on_host
ad.defbilinear(
    _product,
    lambda cotangent, coefficient, x, *, zero_wins: _product.bind(cotangent, x, zero_wins=zero_wins),
    lambda cotangent, coefficient, x, *, zero_wins: _product.bind(coefficient, cotangent, zero_wins=True),
)
