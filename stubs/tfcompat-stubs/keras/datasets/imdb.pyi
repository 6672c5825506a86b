"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def get_word_index(path=...): ...
def load_data(path=..., num_words=..., skip_top=..., maxlen=..., seed=..., start_char=..., oov_char=..., index_from=..., cache_dir=..., **kwargs): ...
