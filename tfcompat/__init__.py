"""TensorFlow 2 tape code on JAX: `import tfcompat as tf`."""

from tfcompat._package import import_pause as _import_pause  # isort: split

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tfcompat import autodiff as autodiff
from tfcompat import autograph as autograph
from tfcompat import bitwise as bitwise
from tfcompat import config as config
from tfcompat import debugging as debugging
from tfcompat import dtypes as dtypes
from tfcompat import engine as engine
from tfcompat import errors as errors
from tfcompat import linalg as linalg
from tfcompat import math as math
from tfcompat import nest as nest
from tfcompat import nn as nn
from tfcompat import ragged as ragged
from tfcompat import random as random
from tfcompat import sparse as sparse
from tfcompat import strings as strings
from tfcompat import version as version
from tfcompat._control import case as case
from tfcompat._control import cond as cond
from tfcompat._control import control_dependencies as control_dependencies
from tfcompat._control import foldl as foldl
from tfcompat._control import foldr as foldr
from tfcompat._control import group as group
from tfcompat._control import map_fn as map_fn
from tfcompat._control import no_op as no_op
from tfcompat._control import numpy_function as numpy_function
from tfcompat._control import py_function as py_function
from tfcompat._control import scan as scan
from tfcompat._control import switch_case as switch_case
from tfcompat._control import tuple_ as tuple  # noqa: F401
from tfcompat._control import vectorized_map as vectorized_map
from tfcompat._control import while_loop as while_loop
from tfcompat._control._tensor_array import TensorArray as TensorArray
from tfcompat._core.convert import Tensor as Tensor
from tfcompat._core.convert import TensorShape as TensorShape
from tfcompat._core.convert import constant as constant
from tfcompat._core.convert import is_tensor as is_tensor
from tfcompat._core.convert import register_tensor_conversion_function as register_tensor_conversion_function
from tfcompat._core.device import device as device
from tfcompat._core.indexed_slices import IndexedSlices as IndexedSlices
from tfcompat._core.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from tfcompat._core.module import Module as Module
from tfcompat._core.name_scope import name_scope as name_scope
from tfcompat._core.public_convert import convert_to_tensor as convert_to_tensor
from tfcompat._core.spec import TensorSpec as TensorSpec
from tfcompat._core.spec import TypeSpec as TypeSpec
from tfcompat._core.spec import type_spec_from_value as type_spec_from_value
from tfcompat._core.variable import Variable as Variable
from tfcompat._core.variable_context import VariableAggregation as VariableAggregation
from tfcompat._core.variable_context import VariableSynchronization as VariableSynchronization
from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.logging import get_logger as get_logger
from tfcompat._package.missing import missing as _missing
from tfcompat.array import argsort as argsort
from tfcompat.array import batch_to_space as batch_to_space
from tfcompat.array import bitcast as bitcast
from tfcompat.array import boolean_mask as boolean_mask
from tfcompat.array import broadcast_dynamic_shape as broadcast_dynamic_shape
from tfcompat.array import broadcast_static_shape as broadcast_static_shape
from tfcompat.array import broadcast_to as broadcast_to
from tfcompat.array import cast as cast
from tfcompat.array import concat as concat
from tfcompat.array import dynamic_partition as dynamic_partition
from tfcompat.array import dynamic_stitch as dynamic_stitch
from tfcompat.array import ensure_shape as ensure_shape
from tfcompat.array import expand_dims as expand_dims
from tfcompat.array import extract_volume_patches as extract_volume_patches
from tfcompat.array import eye as eye
from tfcompat.array import fill as fill
from tfcompat.array import fingerprint as fingerprint
from tfcompat.array import gather as gather
from tfcompat.array import gather_nd as gather_nd
from tfcompat.array import get_static_value as get_static_value
from tfcompat.array import guarantee_const as guarantee_const
from tfcompat.array import identity as identity
from tfcompat.array import identity_n as identity_n
from tfcompat.array import is_symbolic_tensor as is_symbolic_tensor
from tfcompat.array import linspace as linspace
from tfcompat.array import meshgrid as meshgrid
from tfcompat.array import newaxis as newaxis
from tfcompat.array import one_hot as one_hot
from tfcompat.array import ones as ones
from tfcompat.array import ones_like as ones_like
from tfcompat.array import pad as pad
from tfcompat.array import parallel_stack as parallel_stack
from tfcompat.array import range as range
from tfcompat.array import rank as rank
from tfcompat.array import repeat as repeat
from tfcompat.array import required_space_to_batch_paddings as required_space_to_batch_paddings
from tfcompat.array import reshape as reshape
from tfcompat.array import reverse as reverse
from tfcompat.array import reverse_sequence as reverse_sequence
from tfcompat.array import roll as roll
from tfcompat.array import saturate_cast as saturate_cast
from tfcompat.array import scatter_nd as scatter_nd
from tfcompat.array import searchsorted as searchsorted
from tfcompat.array import sequence_mask as sequence_mask
from tfcompat.array import shape as shape
from tfcompat.array import shape_n as shape_n
from tfcompat.array import size as size
from tfcompat.array import slice as slice
from tfcompat.array import sort as sort
from tfcompat.array import space_to_batch as space_to_batch
from tfcompat.array import space_to_batch_nd as space_to_batch_nd
from tfcompat.array import split as split
from tfcompat.array import squeeze as squeeze
from tfcompat.array import stack as stack
from tfcompat.array import strided_slice as strided_slice
from tfcompat.array import tensor_scatter_nd_add as tensor_scatter_nd_add
from tfcompat.array import tensor_scatter_nd_max as tensor_scatter_nd_max
from tfcompat.array import tensor_scatter_nd_min as tensor_scatter_nd_min
from tfcompat.array import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from tfcompat.array import tensor_scatter_nd_update as tensor_scatter_nd_update
from tfcompat.array import tile as tile
from tfcompat.array import timestamp as timestamp
from tfcompat.array import transpose as transpose
from tfcompat.array import unique as unique
from tfcompat.array import unique_with_counts as unique_with_counts
from tfcompat.array import unravel_index as unravel_index
from tfcompat.array import unstack as unstack
from tfcompat.array import where as where
from tfcompat.array import zeros as zeros
from tfcompat.array import zeros_like as zeros_like
from tfcompat.debugging import Assert as Assert
from tfcompat.debugging import assert_equal as assert_equal
from tfcompat.debugging import assert_greater as assert_greater
from tfcompat.debugging import assert_less as assert_less
from tfcompat.debugging import assert_rank as assert_rank
from tfcompat.dtypes import DType as DType
from tfcompat.dtypes import as_dtype as as_dtype
from tfcompat.dtypes import bfloat16 as bfloat16
from tfcompat.dtypes import bool as bool
from tfcompat.dtypes import complex64 as complex64
from tfcompat.dtypes import complex128 as complex128
from tfcompat.dtypes import double as double
from tfcompat.dtypes import float16 as float16
from tfcompat.dtypes import float32 as float32
from tfcompat.dtypes import float64 as float64
from tfcompat.dtypes import half as half
from tfcompat.dtypes import int8 as int8
from tfcompat.dtypes import int16 as int16
from tfcompat.dtypes import int32 as int32
from tfcompat.dtypes import int64 as int64
from tfcompat.dtypes import qint8 as qint8
from tfcompat.dtypes import qint16 as qint16
from tfcompat.dtypes import qint32 as qint32
from tfcompat.dtypes import quint8 as quint8
from tfcompat.dtypes import quint16 as quint16
from tfcompat.dtypes import resource as resource
from tfcompat.dtypes import string as string
from tfcompat.dtypes import uint8 as uint8
from tfcompat.dtypes import uint16 as uint16
from tfcompat.dtypes import uint32 as uint32
from tfcompat.dtypes import uint64 as uint64
from tfcompat.dtypes import variant as variant
from tfcompat.function import _concrete as _concrete
from tfcompat.function import executing_eagerly as executing_eagerly
from tfcompat.function import function as function
from tfcompat.function import init_scope as init_scope
from tfcompat.function import inside_function as inside_function
from tfcompat.function._gradients import gradients as gradients
from tfcompat.function._gradients import hessians as hessians
from tfcompat.function._to_jax import from_jax as from_jax
from tfcompat.function._to_jax import to_jax as to_jax
from tfcompat.linalg import eig as eig
from tfcompat.linalg import eigvals as eigvals
from tfcompat.linalg import einsum as einsum
from tfcompat.linalg import matmul as matmul
from tfcompat.linalg import norm as norm
from tfcompat.linalg import sqrtm as matrix_square_root  # noqa: F401
from tfcompat.linalg import tensordot as tensordot
from tfcompat.math import abs as abs
from tfcompat.math import acos as acos
from tfcompat.math import acosh as acosh
from tfcompat.math import add as add
from tfcompat.math import add_n as add_n
from tfcompat.math import argmax as argmax
from tfcompat.math import argmin as argmin
from tfcompat.math import asin as asin
from tfcompat.math import asinh as asinh
from tfcompat.math import atan as atan
from tfcompat.math import atan2 as atan2
from tfcompat.math import atanh as atanh
from tfcompat.math import cos as cos
from tfcompat.math import cosh as cosh
from tfcompat.math import cumsum as cumsum
from tfcompat.math import divide as divide
from tfcompat.math import equal as equal
from tfcompat.math import exp as exp
from tfcompat.math import floor as floor
from tfcompat.math import greater as greater
from tfcompat.math import greater_equal as greater_equal
from tfcompat.math import less as less
from tfcompat.math import less_equal as less_equal
from tfcompat.math import logical_and as logical_and
from tfcompat.math import logical_not as logical_not
from tfcompat.math import logical_or as logical_or
from tfcompat.math import maximum as maximum
from tfcompat.math import minimum as minimum
from tfcompat.math import multiply as multiply
from tfcompat.math import negative as negative
from tfcompat.math import not_equal as not_equal
from tfcompat.math import pow as pow
from tfcompat.math import reduce_all as reduce_all
from tfcompat.math import reduce_any as reduce_any
from tfcompat.math import reduce_logsumexp as reduce_logsumexp
from tfcompat.math import reduce_max as reduce_max
from tfcompat.math import reduce_mean as reduce_mean
from tfcompat.math import reduce_min as reduce_min
from tfcompat.math import reduce_prod as reduce_prod
from tfcompat.math import reduce_sum as reduce_sum
from tfcompat.math import round as round
from tfcompat.math import scalar_mul as scalar_mul
from tfcompat.math import sigmoid as sigmoid
from tfcompat.math import sign as sign
from tfcompat.math import sin as sin
from tfcompat.math import sinh as sinh
from tfcompat.math import sqrt as sqrt
from tfcompat.math import square as square
from tfcompat.math import subtract as subtract
from tfcompat.math import tan as tan
from tfcompat.math import tanh as tanh
from tfcompat.math import truediv as truediv
from tfcompat.math._arithmetic import realdiv as realdiv
from tfcompat.math._arithmetic import truncatediv as truncatediv
from tfcompat.math._arithmetic import truncatemod as truncatemod
from tfcompat.math._clip import clip_by_global_norm as clip_by_global_norm
from tfcompat.math._clip import clip_by_norm as clip_by_norm
from tfcompat.math._clip import clip_by_value as clip_by_value
from tfcompat.math._complex import complex as complex
from tfcompat.math._count import histogram_fixed_width as histogram_fixed_width
from tfcompat.math._count import histogram_fixed_width_bins as histogram_fixed_width_bins
from tfcompat.ragged._tensor import RaggedTensor as RaggedTensor
from tfcompat.ragged._tensor import RaggedTensorSpec as RaggedTensorSpec
from tfcompat.random._index_shuffle import random_index_shuffle as random_index_shuffle
from tfcompat.random._initializers import constant_initializer as constant_initializer
from tfcompat.random._initializers import ones_initializer as ones_initializer
from tfcompat.random._initializers import random_normal_initializer as random_normal_initializer
from tfcompat.random._initializers import random_uniform_initializer as random_uniform_initializer
from tfcompat.random._initializers import zeros_initializer as zeros_initializer
from tfcompat.sparse import SparseTensor as SparseTensor
from tfcompat.sparse._edit_distance import edit_distance as edit_distance
from tfcompat.sparse._tensor import SparseTensorSpec as SparseTensorSpec
from tfcompat.strings import as_string as as_string
from tfcompat.strings._print import print as print
from tfcompat.tape import GradientTape as GradientTape
from tfcompat.tape import RegisterGradient as RegisterGradient
from tfcompat.tape import UnconnectedGradients as UnconnectedGradients
from tfcompat.tape import custom_gradient as custom_gradient
from tfcompat.tape import grad_pass_through as grad_pass_through
from tfcompat.tape import no_gradient as no_gradient
from tfcompat.tape import recompute_grad as recompute_grad
from tfcompat.tape import stop_gradient as stop_gradient
from tfcompat.version import COMPILER_VERSION as __compiler_version__  # noqa: F401
from tfcompat.version import GIT_VERSION as __git_version__  # noqa: F401
from tfcompat.version import VERSION as __version__  # noqa: F401

