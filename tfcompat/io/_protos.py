"""Messages of protocol buffers as tensors: `tf.io.decode_proto` and its relatives."""

import collections
import functools
from pathlib import Path

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.in_graphs import when_run
from tfcompat._core.steps import like_first, sizes_of, step
from tfcompat._formats import examples as examples_
from tfcompat._formats import graphs, protobuf, tensors, texts
from tfcompat._formats.descriptors import messages_of
from tfcompat._formats.examples import Example
from tfcompat._formats.protobuf import Message
from tfcompat.errors import DataLossError, InvalidArgumentError

_ADVICE = "call it outside"
_DTYPES = {  # that a kind of field is read as
    "double": "float64", "float": "float32 float64", "int64": "int64", "uint64": "uint64", "int32": "int32 int64",
    "fixed64": "uint64", "fixed32": "uint32 uint64", "bool": "bool", "string": "string", "bytes": "string",
    "uint32": "uint32 uint64", "enum": "int32", "sfixed32": "int32 int64", "sfixed64": "int64",
    "sint32": "int32 int64", "sint64": "int64",
}  # fmt: skip


DecodeProtoV2 = collections.namedtuple("DecodeProtoV2", ["sizes", "values"])


def _own_messages():
    modules = examples_, graphs, tensors
    classes = [each for module in modules for each in vars(module).values() if isinstance(each, type)]
    return {cls.NAME: cls for cls in classes if issubclass(cls, Message) and cls.NAME}


@functools.lru_cache(16)
def _described(data):
    return messages_of(data)


def _message_class(name, source):
    """The class of a message, by its name and where it is described."""
    source = source.encode() if isinstance(source, str) else source
    if source in (b"", b"local://"):
        known = _own_messages()
    else:
        try:
            is_inline = source.startswith(b"bytes://")
            known = _described(source[len(b"bytes://") :] if is_inline else Path(source.decode()).read_bytes())
        except (OSError, ValueError) as error:
            raise InvalidArgumentError(
                None, None, f"Source does not represent serialized file descriptor set proto: {error}"
            ) from None
    if name not in known:
        raise InvalidArgumentError(None, None, f"No descriptor found for message type {name}")
    return known[name]


def _fields(cls, names):
    fields = protobuf.table_of(cls).by_name
    for name in names:
        if name not in fields or fields[name].key is not None:
            raise InvalidArgumentError(None, None, f"Unknown field: {name} in message type {cls.NAME}")
    return [fields[name] for name in names]


def _names(texts):
    return [text.decode() if isinstance(text, bytes) else text for text in texts]


def _decoded(new, bytes, message_type, field_names, output_types, *args, **kwargs):
    sizes = sizes_of(bytes)
    tensors = [new([*sizes, None], dtype) for dtype in output_types]
    return DecodeProtoV2(new([*sizes, len(field_names)], dtypes.int32), tensors)


@step("DecodeProtoV2", _decoded)
def decode_proto(bytes, message_type, field_names, output_types, descriptor_source="local://", message_format="binary",
                 sanitize=False, name=None):  # fmt: skip
    """Reads fields of serialized messages.

    Args:
      bytes: string tensor of any shape.
      message_type: full name of the messages, a str.
      field_names: list of str.
      output_types: list of dtypes, one for each field. A message within a message is read as text.
      descriptor_source: path of a FileDescriptorSet, or `b"bytes://"` and one serialized; "local://" for TensorFlow's
        own messages of examples, graphs and tensors.
      message_format: "binary" or "text".
      sanitize: whether messages are read and written again first, which makes no difference to their fields.
      name: unused.

    Returns:
      Tuple (sizes, values): an int32 tensor [..., fields], how many values each field has, and a list of tensors
      [..., most values], one for each field, filled up with the field's default.

    Raises:
      tf.errors.InvalidArgumentError: no such message or field, or a field of another type.
      tf.errors.DataLossError: bytes that are no such message.

    TF: `tf.io.decode_proto`.
    """
    if message_format not in ("binary", "text"):
        raise InvalidArgumentError(None, None, "format must be one of binary or text")
    cls, data = _message_class(message_type, descriptor_source), known_values(convert_to_tensor(bytes), _ADVICE)
    if not data.size:
        raise when_run("Bufs argument must contain at least one value [Op:DecodeProtoV2]")
    fields = _fields(cls, _names(field_names))
    types = [dtypes.as_dtype(dtype) for dtype in output_types]
    if len(types) != len(fields):
        raise InvalidArgumentError(None, None, "field_names and output_types attributes must have the same length")
    for field, dtype in zip(fields, types, strict=True):
        allowed = "string" if field.message is not None else _DTYPES[field.kind]
        if dtype.name not in allowed.split():
            raise InvalidArgumentError(
                None, None, f"Unexpected output type for {field.path}: {field.kind} to {dtype.name}"
            )
    messages = [_read(cls, text, message_format) for text in data.ravel().tolist()]
    columns = [[_values(message, field) for message in messages] for field in fields]
    counts = np.array([[len(values) for values in column] for column in columns], np.int32)
    sizes = host_constant(counts.T.reshape(*data.shape, len(fields)))
    values = [
        host_constant(_filled(cls, field, dtype, column).reshape(*data.shape, -1))
        for field, dtype, column in zip(fields, types, columns, strict=True)
    ]  # fmt: skip
    return DecodeProtoV2(sizes, values)


