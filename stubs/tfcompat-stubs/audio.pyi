"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def decode_wav(contents: _p.TensorLike, desired_channels: _p.Int = ..., desired_samples: _p.Int = ..., name: _builtins.str | None = ...): ...
def encode_wav(audio: _p.TensorLike, sample_rate: _p.TensorLike, name: _builtins.str | None = ...) -> _tf.Tensor: ...
