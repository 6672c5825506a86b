"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

from tfcompat.layers import CategoryEncoding as CategoryEncoding
from tfcompat.layers import CenterCrop as CenterCrop
from tfcompat.layers import Discretization as Discretization
from tfcompat.layers import HashedCrossing as HashedCrossing
from tfcompat.layers import Hashing as Hashing
from tfcompat.layers import IntegerLookup as IntegerLookup
from tfcompat.layers import Normalization as Normalization
class PreprocessingLayer(_tf.keras.Layer):
    is_adapted: _t.Any
    def adapt(self, data, batch_size=..., steps=...): ...
    def compile(self, run_eagerly=..., steps_per_execution=...): ...
    def make_adapt_function(self): ...
    def update_state(self, data): ...
    def reset_state(self): ...
    def finalize_state(self): ...
from tfcompat.layers import RandomContrast as RandomContrast
from tfcompat.layers import RandomCrop as RandomCrop
from tfcompat.layers import RandomFlip as RandomFlip
from tfcompat.layers import RandomHeight as RandomHeight
from tfcompat.layers import RandomRotation as RandomRotation
from tfcompat.layers import RandomTranslation as RandomTranslation
from tfcompat.layers import RandomWidth as RandomWidth
from tfcompat.layers import RandomZoom as RandomZoom
from tfcompat.layers import Rescaling as Rescaling
from tfcompat.layers import Resizing as Resizing
from tfcompat.layers import StringLookup as StringLookup
from tfcompat.layers import TextVectorization as TextVectorization
