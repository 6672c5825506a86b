"""`tf.keras.backend`: Keras's settings, values of variables, and ops, which are made when they are asked for."""

from typing import Any as _Any

import numpy as _np

from tfcompat import dtypes as _dtypes
from tfcompat._core import graphs as _graphs
from tfcompat._core.tensor import Tensor as _Tensor
from tfcompat._core.variable import Variable as _Variable
from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing
from tfcompat.array import cast as _cast
from tfcompat.layers._layer.naming import get_uid as get_uid
from tfcompat.layers._layer.naming import reset_uids as reset_uids
from tfcompat.layers._layer.settings import clear_session as clear_session
from tfcompat.layers._layer.settings import epsilon as epsilon
from tfcompat.layers._layer.settings import floatx as floatx
from tfcompat.layers._layer.settings import image_data_format as image_data_format
from tfcompat.layers._layer.settings import learning_phase as learning_phase
from tfcompat.layers._layer.settings import learning_phase_scope as learning_phase_scope
from tfcompat.layers._layer.settings import set_epsilon as set_epsilon
from tfcompat.layers._layer.settings import set_floatx as set_floatx
from tfcompat.layers._layer.settings import set_image_data_format as set_image_data_format
from tfcompat.layers._layer.settings import set_learning_phase as set_learning_phase
from tfcompat.layers._symbolic.keras_tensor import is_keras_tensor as is_keras_tensor


@_graphs.in_session
def get_value(x: _Any):
    """The value of a variable or tensor as a NumPy array; anything else as it is. TF:
    `tf.keras.backend.get_value`."""
    is_tensor = isinstance(x, _Tensor | _Variable)
    if isinstance(x, _graphs.GraphTensor) and _graphs.state.run is not None:
        return _graphs.state.run.fetched(x)
    return x.numpy() if is_tensor else x


@_graphs.in_session
def set_value(x, value):
    """Sets a variable to an array, cast to its dtype. TF: `tf.keras.backend.set_value`."""
    x.assign(_np.asarray(value, x.dtype.np))


def batch_get_value(tensors):
    """`get_value` of each, as a list. TF: `tf.keras.backend.batch_get_value`."""
    return [get_value(tensor) for tensor in tensors]


def batch_set_value(tuples):
    """`set_value(x, value)` for each pair. TF: `tf.keras.backend.batch_set_value`."""
    for x, value in tuples:
        set_value(x, value)


def cast_to_floatx(x):
    """A tensor, or an array of anything else, in the default float dtype. TF:
    `tf.keras.backend.cast_to_floatx`."""
    return _cast(x, floatx()) if isinstance(x, _Tensor | _Variable) else _np.asarray(x, dtype=floatx())


def int_shape(x):
    """The shape as a tuple, or None. TF: `tf.keras.backend.int_shape`."""
    shape = getattr(x, "shape", None)
    return None if shape is None else tuple(shape)


def ndim(x):
    """The rank. TF: `tf.keras.backend.ndim`."""
    return x.shape.rank


def dtype(x):
    """The name of the dtype. TF: `tf.keras.backend.dtype`."""
    return _dtypes.as_dtype(x.dtype).name


def count_params(x):
    """The number of scalars in a variable. TF: `tf.keras.backend.count_params`."""
    return _np.prod(x.shape.as_list())


_OPS = """
    abs all any arange argmax argmin backend batch_dot batch_flatten batch_normalization bias_add
    binary_crossentropy cast categorical_crossentropy clip concatenate constant conv1d conv2d conv3d cos
    cumprod cumsum depthwise_conv2d dot dropout elu equal eval exp expand_dims eye flatten foldl foldr
    function gather gradients greater greater_equal hard_sigmoid in_test_phase in_top_k
    in_train_phase is_sparse l2_normalize less less_equal local_conv1d local_conv2d log manual_variable_initialization
    map_fn max maximum mean min minimum
    moving_average_update name_scope not_equal one_hot ones ones_like permute_dimensions placeholder pool2d
    pool3d pow print_tensor prod random_bernoulli random_binomial random_normal random_normal_variable
    random_uniform random_uniform_variable relu repeat repeat_elements reshape resize_images reverse rnn round
    separable_conv2d shape sigmoid sign sin softmax softplus softsign sparse_categorical_crossentropy spatial_2d_padding
    spatial_3d_padding sqrt square squeeze stack std stop_gradient sum switch tanh temporal_padding tile
    to_dense transpose truncated_normal update update_add update_sub var variable zeros zeros_like
""".split()
_MORE_OPS = """
    binary_focal_crossentropy categorical_focal_crossentropy conv2d_transpose ctc_batch_cost ctc_decode
    ctc_label_dense_to_sparse
    normalize_batch_in_training resize_volumes
""".split()
_absent = _missing("tf.keras.backend", otherwise="the op of `tf` or `tf.nn` that does the same")

_places = {**dict.fromkeys(_OPS, "_ops"), **dict.fromkeys(_MORE_OPS, "_more_ops")}
__getattr__, __dir__ = _lazy(globals(), [], _places, _absent)
