"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

class TimeseriesGenerator(_tf.keras.utils.Sequence):
    data: _t.Any
    targets: _t.Any
    length: _t.Any
    sampling_rate: _t.Any
    stride: _t.Any
    start_index: _t.Any
    end_index: _t.Any
    shuffle: _t.Any
    reverse: _t.Any
    batch_size: _t.Any
    def __init__(self, data, targets, length: _p.Int, sampling_rate: _p.Int = ..., stride: _p.Int = ..., start_index=..., end_index=..., shuffle: _p.Flag | None = ..., reverse: _p.Flag | None = ..., batch_size: _p.Int = ...) -> None: ...
    def __len__(self) -> _builtins.int: ...
    def __getitem__(self, index): ...
    def get_config(self): ...
    def to_json(self, **kwargs): ...
def make_sampling_table(size: _p.Int, sampling_factor=...): ...
from tfcompat.keras.utils import pad_sequences as pad_sequences
def skipgrams(sequence, vocabulary_size: _p.Int, window_size=..., negative_samples=..., shuffle: _p.Flag | None = ..., categorical: _p.Flag | None = ..., sampling_table=..., seed: _p.Int | None = ...): ...
