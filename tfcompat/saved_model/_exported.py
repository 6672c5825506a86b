"""Exported programs as functions with derivatives in both modes.

`jax.export` keeps the VJP of a program, and that of the VJP, but no JVP. Since a VJP is linear in its cotangents, its
own VJP with respect to them is the JVP that is missing.
"""

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.linear_map import linear_map
from tfcompat.errors import UnimplementedError


def call(exported, *arrays):
    """The tuple of results of an exported program.

    Gradient: in reverse mode as often as the program was exported for; forward mode takes two of these.
    """
    return tuple(_call(exported, arrays))


def _is_float0(x):
    return x.dtype == jax.dtypes.float0


def _moves(x):
    return jnp.issubdtype(x.dtype, jnp.inexact)


def _float0(shape):
    return np.zeros(shape, jax.dtypes.float0)


def _vjp(exported):
    if not exported.has_vjp():
        raise UnimplementedError(
            None, None,
            "this function of a saved model was saved for fewer derivatives (forward mode takes one order more than "
            "reverse mode): set the attribute `gradient_order` of tf.saved_model.SaveOptions when it is saved",
        )  # fmt: skip
    return exported.vjp()


def _call(exported, arrays):
    """The results other than float0, from all arguments including float0."""
    places = [i for i, x in enumerate(arrays) if not _is_float0(x)]
    fixed = {i: x for i, x in enumerate(arrays) if _is_float0(x)}

    def completed(values):
        values = iter(values)
        return [fixed[i] if i in fixed else next(values) for i in range(len(arrays))]

    def fn(*values):
        return [y for y in exported.call(*completed(values)) if not _is_float0(y)]

    def derivative(primals, tangents):
        results = run(*primals)
        moving = [t for x, t in zip(primals, tangents, strict=True) if _moves(x)]
        like = [y for y in results if _moves(y)]
        pushed = iter(linear_map(_Derivative(exported, completed), primals, moving, like))
        return results, [next(pushed) if _moves(y) else _float0(y.shape) for y in results]

    run = jax.custom_jvp(fn)
    run.defjvp(derivative)
    return run(*[arrays[i] for i in places])


class _Derivative:
    """The derivative of an exported program as a linear map. Its residuals are the arguments other than float0."""

    def __init__(self, exported, completed):
        self._exported, self._completed = exported, completed

    def pull(self, residuals, cotangents):
        arguments, supply = self._completed(residuals), iter(cotangents)
        results = jax.eval_shape(self._exported.call, *arguments)
        filled = [next(supply) if _moves(y) else _float0(y.shape) for y in results]
        return _call(_vjp(self._exported), [*arguments, *filled])

    def push(self, residuals, tangents):
        arguments, supply = self._completed(residuals), iter(tangents)
        results = jax.eval_shape(self._exported.call, *arguments)
        zeros = [jnp.zeros(y.shape, y.dtype) if _moves(y) else _float0(y.shape) for y in results]
        filled = [next(supply) if _moves(x) else _float0(x.shape) for x in arguments]
        pulled = _call(_vjp(_vjp(self._exported)), [*arguments, *zeros, *filled])
        return pulled[len(pulled) - sum(map(_moves, results)) :]

    differentiable = push
