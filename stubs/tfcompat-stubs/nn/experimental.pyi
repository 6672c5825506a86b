"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def general_dropout(x: _p.TensorLike, rate, uniform_sampler: _t.Callable[..., _t.Any], noise_shape=..., name: _builtins.str | None = ...) -> _tf.Tensor: ...
def stateless_dropout(x: _p.TensorLike, rate, seed: _p.TensorLike, rng_alg=..., noise_shape=..., name: _builtins.str | None = ...) -> _tf.Tensor: ...
