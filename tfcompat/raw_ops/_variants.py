"""Raw ops of tensors of ragged tensors and of other composite ones, which have the dtype `variant`."""

import numpy as np

from tfcompat import array, dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat.errors import InvalidArgumentError
from tfcompat.ragged._ops import stack
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.raw_ops._registry import raw


class Variants:
    """A tensor of Python objects: an array of them. Indices give parts of it."""

    dtype = dtypes.variant

    def __init__(self, items):
        self.items = items

    @property
    def shape(self):
        """The shape of the array."""
        return self.items.shape

    def __getitem__(self, key):
        chosen = self.items[key]
        return Variants(chosen if isinstance(chosen, np.ndarray) else _array([chosen]).reshape(()))


def _array(objects):
    result = np.empty(len(objects), object)
    result[:] = objects
    return result


def _ragged(splits, values):
    values = convert_to_tensor(values)
    return RaggedTensor.from_nested_row_splits(values, list(splits)) if splits else values


@raw()
def RaggedTensorToVariant(rt_nested_splits, rt_dense_values, batched_input):
    """A ragged tensor as one element, or each of its rows as an element."""
    rows = _ragged(rt_nested_splits, rt_dense_values)
    if batched_input and not rows.shape.rank:
        raise InvalidArgumentError(None, None, "Can't unbatch rank-0 tensor.")
    if not batched_input:
        return Variants(_array([rows]).reshape(()))
    count = rows.nrows() if rt_nested_splits else rows.shape[0]
    return Variants(_array([rows[i] for i in range(int(count))]))


def _rank(item):
    return item.ragged_rank if isinstance(item, RaggedTensor) else 0


@raw()
def RaggedTensorFromVariant(encoded_ragged, input_ragged_rank, output_ragged_rank, Tvalues, Tsplits):
    """The ragged tensor of ragged elements: where the rows begin, and all values."""
    items, outer = encoded_ragged.items, encoded_ragged.items.ndim
    rank = output_ragged_rank - outer if input_ragged_rank == -1 else input_ragged_rank
    if rank < 0 or output_ragged_rank != outer + rank or any(_rank(item) != rank for item in items.flat):
        raise InvalidArgumentError(
            None, None, f"output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); "
            f"output_ragged_rank: {output_ragged_rank}, input_ragged_rank: {rank}, encoded_variant.dims(): {outer}."
        )  # fmt: skip
    if any(item.dtype != Tvalues for item in items.flat):
        raise InvalidArgumentError(None, None, f"Expected values Tensor dtype: {Tvalues.name}")
    if any(item.row_splits.dtype != Tsplits for item in items.flat if rank):
        raise InvalidArgumentError(None, None, f"Expected row_splits Tensor dtype: {Tsplits.name}")
    if not items.size:
        raise InvalidArgumentError(None, None, "encoded_ragged has no elements, so that nothing tells their values")
    rows = stack(list(items.flat), 0) if outer else items.item()
    if not isinstance(rows, RaggedTensor):
        return [], rows
    counts = np.cumprod(items.shape[:-1])
    uniform = [np.arange(count + 1) * size for count, size in zip(counts, items.shape[1:], strict=True)]
    splits = [host_constant(each.astype(Tsplits.np)) for each in uniform]
    return [*splits, *[array.cast(each, Tsplits) for each in rows.nested_row_splits]], rows.flat_values


@raw(ignored=("row_splits", "Tvalues"))
def RaggedTensorToVariantGradient(encoded_ragged_grad, dense_values_shape):
    """The values of ragged elements as one tensor."""
    values = [item.flat_values if _rank(item) else item for item in encoded_ragged_grad.items.flat]
    return array.reshape(array.concat([array.reshape(x, [-1]) for x in values], 0), dense_values_shape)


@raw(ignored=("metadata",))
def CompositeTensorVariantFromComponents(components):
    """The components of a composite tensor as one element."""
    return Variants(_array([[convert_to_tensor(x) for x in components]]).reshape(()))


@raw(ignored=("metadata", "Tcomponents"))
def CompositeTensorVariantToComponents(encoded):
    """The components of a composite tensor."""
    return list(encoded.items.item())
