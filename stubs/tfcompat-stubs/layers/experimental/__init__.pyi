"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.layers import EinsumDense as EinsumDense
class SyncBatchNormalization(_tf.layers.BatchNormalization):
    def __init__(self, axis=..., momentum=..., epsilon=..., center=..., scale=..., beta_initializer=..., gamma_initializer=..., moving_mean_initializer=..., moving_variance_initializer=..., beta_regularizer=..., gamma_regularizer=..., beta_constraint=..., gamma_constraint=..., **kwargs) -> None: ...
from tfcompat.layers.experimental import preprocessing as preprocessing
