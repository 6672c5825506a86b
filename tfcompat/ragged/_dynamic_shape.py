"""`tf.shape` of a ragged tensor."""

import numpy as np

from tfcompat._core.convert import host_constant
from tfcompat.ragged._tensor import RaggedTensor


class DynamicRaggedShape:
    """The shape of a ragged tensor: a number for each uniform axis, lengths for the others.

    `shape[i]` is the size of a uniform axis, a scalar; ValueError for a ragged one. `rank` counts the axes.

    TF: `tf.experimental.DynamicRaggedShape`; here only the part that code needs of the result of `tf.shape(ragged)`.
    """

    def __init__(self, value, out_type):
        self._value, self._dtype = value, out_type

    @property
    def rank(self):
        """How many axes there are."""
        return self._value.shape.rank

    def __getitem__(self, axis):
        if not isinstance(axis, int):
            raise TypeError(f"The index of a DynamicRaggedShape must be an int, got {axis!r}")
        axis = axis + self.rank if axis < 0 else axis
        if not 0 <= axis < self.rank:
            raise IndexError(f"Index {axis} is out of range for rank {self.rank}")
        if axis == 0:
            return self._value.nrows(out_type=self._dtype)
        size = self._value.shape[axis]
        if size is None:
            raise ValueError(f"Index {axis} is not uniform")
        return host_constant(np.array(size, self._dtype.np))

    def __repr__(self):
        lengths, level = [], self._value
        for axis, size in enumerate(self._value.shape.as_list()):
            if axis and size is None:
                lengths.append(tuple(level.lengths().tolist()))
            else:
                lengths.append(size)
            level = level.values if axis and isinstance(level, RaggedTensor) else level
        shown = ", ".join(map(str, lengths))
        return f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={self._value.ragged_rank}>"
