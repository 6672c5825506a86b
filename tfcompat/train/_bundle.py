"""TensorFlow's checkpoint files: `<prefix>.index`, a table of entries, and `<prefix>.data-?????-of-?????`.

https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/util/tensor_bundle/tensor_bundle.h
"""

import contextlib
import fnmatch
import functools
import glob
import math
import os

import numpy as np

from tfcompat import dtypes
from tfcompat._formats import crc32c
from tfcompat._formats.protobuf import Message, read_varint, varint
from tfcompat._formats.tensors import DataType, TensorShapeProto, shape_of
from tfcompat._formats.whole import Replacing, alone, in_tf_terms, remove_unfinished
from tfcompat.errors import DataLossError, InvalidArgumentError, NotFoundError, OpError, UnimplementedError
from tfcompat.train import _table
from tfcompat.train._slices import TensorSlice, assembled, key_of, message_of, part_of, ranges_of

NEXT = ".next"  # ending of an index that is to take its place later
_INDEX_LIMIT = 1 << 30  # bytes
_QUANTIZED = {11, 12, 13, 15, 16}


class Version(Message):
    """Which versions of TensorFlow wrote a file, and can read it."""

    NAME = "tensorflow.VersionDef"
    FIELDS = ((1, "producer", "int32"), (2, "min_consumer", "int32"))


class _Header(Message):
    """The entry of the index that has no name."""

    NAME = "tensorflow.BundleHeaderProto"
    FIELDS = ((1, "num_shards", "int32"), (2, "endianness", "enum"), (3, "version", Version))


class _Entry(Message):
    """Where a tensor lies, and what it is."""

    NAME = "tensorflow.BundleEntryProto"
    FIELDS = (
        (1, "dtype", DataType), (2, "shape", TensorShapeProto), (3, "shard_id", "int32"), (4, "offset", "int64"),
        (5, "size", "int64"), (6, "crc32c", "fixed32"), (7, "slices", [TensorSlice]),
    )  # fmt: skip


