"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def get_word_index(path=...): ...
def load_data(path=..., num_words: _p.Int | None = ..., skip_top: _p.Int = ..., maxlen=..., seed: _p.Int = ..., start_char=..., oov_char: _p.Int | None = ..., index_from: _p.Int = ..., cache_dir=..., **kwargs): ...