def _read(cls, text, message_format):
    try:
        return cls.FromString(text) if message_format == "binary" else texts.from_text(cls, text.decode())
    except (ValueError, KeyError, TypeError) as error:
        raise DataLossError(None, None, f"Unable to parse a message of type {cls.NAME}: {error}") from None


def _values(message, field):
    """The values of a field, as elements of a tensor."""
    values = message.__dict__.get(field.name)
    if values is None:
        return []
    values = list(values) if field.repeated else [values]
    if field.message is not None:
        return [value.SerializeToString() for value in values]
    return [value.encode() for value in values] if field.kind == "string" else values


def _filled(cls, field, dtype, column):
    most = max(map(len, column), default=0) if field.repeated else 1
    result = np.empty((len(column), most), dtype.np)
    default = getattr(cls, "DEFAULTS", {}).get(field.name, field.default)
    result[...] = default.encode() if isinstance(default, str) else default
    for row, values in zip(result, column, strict=True):
        # TensorFlow's kernel reads an int32 into an int64 without its sign.
        if field.kind == "int32" and dtype is dtypes.int64:
            values = [value & 0xFFFFFFFF for value in values]
        row[: len(values)] = values
    return result


@step("EncodeProto", lambda new, sizes, *args, **kwargs: new(sizes_of(sizes)[:-1], dtypes.string))
def encode_proto(sizes, values, field_names, message_type, descriptor_source="local://", name=None):
    """Serialized messages of tensors: the inverse of `decode_proto`.

    Args:
      sizes: int32 tensor [..., fields], how many values of each field are written.
      values: list of tensors [..., values], one for each field.
      field_names: list of str.
      message_type, descriptor_source: as in `decode_proto`.
      name: unused.

    Returns:
      string tensor [...].

    Raises:
      tf.errors.InvalidArgumentError: no such message or field, or shapes or dtypes that do not fit.

    TF: `tf.io.encode_proto`.
    """
    cls, counts = _message_class(message_type, descriptor_source), known_values(convert_to_tensor(sizes), _ADVICE)
    fields = _fields(cls, _names(field_names))
    arrays = [np.asarray(known_values(convert_to_tensor(value), _ADVICE)) for value in values]
    if len(arrays) != len(fields):
        raise InvalidArgumentError(None, None, "field_names and values must have the same length")
    batch = counts.shape[:-1]
    for field, array in zip(fields, arrays, strict=True):
        dtype = "string" if array.dtype == object else array.dtype.name
        if dtype not in ("string" if field.message is not None else _DTYPES[field.kind]).split():
            raise InvalidArgumentError(
                None, None, f"Incompatible type for field {field.name}.  Saw dtype: {dtype} but field type is: "
                f"{field.kind}"
            )  # fmt: skip
        if array.ndim != counts.ndim or array.shape[:-1] != batch or counts.shape[-1] != len(fields):
            raise InvalidArgumentError(
                None, None, "sizes should be batch_size + [len(field_names)].  Saw: "
                f"{list(counts.shape)} but expected: {[*array.shape[:-1], len(fields)]}"
            )  # fmt: skip
    result = np.empty(batch, object)
    for place in np.ndindex(batch):
        result[place] = _message(cls, fields, counts[place].tolist(), [a[place].tolist() for a in arrays])
    return host_constant(result)


def _message(cls, fields, counts, rows):
    held = {}
    for field, count, row in zip(fields, counts, rows, strict=True):
        if count > len(row):
            raise InvalidArgumentError(
                None, None, f"Size to write must not be larger than value tensor; but saw: {count} > {len(row)}"
            )
        if field.message is not None:
            row = [_read(field.message, value, "binary") for value in row[:count]]
        if field.repeated:
            held[field.name] = row[:count]
        elif count:
            held[field.name] = row[count - 1]
    return cls(**held).SerializeToString()


@step("DecodeJSONExample", like_first(dtypes.string))
def decode_json_example(json_examples, name=None):
    """Examples that are written as JSON, serialized.

    Args:
      json_examples: string tensor of any shape.
      name: unused.

    Returns:
      string tensor of that shape, of serialized `tf.train.Example`s.

    Raises:
      tf.errors.InvalidArgumentError: a text is no such JSON.

    TF: `tf.io.decode_json_example`; features may be in another order.
    """
    examples = known_values(convert_to_tensor(json_examples, dtypes.string), _ADVICE)
    result = np.empty(examples.shape, object)
    for place in np.ndindex(examples.shape):
        try:
            result[place] = texts.from_json(Example, examples[place].decode()).SerializeToString()
        except (ValueError, TypeError) as error:
            raise InvalidArgumentError(None, None, f"Error while parsing JSON: {error}") from None
    return host_constant(result)
