"""`tf.make_tensor_proto` and `tf.make_ndarray`: tensors as messages, of plain Python."""

from types import SimpleNamespace

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat.io._decode import _tensor_of
from tfcompat.train._wire import collected, field, fields, message, varint

# Name: (number in the message, of which NumPy dtype its bytes are, or None for varints).
_LISTS = {
    "float_val": (5, "<f4"), "double_val": (6, "<f8"), "int_val": (7, None), "string_val": (8, bytes),
    "scomplex_val": (9, "<f4"), "int64_val": (10, None), "bool_val": (11, None), "dcomplex_val": (12, "<f8"),
    "half_val": (13, None), "uint32_val": (16, None), "uint64_val": (17, None),
}  # fmt: skip
_LIST_OF = {
    "float32": "float_val", "float64": "double_val", "string": "string_val", "complex64": "scomplex_val",
    "int64": "int64_val", "bool": "bool_val", "complex128": "dcomplex_val", "float16": "half_val",
    "bfloat16": "half_val", "uint32": "uint32_val", "uint64": "uint64_val",
}  # fmt: skip
_ENUM_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


class TensorProto:
    """A tensor as a message.

    `dtype` is a number, `tensor_shape.dim` a list with a `size` for each axis. Elements are the bytes in
    `tensor_content`, or in one of the lists `float_val`, `int_val`, `string_val` and so on.

    TF: what `tf.make_tensor_proto` returns; its fields and bytes, without the other methods of protobuf's messages.
    """

    def __init__(self):
        self.dtype, self.version_number, self.tensor_content = 0, 0, b""
        self.tensor_shape = SimpleNamespace(dim=[], unknown_rank=False)
        for name in _LISTS:
            setattr(self, name, [])

    def SerializeToString(self):
        """The bytes of the message."""
        shape = b"".join(message(2, field(1, dim.size)) for dim in self.tensor_shape.dim)
        data = field(1, self.dtype) + message(2, shape) + field(3, self.version_number) + field(4, self.tensor_content)
        for name, (number, kind) in _LISTS.items():
            values = getattr(self, name)
            if kind is bytes:
                data += b"".join(message(number, value) for value in values)
            elif values and kind:
                data += message(number, np.array(values, kind).tobytes())
            elif values:
                data += message(number, b"".join(varint(int(value) & 0xFFFFFFFFFFFFFFFF) for value in values))
        return data

    def ParseFromString(self, serialized):
        """Becomes the message of these bytes; returns how many they are."""
        found = collected(serialized, dtype=1, shape=-2)
        made = _filled(_tensor_of(serialized, dtypes.as_dtype(found["dtype"])), dtypes.as_dtype(found["dtype"]))
        if not any(number == 4 for number, _ in fields(serialized)):
            _in_list(made)
        self.__dict__.update(made.__dict__)
        return len(serialized)

    @classmethod
    def FromString(cls, serialized):
        """The message of these bytes."""
        made = cls()
        made.ParseFromString(serialized)
        return made

    def __eq__(self, other):
        return isinstance(other, TensorProto) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None  # pyright: ignore

    def __repr__(self):
        dtype = dtypes.as_dtype(self.dtype) if self.dtype else None
        lines = [f"dtype: DT_{_ENUM_NAMES.get(dtype.name, dtype.name.upper())}"] if dtype else []
        lines.append("tensor_shape {")
        for dim in self.tensor_shape.dim:
            lines += ["  dim {", f"    size: {dim.size}", "  }"] if dim.size else ["  dim {", "  }"]
        lines.append("}")
        if self.tensor_content:
            lines.append(f"tensor_content: {_quoted(self.tensor_content)}")
        for name in _LISTS:
            kind = np.float32 if _LISTS[name][1] == "<f4" else float
            lines += [f"{name}: {_shown(value, kind)}" for value in getattr(self, name)]
        return "\n".join(lines) + "\n"


def _shown(value, kind):
    if isinstance(value, bytes):
        return _quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(kind(value)).removesuffix(".0") if isinstance(value, float) else str(value)


_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _quoted(data):
    return '"' + "".join(_ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in data) + '"'


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
      TypeError: `values` do not fit `dtype`, or `shape`, as it is said above.
      ValueError: there are more values than `shape` has room for, or None or ragged lists among them.

    TF: `tf.make_tensor_proto`; the message is an object of Python, and none of protobuf's.
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
    return _filled(array, tensor.dtype, sizes)


def _filled(array, dtype, sizes=None):
    """The message of an array."""
    made = TensorProto()
    sizes = array.shape if sizes is None else sizes
    made.dtype = dtype.as_datatype_enum
    made.tensor_shape.dim = [SimpleNamespace(size=int(n), name="") for n in sizes]
    made.tensor_content = np.ascontiguousarray(array).tobytes() if dtype.name != "string" else b""
    whole = array.size > 1 and array.size == np.prod(sizes, dtype=np.int64)
    if dtype.is_complex or dtype.name in ("bool", "string") or not whole:
        _in_list(made, array)
    return made


def _in_list(made, array=None):
    """Moves the elements of a message into a list."""
    dtype = dtypes.as_dtype(made.dtype)
    if array is None:
        if not made.tensor_content:
            return
        array = np.frombuffer(made.tensor_content, dtype.as_numpy_dtype)
    made.tensor_content = b""
    flat = array.reshape(-1)
    if dtype.is_complex:
        flat = flat.view(np.float32 if dtype.name == "complex64" else np.float64)
    elif dtype.name in ("float16", "bfloat16"):
        flat = flat.view(np.uint16)
    setattr(made, _LIST_OF.get(dtype.name, "int_val"), flat.tolist())


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
    return _tensor_of(tensor.SerializeToString(), dtype).reshape(sizes)
