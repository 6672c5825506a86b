"""Text to tensors and back: raw bytes, base64, CSV, serialized tensors, compressed data."""

import base64
import gzip
import zlib

import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, sized_by_values, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.steps import like_first, sizes_of, step
from tfcompat._formats.tensors import TensorProto, array_of, proto_of
from tfcompat.errors import DataLossError, InvalidArgumentError
from tfcompat.io._files import text, text_scalar
from tfcompat.strings._elementwise import ADVICE, mapped


def _texts(value):
    return known_values(convert_to_tensor(value, dtypes.string), ADVICE)


def _numbers(new, input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    dtype = dtypes.as_dtype(out_type)
    count = None if fixed_length is None else int(static_value(fixed_length)) // dtype.size
    return new([*sizes_of(input_bytes), count], dtype)


@step("DecodeRaw", _numbers, of_stack=True)
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


@takes_composites("tf.io.decode_base64")
@step("DecodeBase64", like_first(dtypes.string), of_stack=True)
def decode_base64(input, name=None):
    """Web-safe base64 text, decoded.

    Raises:
      tf.errors.InvalidArgumentError: it is malformed.
    """

    def decoded(item):
        try:
            return base64.b64decode(item.rstrip(b"=") + b"=" * (-len(item.rstrip(b"=")) % 4), b"-_", validate=True)
        except ValueError:
            raise when_run("Invalid character found in base64.") from None

    return mapped(decoded, _texts(input))


@takes_composites("tf.io.encode_base64")
@step("EncodeBase64", like_first(dtypes.string), of_stack=True)
def encode_base64(input, pad=False, name=None):
    """Text in web-safe base64, filled up with `=` if it is to `pad`."""
    return mapped(
        lambda item: base64.urlsafe_b64encode(item) if pad else base64.urlsafe_b64encode(item).rstrip(b"="),
        _texts(input),
    )


@takes_composites("tf.io.decode_compressed")
@step("DecodeCompressed", lambda new, bytes, *args, **kwargs: new(sizes_of(bytes), dtypes.string))
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
    separator = delimiter.encode()
    if not quotes or b'"' not in line:
        return line.split(separator)
    items, place, size = [], 0, len(line)
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
            if place < size and line[place : place + 1] != separator:
                raise InvalidArgumentError(None, None, _UNENDED)
            items.append(bytes(item))
        else:
            end = line.find(separator, place)
            end = size if end < 0 else end
            item = line[place:end]
            if b'"' in item:
                raise InvalidArgumentError(None, None, "Unquoted fields cannot have quotes/CRLFs inside")
            items.append(item)
            place = end
        if place >= size:
            return items
        place += 1
        if place == size:
            return [*items, b""]


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
    defaults = []
    for default in record_defaults:
        if isinstance(default, dtypes.DType) or isinstance(default, type) and issubclass(default, np.generic):
            defaults.append((dtypes.as_dtype(default), None))
            continue
        tensor = convert_to_tensor(default)
        if tensor.dtype not in (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string):
            raise InvalidArgumentError(None, None, f"a CSV column of {tensor.dtype.name}")
        values = tensor._value().ravel()
        if tensor.shape.rank and tensor.shape.rank > 1 or values.size > 1:
            raise InvalidArgumentError(None, None, "Each default should be at most a scalar.")
        defaults.append((tensor.dtype, values[0] if values.size else None))
    return defaults


def _columns(new, records, record_defaults, *args, **kwargs):
    return [new(sizes_of(records), dtype) for dtype, _ in csv_defaults(record_defaults)]


@step("DecodeCSV", _columns, of_stack=True)
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
        row_values = csv_row(line, columns, field_delim, use_quote_delim, na_value, select_cols, row)
        for column, value in enumerate(row_values):
            values[column][row] = value
    return [host_constant(column.reshape(array.shape)) for column in values]


def csv_row(line, columns, delimiter, quotes, na_value, select_cols, row):
    """The values of a line."""
    items = split_csv(line, delimiter, quotes)
    if select_cols is not None:
        items = [items[i] for i in select_cols if i < len(items)]
    if len(items) != len(columns):
        raise InvalidArgumentError(None, None, f"Expect {len(columns)} fields but have {len(items)} in record {row}")
    values, missing = [], na_value.encode() if isinstance(na_value, str) else na_value
    for number, (item, (dtype, default)) in enumerate(zip(items, columns, strict=True)):
        if not item or item == missing:
            if default is None:
                raise InvalidArgumentError(
                    None, None, f"Field {number} is required but missing in record {row}!"
                )
            values.append(default)
        else:
            values.append(csv_value(item, dtype, row, number))
    return values


# --- serialized tensors -------------------------------------------------------------------------------------------

@step("SerializeTensor", lambda new, *args, **kwargs: new([], dtypes.string))
def serialize_tensor(tensor, name=None):
    """A tensor as text: a serialized TensorProto.

    TF: `tf.io.serialize_tensor`; the same bytes for tensors of numbers and text.
    """
    tensor = convert_to_tensor(tensor)
    return text(proto_of(known_values(tensor), tensor.dtype).SerializeToString())


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
        array = array_of(TensorProto.FromString(data), dtype)
    except (ValueError, TypeError, IndexError) as error:
        raise InvalidArgumentError(None, None, f"Could not parse `serialized` as TensorProto: {error}") from None
    return sized_by_values(array)
