"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.optimizers import Adadelta as Adadelta
from tfcompat.keras.optimizers import Adafactor as Adafactor
from tfcompat.keras.optimizers import Adagrad as Adagrad
from tfcompat.keras.optimizers import Adam as Adam
from tfcompat.keras.optimizers import AdamW as AdamW
from tfcompat.keras.optimizers import Adamax as Adamax
from tfcompat.keras.optimizers import Ftrl as Ftrl
from tfcompat.keras.optimizers import Nadam as Nadam
from tfcompat.keras import Optimizer as Optimizer
from tfcompat.keras.optimizers import RMSprop as RMSprop
from tfcompat.keras.optimizers import SGD as SGD
