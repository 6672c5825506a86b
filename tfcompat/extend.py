"""For people who add ops of their own.

    from tfcompat import extend
    import jax.numpy as jnp

    @extend.op("my.softclip", kernel="SoftClip", tensors=("x",), dtypes=extend.FLOATING)
    def softclip(x, limit=1.0):
        return limit * jnp.tanh(x / limit)

The body is a pure JAX function; derivatives in both modes, to any order, come from it. With `gradient="missing"` the op
has none, and `tf.RegisterGradient("SoftClip")` gives it one.
"""
from tfcompat._core.op import ANY as ANY
from tfcompat._core.op import COMPLEX as COMPLEX
from tfcompat._core.op import FLOATING as FLOATING
from tfcompat._core.op import INEXACT as INEXACT
from tfcompat._core.op import INTEGER as INTEGER
from tfcompat._core.op import NUMERIC as NUMERIC
from tfcompat._core.op import REAL as REAL
from tfcompat._core.op import op as op
