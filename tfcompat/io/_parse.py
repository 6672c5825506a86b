"""`tf.io.parse_example` and its relatives: features of serialized `tf.train.Example`s as tensors."""

import collections
import math
from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._core import trial
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.shape import TensorShape
from tfcompat._core.stacks import RaggedRows, SparseRows
from tfcompat._core.steps import sizes_of, step
from tfcompat._formats.examples import BytesList, FloatList, Int64List
from tfcompat._formats.protobuf import Message, read_varint
from tfcompat.errors import InvalidArgumentError
from tfcompat.io import _alike
from tfcompat.io._files import text_scalar
from tfcompat.io._ragged_feature import RaggedFeature, inner_partitions, partitioned
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse import SparseTensor
from tfcompat.strings._elementwise import ADVICE

MALFORMED = (ValueError, TypeError, AttributeError, OverflowError, IndexError)
_DTYPES = {"bytes_list": dtypes.string, "float_list": dtypes.float32, "int64_list": dtypes.int64}


# The messages of `tf.train.Example` with features as bytes, which are decoded only if a program asks for them.


class _Feature(Message):
    NAME = "tensorflow.Feature"
    FIELDS = (
        (1, "bytes_list", "bytes", "kind"), (2, "float_list", "bytes", "kind"), (3, "int64_list", "bytes", "kind"),
    )  # fmt: skip


class SerializedFeatures(Message):
    NAME = "tensorflow.Features"
    FIELDS = ((1, "feature", {"string": "bytes"}),)


class _Example(Message):
    NAME = "tensorflow.Example"
    FIELDS = ((1, "features", SerializedFeatures),)


class FixedLenFeature(collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """A feature of a known shape. TF: `tf.io.FixedLenFeature`."""

    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, dtype, default_value)


class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
    """A feature of any length, a sparse tensor. TF: `tf.io.VarLenFeature`."""


class FixedLenSequenceFeature(
    collections.namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])
):
    """A sequence of values of a known shape, filled up to the longest. TF: `tf.io.FixedLenSequenceFeature`."""

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


class SparseFeature(
    collections.namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])
):
    """A sparse tensor made of features of indices and of values. TF: `tf.io.SparseFeature`."""

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


def _serialized_features(data) -> dict:
    """name -> serialized Feature of a serialized Example."""
    try:
        features = _features_in_usual_form(data)
    except IndexError:
        features = None
    return _Example.FromString(data).features.feature if features is None else features


def _features_in_usual_form(data):
    """The same if each name is stored before its feature, in half the codec's time; otherwise None, or IndexError."""
    features, at, end = {}, 0, len(data)
    while at < end:
        if data[at] != 0x0A:
            return None
        size, at = _length(data, at + 1)
        stop = at + size
        if stop > end:
            return None
        while at < stop:
            if data[at] != 0x0A:
                return None
            size, at = _length(data, at + 1)
            last = at + size
            if data[at] != 0x0A:
                return None
            size, at = _length(data, at + 1)
            name = data[at : at + size]
            at += size
            if data[at] != 0x12:
                return None
            size, at = _length(data, at + 1)
            if at + size != last or last > stop:
                return None
            features[name.decode()] = data[at:last]
            at = last
    return features


def _length(data, at):
    """(number, next place) of a varint."""
    first = data[at]
    return (first, at + 1) if first < 0x80 else read_varint(data, at)


_TAGS = {0x0A: "bytes_list", 0x12: "float_list", 0x1A: "int64_list"}


def _only_part(data):
    """What the first field holds, if a message of one field of bytes is nothing else; otherwise None."""
    if len(data) > 1:
        size, at = _length(data, 1)
        if at + size == len(data):
            return data[at:]
    return None


def _kind_and_list(feature):
    """(name of the kind, serialized list) of a serialized Feature; (None, None) if it holds none."""
    if feature and feature[0] in _TAGS:
        part = _only_part(feature)
        if part is not None:
            return _TAGS[feature[0]], part
    message = _Feature.FromString(feature)
    kind = message.WhichOneof("kind")
    return kind, kind and getattr(message, kind)