if _TYPE_CHECKING:
    from tfcompat import audio as audio
    from tfcompat import compat as compat
    from tfcompat import data as data
    from tfcompat import distribute as distribute
    from tfcompat import experimental as experimental
    from tfcompat import feature_column as feature_column
    from tfcompat import image as image
    from tfcompat import io as io
    from tfcompat import keras as keras
    from tfcompat import lookup as lookup
    from tfcompat import quantization as quantization
    from tfcompat import queue as queue
    from tfcompat import raw_ops as raw_ops
    from tfcompat import saved_model as saved_model
    from tfcompat import sets as sets
    from tfcompat import signal as signal
    from tfcompat import summary as summary
    from tfcompat import sysconfig as sysconfig
    from tfcompat import test as test
    from tfcompat import tpu as tpu
    from tfcompat import train as train
    from tfcompat import types as types
    from tfcompat import xla as xla
    from tfcompat._core.graphs import Graph as Graph
    from tfcompat._core.graphs import Operation as Operation
    from tfcompat._core.scopes import AggregationMethod as AggregationMethod
    from tfcompat._core.scopes import CriticalSection as CriticalSection
    from tfcompat._core.scopes import DeviceSpec as DeviceSpec
    from tfcompat._core.scopes import get_current_name_scope as get_current_name_scope
    from tfcompat._core.scopes import variable_creator_scope as variable_creator_scope
    from tfcompat._private import internal as __internal__  # noqa: F401
    from tfcompat._tools._install import install as install
    from tfcompat._tools._install import load_ipython_extension as load_ipython_extension
    from tfcompat._tools._install import uninstall as uninstall
    from tfcompat._tools._install import unload_ipython_extension as unload_ipython_extension
    from tfcompat.compat import _graph_util as graph_util  # noqa: F401
    from tfcompat.compat._graph_import import import_graph_def as import_graph_def
    from tfcompat.data._element import NoneTensorSpec as NoneTensorSpec
    from tfcompat.data._iterator import OptionalSpec as OptionalSpec
    from tfcompat.io._tensor_proto import make_ndarray as make_ndarray
    from tfcompat.io._tensor_proto import make_tensor_proto as make_tensor_proto
    from tfcompat.keras import losses as losses
    from tfcompat.keras import metrics as metrics
    from tfcompat.keras import optimizers as optimizers
    from tfcompat.layers import initializers as initializers
    from tfcompat.math._order import approx_top_k as approx_top_k
    from tfcompat.nn._backprop import conv as conv
    from tfcompat.nn._backprop import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
    from tfcompat.nn._backprop import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
    from tfcompat.ragged._raw import ragged_fill_empty_rows as ragged_fill_empty_rows
    from tfcompat.ragged._raw import ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad
    from tfcompat.saved_model._array_files import load_arrays as load_arrays
    from tfcompat.saved_model._array_files import save_arrays as save_arrays
    from tfcompat.signal._raw import fftnd as fftnd
    from tfcompat.signal._raw import ifftnd as ifftnd
    from tfcompat.signal._raw import irfftnd as irfftnd
    from tfcompat.signal._raw import rfftnd as rfftnd