def data_file(prefix, shard, shards):
    """The path of one of the files with the tensors' bytes."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


class Reader:
    """Reads one checkpoint.

    Raises:
      tf.errors.NotFoundError: there is none.
      tf.errors.DataLossError: its index is damaged.
      tf.errors.UnimplementedError: it is of a machine of the other byte order.
    """

    def __init__(self, prefix):
        self._prefix = os.fspath(prefix)
        path = self._prefix + ".index"
        try:
            with open(path, "rb") as file:
                if os.fstat(file.fileno()).st_size > _INDEX_LIMIT:
                    raise DataLossError(None, None, f"{path}: too large for the index of a checkpoint")
                data = file.read(_INDEX_LIMIT)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise NotFoundError(
                None, None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for " + self._prefix,
            ) from None  # fmt: skip
        try:
            table = _table.read(data)
            header = _Header.FromString(table.pop(b""))
            self._shards = header.num_shards
            parts = {key: table.pop(key) for key in list(table) if key[0] == 0}
            self._entries = {key.decode(): _Tensor(value) for key, value in table.items()}
            self._parts = {key: _Tensor(value) for key, value in parts.items()}
        except (ValueError, KeyError) as error:
            raise DataLossError(None, None, f"{path}: {error}") from error
        if header.endianness:
            raise UnimplementedError(None, None, f"{path}: written by a machine of the other byte order")

    def keys(self):
        """Names of the tensors, sorted."""
        return sorted(self._entries)

    def __contains__(self, key):
        return key in self._entries

    def entries(self):
        """(key, message) of all that the index has but its head."""
        keyed = [(key.encode(), tensor) for key, tensor in self._entries.items()]
        return [(key, tensor.message) for key, tensor in (*keyed, *self._parts.items())]

    def files(self):
        """The paths of the files with the tensors' bytes."""
        return [data_file(self._prefix, shard, self._shards) for shard in range(self._shards)]

    def _entry(self, key):
        entry = self._entries.get(key)
        if entry is None:
            raise NotFoundError(None, None, f"Key {key} not found in checkpoint")
        return entry

    def dtype(self, key):
        """DType of a tensor."""
        return self._entry(key).dtype

    def shape(self, key):
        """List of the sizes of a tensor."""
        return list(self._entry(key).shape)

    def read(self, key, ranges=None):
        """A tensor as a NumPy array; one of bytes objects for text.

        Args:
          ranges: of the part that is wanted, see `_slices.parsed`; None for all of it.

        Raises:
          tf.errors.NotFoundError: no such tensor.
          tf.errors.DataLossError: its bytes are damaged.
        """
        entry = self._entry(key)
        if not entry.slices:
            return part_of(self._array(key, entry), ranges)
        parts = []
        for held in map(ranges_of, entry.slices):
            part = self._parts.get(key_of(key, held))
            if part is None or len(held) != len(entry.shape):
                raise DataLossError(None, None, f"{self._prefix}.index: a part of {key} is missing")
            parts.append((held, functools.partial(self._array, key, part)))
        kind = object if entry.dtype is dtypes.string else entry.dtype.np
        return assembled(key, entry.shape, ranges, parts, kind)

    def _array(self, key, entry):
        path = data_file(self._prefix, entry.shard, self._shards)
        try:
            with open(path, "rb") as file:
                end = os.fstat(file.fileno()).st_size
                if not 0 <= entry.shard < self._shards or not 0 <= entry.offset <= entry.offset + entry.size <= end:
                    raise ValueError(f"{key} lies outside of the file")
                file.seek(entry.offset)
                data = file.read(entry.size)
            return entry.array(key, data)
        except OSError as error:
            raise DataLossError(None, None, f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise DataLossError(None, None, f"{path}: {error}") from error


class _Tensor:
    """A tensor of the index.

    Raises:
      ValueError: its entry is damaged.
    """

    def __init__(self, data):
        self.message = entry = _Entry.FromString(data)
        try:
            self.dtype = dtypes.as_dtype(entry.dtype)
        except TypeError:
            raise ValueError(f"a tensor of the unknown type {entry.dtype}") from None
        self.shape = [dim.size for dim in entry.shape.dim]
        self.shard, self.offset, self.size, self.crc = entry.shard_id, entry.offset, entry.size, entry.crc32c
        self.slices = entry.slices

    def array(self, key, data):
        count = math.prod(self.shape)
        if self.dtype is dtypes.string:
            return _texts(key, data, self.shape, count, self.crc)
        kind = self.dtype.np
        if kind is None or count * kind.itemsize != len(data):
            raise ValueError(f"{key} is of {self.dtype.name}{self.shape}, but has {len(data)} bytes")
        if crc32c.masked(data) != self.crc:
            raise ValueError(f"Checksum does not match for {key}")
        return np.frombuffer(data, kind).reshape(self.shape).copy()


def _texts(key, data, shape, count, crc):
    if count > len(data):
        raise ValueError(f"{key} has more texts than bytes")
    place, sizes, sum_ = 0, [], 0
    for _ in range(count):
        size, place = read_varint(data, place)
        sizes.append(size)
        sum_ = crc32c.extend(sum_, size.to_bytes(4 if size < 1 << 32 else 8, "little"))
    stored = data[place : place + 4]
    place += 4
    if place + sum(sizes) != len(data) or crc32c.mask(sum_) != int.from_bytes(stored, "little"):
        raise ValueError(f"the lengths of the texts of {key} do not fit")
    if crc32c.mask(crc32c.extend(crc32c.extend(sum_, stored), data[place:])) != crc:
        raise ValueError(f"Checksum does not match for {key}")
    result = np.empty(count, object)
    for i, size in enumerate(sizes):
        result[i] = bytes(data[place : place + size])
        place += size
    return result.reshape(shape)


def _text_bytes(array):
    """(bytes, checksum) of an array of bytes objects."""
    flat = [bytes(x) for x in array.ravel().tolist()]
    sum_ = 0
    for x in flat:
        sum_ = crc32c.extend(sum_, len(x).to_bytes(4 if len(x) < 1 << 32 else 8, "little"))
    stored = crc32c.mask(sum_).to_bytes(4, "little")
    data = b"".join(flat)
    crc = crc32c.mask(crc32c.extend(crc32c.extend(sum_, stored), data))
    return b"".join(varint(len(x)) for x in flat) + stored + data, crc


def write(prefix, tensors, parts=(), in_place=True):
    """Writes a checkpoint. At any moment the prefix names the old one or the new one, complete.

    Args:
      prefix: path without the endings of the files.
      tensors: dict from names to (DType, NumPy array).
      parts: (name, sizes of the whole tensor, ranges, DType, NumPy array) of each part of a tensor.
      in_place: False if the old checkpoint is to stay until the new index, whose name ends in `NEXT`, takes its place;
        then comes `remove_others`.

    Raises:
      tf.errors.UnimplementedError: a type that has no bytes.
      tf.errors.OpError: a file cannot be written.
    """
    prefix = os.fspath(prefix)
    folder = os.path.dirname(prefix)
    with in_tf_terms(prefix), alone(folder):
        # A checkpoint that is replaced has data files of another name, so its index stays valid until the new one is
        # there.
        shards = 2 if _shards_of(prefix) == 1 else 1
        data = data_file(prefix, 0, shards)
        header = _Header(num_shards=shards, version=Version(producer=1))
        with Replacing(data) as file:
            whole = {name.encode(): tensor for name, tensor in tensors.items()}
            whole |= {key_of(name, ranges): rest for name, _, ranges, *rest in parts}
            items = {b"": header, **dict(_put(file, whole))}
        for name, sizes, ranges, dtype, _ in parts:
            entry = _Entry(dtype=dtype.as_datatype_enum, shape=shape_of(sizes))
            items.setdefault(name.encode(), entry).slices.append(message_of(ranges))
        with Replacing(f"{prefix}.index{'' if in_place else NEXT}") as file:
            _write_index(file, items)
        if in_place:
            remove_others(prefix)


def _write_index(file, items):
    file.write(_table.written([(key, items[key].SerializeToString()) for key in sorted(items)]))


def merge(prefixes, destination):
    """Makes one checkpoint of several; their files of tensors become its files.

    Raises:
      tf.errors.NotFoundError: one is not there.
      tf.errors.InvalidArgumentError: two have the same tensor, whole.
    """
    items, files = {}, []
    for prefix in prefixes:
        reader = Reader(prefix)
        for key, entry in reader.entries():
            entry.shard_id += len(files)
            if key in items and not (entry.slices and items[key].slices):
                raise InvalidArgumentError(None, None, f"Duplicate tensor keyed by {key.decode()} encountered")
            if key in items:
                items[key].slices.extend(entry.slices)
            else:
                items[key] = entry
        files += reader.files()
    items[b""] = _Header(num_shards=len(files), version=Version(producer=1))
    with in_tf_terms(destination), alone(os.path.dirname(destination)):
        for shard, path in enumerate(files):
            os.replace(path, data_file(destination, shard, len(files)))
        with Replacing(destination + ".index") as file:
            _write_index(file, items)
        for prefix in prefixes:
            if prefix != destination:
                os.remove(prefix + ".index")


def _put(file, tensors):
    """Writes the bytes of tensors, and yields their keys and entries of the index."""
    offset = 0
    for name in sorted(tensors):
        dtype, array = tensors[name]
        if dtype.np is None or dtype.as_datatype_enum in _QUANTIZED:
            raise UnimplementedError(None, None, f"{name.decode()}: {dtype.name} cannot be written to checkpoints")
        if dtype is dtypes.string:
            data, crc = _text_bytes(array)
        else:
            data = np.ascontiguousarray(array).astype(dtype.np.newbyteorder("="), copy=False).tobytes()
            crc = crc32c.masked(data)
        file.write(data)
        entry = _Entry(dtype=dtype.as_datatype_enum, shape=shape_of(array.shape), offset=offset, size=len(data),
                       crc32c=crc)  # fmt: skip
        yield name, entry
        offset += len(data)


def remove_others(prefix):
    """Removes the files of checkpoints that the one at `prefix` has replaced, and of saves that were killed."""
    shards = _shards_of(prefix)
    if shards is None:
        return
    folder, name = os.path.split(prefix)
    current = {os.path.basename(data_file(name, shard, shards)) for shard in range(shards)}
    of_data = f"{glob.escape(name)}.data-?????-of-?????"
    for file_name in os.listdir(folder or "."):
        if fnmatch.fnmatchcase(file_name, of_data) and file_name not in current:
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(folder, file_name))
    written = [f"{name}.index", f"{name}.index{NEXT}", *(os.path.basename(data_file(name, 0, n)) for n in (1, 2))]
    remove_unfinished(folder, written)


def _shards_of(prefix):
    """The number of data files of the checkpoint that is there; None without one."""
    try:
        return Reader(prefix)._shards
    except OpError:
        return None
