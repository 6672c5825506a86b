"""Tensors as messages, and the arrays in them.

https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/framework/tensor.proto
"""

import enum
import math

import numpy as np

from tfcompat import dtypes
from tfcompat._formats.protobuf import Message
from tfcompat.errors import InvalidArgumentError

DataType = enum.IntEnum("DataType", [
    "DT_" + name for name in """
    FLOAT DOUBLE INT32 UINT8 INT16 INT8 STRING COMPLEX64 INT64 BOOL QINT8 QUINT8 QINT32 BFLOAT16 QINT16 QUINT16 UINT16
    COMPLEX128 HALF RESOURCE VARIANT UINT32 UINT64 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E4M3FNUZ FLOAT8_E4M3B11FNUZ
    FLOAT8_E5M2FNUZ INT4 UINT4 INT2 UINT2 FLOAT4_E2M1FN
    """.split()
])  # fmt: skip


class Dim(Message):
    """The size of an axis; -1 if it is not known."""

    NAME = "tensorflow.TensorShapeProto.Dim"
    FIELDS = ((1, "size", "int64"), (2, "name", "string"))


class TensorShapeProto(Message):
    """The shape of a tensor."""

    NAME = "tensorflow.TensorShapeProto"
    FIELDS = ((2, "dim", [Dim]), (3, "unknown_rank", "bool"))


class TensorProto(Message):
    """A tensor as a message.

    `dtype` is a number, `tensor_shape.dim` a list with a `size` for each axis. Elements are the bytes in
    `tensor_content`, or in one of the lists `float_val`, `int_val`, `string_val` and so on.

    TF: what `tf.make_tensor_proto` returns; without fields for resources and variants.
    """

    NAME = "tensorflow.TensorProto"
    FIELDS = (
        (1, "dtype", DataType), (2, "tensor_shape", TensorShapeProto), (3, "version_number", "int32"),
        (4, "tensor_content", "bytes"), (5, "float_val", ["float"]), (6, "double_val", ["double"]),
        (7, "int_val", ["int32"]), (8, "string_val", ["bytes"]), (9, "scomplex_val", ["float"]),
        (10, "int64_val", ["int64"]), (11, "bool_val", ["bool"]), (12, "dcomplex_val", ["double"]),
        (13, "half_val", ["int32"]), (16, "uint32_val", ["uint32"]), (17, "uint64_val", ["uint64"]),
    )  # fmt: skip


_LISTS = {  # of elements, by dtype; `int_val` for others
    "float32": "float_val", "float64": "double_val", "string": "string_val", "complex64": "scomplex_val",
    "int64": "int64_val", "bool": "bool_val", "complex128": "dcomplex_val", "float16": "half_val",
    "bfloat16": "half_val", "uint32": "uint32_val", "uint64": "uint64_val",
}  # fmt: skip


def shape_of(sizes):
    """The message of a shape."""
    return TensorShapeProto(dim=[Dim(size=int(size)) for size in sizes])


def proto_of(array, dtype, sizes=None, in_list=False):
    """The message of an array.

    Args:
      array: NumPy array of numbers, or of bytes.
      dtype: that of the tensor.
      sizes: of its shape, by default that of the array.
      in_list: whether the elements are to be in a list, as text always is, rather than in `tensor_content`.
    """
    sizes = array.shape if sizes is None else sizes
    proto = TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shape_of(sizes))
    flat = np.ascontiguousarray(array).reshape(-1)
    if not in_list and dtype is not dtypes.string:
        proto.tensor_content = flat.tobytes()
        return proto
    if dtype.is_complex:
        flat = flat.view(np.float32 if dtype.name == "complex64" else np.float64)
    elif dtype.name in ("float16", "bfloat16"):
        flat = flat.view(np.uint16)
    getattr(proto, _LISTS.get(dtype.name, "int_val")).extend(flat.tolist())
    return proto


def array_of(proto, dtype):
    """The NumPy array of a message; of objects for text.

    Raises:
      tf.errors.InvalidArgumentError: it is of another dtype.
      ValueError: its elements do not fit its shape.
    """
    if proto.dtype != dtype.as_datatype_enum:
        name = proto.dtype and dtypes.as_dtype(proto.dtype).name
        raise InvalidArgumentError(
            None, None, f"Type mismatch between parsed tensor ({name}) and dtype ({dtype.name})"
        )
    sizes = [dim.size for dim in proto.tensor_shape.dim]
    if any(size < 0 for size in sizes):
        raise ValueError(f"a tensor of the shape {sizes}")
    if proto.tensor_content and dtype is not dtypes.string:
        return np.frombuffer(proto.tensor_content, dtype.np).reshape(sizes).copy()
    count = math.prod(sizes)
    items = getattr(proto, _LISTS.get(dtype.name, "int_val"))
    if dtype is dtypes.string:
        values = np.empty(count, object)
        values[:] = (items + [items[-1] if items else b""] * (count - len(items)))[:count]
        return values.reshape(sizes)
    values = _numbers(items, dtype)
    if len(values) > count:
        raise ValueError("more values than the shape has room for")
    if not len(values):
        values = np.zeros(1, dtype.np)
    # As in TF, the last value is repeated.
    return np.concatenate([values, np.repeat(values[-1:], max(count - len(values), 0))])[:count].reshape(sizes)


def _numbers(items, dtype):
    if dtype.np is None:
        raise TypeError(f"a tensor of {dtype.name} has no array")
    if dtype.is_complex:
        return np.array(items, np.float32 if dtype.name == "complex64" else np.float64).view(dtype.np)
    if dtype.name in ("float16", "bfloat16"):
        return np.array(items, np.int64).astype(np.uint16).view(dtype.np)
    if dtype.is_floating:
        return np.array(items, dtype.np)
    return np.array(items, np.uint64 if dtype.is_unsigned and dtype.size > 2 else np.int64).astype(dtype.np)