_absent = _missing(
    "tf",
    hints={
        "Session": "eager execution, or tf.function",
        "TensorArraySpec": "tf.TensorSpec of `stack()`",
        "check_pinned": "nothing: arrays are not pinned",
        "load_library": "a JAX function with tfcompat.from_jax, or jax.ffi",
        "nondifferentiable_batch_function": "tf.function over a whole batch",
        "estimator": "a training loop with tf.GradientTape",
        "placeholder": "function arguments",
    },
)


# What not every program uses is imported when it is asked for: it is half of the time that the import takes.
__getattr__, __dir__ = _lazy(
    globals(),
    "audio compat data distribute experimental feature_column image io keras lite lookup profiler quantization queue "
    "raw_ops saved_model sets signal summary sysconfig test tpu train types xla".split(),
    {
        "__internal__": "=_private.internal",
        "install": "_tools._install",
        "uninstall": "_tools._install",
        "load_ipython_extension": "_tools._install",
        "unload_ipython_extension": "_tools._install",
        "initializers": "keras",
        "losses": "keras",
        "metrics": "keras",
        "optimizers": "keras",
        "Graph": "compat._recorded",
        "graph_util": "=compat._graph_util",
        "import_graph_def": "compat._graph_import",
        "Operation": "_core.graphs",
        "make_ndarray": "io._tensor_proto",
        "make_tensor_proto": "io._tensor_proto",
        "OptionalSpec": "data._iterator",
        "NoneTensorSpec": "data._element",
        "AggregationMethod": "_core.scopes",
        "CriticalSection": "_core.scopes",
        "DeviceSpec": "_core.scopes",
        "get_current_name_scope": "_core.scopes",
        "variable_creator_scope": "_core.scopes",
        "fftnd": "signal._raw",
        "ifftnd": "signal._raw",
        "irfftnd": "signal._raw",
        "rfftnd": "signal._raw",
        "approx_top_k": "math._order",
        "ragged_fill_empty_rows": "ragged._raw",
        "save_arrays": "saved_model._array_files",
        "ragged_fill_empty_rows_grad": "ragged._raw",
        "load_arrays": "saved_model._array_files",
        "load_op_library": "_core.scopes",
        "conv": "nn._backprop",
        "conv2d_backprop_filter_v2": "nn._backprop",
        "conv2d_backprop_input_v2": "nn._backprop",
    },
    _absent,
    {"enable_v2_behavior": "compat.v1"},  # of `tf.compat.v2`, which is this package
    inner=("array", "layers", "tape"),
)



def _graph_of(concrete):
    from tfcompat.saved_model._function_graphs import graph_of  # few programs ask for graphs

    return graph_of(concrete)


_concrete.graph_of = _graph_of

# These ops stand above the types, but TensorFlow has them there.
dtypes.cast, dtypes.complex, dtypes.saturate_cast = cast, complex, saturate_cast

_import_pause.over()
