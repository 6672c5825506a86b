"""Ragged tensors and tensors with the same partitions, and their shapes."""

from typing import NamedTuple

import numpy as np

from tfcompat._core.composite import handles
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.steps import sizes_of
from tfcompat.array import reshape
from tfcompat.array._arguments import invalid
from tfcompat.ragged._dynamic_shape import DynamicRaggedShape
from tfcompat.ragged._row_partition import RowPartition, array_of
from tfcompat.ragged._tensor import RaggedTensor, divided
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


def _same(model, other):
    return model.ragged_rank == other.ragged_rank and all(m is i or _equal(m, i) for m, i in _pairs(model, other))


def _has_axes(x):
    return not isinstance(x, RaggedTensor) and len(getattr(x, "shape", np.shape(x))) > 0


def broadcast(arguments):
    """Ragged tensors and tensors as `(tensors of flat values, function that divides the result)`.

    Raises:
      tf.errors.InvalidArgumentError: the shapes do not broadcast.
    """
    ragged = [x for x in arguments if isinstance(x, RaggedTensor)]
    model = max(ragged, key=lambda x: (x.shape.rank, x.ragged_rank))
    if all(x is model or _same(model, x) for x in ragged) and not any(_has_axes(x) for x in arguments):
        return [x.flat_values if isinstance(x, RaggedTensor) else x for x in arguments], model.with_flat_values
    arguments = [x if isinstance(x, RaggedTensor) else convert_to_tensor(x) for x in arguments]
    aligned = _Aligned([DynamicRaggedShape.from_tensor(x) for x in arguments])
    flat = [x if len(x.shape) == 0 else aligned.values(n, x) for n, x in enumerate(arguments)]
    return flat, aligned.divide


class _Axis(NamedTuple):
    """An axis of a shape: the length of its rows if that is uniform, or None, and where each row begins and ends."""

    uniform: int | None
    splits: np.ndarray


def _axes(shape, padding, depth):
    """The axes of a shape with `padding` axes of size one before its own: how many rows, and the `depth` next axes."""
    inner = known_values(shape.inner_shape, "call it outside").tolist()
    partitions = shape.row_partitions
    sizes = [*[1] * padding, *([partitions[0].static_nrows] if partitions else []), *inner[bool(partitions) :]]
    own, first = iter(partitions), padding + 1
    count, axes = sizes[0], []
    for axis in range(1, depth + 1):
        if first <= axis < first + len(partitions):
            partition = next(own)
            axes.append(_Axis(partition.static_uniform_row_length, partition.splits()))
        else:
            size = sizes[axis] if axis < first else sizes[axis - len(partitions)]
            rows = axes[-1].splits[-1] if axes else count
            axes.append(_Axis(size, np.arange(rows + 1) * size))
    return count, axes