def values_of(feature, key, dtype, example) -> Any:
    """The values of a serialized Feature as a NumPy array; None if it holds none.

    Raises:
      tf.errors.InvalidArgumentError: it is of another dtype.
    """
    try:
        kind, data = _kind_and_list(feature)
        values = None if kind is None else _READERS[kind](data)
    except MALFORMED as error:
        raise InvalidArgumentError(
            None, None, f"Could not parse example input, key: {key}: {error} (example {example})"
        ) from None
    if kind is None:
        return None
    if _DTYPES[kind] is not dtype:
        raise InvalidArgumentError(
            None, None,
            f"Key: {key}.  Data types don't match. Data type: {_DTYPES[kind].name} but expected type: {dtype.name}"
            f" (example {example})",
        )  # fmt: skip
    return values


# Nearly all features hold packed numbers or one string. These are read without the codec.


def _floats(data):
    """The numbers of a serialized FloatList."""
    part = _only_part(data) if data[:1] == b"\n" else None
    if part is not None and not len(part) % 4:
        return np.frombuffer(part, "<f4")
    return np.array(FloatList.FromString(data).value, np.float32)


def _integers(data):
    """The numbers of a serialized Int64List."""
    part = _only_part(data) if data[:1] == b"\n" else None
    if part and max(part) < 0x80:
        return np.frombuffer(part, np.uint8).astype(np.int64)
    return np.array(Int64List.FromString(data).value, np.int64)


def _strings(data):
    """The items of a serialized BytesList."""
    part = _only_part(data) if data[:1] == b"\n" else None
    items = BytesList.FromString(data).value if part is None else [part]
    array = np.empty(len(items), object)
    array[:] = items
    return array


_READERS = {"bytes_list": _strings, "float_list": _floats, "int64_list": _integers}


def in_order(features):
    """The keys as TF's results have them: by what is made of a feature, then by name."""
    kinds = (VarLenFeature, (FixedLenFeature, FixedLenSequenceFeature), RaggedFeature)
    ranks = {
        key: (next((i for i, kind in enumerate(kinds) if isinstance(feature, kind)), len(kinds)),
              isinstance(feature, RaggedFeature) and feature.value_key not in (None, key))
        for key, feature in features.items()
    }  # fmt: skip
    return sorted(features, key=lambda key: (ranks[key], key))


def checked_features(features):
    """The features with dtypes; ValueError, TypeError as TF raises them.

    A dataset parses each element by the same features, so those of the last call are kept.
    """
    global _last_checked
    if type(features) is not dict:
        return _checked_anew(features)
    shapes = [getattr(x, "shape", None) for x in features.values()]
    told = [*features, *map(id, features.values()), *[tuple(x) if type(x) is list else None for x in shapes]]
    known, checked, _ = _last_checked
    if known != told or not features:
        checked = _checked_anew(features)
        _last_checked = told, checked, list(features.values())
    return checked


_last_checked: tuple = None, None, None  # what tells features apart, these as they were checked, and as they were given


def _checked_anew(features):
    if not features:
        raise ValueError(f"Argument `features` cannot be {'None' if features is None else 'empty'}.")
    checked = {}
    for key in in_order(features):
        feature = features[key]
        kinds = (FixedLenFeature, VarLenFeature, FixedLenSequenceFeature, SparseFeature, RaggedFeature)
        if not isinstance(feature, kinds):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")
        if feature.dtype is None:
            raise ValueError(f"Missing type for feature {key}. ")
        dtype = dtypes.as_dtype(feature.dtype)
        if dtype not in (dtypes.string, dtypes.float32, dtypes.int64):
            raise InvalidArgumentError(
                None, None, f"Feature {key}: dtype {dtype.name} is none of float32, int64, string"
            )
        if isinstance(feature, FixedLenFeature) and feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. ")
        if isinstance(feature, FixedLenFeature) and not TensorShape(feature.shape).is_fully_defined():
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature."
            )
        if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
            raise ValueError(
                f"Unsupported: FixedLenSequenceFeature requires allow_missing to be True. key: {key}"
            )
        checked[key] = feature._replace(dtype=dtype)
    return checked


