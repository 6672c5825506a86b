"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def decode_wav(contents, desired_channels=..., desired_samples=..., name=...): ...
def encode_wav(audio, sample_rate, name=...) -> _tf.Tensor: ...
