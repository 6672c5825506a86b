"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

class CosineDecay(_tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step) -> _tf.Tensor: ...
    def get_config(self): ...
    initial_learning_rate: _t.Any
    decay_steps: _t.Any
    alpha: _t.Any
    name: _t.Any
    warmup_steps: _t.Any
    warmup_target: _t.Any
    def __init__(self, initial_learning_rate, decay_steps: _p.Int, alpha=..., name: _builtins.str | None = ..., warmup_target=..., warmup_steps: _p.Int = ...) -> None: ...
class CosineDecayRestarts(_tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step) -> _tf.Tensor: ...
    def get_config(self): ...
    initial_learning_rate: _t.Any
    first_decay_steps: _t.Any
    alpha: _t.Any
    name: _t.Any
    def __init__(self, initial_learning_rate, first_decay_steps: _p.Int, t_mul=..., m_mul=..., alpha=..., name: _builtins.str | None = ...) -> None: ...
