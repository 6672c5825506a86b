"""Ragged tensors and tensors with the same partitions."""

import numpy as np

from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat.array import reshape
from tfcompat.array._arguments import invalid
from tfcompat.ragged._getitem import slice_values
from tfcompat.ragged._tensor import RaggedTensor, array_of, outer_size
from tfcompat.sparse._elements import taken


def with_equal_partitions(values):
    """The same RaggedTensors, whose partitions must agree; flat rank may differ where TF takes the innermost."""
    first = values[0]
    for other in values[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise ValueError(f"ragged ranks must agree, got {first.ragged_rank} and {other.ragged_rank}")
        if any(mine is not its and not _equal(mine, its) for mine, its in _pairs(first, other)):
            raise invalid("Inputs must have identical ragged splits")
    return values


def _pairs(first, other):
    return zip(first.nested_row_splits, other.nested_row_splits, strict=True)


def _equal(mine, its):
    if mine.shape != its.shape:
        return False
    return np.array_equal(array_of(mine), array_of(its))


def broadcast(arguments):
    """Ragged tensors and tensors as `(tensors of flat values, RaggedTensor to divide the result)`.

    Raises:
      tf.errors.InvalidArgumentError: the shapes do not broadcast.
    """
    ragged = [x for x in arguments if isinstance(x, RaggedTensor)]
    model = max(ragged, key=lambda x: (x.shape.rank, x.ragged_rank))
    if all(x is model or _same(model, x) for x in ragged) and not any(_has_axes(x) for x in arguments):
        return [x.flat_values if isinstance(x, RaggedTensor) else x for x in arguments], model
    model = _widest(arguments, model)
    return [_aligned(x, model) for x in arguments], model


def _same(model, other):
    return model.ragged_rank == other.ragged_rank and all(m is i or _equal(m, i) for m, i in _pairs(model, other))


def _has_axes(x):
    return not isinstance(x, RaggedTensor) and len(getattr(x, "shape", np.shape(x))) > 0


def _widest(arguments, model):
    """`model`, its rows of length one repeated where another ragged argument has longer ones."""
    for other in arguments:
        if isinstance(other, RaggedTensor) and other.ragged_rank == model.ragged_rank == 1 and other is not model:
            mine, its = model.lengths(), other.lengths()
            if len(mine) == len(its) and model._uniform == 1 and other._uniform != 1:
                model = other
    return model


def _aligned(value, model):
    """The flat values of `value`, one for each flat value of `model`."""
    if not isinstance(value, RaggedTensor):
        value = convert_to_tensor(value)
        if not len(value.shape):
            return value
        return _dense_aligned(value, model)
    if _same(model, value):
        return value.flat_values
    return _ragged_aligned(value, model)


def _mismatch(value, model):
    return invalid(f"Condition x == y did not hold: unable to broadcast shapes {value.shape} and {model.shape}")


def _dense_aligned(value, model):
    rank, sizes = model.shape.rank, value.shape.as_list()
    if len(sizes) > rank:
        raise _mismatch(value, model)
    partitioned = model.ragged_rank + 1
    sizes = [1] * (rank - len(sizes)) + sizes
    if all(size == 1 for size in sizes[:partitioned]):
        return reshape(value, sizes[partitioned - 1 :])
    places = model.coordinates()
    lengths = [np.array([outer_size(model)]), *(level.lengths() for level in model._levels())]
    for axis, size in enumerate(sizes[:partitioned]):
        if size != 1 and (lengths[axis] != size).any():
            raise _mismatch(value, model)
    columns = [places[:, axis] if size != 1 else 0 * places[:, axis] for axis, size in enumerate(sizes[:partitioned])]
    flat = np.ravel_multi_index(tuple(columns), sizes[:partitioned])
    return taken(reshape(value, [-1, *sizes[partitioned:]]), host_constant(np.asarray(flat)))


def _ragged_aligned(value, model):
    if value.ragged_rank != 1 or model.ragged_rank != 1 or outer_size(value) != outer_size(model):
        raise _mismatch(value, model)
    mine, its = value.lengths(), model.lengths()
    if value._uniform != 1 or (mine != 1).any():
        raise _mismatch(value, model)
    return slice_values(value.flat_values, np.repeat(np.arange(len(its)), its))
