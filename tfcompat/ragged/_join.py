"""Joining ragged tensors, and changing their axes."""

import numpy as np

from tfcompat._core.convert import host_constant
from tfcompat.array import concat, expand_dims, stack
from tfcompat.array._arguments import invalid
from tfcompat.ragged._getitem import add_outer, rows_at
from tfcompat.ragged._tensor import RaggedTensor, outer_size
from tfcompat.sparse._elements import taken


def axis_of(axis, rank, extra=0):
    """`axis` counted from the front; ValueError out of range."""
    if not -rank - extra <= axis < rank + extra:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank - extra}<=axis<{rank + extra}")
    return axis + rank + extra if axis < 0 else axis


def expanded(value, axis):
    """`value` with an axis of size one."""
    if not isinstance(value, RaggedTensor):
        return expand_dims(value, axis)
    axis = axis_of(axis, value.shape.rank, 1)
    if axis == 0:
        return add_outer(value)
    if axis == 1:
        return RaggedTensor.from_uniform_row_length(value, 1, outer_size(value))
    return value.with_values(expanded(value.values, axis - 1))


def _as_ragged(values):
    """Tensors among ragged ones as RaggedTensors of as many partitions."""
    most = max(x.ragged_rank if isinstance(x, RaggedTensor) else 0 for x in values)
    result = []
    for value in values:
        rank = value.ragged_rank if isinstance(value, RaggedTensor) else 0
        if rank == 0 and most:
            value = RaggedTensor.from_tensor(value, ragged_rank=min(most, len(value.shape) - 1))
            rank = value.ragged_rank
        if rank < most:
            inner = RaggedTensor.from_tensor(value.flat_values, ragged_rank=most - rank)
            value = value.with_flat_values(inner)
        result.append(value)
    return result


def concatenated(values, axis):
    """Joins tensors and RaggedTensors of one rank along an axis."""
    if len(values) == 1:
        return values[0]
    rank = values[0].shape.rank
    axis = axis_of(axis, rank)
    if not any(isinstance(x, RaggedTensor) for x in values):
        if axis == 0 and len({tuple(x.shape[1:]) for x in values}) > 1:
            values = [RaggedTensor.from_tensor(x, ragged_rank=len(x.shape) - 1) for x in values]
        else:
            return concat(values, axis)
    values = _as_ragged(values)
    if any(x.shape.rank != rank for x in values):
        raise ValueError(f"all ranks must be {rank}")
    if axis == 0:
        inner = concatenated([x.values for x in values], 0)
        return values[0]._rebuilt(
            inner, np.concatenate([[0], np.cumsum(np.concatenate([x.lengths() for x in values]))])
        )
    counts = [outer_size(x) for x in values]
    if len(set(counts)) > 1:
        raise invalid(f"Input tensors have incompatible shapes: {counts} rows")
    if axis > 1:
        return values[0].with_values(concatenated([x.values for x in values], axis - 1))
    joined = concatenated([x.values for x in values], 0)
    shifts = np.concatenate([[0], np.cumsum([outer_size(x.values) for x in values])])
    order = [
        np.arange(x.splits()[row], x.splits()[row + 1]) + shift
        for row in range(counts[0])
        for x, shift in zip(values, shifts, strict=False)
    ]
    order = np.concatenate(order).astype(np.int64) if order else np.zeros(0, np.int64)
    if isinstance(joined, RaggedTensor):
        inner = rows_at(joined, order)
    else:
        inner = taken(joined, host_constant(order))
    lengths = np.sum([x.lengths() for x in values], 0)
    uniform = [x._uniform for x in values]
    return values[0]._rebuilt(
        inner, np.concatenate([[0], np.cumsum(lengths)]), sum(uniform) if None not in uniform else None
    )


def stacked(values, axis):
    """Stacks tensors and RaggedTensors of one rank along a new axis."""
    rank = values[0].shape.rank
    axis = axis_of(axis, rank, 1)
    if not any(isinstance(x, RaggedTensor) for x in values):
        if rank == 0 or axis or len({tuple(x.shape) for x in values}) == 1 and rank == 0:
            return stack(values, axis)
        flat = concatenated(values, 0)
        return RaggedTensor.from_row_lengths(flat, host_constant(np.array([x.shape[0] for x in values], np.int32)))
    return concatenated([expanded(x, axis) for x in values], axis)
