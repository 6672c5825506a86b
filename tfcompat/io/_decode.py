"""Text to tensors and back: raw bytes, base64, CSV, serialized tensors, compressed data."""

import base64
import gzip
import zlib

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, sized_by_values
from tfcompat.errors import DataLossError, InvalidArgumentError
from tfcompat.io._files import text, text_scalar
from tfcompat.strings._elementwise import ADVICE, mapped
from tfcompat.train._wire import collected, field, fields, message, read_varint


def _texts(value):
    return known_values(convert_to_tensor(value, dtypes.string), ADVICE)


def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """Bytes as numbers.

    Args:
      input_bytes: text, any shape, all of one length unless there is a `fixed_length`.
      out_type: dtype of the numbers.
      little_endian: order of the bytes.
      fixed_length: int: longer text is cut, shorter filled up with zeros.
      name: ignored.

    Returns:
      Tensor of `out_type`, of the shape of `input_bytes` and one dimension more.

    Raises:
      tf.errors.InvalidArgumentError: lengths that do not fit.

    TF: `tf.io.decode_raw`; no known difference.
    """
    array, dtype = _texts(input_bytes), dtypes.as_dtype(out_type)
    items = array.ravel().tolist()
    size = dtype.size
    if fixed_length is not None:
        length = int(known_values(convert_to_tensor(fixed_length)))
        if length <= 0 or length % size:
            raise InvalidArgumentError(
                None, None, f"fixed_length ({length}) must be a multiple of the size of out_type ({size})"
            )
        items = [item[:length].ljust(length, b"\0") for item in items]
    else:
        length = len(items[0]) if items else 0
        if any(len(item) != length for item in items):
            raise InvalidArgumentError(
                None, None, "DecodeRaw requires input strings to all be the same size, but element has size "
                f"{next(len(item) for item in items if len(item) != length)} != {length}"
            )  # fmt: skip
        if length % size:
            raise InvalidArgumentError(
                None, None, f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the size of "
                f"{dtype.name}"
            )  # fmt: skip
    numbers = np.frombuffer(b"".join(items), dtype.np if little_endian else dtype.np.newbyteorder(">"))
    fixed = range(array.ndim + (fixed_length is not None))
    return sized_by_values(numbers.astype(dtype.np).reshape(*array.shape, length // size), fixed)


def decode_base64(input, name=None):
    """Web-safe base64 text, decoded.

    Raises:
      tf.errors.InvalidArgumentError: it is malformed.
    """

    def decoded(item):
        try:
            return base64.b64decode(item.rstrip(b"=") + b"=" * (-len(item.rstrip(b"=")) % 4), b"-_", validate=True)
        except ValueError:
            raise InvalidArgumentError(None, None, "Invalid character found in base64.") from None

    return mapped(decoded, _texts(input))


def encode_base64(input, pad=False, name=None):
    """Text in web-safe base64, filled up with `=` if it is to `pad`."""
    return mapped(
        lambda item: base64.urlsafe_b64encode(item) if pad else base64.urlsafe_b64encode(item).rstrip(b"="),
        _texts(input),
    )


def decode_compressed(bytes, compression_type="", name=None):
    """Text that was compressed, by "ZLIB" or "GZIP", or not at all.

    Raises:
      tf.errors.DataLossError: it is malformed.
    """
    functions = {"": lambda x: x, "ZLIB": zlib.decompress, "GZIP": gzip.decompress}
    if compression_type not in functions:
        raise InvalidArgumentError(None, None, "Only ZLIB, GZIP or NONE are supported compressions")

    def decoded(item):
        try:
            return functions[compression_type](item)
        except (zlib.error, OSError, EOFError) as error:
            raise DataLossError(None, None, f"{compression_type}: {error}") from None

    return mapped(decoded, _texts(bytes))


# --- CSV ----------------------------------------------------------------------------------------------------------


_UNENDED = "Quoted field has to end with quote followed by delim or end"


def split_csv(line, delimiter=",", quotes=True):
    """The fields of a line, bytes.

    Raises:
      tf.errors.InvalidArgumentError: quotes at places where they cannot be.
    """
    mark = delimiter.encode()
    if not quotes or b'"' not in line:
        return line.split(mark)
    found, place, size = [], 0, len(line)
    while True:
        if place < size and line[place] == 0x22:
            item, place = bytearray(), place + 1
            while True:
                end = line.find(b'"', place)
                if end < 0:
                    raise InvalidArgumentError(None, None, _UNENDED)
                item += line[place:end]
                place = end + 1
                if place < size and line[place] == 0x22:
                    item += b'"'
                    place += 1
                    continue
                break
            if place < size and line[place : place + 1] != mark:
                raise InvalidArgumentError(None, None, _UNENDED)
            found.append(bytes(item))
        else:
            end = line.find(mark, place)
            end = size if end < 0 else end
            item = line[place:end]
            if b'"' in item:
                raise InvalidArgumentError(None, None, "Unquoted fields cannot have quotes/CRLFs inside")
            found.append(item)
            place = end
        if place >= size:
            return found
        place += 1
        if place == size:
            return [*found, b""]


def csv_value(item, dtype, row, number):
    """A field as a NumPy value of a dtype."""
    if dtype is dtypes.string:
        return item
    try:
        if dtype.is_floating:
            return dtype.np.type(item.strip())
        value = int(item.strip())
        if np.iinfo(dtype.np).min <= value <= np.iinfo(dtype.np).max:
            return value
    except ValueError:
        pass
    raise InvalidArgumentError(
        None, None, f"Field {number} in record {row} is not a valid {dtype.name}: {item.decode(errors='replace')}"
    )


def csv_defaults(record_defaults):
    """(dtype, value or None) of each column."""
    found = []
    for default in record_defaults:
        if isinstance(default, dtypes.DType) or isinstance(default, type) and issubclass(default, np.generic):
            found.append((dtypes.as_dtype(default), None))
            continue
        tensor = convert_to_tensor(default)
        if tensor.dtype not in (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string):
            raise InvalidArgumentError(None, None, f"a CSV column of {tensor.dtype.name}")
        values = tensor._value().ravel()
        if tensor.shape.rank and tensor.shape.rank > 1 or values.size > 1:
            raise InvalidArgumentError(None, None, "Each default should be at most a scalar.")
        found.append((tensor.dtype, values[0] if values.size else None))
    return found


def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None,
               name=None):  # fmt: skip
    """Lines of CSV as columns.

    Args:
      records: text, any shape: a line each.
      record_defaults: list with a tensor for each column, of its dtype: a scalar or vector of one element for fields
        that are empty, an empty vector where they must not be; or a dtype.
      field_delim: character between fields.
      use_quote_delim: whether `"` has a meaning.
      na_value: text that counts as empty.
      select_cols: increasing numbers of the columns wanted.
      name: ignored.

    Returns:
      List of tensors of the shape of `records`, one for each column.

    Raises:
      tf.errors.InvalidArgumentError: another number of fields; an empty one; something that is no number.
      ValueError: `select_cols` does not fit.

    TF: `tf.io.decode_csv`; no known difference.
    """
    if select_cols is not None and any(b <= a for a, b in zip(select_cols, select_cols[1:], strict=False)):
        raise ValueError("select_cols is not strictly increasing.")
    if select_cols is not None and select_cols and select_cols[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if select_cols is not None and len(select_cols) != len(record_defaults):
        raise ValueError("Length of record_defaults and select_cols do not match.")
    array, columns = _texts(records), csv_defaults(record_defaults)
    lines = array.ravel().tolist()
    values = [np.empty(len(lines), dtype.np or object) for dtype, _ in columns]
    for row, line in enumerate(lines):
        found = csv_row(line, columns, field_delim, use_quote_delim, na_value, select_cols, row)
        for column, value in enumerate(found):
            values[column][row] = value
    return [host_constant(column.reshape(array.shape)) for column in values]


def csv_row(line, columns, delimiter, quotes, na_value, select_cols, row):
    """The values of a line."""
    items = split_csv(line, delimiter, quotes)
    if select_cols is not None:
        items = [items[i] for i in select_cols if i < len(items)]
    if len(items) != len(columns):
        raise InvalidArgumentError(None, None, f"Expect {len(columns)} fields but have {len(items)} in record {row}")
    found, missing = [], na_value.encode() if isinstance(na_value, str) else na_value
    for number, (item, (dtype, default)) in enumerate(zip(items, columns, strict=True)):
        if not item or item == missing:
            if default is None:
                raise InvalidArgumentError(
                    None, None, f"Field {number} is required but missing in record {row}!"
                )
            found.append(default)
        else:
            found.append(csv_value(item, dtype, row, number))
    return found


# --- serialized tensors -------------------------------------------------------------------------------------------

_FIELDS = {  # DataType: (number of the field in TensorProto, of varints or NumPy's name)
    1: (5, "<f4"), 2: (6, "<f8"), 3: (7, None), 4: (7, None), 5: (7, None), 6: (7, None), 7: (8, None), 8: (9, "<f4"),
    9: (10, None), 10: (11, None), 14: (13, None), 17: (7, None), 18: (12, "<f8"), 19: (13, None), 22: (16, None),
    23: (17, None),
}  # fmt: skip


def serialize_tensor(tensor, name=None):
    """A tensor as text: a serialized TensorProto.

    TF: `tf.io.serialize_tensor`; the same bytes for tensors of numbers and text.
    """
    tensor = convert_to_tensor(tensor)
    array = known_values(tensor)
    shape = b"".join(message(2, field(1, int(n))) for n in array.shape)
    data = field(1, tensor.dtype.as_datatype_enum) + message(2, shape)
    if tensor.dtype is dtypes.string:
        data += b"".join(message(8, item) for item in array.ravel().tolist())
    elif array.size:
        data += message(4, np.ascontiguousarray(array).tobytes())
    return text(data)


def parse_tensor(serialized, out_type, name=None):
    """The tensor of a serialized TensorProto.

    Args:
      serialized: text scalar.
      out_type: its dtype.
      name: ignored.

    Raises:
      tf.errors.InvalidArgumentError: it is malformed, or of another dtype.

    TF: `tf.io.parse_tensor`.
    """
    data, dtype = text_scalar(serialized, "serialized"), dtypes.as_dtype(out_type)
    try:
        array = _tensor_of(data, dtype)
    except (ValueError, TypeError, IndexError) as error:
        raise InvalidArgumentError(None, None, f"Could not parse `serialized` as TensorProto: {error}") from None
    return sized_by_values(array)


def _tensor_of(data, dtype):
    found = collected(data, dtype=1, shape=-2, content=-4)
    kind = found["dtype"] or 0
    if kind != dtype.as_datatype_enum:
        known = kind and dtypes.as_dtype(kind).name
        raise InvalidArgumentError(
            None, None, f"Type mismatch between parsed tensor ({known}) and dtype ({dtype.name})"
        )
    sizes = []
    for size in collected(found["shape"] or b"", dims=(2,))["dims"]:
        sizes.append(collected(size, n=1)["n"] or 0)
    count = int(np.prod(sizes, dtype=np.int64))
    if found["content"] is not None and dtype is not dtypes.string:
        return np.frombuffer(found["content"], dtype.np).reshape(sizes).copy()
    if dtype is dtypes.string:
        values = np.empty(count, object)
        items = collected(data, items=(8,))["items"]
        values[:] = (items + [items[-1] if items else b""] * count)[:count]
        return values.reshape(sizes)
    number, packed = _FIELDS[kind]
    items = []
    for part in [value for place, value in fields(data) if place == number]:
        if type(part) is not bytes:
            items.append(part if packed is None else np.frombuffer(
                part.to_bytes(np.dtype(packed).itemsize, "little"), packed)[0])  # fmt: skip
        elif packed is not None:
            items += np.frombuffer(part, packed).tolist()
        else:
            place = 0
            while place < len(part):
                value, place = read_varint(part, place)
                items.append(value)
    if kind in (8, 18):
        items = [complex(a, b) for a, b in zip(items[::2], items[1::2], strict=True)]
    if kind in (14, 19):
        values = np.array(items, np.uint16).view(dtype.np)
    elif dtype.np.kind == "i":
        values = np.array(items, np.uint64).view(np.int64).astype(dtype.np)
    else:
        values = np.array(items, dtype.np)
    if len(values) > count or count and not len(values) and items:
        raise ValueError("more values than the shape has room for")
    if not len(values):
        values = np.zeros(1, dtype.np)
    # As in TF, the last value is repeated.
    return np.concatenate([values, np.repeat(values[-1:], max(count - len(values), 0))])[:count].reshape(sizes)
