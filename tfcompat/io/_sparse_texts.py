"""Sparse tensors as texts: three serialized TensorProtos each, of the places, the values and the shape."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat.array import concat, gather, stack
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.io._decode import parse_tensor, serialize_tensor
from tfcompat.sparse import SparseTensor
from tfcompat.sparse._tensor import as_sparse
from tfcompat.strings._elementwise import ADVICE


def serialize_sparse(sp_input, out_type=dtypes.string, name=None):
    """A sparse tensor as three texts.

    Args:
      sp_input: SparseTensor, whose values are known.
      out_type: tf.string.
      name: ignored.

    Returns:
      Text vector of 3: the serialized indices, values and dense shape.

    Raises:
      TypeError: `sp_input` is no SparseTensor.
      tf.errors.UnimplementedError: another `out_type`.

    TF: `tf.io.serialize_sparse`; the same bytes.
    """
    sparse = as_sparse(sp_input)
    _only_text(out_type, "serialize_sparse")
    return _serialized(sparse.places(), sparse.values, sparse.sizes())


def serialize_many_sparse(sp_input, out_type=dtypes.string, name=None):
    """Each row of a sparse tensor as three texts.

    Args:
      sp_input: SparseTensor of rank 2 or more, whose values are known.
      out_type: tf.string.
      name: ignored.

    Returns:
      Text tensor of shape [n, 3], where n is the first size of `sp_input`.

    Raises:
      TypeError: `sp_input` is no SparseTensor.
      tf.errors.InvalidArgumentError: its rank is below 2.
      tf.errors.UnimplementedError: another `out_type`.

    TF: `tf.io.serialize_many_sparse`; the same bytes.
    """
    sparse = as_sparse(sp_input)
    _only_text(out_type, "serialize_many_sparse")
    places, sizes = sparse.places(), sparse.sizes()
    if len(sizes) < 2:
        raise InvalidArgumentError(None, None, f"Rank of input SparseTensor should be > 1, but saw rank: {len(sizes)}")
    rows = []
    for row in range(sizes[0]):
        chosen = np.flatnonzero(places[:, 0] == row)
        rows.append(_serialized(places[chosen, 1:], gather(sparse.values, host_constant(chosen)), sizes[1:]))
    return stack(rows)


def _serialized(places, values, sizes):
    parts = host_constant(places), values, host_constant(np.array(sizes, np.int64))
    return stack([serialize_tensor(part) for part in parts])


def _only_text(out_type, function):
    if dtypes.as_dtype(out_type) != dtypes.string:
        raise UnimplementedError(None, None, f"tf.io.{function}: out_type must be tf.string, got {out_type}")


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """Sparse tensors, stacked along new first axes.

    Args:
      serialized_sparse: text tensor of shape [..., 3], from `serialize_many_sparse` or `serialize_sparse`.
      dtype: of the values.
      rank: of one of them, or None; not needed.
      name: ignored.

    Returns:
      SparseTensor; its other sizes are the largest of each.

    Raises:
      tf.errors.InvalidArgumentError: another shape, damaged texts, or values of another dtype.

    TF: `tf.io.deserialize_many_sparse`; no known difference.
    """
    texts = known_values(convert_to_tensor(serialized_sparse), ADVICE)
    if texts.ndim < 1 or texts.shape[-1] != 3 or not texts.size:
        raise InvalidArgumentError(
            None, None, f"Serialized sparse must have 3 as the last dimension, got shape {list(texts.shape)}"
        )
    indices, values, shapes = [], [], []
    for at in np.ndindex(texts.shape[:-1]):
        kinds = (dtypes.int64, dtype, dtypes.int64)
        places, items, shape = (parse_tensor(text, kind) for text, kind in zip(texts[at], kinds, strict=True))
        places = known_values(places)
        indices.append(np.concatenate([np.tile(np.array(at, np.int64), (len(places), 1)), places], 1))
        values.append(items)
        shapes.append(static_value(shape))
    sizes = np.array([*texts.shape[:-1], *np.max(shapes, 0)], np.int64)
    return SparseTensor(host_constant(np.concatenate(indices)), concat(values, 0), host_constant(sizes))
