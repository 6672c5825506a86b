"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf

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
    def __init__(self, data, targets, length, sampling_rate=..., stride=..., start_index=..., end_index=..., shuffle=..., reverse=..., batch_size=...) -> None: ...
    def __len__(self) -> _builtins.int: ...
    def __getitem__(self, index): ...
    def get_config(self): ...
    def to_json(self, **kwargs): ...
def make_sampling_table(size, sampling_factor=...): ...
from tfcompat.keras.utils import pad_sequences as pad_sequences
def skipgrams(sequence, vocabulary_size, window_size=..., negative_samples=..., shuffle=..., categorical=..., sampling_table=..., seed=...): ...
