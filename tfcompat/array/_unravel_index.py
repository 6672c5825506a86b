"""Coordinates of flat indices."""

import jax.numpy as jnp
import numpy as np

from tfcompat._core.op import INDEX, op
from tfcompat.array._arguments import as_ints, invalid


@op("tf.unravel_index", kernel="UnravelIndex", tensors=("indices",), dtypes=INDEX,
    host=lambda indices, dims: _unraveled(np, indices, dims))  # fmt: skip
def unravel_index(indices, dims):
    """Coordinates of flat indices.

    Args:
      indices: int32 or int64 scalar or vector.
      dims: vector of integers, the shape indexed into.

    Returns:
      Tensor of that dtype: `[rank]` for a scalar, otherwise `[rank, n]`.

    Raises:
      tf.errors.InvalidArgumentError: a constant index out of range.

    TF: `tf.unravel_index`; see Raises.
    """
    return _unraveled(jnp, indices, dims)


def _unraveled(numpy, indices, dims):
    dims = as_ints(dims, "dims")
    if indices.ndim > 1:
        raise invalid("The indices can only be scalar or vector.")
    if numpy is np and indices.size and indices.max() >= np.prod(dims):
        raise invalid("index is out of bound as with dims")
    columns, rest = [], indices
    for size in dims[::-1]:
        columns.append(rest % size)
        rest = rest // size
    return numpy.stack(columns[::-1]).astype(indices.dtype)
