"""`tf.gather` where the parameters or the indices are ragged."""

import builtins

import numpy as np

from tfcompat._core.composite import handles
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat.array import gather, reshape
from tfcompat.array._arguments import invalid
from tfcompat.ragged._getitem import add_outer, rows_at, slice_values
from tfcompat.ragged._join import axis_of, stacked
from tfcompat.ragged._tensor import RaggedTensor, outer_size, values_of


@handles("tf.gather")
def _gather(function, args, kwargs):
    names = ["params", "indices", "validate_indices", "axis", "batch_dims", "name"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    params, indices = arguments["params"], arguments["indices"]
    if not any(isinstance(x, RaggedTensor) for x in (params, indices)):
        return NotImplemented
    axis, batch_dims = static_value(arguments.get("axis")), static_value(arguments.get("batch_dims", 0))
    params, indices = values_of(params), values_of(indices)
    batch_dims = axis_of(batch_dims, indices.shape.rank + 1) if batch_dims < 0 else batch_dims
    axis = batch_dims if axis is None else axis_of(axis, params.shape.rank)
    if batch_dims > axis:
        raise ValueError(f"batch_dims={batch_dims} must be less than or equal to axis={axis}")
    return _along(function, params, indices, axis, batch_dims) if axis else _rows(function, params, indices)


def _rows(function, params, indices):
    """Along the first axis."""
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_rows(function, params, indices.values))
    if not isinstance(params, RaggedTensor):
        return function(params, indices)
    places = np.asarray(known_values(convert_to_tensor(indices), "call it outside"))
    count = outer_size(params)
    if places.size and (places.min() < 0 or places.max() >= count):
        raise invalid(f"indices out of range [0, {count})")
    rows = rows_at(params, places.reshape(-1).tolist())
    for axis in builtins.range(places.ndim - 1, 0, -1):
        rows = RaggedTensor.from_uniform_row_length(rows, places.shape[axis], int(np.prod(places.shape[:axis])))
    return rows if places.ndim else rows.values


def _along(function, params, indices, axis, batch_dims):
    """Along a later axis: each vector of it has a block of indices, which are counted from where it begins."""
    levels = list(_partitioned(params, axis)._levels())[:axis]
    owners = np.arange(outer_size(levels[-1]))
    for level in levels[max(batch_dims - 1, 0) : -1][::-1]:
        owners = level.rowids()[owners]
    if batch_dims:
        blocks = _partitioned(indices, batch_dims - 1)
        for _ in range(batch_dims - 1):
            blocks = blocks.values
        if outer_size(blocks) != outer_size(levels[batch_dims - 1]):
            raise ValueError(f"batch shape from indices {indices.shape[:batch_dims]} does not match params shape "
                             f"{params.shape}")  # fmt: skip
    else:
        blocks, owners = add_outer(indices), np.zeros_like(owners)
    blocks = slice_values(blocks, owners)
    vectors = np.arange(len(owners))
    for level in blocks._levels() if isinstance(blocks, RaggedTensor) else ():
        vectors = vectors[level.rowids()]
    flat = blocks.flat_values if isinstance(blocks, RaggedTensor) else blocks
    begins = levels[-1].splits()[vectors].reshape(-1, *[1] * (flat.shape.rank - 1)).astype(flat.dtype.np)
    flat = flat + host_constant(begins)
    inner = levels[-1].values
    result = _rows(function, inner, blocks.with_flat_values(flat) if isinstance(blocks, RaggedTensor) else flat)
    if isinstance(inner, RaggedTensor) and not isinstance(blocks, RaggedTensor) and flat.shape.rank > 1:
        result = RaggedTensor.from_row_splits(result.values, result.row_splits)  # lengths are not known to be equal
    for level in levels[-2::-1]:
        result = level._rebuilt(result, level.splits(), level._uniform)
    return result


@handles("tf.gather_nd")
def _gather_nd(function, args, kwargs):
    names = ["params", "indices", "batch_dims", "name", "bad_indices_policy"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    params, indices = arguments["params"], arguments["indices"]
    if not any(isinstance(x, RaggedTensor) for x in (params, indices)):
        return NotImplemented
    if static_value(arguments.get("batch_dims", 0)) != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    if arguments.get("bad_indices_policy", "") not in ("", "DEFAULT"):
        raise ValueError("non-default bad_indices_policy not supported for ragged gather")
    return _at(function, values_of(params), values_of(indices))


def _at(function, params, indices):
    """The elements or slices at the index vectors: the first two numbers of each become one for the values."""
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_at(function, params, indices.values))
    if not isinstance(params, RaggedTensor):
        return function(params, indices)
    *outer, depth = indices.shape.as_list()
    if len(outer) != 1:
        count = int(np.prod(outer))
        items = _at(function, params, host_constant(known_values(indices, "call it outside").reshape(count, depth)))
        if not outer:
            return items[0]
        if not isinstance(items, RaggedTensor):
            return reshape(items, [*outer, *items.shape[1:]])
        for axis in builtins.range(len(outer) - 1, 0, -1):
            items = RaggedTensor.from_uniform_row_length(items, outer[axis], int(np.prod(outer[:axis])))
        return items
    places = known_values(indices, "call it outside").astype(np.int64)
    if depth == 0:
        return stacked([params] * outer[0], 0)
    if depth == 1:
        return _rows(gather, params, host_constant(places[:, 0]))
    count = outer_size(params)
    if places.size and (places[:, 0].min() < 0 or places[:, 0].max() >= count):
        raise invalid(f"indices out of range [0, {count})")
    flat = params.splits()[places[:, 0]] + places[:, 1]
    return _at(function, params.values, host_constant(np.concatenate([flat[:, None], places[:, 2:]], 1)))


def _partitioned(value, count):
    """`value` with at least `count` axes partitioned."""
    if not count:
        return value
    if isinstance(value, RaggedTensor):
        missing = count - value.ragged_rank
        return value.with_flat_values(RaggedTensor.from_tensor(value.flat_values, ragged_rank=missing)) \
            if missing > 0 else value
    return RaggedTensor.from_tensor(value, ragged_rank=count)
