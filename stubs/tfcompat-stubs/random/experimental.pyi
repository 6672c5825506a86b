"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.random import Algorithm as Algorithm
from tfcompat.random import Generator as Generator
from tfcompat.random import create_rng_state as create_rng_state
from tfcompat.random import get_global_generator as get_global_generator
def index_shuffle(index: _p.TensorLike, seed: _p.TensorLike, max_index) -> _tf.Tensor: ...
from tfcompat.random import set_global_generator as set_global_generator
stateless_fold_in = _tf.random.fold_in
def stateless_shuffle(value: _p.TensorLike, seed: _p.TensorLike, alg=..., name: _builtins.str | None = ...) -> _tf.Tensor: ...
stateless_split = _tf.random.split
