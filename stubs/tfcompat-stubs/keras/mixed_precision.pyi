"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras import DTypePolicy as DTypePolicy
class LossScaleOptimizer(_builtins.object):
    def __init__(self, inner_optimizer, dynamic: _p.Flag | None = ..., initial_scale=..., dynamic_growth_steps: _p.Int | None = ...) -> None: ...
    dynamic: _t.Any
    inner_optimizer: _t.Any
    loss_scale: _t.Any
    dynamic_counter: _t.Any
    initial_scale: _t.Any
    dynamic_growth_steps: _t.Any
    def get_scaled_loss(self, loss): ...
    def get_unscaled_gradients(self, grads): ...
    def get_config(self): ...
    @classmethod
    def from_config(cls, config, custom_objects=...): ...
Policy = _tf.keras.DTypePolicy
from tfcompat.keras.config import dtype_policy as dtype_policy
global_policy = _tf.keras.config.dtype_policy
from tfcompat.keras.config import set_dtype_policy as set_dtype_policy
set_global_policy = _tf.keras.config.set_dtype_policy
