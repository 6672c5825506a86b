"""`tf.make_tensor_proto` and `tf.make_ndarray`: tensors as messages."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat._formats.tensors import TensorProto, array_of, proto_of


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """Values as a message.

    Args:
      values: what can be converted to a tensor.
      dtype: that of the tensor; found from `values` if None.
      shape: its shape, if it is to be another than that of `values`. The last element stands for those that follow.
      verify_shape: whether the shape of `values` must be `shape`.
      allow_broadcast: whether one element may stand for all, and nothing else but as many as `shape` has.

    Returns:
      Object with the fields of a TensorProto, and its `SerializeToString`.

    Raises:
      TypeError: `values` do not fit `dtype`, or not `shape` where the options above require it.
      ValueError: there are more values than `shape` holds; None or ragged lists are among them.

    TF: `tf.make_tensor_proto`; the message is not one of the protobuf package.
    """
    tensor = convert_to_tensor(values, dtype)
    array = np.asarray(known_values(tensor))
    sizes = list(array.shape) if shape is None else [int(n) for n in shape]
    count = int(np.prod(sizes, dtype=np.int64))
    fits = array.shape == tuple(sizes)
    if allow_broadcast:
        fits = array.shape in ((), (1,)) or array.size == count
    if not fits and (verify_shape or allow_broadcast):
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {array.shape}.")
    if array.size > count:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got {array.size}.")
    # TF stores several numbers as bytes, everything else as a list:
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/framework/tensor_util.py
    whole = array.size > 1 and array.size == count
    in_list = not whole or tensor.dtype.is_complex or tensor.dtype is dtypes.bool
    return proto_of(array, tensor.dtype, sizes, in_list)


def make_ndarray(tensor):
    """The NumPy array of a message.

    Args:
      tensor: what `make_tensor_proto` returns, or a TensorProto of protobuf's.

    Returns:
      NumPy array; of objects for text.

    Raises:
      TypeError: its dtype has no array.

    TF: `tf.make_ndarray`; no known difference.
    """
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    dtype = dtypes.as_dtype(tensor.dtype)
    if not isinstance(tensor, TensorProto):
        tensor = TensorProto.FromString(tensor.SerializeToString())
    return array_of(tensor, dtype).reshape(sizes)
