"""`tf.io.RaggedFeature`, and how its values are divided into rows by other features of the same example."""

import collections
import math

import numpy as np

from tfcompat import dtypes
from tfcompat._core import trial
from tfcompat._core.convert import host_constant
from tfcompat.errors import InvalidArgumentError
from tfcompat.ragged._tensor import RaggedTensor

_RowSplits = collections.namedtuple("RowSplits", ["key"])
_RowLengths = collections.namedtuple("RowLengths", ["key"])
_RowStarts = collections.namedtuple("RowStarts", ["key"])
_RowLimits = collections.namedtuple("RowLimits", ["key"])
_ValueRowIds = collections.namedtuple("ValueRowIds", ["key"])
_UniformRowLength = collections.namedtuple("UniformRowLength", ["length"])

# The lengths of rows by the numbers that a feature holds, and the number of values there are.
_LENGTHS = {
    _RowSplits: lambda numbers, count: np.diff(numbers),
    _RowLengths: lambda numbers, count: numbers,
    _RowStarts: lambda numbers, count: np.diff(numbers, append=count),
    _RowLimits: lambda numbers, count: np.diff(numbers, prepend=0),
    _ValueRowIds: lambda numbers, count: np.bincount(numbers),
}
_PARTITIONS = (*_LENGTHS, _UniformRowLength)


class RaggedFeature(
    collections.namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])
):
    """A ragged feature.

    Args:
      dtype: float32, int64 or string.
      value_key: name of the feature of values; that of this feature if None.
      partitions: sequence of `RowSplits(key)`, `RowLengths(key)`, `RowStarts(key)`, `RowLimits(key)`,
        `ValueRowIds(key)` and `UniformRowLength(length)`, the outermost first: how the values of an example are
        divided. A `key` names the feature of the numbers. Uniform ones at the end make the values tensors.
      row_splits_dtype: int32 or int64.
      validate: whether to check that the rows hold all values.

    Raises:
      TypeError: `partitions` is no sequence of these, or `validate` no bool.
      ValueError: `value_key` is no text, or `row_splits_dtype` another dtype.

    TF: `tf.io.RaggedFeature`. Without `validate`, too, the values of an example are a multiple of the uniform lengths.
    """

    RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength = _PARTITIONS

    def __new__(cls, dtype, value_key=None, partitions=(), row_splits_dtype=dtypes.int32, validate=False):
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key!r}")
        if not isinstance(partitions, list | tuple):
            raise TypeError(
                f"Argument `partitions` must be a list or tuple. Received partitions={partitions!r} of type "
                f"{type(partitions).__name__}."
            )
        for partition in partitions:
            if not isinstance(partition, _PARTITIONS):
                raise TypeError(
                    f"Argument `partitions` cannot be cast to any of the partition types in {_PARTITIONS}; got: "
                    f"{partition!r} with type {type(partition)}"
                )
        splits_dtype = dtypes.as_dtype(row_splits_dtype)
        if splits_dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got {row_splits_dtype!r}")
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, dtypes.as_dtype(dtype), value_key, tuple(partitions), splits_dtype, validate)


def inner_partitions(feature):
    """The partitions that make rows, and the sizes of the uniform ones at the end."""
    partitions, sizes = list(feature.partitions), []
    while partitions and isinstance(partitions[-1], _UniformRowLength):
        sizes.insert(0, partitions.pop().length)
    return partitions, sizes


def partitioned(rows, key, feature, read):
    """The values of some examples, divided by the partitions of the feature.

    Args:
      rows: the values of each example, arrays.
      key: what messages call the feature.
      feature: RaggedFeature.
      read: function of the name of a feature, which gives its integers for each example.

    Returns:
      RaggedTensor, one row for each example.
    """
    partitions, sizes = inner_partitions(feature)
    given = [None if isinstance(p, _UniformRowLength) else read(p.key) for p in partitions]
    examples = [_divided(row, i, key, feature, partitions, given, math.prod(sizes)) for i, row in enumerate(rows)]
    flat = np.concatenate([*(values for values, _ in examples), np.empty(0, feature.dtype.np)])
    value = host_constant(flat.reshape(-1, *sizes))
    for level in range(len(partitions), -1, -1):
        lengths = np.concatenate([np.zeros(0, np.int64), *(levels[level] for _, levels in examples)])
        splits = np.concatenate([[0], np.cumsum(lengths)])
        value = RaggedTensor._of(value, splits, feature.row_splits_dtype, _length(partitions, level - 1))
    return value


def _length(partitions, place):
    """The length of all rows that a partition makes, or None."""
    return partitions[place].length if place >= 0 and isinstance(partitions[place], _UniformRowLength) else None


def _divided(values, example, key, feature, partitions, given, size):
    """The values of an example, and the lengths of rows, the outermost first: that of the example, then of its parts.

    `size` is how many values the innermost rows hold.
    """
    if len(values) % size if size else len(values):
        raise InvalidArgumentError(
            None, None, f"Key: {key}. Input to reshape is a tensor with {len(values)} values, but the requested shape "
            f"requires a multiple of {size} (example {example})"
        )  # fmt: skip
    count, levels = len(values) // size if size else 0, []
    for place in range(len(partitions) - 1, -1, -1):
        length = _length(partitions, place)
        if length is None:
            lengths = _LENGTHS[type(partitions[place])](given[place][example], count)
        else:
            lengths = np.full(count // length if length else 0, length)
        if feature.validate and (lengths.sum() != count or (lengths < 0).any()):
            raise InvalidArgumentError(
                None, None, f"Key: {key}. Arguments to {type(partitions[place]).__name__} do not form a valid "
                f"RaggedTensor: the rows hold {lengths.sum()} values, there are {count} (example {example})"
            )  # fmt: skip
        levels.insert(0, lengths)
        count = len(lengths)
    levels.insert(0, np.array([count]))
    if trial.current().resizes:  # a trial run: one more of all that may have another size
        values, levels = _with_one_more(values, levels, partitions, size)
    return values, levels


def _with_one_more(values, levels, partitions, size):
    more, changed = 1, [levels[0] + 1]
    for place, lengths in enumerate(levels[1:]):
        length = _length(partitions, place)
        length = 1 if length is None else length
        changed.append(np.concatenate([lengths, np.full(more, length)]))
        more *= length
    return np.concatenate([values, np.zeros(more * size, values.dtype)]), changed
