"""Checkpoints as TensorFlow wrote them before 0.12: tables of tensors, and parts of tensors.

https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/util/saved_tensor_slice.proto
"""

import glob
import os

from tfcompat import dtypes
from tfcompat._formats.protobuf import Message
from tfcompat._formats.tensors import DataType, TensorProto, TensorShapeProto, array_of, proto_of, shape_of
from tfcompat._formats.whole import Replacing, in_tf_terms
from tfcompat.errors import DataLossError, NotFoundError
from tfcompat.train import _table
from tfcompat.train._bundle import Reader, Version
from tfcompat.train._slices import TensorSlice, assembled, key_of, message_of, ranges_of


class _SliceMeta(Message):
    NAME = "tensorflow.SavedSliceMeta"
    FIELDS = ((1, "name", "string"), (2, "shape", TensorShapeProto), (3, "type", DataType), (4, "slice", [TensorSlice]))


class _Meta(Message):
    NAME = "tensorflow.SavedTensorSliceMeta"
    FIELDS = ((1, "tensor", [_SliceMeta]), (2, "versions", Version))


class _Slice(Message):
    NAME = "tensorflow.SavedSlice"
    FIELDS = ((1, "name", "string"), (2, "slice", TensorSlice), (3, "data", TensorProto))


class _Slices(Message):
    NAME = "tensorflow.SavedTensorSlices"
    FIELDS = ((1, "meta", _Meta), (2, "data", _Slice))


def write(path, parts):
    """Writes a checkpoint of one file.

    Args:
      path: of the file.
      parts: (name, sizes of the whole tensor, ranges, DType, NumPy array) of each part.
    """
    metas, items = {}, []
    for name, sizes, ranges, dtype, array in parts:
        meta = metas.setdefault(
            name, _SliceMeta(name=name, shape=shape_of(sizes), type=dtype.as_datatype_enum)
        )  # fmt: skip
        meta.slice.append(message_of(ranges))
        data = proto_of(array, dtype, in_list=True)
        data.ClearField("dtype")
        data.ClearField("tensor_shape")
        piece = _Slices(data=_Slice(name=name, slice=message_of(ranges), data=data))
        items.append((key_of(name, ranges), piece.SerializeToString()))
    meta = _Slices(meta=_Meta(tensor=list(metas.values()), versions=Version(producer=1)))
    with in_tf_terms(path), Replacing(path) as file:
        file.write(_table.written([(b"", meta.SerializeToString()), *sorted(items)]))


class EarlyReader:
    """Reads the checkpoint in all files of a pattern; as `Reader`."""

    def __init__(self, pattern):
        paths = sorted(glob.glob(pattern)) or ([pattern] if os.path.exists(pattern) else [])
        if not paths:
            raise NotFoundError(
                None, None,
                f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {pattern}",
            )  # fmt: skip
        self._metas, self._parts = {}, {}
        for path in paths:
            try:
                with open(path, "rb") as file:
                    table = _table.read(file.read())
                for meta in _Slices.FromString(table.pop(b"")).meta.tensor:
                    self._metas[meta.name] = meta
                    for message in meta.slice:
                        data = table.get(key_of(meta.name, ranges_of(message)))
                        if data is None:
                            raise ValueError(f"a part of {meta.name} is missing")
                        self._parts.setdefault(meta.name, []).append((ranges_of(message), data))
            except (ValueError, KeyError, OSError) as error:
                raise DataLossError(None, None, f"Unable to open table file {path}: {error}") from error

    def keys(self):
        """Names of the tensors, sorted."""
        return sorted(self._metas)

    def __contains__(self, key):
        return key in self._metas

    def _meta(self, key):
        if key not in self._metas:
            raise NotFoundError(None, None, f'Tensor name "{key}" not found in checkpoint files')
        return self._metas[key]

    def dtype(self, key):
        """DType of a tensor."""
        return dtypes.as_dtype(self._meta(key).type)

    def shape(self, key):
        """List of the sizes of a tensor."""
        return [dim.size for dim in self._meta(key).shape.dim]

    def read(self, key, ranges=None):
        """A tensor, or a part of it, as a NumPy array."""
        sizes, dtype = self.shape(key), self.dtype(key)

        def part(held, data):
            proto = _Slices.FromString(data).data.data
            proto.dtype = dtype.as_datatype_enum
            shape = [size if each is None else each[1] for each, size in zip(held, sizes, strict=True)]
            proto.tensor_shape.CopyFrom(shape_of(shape))
            return array_of(proto, dtype)

        parts = [(held, lambda held=held, data=data: part(held, data)) for held, data in self._parts[key]]
        try:
            return assembled(key, sizes, ranges, parts, object if dtype is dtypes.string else dtype.np)
        except ValueError as error:
            raise DataLossError(None, None, f"{key}: {error}") from error


def open_checkpoint(prefix):
    """The reader of a checkpoint of either form.

    Raises:
      tf.errors.NotFoundError: there is none.
      tf.errors.DataLossError: it is damaged.
    """
    prefix = os.fspath(prefix)
    is_early = not os.path.exists(prefix + ".index") and os.path.isfile(prefix)
    return EarlyReader(prefix) if is_early else Reader(prefix)