class _Aligned:
    """Shapes broadcast to one, axis by axis from the outermost.

    Attributes:
      partitions: list of RowPartition, those of the common shape.
      places: for each shape an array: for each row of the values of the common shape, which of its own stands there.

    Raises:
      tf.errors.InvalidArgumentError: the shapes do not broadcast.
    """

    def __init__(self, shapes):
        self._shapes = shapes
        rank = max(x.rank for x in shapes)
        self._padding = [rank - x.rank for x in shapes]
        self.depth = max(
            n + x.num_row_partitions if x.num_row_partitions else 0
            for n, x in zip(self._padding, shapes, strict=True)
        )
        self._inner_rank = rank - 1 - self.depth
        counts, axes = zip(*[_axes(x, n, self.depth) for x, n in zip(shapes, self._padding, strict=True)], strict=True)
        total = self._common(counts)
        self.places = [np.arange(total) if n == total else np.zeros(total, np.int64) for n in counts]
        self.partitions = [self._next(same) for same in zip(*axes, strict=True)]
        self._counts = [each[-1].splits[-1] for each in axes]

    def _common(self, counts):
        total = next((n for n in counts if n != 1), 1)
        if any(n not in (1, total) for n in counts):
            raise self._mismatch()
        return total

    def _next(self, axes):
        """The partition of the common shape along its next axis; `places` become those of what it divides."""
        wide = [n for n, axis in enumerate(axes) if axis.uniform != 1]
        if all(axis.uniform is not None for axis in axes):
            length = self._common([axis.uniform for axis in axes])
            lengths = np.full(len(self.places[0]), length)
        else:
            length = None
            lengths, *others = [np.diff(axes[n].splits)[self.places[n]] for n in wide]
            if any((other != lengths).any() for other in others):
                raise self._mismatch()
        splits = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
        for n, axis in enumerate(axes):
            begin = np.repeat(axis.splits[:-1][self.places[n]], lengths)
            self.places[n] = begin + within if n in wide else begin
        dtype = next(x.dtype for x in self._shapes if x.num_row_partitions)
        return RowPartition._of(splits, dtype, length)

    def _mismatch(self):
        shapes = " and ".join(map(str, self._shapes))
        return invalid(f"Condition x == y did not hold.\nUnable to broadcast {shapes}")

    def values(self, n, value):
        """The flat values of what has the n-th shape, at the rows of the values of the common shape."""
        flat = value.flat_values if isinstance(value, RaggedTensor) else value
        own = self._shapes[n]
        sizes = sizes_of(flat)[max(self.depth - self._padding[n] + 1, 0) - own.num_row_partitions :]
        inner = [*[1] * (self._inner_rank - len(sizes)), *sizes]
        flat = reshape(flat, [-1, *inner]) if len(flat.shape) != len(inner) + 1 else flat
        places = self.places[n]
        if len(places) == self._counts[n] and (places == np.arange(len(places))).all():
            return flat
        return taken(flat, host_constant(places))

    def divide(self, values):
        """The RaggedTensor of the common shape with these flat values."""
        return divided(values, self.partitions)

    def shape(self):
        """The common shape."""
        inner = [known_values(x.inner_shape)[-self._inner_rank :] for x in self._shapes] if self._inner_rank else []
        return DynamicRaggedShape(self.partitions, [len(self.places[0]), *np.broadcast_shapes(*inner)])


@handles("tf.broadcast_dynamic_shape")
def _broadcast_dynamic_shape(function, args, kwargs):
    arguments = {**dict(zip(["shape_x", "shape_y"], args, strict=False)), **kwargs}
    shapes = [_as_shape(arguments[name]) for name in ("shape_x", "shape_y")]
    if any(x.num_row_partitions for x in shapes):
        return _Aligned(shapes).shape()
    return DynamicRaggedShape([], function(*[x.inner_shape for x in shapes]))


def _as_shape(sizes):
    return sizes if isinstance(sizes, DynamicRaggedShape) else DynamicRaggedShape([], sizes)


@handles("tf.broadcast_to")
def _broadcast_to(function, args, kwargs):
    arguments = {**dict(zip(["input", "shape", "name"], args, strict=False)), **kwargs}
    value, shape = arguments["input"], _as_shape(arguments["shape"])
    if not isinstance(value, RaggedTensor):
        if not isinstance(arguments["shape"], DynamicRaggedShape):
            return NotImplemented
        value = convert_to_tensor(value)
        if not shape.num_row_partitions:
            return function(value, shape.inner_shape)
    aligned = _Aligned([DynamicRaggedShape.from_tensor(value), shape])
    if aligned.shape().static_lengths() != shape.static_lengths():
        raise invalid("Cannot broadcast: Condition x == y did not hold")
    return shape.divide(function(aligned.values(0, value), shape.inner_shape))


@handles("tf.reshape")
def _reshape(function, args, kwargs):
    arguments = {**dict(zip(["tensor", "shape", "name"], args, strict=False)), **kwargs}
    value, shape = arguments["tensor"], arguments["shape"]
    flat = value.flat_values if isinstance(value, RaggedTensor) else value
    if isinstance(shape, DynamicRaggedShape):
        return shape.divide(function(flat, shape.inner_shape))
    return NotImplemented if flat is value else function(flat, shape)


@handles("tf.zeros", "tf.ones", "tf.fill")
def _filled(function, args, kwargs):
    key = next((key for key in ("shape", "dims") if key in kwargs), None)
    shape = kwargs[key] if key else args[0]
    if not isinstance(shape, DynamicRaggedShape):
        return NotImplemented
    if key:
        kwargs = {**kwargs, key: shape.inner_shape}
    else:
        args = (shape.inner_shape, *args[1:])
    return shape.divide(function(*args, **kwargs))
