"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.preprocessing import image as image
def image_dataset_from_directory(directory, labels=..., label_mode=..., class_names=..., color_mode: _builtins.str = ..., batch_size=..., image_size=..., shuffle: _p.Flag | None = ..., seed: _p.Int | None = ..., validation_split=..., subset=..., interpolation=..., follow_links=..., crop_to_aspect_ratio: _p.Flag | None = ..., **kwargs) -> _tf.data.Dataset: ...
from tfcompat.keras.preprocessing import sequence as sequence
from tfcompat.keras.preprocessing import text as text
def text_dataset_from_directory(directory, labels=..., label_mode=..., class_names=..., batch_size=..., max_length=..., shuffle=..., seed=..., validation_split=..., subset=..., follow_links=...) -> _tf.data.Dataset: ...
def timeseries_dataset_from_array(data, targets, sequence_length: _p.Int, sequence_stride: _p.Int = ..., sampling_rate: _p.Int = ..., batch_size=..., shuffle: _p.Flag | None = ..., seed: _p.Int | None = ..., start_index=..., end_index=...) -> _tf.data.Dataset: ...
