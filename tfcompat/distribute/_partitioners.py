"""`tf.distribute.experimental.partitioners`: into how many parts a variable would be divided along an axis.

They only compute numbers: `ParameterServerStrategy`, which divides variables by them, is not available.
"""

import math as _math

from tfcompat import dtypes as _dtypes


def _bytes_of_element(dtype, bytes_per_string):
    dtype = _dtypes.as_dtype(dtype)
    return bytes_per_string if dtype == _dtypes.string else dtype.size


def _along(shape, axis, count):
    counts = [1] * len(shape)
    counts[axis] = count
    return counts


class Partitioner:
    """Base of partitioners. TF: `tf.distribute.experimental.partitioners.Partitioner`."""

    def __call__(self, shape, dtype, axis=0):
        """The numbers of parts along each axis.

        Args:
          shape: TensorShape of a variable.
          dtype: of its elements.
          axis: int, which is divided.

        Returns:
          List of int.
        """
        raise NotImplementedError


class FixedShardsPartitioner(Partitioner):
    """As many parts as asked for, but none that is empty.

    Args:
      num_shards: int.

    TF: `tf.distribute.experimental.partitioners.FixedShardsPartitioner`.
    """

    def __init__(self, num_shards):
        self._num_shards = num_shards

    def __call__(self, shape, dtype, axis=0):
        return _along(shape, axis, min(self._num_shards, shape[axis]))


def _check_positive(**values):
    for name, value in values.items():
        if value is not None and value < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {value}")


class MinSizePartitioner(Partitioner):
    """As many parts as there can be of at least so many bytes.

    Args:
      min_shard_bytes: int.
      max_shards: int, the largest number of parts.
      bytes_per_string: int, how long a text is taken to be.

    Raises:
      ValueError: one of them is not positive.

    TF: `tf.distribute.experimental.partitioners.MinSizePartitioner`.
    """

    def __init__(self, min_shard_bytes=256 << 10, max_shards=1, bytes_per_string=16):
        _check_positive(min_shard_bytes=min_shard_bytes, max_shards=max_shards, bytes_per_string=bytes_per_string)
        self._min_shard_bytes, self._max_shards, self._bytes_per_string = min_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape, dtype, axis=0):
        if axis >= len(shape):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
        size = shape.num_elements() * _bytes_of_element(dtype, self._bytes_per_string)
        count = min(shape[axis], self._max_shards, _math.ceil(size / self._min_shard_bytes))
        return _along(shape, axis, max(1, count))


class MaxSizePartitioner(Partitioner):
    """As few parts as there can be of at most so many bytes.

    Args:
      max_shard_bytes: int.
      max_shards: int, the largest number of parts, which counts for more; None for any.
      bytes_per_string: int, how long a text is taken to be.

    Raises:
      ValueError: one of them is not positive.

    TF: `tf.distribute.experimental.partitioners.MaxSizePartitioner`.
    """

    def __init__(self, max_shard_bytes, max_shards=None, bytes_per_string=16):
        limit = max_shards or None
        _check_positive(max_shard_bytes=max_shard_bytes, max_shards=limit, bytes_per_string=bytes_per_string)
        self._max_shard_bytes, self._max_shards, self._bytes_per_string = max_shard_bytes, limit, bytes_per_string

    def __call__(self, shape, dtype, axis=0):
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        size = shape.num_elements() / shape[axis] * _bytes_of_element(dtype, self._bytes_per_string)
        count = _math.ceil(shape[axis] / max(1, _math.floor(self._max_shard_bytes / size)))
        return _along(shape, axis, count if self._max_shards is None else min(self._max_shards, count))
