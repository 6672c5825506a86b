"""Nests of arguments and results as JSON."""

import base64
import collections

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import constant
from tfcompat._core.extension_type.types import is_extension, name_of, spec_named
from tfcompat._core.indexed_slices import IndexedSlicesSpec
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat.errors import UnimplementedError
from tfcompat.ragged._dynamic_shape import DynamicRaggedShapeSpec
from tfcompat.ragged._row_partition import RowPartitionSpec
from tfcompat.ragged._tensor import RaggedTensorSpec
from tfcompat.sparse._tensor import SparseTensorSpec

_OF_TENSORFLOW = {
    "tf.RaggedTensorSpec": RaggedTensorSpec, "tf.SparseTensorSpec": SparseTensorSpec,
    "tf.IndexedSlicesSpec": IndexedSlicesSpec, "tf.DynamicRaggedShape.Spec": DynamicRaggedShapeSpec,
    "tf.RowPartitionSpec": RowPartitionSpec,
}  # fmt: skip


def encode(value, where):
    """A nest of TensorSpecs, specs of types that have a name, and plain Python values as JSON data.

    Raises:
      tf.errors.UnimplementedError: it holds something else; `where` says in the message what is saved.
    """
    if isinstance(value, TensorSpec):
        shape = None if value.shape.rank is None else value.shape.as_list()
        return {"tensor": {"shape": shape, "dtype": value.dtype.name, "name": value.name}}
    if value is None or type(value) in (bool, int, float, str):
        return {"value": value}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, dtypes.DType):
        return {"dtype": value.name}
    if isinstance(value, dict):
        return {"dict": [[encode(k, where), encode(v, where)] for k, v in value.items()]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        items = [encode(v, where) for v in value]
        return {"namedtuple": [type(value).__name__, list(value._fields), items]}
    if isinstance(value, list | tuple):
        return {"list" if isinstance(value, list) else "tuple": [encode(v, where) for v in value]}
    if isinstance(value, Tensor) and value.dtype is dtypes.string:
        return {"text": encode_text(value.numpy())}
    if isinstance(value, TensorShape):
        return {"shape": None if value.rank is None else value.as_list()}
    advice = ""
    spec = getattr(value, "_type_spec", value)
    name = next((n for n, kind in _OF_TENSORFLOW.items() if type(spec) is kind), None) or name_of(type(spec))
    if name is not None and is_extension(spec):
        return {"extension": [name, [[field, encode(v, where)] for field, v in spec._serialize()]]}
    if name is not None:
        return {"spec": [name, encode(spec._serialize(), where)]}
    if is_extension(spec):
        advice = ": give its class a `__name__`"
    raise UnimplementedError(
        None, None, f"tf.saved_model.save: {where} holds a {type(value).__name__}, which cannot be saved{advice}"
    )


def decode(data):
    """The inverse of `encode`."""
    ((kind, value),) = data.items()
    if kind == "tensor":
        return TensorSpec(value["shape"], dtypes.as_dtype(value["dtype"]), value["name"])
    if kind == "value":
        return value
    if kind == "bytes":
        return base64.b64decode(value)
    if kind == "dtype":
        return dtypes.as_dtype(value)
    if kind == "dict":
        return {decode(k): decode(v) for k, v in value}
    if kind == "namedtuple":
        name, fields, items = value
        return collections.namedtuple(name, fields)(*map(decode, items))
    if kind == "text":
        return constant(decode_text(value))
    if kind == "shape":
        return TensorShape(value)
    if kind == "extension":
        name, fields = value
        return spec_named(name)._deserialize(tuple((field, decode(v)) for field, v in fields))
    if kind == "spec":
        name, parts = value
        return (_OF_TENSORFLOW.get(name) or spec_named(name))._deserialize(decode(parts))
    if kind not in ("list", "tuple"):
        raise ValueError(f"unknown kind of value {kind!r}")
    items = [decode(v) for v in value]
    return items if kind == "list" else tuple(items)


def encode_text(array):
    """An array of byte strings, or one, as JSON data."""
    array = np.asarray(array, object)
    return {"shape": list(array.shape), "items": [base64.b64encode(x).decode() for x in array.ravel()]}


def decode_text(data):
    """The inverse of `encode_text`."""
    array = np.empty(len(data["items"]), object)
    array[:] = [base64.b64decode(x) for x in data["items"]]
    return array.reshape(data["shape"])
