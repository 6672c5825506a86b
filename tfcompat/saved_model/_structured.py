"""Nests of specifications and Python values, as TensorFlow's files have them."""

import collections

from tfcompat import dtypes
from tfcompat._core.extension_type.types import is_extension, name_of, spec_named
from tfcompat._core.indexed_slices import IndexedSlicesSpec
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import BoundedTensorSpec, TensorSpec, TypeSpec
from tfcompat._formats.tensors import Dim, TensorShapeProto, array_of, proto_of
from tfcompat.errors import UnimplementedError
from tfcompat.ragged._tensor import RaggedTensorSpec
from tfcompat.saved_model._messages import (
    BoundedTensorSpecProto,
    DictOfValues,
    ListOfValues,
    NamedTupleOfValues,
    NoneValue,
    Pair,
    StructuredValue,
    TensorSpecProto,
    TupleOfValues,
    TypeSpecProto,
)
from tfcompat.sparse._tensor import SparseTensorSpec

_KINDS = {1: SparseTensorSpec, 2: IndexedSlicesSpec, 3: RaggedTensorSpec}
_REGISTERED, _EXTENSION = 12, 13
_MAX_DEPTH = 100


def shape_message(shape):
    """The message of a shape: a list of sizes, unknown where they are no ints; None for an unknown rank."""
    if shape is None:
        return TensorShapeProto(unknown_rank=True)
    return TensorShapeProto(dim=[Dim(size=size if type(size) is int else -1) for size in shape])


def sizes_of(shape):
    """A TensorShape as `shape_message` takes it."""
    return None if shape.rank is None else shape.as_list()


def to_shape(message):
    """The TensorShape of a message."""
    if message.unknown_rank:
        return TensorShape(None)
    return TensorShape([None if dim.size < 0 else dim.size for dim in message.dim])


def encode(value, name="", exact=False):
    """The message of a nest. A TensorSpec without a name gets that of its place, and loses its bounds, if not `exact`.

    Raises:
      tf.errors.UnimplementedError: it holds something that a file has no form for.
    """
    if isinstance(value, TensorSpec):
        fields = {"shape": shape_message(sizes_of(value.shape)), "dtype": value.dtype.as_datatype_enum}
        fields["name"] = value.name or ("" if exact else name)
        if exact and isinstance(value, BoundedTensorSpec):
            bounds = {bound: proto_of(getattr(value, bound), value.dtype) for bound in ("minimum", "maximum")}
            return StructuredValue(bounded_tensor_spec_value=BoundedTensorSpecProto(**fields, **bounds))
        return StructuredValue(tensor_spec_value=TensorSpecProto(**fields))
    if value is None:
        return StructuredValue(none_value=NoneValue())
    for kind, field in _PLAIN:
        if type(value) is kind:
            return StructuredValue(**{field: value})
    if isinstance(value, dtypes.DType):
        return StructuredValue(tensor_dtype_value=value.as_datatype_enum)
    if isinstance(value, TensorShape):
        return StructuredValue(tensor_shape_value=shape_message(sizes_of(value)))
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        fields = {key: encode(each, key, exact) for key, each in value.items()}
        return StructuredValue(dict_value=DictOfValues(fields=fields))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = [Pair(key=key, value=encode(each, key, exact)) for key, each in zip(value._fields, value, strict=True)]
        return StructuredValue(named_tuple_value=NamedTupleOfValues(name=type(value).__name__, values=pairs))
    if isinstance(value, tuple):
        return StructuredValue(tuple_value=TupleOfValues(values=[encode(each, exact=exact) for each in value]))
    if isinstance(value, list):
        return StructuredValue(list_value=ListOfValues(values=[encode(each, exact=exact) for each in value]))
    if isinstance(value, TypeSpec):
        return StructuredValue(type_spec_value=_encoded_spec(value))
    raise UnimplementedError(
        None, None, f"tf.saved_model.save: TensorFlow's files cannot hold a {type(value).__name__} in a signature"
    )


_PLAIN = ((bool, "bool_value"), (int, "int64_value"), (float, "float64_value"), (str, "string_value"))


def _encoded_spec(spec):
    number = next((n for n, kind in _KINDS.items() if type(spec) is kind), None)
    components = spec._component_specs
    count = len(components) if isinstance(components, list | tuple) else 1
    if number is None:
        name = name_of(type(spec))
        if name is None:
            raise UnimplementedError(
                None, None, f"tf.saved_model.save: {type(spec).__name__} has no name by which it can be saved"
            )
        number, class_name = _EXTENSION if is_extension(spec) else _REGISTERED, name
    else:
        class_name = type(spec).__name__
    return TypeSpecProto(
        type_spec_class=number, type_state=encode(spec._serialize()), type_spec_class_name=class_name,
        num_flat_components=count,
    )  # fmt: skip


def decode(message, depth=0):
    """The nest of a message.

    Raises:
      ValueError: it holds something unknown.
    """
    if depth > _MAX_DEPTH:
        raise ValueError("values are nested too deeply")
    kind = message.WhichOneof("kind")
    if kind is None or kind == "none_value":
        return None
    value = getattr(message, kind)
    if kind == "tensor_spec_value":
        return TensorSpec(to_shape(value.shape), dtypes.as_dtype(value.dtype), value.name or None)
    if kind == "bounded_tensor_spec_value":
        dtype = dtypes.as_dtype(value.dtype)
        bounds = [array_of(bound, dtype) for bound in (value.minimum, value.maximum)]
        return BoundedTensorSpec(to_shape(value.shape), dtype, *bounds, value.name or None)
    if kind in ("list_value", "tuple_value"):
        items = [decode(each, depth + 1) for each in value.values]
        return items if kind == "list_value" else tuple(items)
    if kind == "dict_value":
        return {key: decode(each, depth + 1) for key, each in value.fields.items()}
    if kind == "named_tuple_value":
        pairs = [(pair.key, decode(pair.value, depth + 1)) for pair in value.values]
        return collections.namedtuple(value.name or "namedtuple", [key for key, _ in pairs])(*[x for _, x in pairs])
    if kind == "tensor_shape_value":
        return to_shape(value)
    if kind == "tensor_dtype_value":
        return dtypes.as_dtype(value)
    if kind == "type_spec_value":
        return _decoded_spec(value, depth)
    if kind in ("tensor_value", "numpy_value"):
        return array_of(value, dtypes.as_dtype(value.dtype))
    return value


def _decoded_spec(message, depth):
    kind = _KINDS.get(message.type_spec_class)
    if kind is None:
        if message.type_spec_class not in (_REGISTERED, _EXTENSION):
            raise UnimplementedError(
                None, None,
                f"tf.saved_model.load: a {message.type_spec_class_name or message.type_spec_class} in a signature",
            )  # fmt: skip
        kind = spec_named(message.type_spec_class_name)
    return kind._deserialize(decode(message.type_state, depth + 1))


def tensor_message(array, dtype):
    """The message of an array."""
    return proto_of(array, dtype)
