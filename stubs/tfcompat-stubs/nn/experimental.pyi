"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def general_dropout(x, rate, uniform_sampler, noise_shape=..., name=...) -> _tf.Tensor: ...
def stateless_dropout(x, rate, seed, rng_alg=..., noise_shape=..., name=...) -> _tf.Tensor: ...