def _default(feature, key):
    """The array of the default value, or None."""
    if feature.default_value is None:
        return None
    shape = [] if isinstance(feature, FixedLenSequenceFeature) else TensorShape(feature.shape).as_list()
    value = convert_to_tensor(feature.default_value, feature.dtype)._value()
    if value.size == 1 and list(value.shape) != shape:
        value = np.broadcast_to(value.reshape(()), shape)
    if list(value.shape) != shape:
        raise ValueError(f"feature {key}: the default value has shape {list(value.shape)}, expected {shape}")
    return value


def parsed(examples, features):
    """The features of lists of serialized features, by name, as a batch."""
    return {key: _batch_of(examples, key, feature) for key, feature in features.items()}


def _batch_of(examples, key, feature):
    if isinstance(feature, FixedLenFeature):
        return _fixed(examples, key, feature)
    if isinstance(feature, SparseFeature):
        return _sparse(examples, key, feature)
    rows = _rows_of(examples, key, feature)
    if isinstance(feature, FixedLenSequenceFeature):
        return _sequences(rows, key, feature)
    if getattr(feature, "partitions", ()):
        return _partitioned(rows, examples, key, feature)
    rows = [*map(trial.current().sized, rows)]
    flat, lengths = _joined(rows, feature.dtype)
    if isinstance(feature, RaggedFeature):
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(dtypes.as_dtype(feature.row_splits_dtype).np)
        return RaggedTensor.from_row_splits(host_constant(flat), convert_to_tensor(splits))
    indices = np.stack([np.repeat(np.arange(len(rows)), lengths), places_in_rows(lengths)], 1)
    return SparseTensor(indices, host_constant(flat), [len(rows), int(max(lengths, default=0))])


def _partitioned(rows, examples, key, feature):
    """The values of a RaggedFeature that is divided by other features, a row for each example."""
    return partitioned(rows, key, feature, lambda name: _rows_of(examples, name, VarLenFeature(dtypes.int64)))


def _rows_of(examples, key, feature):
    """The values of a feature of any length, an array for each example."""
    name, rows = getattr(feature, "value_key", None) or key, []
    for i, example in enumerate(examples):
        values = values_of(example[name], name, feature.dtype, i) if name in example else None
        rows.append(np.empty(0, feature.dtype.np or object) if values is None else values)
    return rows


def _joined(rows, dtype):
    """All values of some rows, and the lengths of the rows."""
    return np.concatenate([*rows, np.empty(0, dtype.np)]), np.array([len(row) for row in rows], np.int64)


