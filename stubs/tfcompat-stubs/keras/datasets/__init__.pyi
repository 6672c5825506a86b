"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.keras.datasets import boston_housing as boston_housing
from tfcompat.keras.datasets import cifar10 as cifar10
from tfcompat.keras.datasets import cifar100 as cifar100
from tfcompat.keras.datasets import fashion_mnist as fashion_mnist
from tfcompat.keras.datasets import imdb as imdb
from tfcompat.keras.datasets import mnist as mnist
from tfcompat.keras.datasets import reuters as reuters
