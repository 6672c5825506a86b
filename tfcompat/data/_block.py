"""Blocks of elements, which pipelines hand on: one column for each component, and errors in place of elements.

A column holds one component of all elements of a block: an array whose rows they are, or a list where they are no
arrays or differ in shape. Arrays are never written to once they are in a block, so that blocks can be views.
"""

from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._control._rows import stacked_composites
from tfcompat.errors import InvalidArgumentError


class Block:
    """`size` elements.

    Attributes:
      size: int, at least 1 unless there is an error.
      columns: list of arrays and lists of that length.
      error: an exception in place of an element, or None.
    """

    __slots__ = ("size", "columns", "error")

    def __init__(self, size, columns, error=None):
        self.size, self.columns, self.error = size, columns, error

    def part(self, start, stop):
        """The elements from `start` to `stop`."""
        if start == 0 and stop >= self.size:
            return self
        return Block(min(stop, self.size) - start, [column[start:stop] for column in self.columns])

    def picked(self, indices):
        """The elements at the indices, an array."""
        return Block(len(indices), [picked(column, indices) for column in self.columns])

    def row(self, index):
        """The components of one element, as a list."""
        return [c[index, ...] if type(c) is np.ndarray else c[index] for c in self.columns]


def failed(error):
    """The block of an error."""
    return Block(0, [], error)


def single(leaves):
    """The block of one element."""
    return Block(1, [leaf[None] if type(leaf) is np.ndarray else [leaf] for leaf in leaves])


def picked(column, indices):
    """The rows of a column at the indices."""
    return column[indices] if type(column) is np.ndarray else [column[i] for i in indices]


def joined(blocks):
    """Blocks as one block."""
    if len(blocks) == 1:
        return blocks[0]
    columns = [_joined([block.columns[i] for block in blocks]) for i in range(len(blocks[0].columns))]
    return Block(sum(block.size for block in blocks), columns)


def _joined(columns):
    first = columns[0]
    if type(first) is np.ndarray and all(
        type(c) is np.ndarray and c.shape[1:] == first.shape[1:] and c.dtype == first.dtype for c in columns
    ):
        return np.concatenate(columns)
    return [row for column in columns for row in _rows(column)]


def _rows(column):
    return [column[i, ...] for i in range(len(column))] if type(column) is np.ndarray else column


def stacked(columns):
    """A batch of each column.

    Raises:
      tf.errors.InvalidArgumentError: elements differ in shape or dtype.
    """
    return [_stacked(column, number) for number, column in enumerate(columns)]


def _stacked(column, number) -> Any:
    if type(column) is np.ndarray:
        return column
    first = column[0]
    if first is None:
        return None
    if not isinstance(first, np.ndarray):
        return stacked_composites(column)
    for i, row in enumerate(column):
        if row.shape != first.shape:
            raise InvalidArgumentError(
                None, None,
                f"Cannot batch tensors with different shapes in component {number}. First element had shape "
                f"{shown(first.shape)} and element {i} had shape {shown(row.shape)}. [Op:IteratorGetNext] name: ",
            )  # fmt: skip
        if row.dtype != first.dtype:
            raise InvalidArgumentError(
                None, None,
                f"Cannot batch tensors of dtypes {dtypes.from_numpy(first.dtype).name} and "
                f"{dtypes.from_numpy(row.dtype).name} in component {number}",
            )  # fmt: skip
    return np.stack(column)


def shown(shape):
    """A shape as TF's messages show it."""
    return f"[{','.join(map(str, shape))}]"


def bytes_per_row(columns):
    """The memory of an element, in bytes, as far as it is in arrays."""
    return sum(c.nbytes // max(len(c), 1) for c in columns if type(c) is np.ndarray)
