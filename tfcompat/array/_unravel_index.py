"""Coordinates of flat indices."""

import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import INDEX, op
from tfcompat.array._arguments import as_ints, invalid

_OUTSIDE = "index is out of bound as with dims [Op:UnravelIndex]"


@op("tf.unravel_index", kernel="UnravelIndex", tensors=("indices",), dtypes=INDEX,
    host=lambda indices, dims: _unraveled(np, indices, dims),
    requires=lambda indices, dims: [engine.require(indices < _size(dims), _OUTSIDE)])  # fmt: skip
def unravel_index(indices, dims):
    """Coordinates of flat indices.

    Args:
      indices: int32 or int64 scalar or vector.
      dims: vector of integers, the shape indexed into.

    Returns:
      Tensor of that dtype: `[rank]` for a scalar, otherwise `[rank, n]`.

    Raises:
      tf.errors.InvalidArgumentError: an index out of range, or a negative size.

    TF: `tf.unravel_index`; no known difference.
    """
    return _unraveled(jnp, indices, dims)


def _size(dims):
    return int(np.prod(as_ints(dims, "dims")))


def _unraveled(numpy, indices, dims):
    if np.ndim(dims) != 1:
        raise invalid("The indices can only be scalar or vector, and dims a vector. [Op:UnravelIndex]")
    dims = as_ints(dims, "dims")
    for place, size in enumerate(dims):
        if size < 0:
            raise when_run(f"Input dims cannot be negative. Got dim = {size} at index {place} [Op:UnravelIndex]")
    if not dims:
        return numpy.zeros((0, *indices.shape), indices.dtype)
    if indices.ndim > 1:
        raise invalid("The indices can only be scalar or vector.")
    if numpy is np and indices.size and indices.max() >= _size(dims):
        raise invalid(_OUTSIDE)
    columns, rest = [], indices
    for size in dims[::-1]:
        columns.append(rest % size)
        rest = rest // size
    return numpy.stack(columns[::-1]).astype(indices.dtype)
