"""Tensors, ragged and sparse tensors and values of extension types as stacks of rows: stacked, taken apart, picked."""

import numpy as np

from tfcompat import array, engine, nest, ragged, sparse
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import host_constant
from tfcompat._core.extension_type.types import ExtensionType, batch_spec, decoded, encoded, encoding_specs, row_spec
from tfcompat._core.tensor import Tensor
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.ragged._tensor import RaggedTensor, RaggedTensorSpec
from tfcompat.sparse._tensor import SparseTensor


def stacked(values, spec=None):
    """Tensors, ragged or sparse tensors or batchable values as one, with a new first axis.

    `spec` is that of the batch where more is fixed than the values tell: sizes in a dataset.
    """
    first = values[0]
    if not isinstance(first, ExtensionType):
        return stacked_composites(values) if isinstance(first, CompositeTensor) else array.stack(list(values))
    spec = spec or batch_spec(first, len(values))
    columns = zip(*[nest.flatten(encoded(value)) for value in values], strict=True)
    specs = nest.flatten(encoding_specs(spec))
    parts = [_stacked_as(column, each) for column, each in zip(columns, specs, strict=True)]
    return decoded(spec, nest.pack_sequence_as(encoded(first), parts))


def _stacked_as(column, spec):
    """A part of a batch; rows of what was a ragged tensor become one again."""
    if isinstance(spec, RaggedTensorSpec) and isinstance(column[0], Tensor):
        return ragged.stack(list(column)).with_row_splits_dtype(spec.row_splits_dtype)
    return stacked(column)


def stacked_composites(rows):
    """A batch of composite values."""
    if isinstance(rows[0], SparseTensor):
        parts = [(row.indices._node, row.values._node, row.dense_shape._node) for row in rows]
        if all(node.value is not None for part in parts for node in part):
            return _stacked_sparse([[*map(engine.array_of, part)] for part in parts])
        return sparse.concat(0, [sparse.expand_dims(row, 0) for row in rows], expand_nonconcat_dims=True)
    if isinstance(rows[0], RaggedTensor):
        return ragged.stack(list(rows))
    if isinstance(rows[0], ExtensionType):
        return stacked(rows)
    raise UnimplementedError(None, None, f"batches of {type(rows[0]).__name__} are not available")


def _stacked_sparse(parts):
    """The SparseTensor of (indices, values, dense_shape) of rows; the largest row tells the sizes."""
    indices, values, shapes = zip(*parts, strict=True)
    if len({len(shape) for shape in shapes}) > 1:
        raise InvalidArgumentError(None, None, "SparseTensors of one batch must have the same rank")
    numbers = np.repeat(np.arange(len(parts)), [*map(len, values)])
    places = np.concatenate([numbers[:, None], np.concatenate(indices)], 1)
    return SparseTensor(places, host_constant(np.concatenate(values)), [len(parts), *np.max(shapes, 0).tolist()])


def rows(value):
    """What there is along the first axis of a tensor, ragged or sparse tensor or batchable value."""
    if not isinstance(value, ExtensionType):
        return rows_of(value)
    spec, parts = row_spec(value), encoded(value, 1)
    columns = [rows(x) for x in nest.flatten(parts)]
    return [decoded(spec, nest.pack_sequence_as(parts, list(row))) for row in zip(*columns, strict=True)]


def rows_of(x):
    """The rows of a tensor, RaggedTensor or SparseTensor."""
    if isinstance(x, RaggedTensor):
        return [x[i] for i in range(int(x.nrows()))]
    if isinstance(x, SparseTensor) and x.shape.rank > 1:
        count, *sizes = x.sizes()
        origin = [0] * len(sizes)
        return [sparse.reshape(sparse.slice(x, [i, *origin], [1, *sizes]), sizes) for i in range(count)]
    return array.unstack(x)


def picked(value, indices):
    """The rows of a tensor, ragged or sparse tensor or batchable value at the indices, an array."""
    if isinstance(value, ExtensionType):
        parts = nest.map_structure(lambda x: picked(x, indices), encoded(value, 1))
        return decoded(row_spec(value)._batch(len(indices)), parts)
    if isinstance(value, SparseTensor):
        every = rows(value)
        return stacked([every[i] for i in indices])
    return array.gather(value, indices)
