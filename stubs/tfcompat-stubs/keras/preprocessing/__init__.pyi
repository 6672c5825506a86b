"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.preprocessing import image as image
def image_dataset_from_directory(directory, labels=..., label_mode=..., class_names=..., color_mode=..., batch_size=..., image_size=..., shuffle=..., seed=..., validation_split=..., subset=..., interpolation=..., follow_links=..., crop_to_aspect_ratio=..., **kwargs) -> _tf.data.Dataset: ...
from tfcompat.keras.preprocessing import sequence as sequence
from tfcompat.keras.preprocessing import text as text
def text_dataset_from_directory(directory, labels=..., label_mode=..., class_names=..., batch_size=..., max_length=..., shuffle=..., seed=..., validation_split=..., subset=..., follow_links=...) -> _tf.data.Dataset: ...
def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=..., sampling_rate=..., batch_size=..., shuffle=..., seed=..., start_index=..., end_index=...) -> _tf.data.Dataset: ...
