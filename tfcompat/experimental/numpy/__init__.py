"""`tf.experimental.numpy`: NumPy's functions and promotion of dtypes, of tensors."""

import numpy as _np

from tfcompat._core.tensor import Tensor as ndarray  # noqa: F401
from tfcompat._package.missing import missing as _missing
from tfcompat.experimental.numpy import random as random
from tfcompat.experimental.numpy._behavior import (
    experimental_enable_numpy_behavior as experimental_enable_numpy_behavior,
)
from tfcompat.experimental.numpy._creation import arange as arange
from tfcompat.experimental.numpy._creation import array as array
from tfcompat.experimental.numpy._creation import asanyarray as asanyarray
from tfcompat.experimental.numpy._creation import asarray as asarray
from tfcompat.experimental.numpy._creation import ascontiguousarray as ascontiguousarray
from tfcompat.experimental.numpy._creation import atleast_1d as atleast_1d
from tfcompat.experimental.numpy._creation import atleast_2d as atleast_2d
from tfcompat.experimental.numpy._creation import atleast_3d as atleast_3d
from tfcompat.experimental.numpy._creation import average as average
from tfcompat.experimental.numpy._creation import broadcast_arrays as broadcast_arrays
from tfcompat.experimental.numpy._creation import clip as clip
from tfcompat.experimental.numpy._creation import compress as compress
from tfcompat.experimental.numpy._creation import copy as copy
from tfcompat.experimental.numpy._creation import count_nonzero as count_nonzero
from tfcompat.experimental.numpy._creation import diag_indices as diag_indices
from tfcompat.experimental.numpy._creation import dsplit as dsplit
from tfcompat.experimental.numpy._creation import einsum as einsum
from tfcompat.experimental.numpy._creation import empty as empty
from tfcompat.experimental.numpy._creation import empty_like as empty_like
from tfcompat.experimental.numpy._creation import eye as eye
from tfcompat.experimental.numpy._creation import finfo as finfo
from tfcompat.experimental.numpy._creation import full as full
from tfcompat.experimental.numpy._creation import full_like as full_like
from tfcompat.experimental.numpy._creation import geomspace as geomspace
from tfcompat.experimental.numpy._creation import hsplit as hsplit
from tfcompat.experimental.numpy._creation import identity as identity
from tfcompat.experimental.numpy._creation import iinfo as iinfo
from tfcompat.experimental.numpy._creation import iscomplexobj as iscomplexobj
from tfcompat.experimental.numpy._creation import isrealobj as isrealobj
from tfcompat.experimental.numpy._creation import isscalar as isscalar
from tfcompat.experimental.numpy._creation import issubdtype as issubdtype
from tfcompat.experimental.numpy._creation import ix_ as ix_
from tfcompat.experimental.numpy._creation import linspace as linspace
from tfcompat.experimental.numpy._creation import logspace as logspace
from tfcompat.experimental.numpy._creation import meshgrid as meshgrid
from tfcompat.experimental.numpy._creation import ndim as ndim
from tfcompat.experimental.numpy._creation import nonzero as nonzero
from tfcompat.experimental.numpy._creation import ones as ones
from tfcompat.experimental.numpy._creation import ones_like as ones_like
from tfcompat.experimental.numpy._creation import pad as pad
from tfcompat.experimental.numpy._creation import promote_types as promote_types
from tfcompat.experimental.numpy._creation import result_type as result_type
from tfcompat.experimental.numpy._creation import select as select
from tfcompat.experimental.numpy._creation import shape as shape
from tfcompat.experimental.numpy._creation import size as size
from tfcompat.experimental.numpy._creation import split as split
from tfcompat.experimental.numpy._creation import tri as tri
from tfcompat.experimental.numpy._creation import vsplit as vsplit
from tfcompat.experimental.numpy._creation import where as where
from tfcompat.experimental.numpy._creation import zeros as zeros
from tfcompat.experimental.numpy._creation import zeros_like as zeros_like
from tfcompat.experimental.numpy._functions import FUNCTIONS as _functions

globals().update(_functions)

newaxis = None
pi, e, inf = _np.pi, _np.e, _np.inf
bool_, object_, string_, unicode_ = _np.bool_, _np.object_, _np.bytes_, _np.str_
int8, int16, int32, int64, int_ = _np.int8, _np.int16, _np.int32, _np.int64, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
float16, float32, float64, float_ = _np.float16, _np.float32, _np.float64, _np.float64
complex64, complex128, complex_ = _np.complex64, _np.complex128, _np.complex128
inexact = _np.inexact

__getattr__ = _missing("tf.experimental.numpy")
