"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras import Model as Model
from tfcompat.keras import Sequential as Sequential
def clone_model(model, input_tensors=..., clone_function: _t.Callable[..., _t.Any] | None = ...) -> _tf.keras.Model: ...
def load_model(filepath, custom_objects=..., compile: _p.Flag | None = ..., safe_mode: _p.Flag | None = ..., **kwargs) -> _tf.keras.Model: ...
def model_from_config(config, custom_objects=...): ...
def model_from_json(json_string, custom_objects=...): ...
def save_model(model, filepath, overwrite: _p.Flag | None = ..., save_format=..., **kwargs): ...