def places_in_rows(lengths):
    """The numbers from 0 on in each row of these lengths, one after the other."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def stack_of(examples, key, feature):
    """The features of examples that are parsed one by one, as a stack of their results; see `_core/stacks.py`."""
    if isinstance(feature, FixedLenFeature):
        return _fixed(examples, key, feature)
    if isinstance(feature, SparseFeature):
        places, values, lengths = _sparse_parts(examples, key, feature)
        sizes = np.array(_sizes_of(feature), np.int64)
        return SparseRows(places, values, lengths, np.broadcast_to(sizes, (len(examples), len(sizes))))
    rows = _rows_of(examples, key, feature)
    if getattr(feature, "partitions", ()):
        whole = _partitioned(rows, examples, key, feature)
        is_ragged = bool(inner_partitions(feature)[0])
        return whole if is_ragged else RaggedRows(whole.flat_values._value(), whole.lengths())
    flat, lengths = _joined(rows, feature.dtype)
    if isinstance(feature, VarLenFeature):
        return SparseRows(places_in_rows(lengths)[:, None], flat, lengths, lengths[:, None])
    if isinstance(feature, FixedLenSequenceFeature):
        shape, each = _each_of_sequence(lengths, key, feature)
        flat, lengths = flat.reshape(-1, *shape), lengths // max(each, 1)
    return RaggedRows(flat, lengths)


def _fixed(examples, key, feature):
    shape = feature.shape
    if type(shape) is not list or not all([type(n) is int for n in shape]):
        shape = TensorShape(shape).as_list()
    default, count = _default(feature, key), math.prod(shape)
    result = np.empty((len(examples), count), feature.dtype.np)
    for i, example in enumerate(examples):
        values = values_of(example[key], key, feature.dtype, i) if key in example else None
        if values is None:
            if default is None:
                raise InvalidArgumentError(
                    None, None,
                    f"Feature: {key} (data type: {feature.dtype.name}) is required but could not be found. "
                    f"(example {i})",
                )  # fmt: skip
            values = default.ravel()
        if len(values) != count:
            raise InvalidArgumentError(
                None, None, f"Key: {key}.  Number of {feature.dtype.name} values != expected.  values size: "
                f"{len(values)} but output shape: {shape} (example {i})"
            )  # fmt: skip
        result[i] = values
    if trial.current().resizes and feature.dtype is dtypes.int64:
        result += 1  # a trial run: integers may be sizes, which differ between its two calls
    return host_constant(result.reshape(len(examples), *shape))


def _each_of_sequence(lengths, key, feature):
    """The shape of an item of a sequence, and how many values it has."""
    shape = TensorShape(feature.shape).as_list()
    each = math.prod(shape)
    if each and (lengths % each).any():
        raise InvalidArgumentError(None, None, f"Key: {key}. Number of values is not a multiple of {each}")
    return shape, each


def _sequences(rows, key, feature):
    lengths = np.array([len(row) for row in rows], np.int64)
    shape, each = _each_of_sequence(lengths, key, feature)
    default = _default(feature, key)
    if default is None:
        default = b"" if feature.dtype is dtypes.string else 0
    most = int(lengths.max(initial=0)) + each * trial.current().resizes
    result = np.empty((len(rows), most), feature.dtype.np)
    result[:] = default
    for i, row in enumerate(rows):
        result[i, : len(row)] = row
    return host_constant(result.reshape(len(rows), most // each if each else 0, *shape))


def _sizes_of(feature):
    return [feature.size] if isinstance(feature.size, int) else list(feature.size)


def _sparse(examples, key, feature):
    places, values, lengths = _sparse_parts(examples, key, feature)
    indices = np.concatenate([np.repeat(np.arange(len(examples)), lengths)[:, None], places], 1)
    return SparseTensor(indices, host_constant(values), [len(examples), *_sizes_of(feature)])


def _sparse_parts(examples, key, feature):
    """Indices within their examples, values, and how many of them each example has."""
    keys = _listed(feature.index_key)
    columns = [[] for _ in (*keys, feature.value_key)]
    for i, example in enumerate(examples):
        row = [
            values_of(example[name], name, dtype, i) if name in example else None
            for name, dtype in (*((name, dtypes.int64) for name in keys), (feature.value_key, feature.dtype))
        ]
        row = [np.empty(0, np.int64) if part is None else part for part in row]
        if any(len(part) != len(row[-1]) for part in row):
            raise InvalidArgumentError(None, None, f"Feature {key}: as many values as indices expected (example {i})")
        for column, part in zip(columns, row, strict=True):
            column.append(part)
    values, lengths = _joined(columns.pop(), feature.dtype)
    places = np.stack([_joined(column, dtypes.int64)[0].astype(np.int64) for column in columns], 1)
    values = values.astype(feature.dtype.np, copy=False)
    if not feature.already_sorted:
        order = np.lexsort([*places.T[::-1], np.repeat(np.arange(len(lengths)), lengths)])
        places, values = places[order], values[order]
    return places, values, lengths


def _examples(serialized, names=None):
    parsed = []
    for i, data in enumerate(serialized):
        try:
            parsed.append(_serialized_features(data))
        except MALFORMED:
            name = f", name: {names[i]}" if names is not None else ""
            raise InvalidArgumentError(None, None, f"Could not parse example input, value: '{data!r}'{name}") from None
    return parsed


def spec_of_feature(new, feature, sizes):
    """What comes of a feature while a function is traced; `sizes` are those of the examples."""
    dtype = feature.dtype
    if isinstance(feature, FixedLenFeature):
        return new([*sizes, *TensorShape(feature.shape).as_list()], dtype)
    if isinstance(feature, FixedLenSequenceFeature):
        return new([*sizes, None, *TensorShape(feature.shape).as_list()], dtype)
    if isinstance(feature, RaggedFeature):
        return ragged_of_feature(new, feature, sizes)
    is_of_size = isinstance(feature, SparseFeature)
    made = unknown_sparse(new, dtype, len(sizes) + (len(_listed(feature.index_key)) if is_of_size else 1))
    if is_of_size:
        made.set_shape([*[None for _ in sizes], *_sizes_of(feature)])
    return made


def ragged_of_feature(new, feature, sizes):
    """What comes of a RaggedFeature; `sizes` are those of the axes outside of its partitions, None if unknown."""
    partitions, inner = inner_partitions(feature)
    value = new([None, *inner], feature.dtype)
    for partition in partitions[::-1]:
        splits = new([None], feature.row_splits_dtype)
        value = RaggedTensor._of(value, splits, uniform=getattr(partition, "length", None))
    for size in sizes[::-1]:
        value = RaggedTensor._of(value, new([None if size is None else size + 1], feature.row_splits_dtype))
    return value


def unknown_sparse(new, dtype, rank):
    indices = new([None, rank], dtypes.int64)
    return SparseTensor(indices, new(indices._node.aval.shape[:1], dtype), new([rank], dtypes.int64))


def _listed(value):
    return [value] if isinstance(value, str) else list(value)


def _specs(new, serialized, features, *args, **kwargs):
    sizes = sizes_of(serialized)
    if len(sizes) > 1:
        return NotImplemented
    return {key: spec_of_feature(new, one, sizes) for key, one in checked_features(features).items()}


def _of_stack(serialized, features, example_names=None, name=None):
    """The features of single examples, stacked."""
    features = checked_features(features)
    if all(isinstance(f, FixedLenFeature) for f in features.values()):
        return parse_example(serialized, features)
    examples = _examples(known_values(serialized, ADVICE).tolist())
    return {key: stack_of(examples, key, feature) for key, feature in features.items()}


@step("ParseExampleV2", _specs)
def parse_example(serialized, features, example_names=None, name=None):
    """Features of serialized examples, as batches.

    Args:
      serialized: text vector.
      features: dict from names to `FixedLenFeature`, `VarLenFeature`, `FixedLenSequenceFeature`, `SparseFeature`,
        `RaggedFeature`.
      example_names: text vector, for messages.
      name: ignored.

    Returns:
      Dict from names to tensors, of the length of `serialized` in their first dimension; sparse and ragged tensors for
      features of any length.

    Raises:
      ValueError: unfit `features`.
      tf.errors.InvalidArgumentError: something that is no example; one without a feature, or with another dtype or
        number of values.

    TF: `tf.io.parse_example`; a scalar is parsed as by `parse_single_example`.
    """
    features = checked_features(features)
    array = known_values(convert_to_tensor(serialized, dtypes.string), ADVICE)
    if array.ndim == 0:
        return parse_single_example(serialized, features, example_names)
    if array.ndim != 1:
        raise InvalidArgumentError(None, None, "Input serialized must be a scalar or vector")
    names = None if example_names is None else known_values(convert_to_tensor(example_names)).tolist()
    examples = array.tolist()
    if all(isinstance(f, FixedLenFeature) and f.dtype is not dtypes.string for f in features.values()):
        dense = _alike.parsed(examples, features)
        if dense is not None:
            return {key: host_constant(value) for key, value in dense.items()}
    return parsed(_examples(examples, names), features)


@step("ParseSingleExample", _specs, of_stack=_of_stack)
def parse_single_example(serialized, features, example_names=None, name=None):
    """Features of one serialized example.

    Args:
      serialized: text scalar.
      features: as of `parse_example`.
      example_names: text scalar, for messages.
      name: ignored.

    Returns:
      Dict from names to tensors, without a dimension for examples.

    Raises:
      As `parse_example`.

    TF: `tf.io.parse_single_example`.
    """
    features = checked_features(features)
    data = text_scalar(serialized, "serialized")
    batch = parsed(_examples([data]), features)
    return {key: without_batch(value, features[key]) for key, value in batch.items()}


def without_batch(value, feature):
    if isinstance(value, SparseTensor):
        shape = value.dense_shape.numpy()[1:]
        return SparseTensor(value.indices.numpy()[:, 1:], host_constant(value.values._value()), shape)
    if isinstance(value, RaggedTensor):
        return value.values
    return host_constant(value._value()[0, ...])
