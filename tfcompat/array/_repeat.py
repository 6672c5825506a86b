"""`tf.repeat`."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import CastNumber, convert_to_tensor, host_constant, sized_by_values, static_value
from tfcompat._core.op import op
from tfcompat._core.steps import is_unknown, records_steps, step
from tfcompat.array._arguments import as_int, invalid
from tfcompat.array._gather import take
from tfcompat.array._shape_ops import reshape, shape


@takes_composites("tf.repeat")
def repeat(input, repeats, axis=None, name=None):
    """Repeats each element along an axis.

    Args:
      input: tensor of any dtype.
      repeats: how often: one integer for all, or one for each position along `axis`. The values are needed at
        the call, since they decide the shape.
      axis: in [-rank, rank); None repeats the elements of the flattened `input`.
      name: ignored.

    Returns:
      Tensor of the dtype of `input`; 1-D if `axis` is None.

    Raises:
      ValueError: `axis` out of range, or `repeats` of the wrong length.
      tf.errors.InvalidArgumentError: one negative number of repeats; among several it counts as zero.
      TypeError: `repeats` is not an integer.

    TF: `tf.repeat`; no known difference.
    """
    input = convert_to_tensor(input)
    if axis is None:
        input, axis = reshape(input, (-1,)), 0
    else:
        axis = as_int(static_value(axis), "axis")
    rank = max(len(input.shape), 1)
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected -{rank}<=axis<{rank}")
    if not len(input.shape):
        input = reshape(input, (1,))
    axis %= rank
    if is_unknown(repeats) and len(repeats.shape) == 1 and records_steps():
        return take(input, _positions(repeats, shape(input)[axis]), axis)
    counts = static_value(repeats)
    if isinstance(counts, tuple) and counts and isinstance(counts[0], tuple):
        raise ValueError(f"Shape {np.shape(counts)} must have rank at most 1")
    counts = counts if isinstance(counts, tuple) else (counts,)
    for one in counts:
        if one is None:
            raise ValueError("Attempt to convert a value (None) with an unsupported type to a Tensor: `repeats`")
        if isinstance(one, float | str | bytes | np.bool_) and not isinstance(one, CastNumber):
            raise TypeError(
                f"Argument `tensor` (name: repeats) must be of type integer. Received `tensor` = {repeats}"
            )
    counts = [int(one) if isinstance(one, CastNumber) else one for one in counts]
    if len(counts) == 1:
        if counts[0] < 0:
            raise invalid(f"Expected multiples[1] >= 0, but got {counts[0]}")
        return _repeat_all(input, counts[0], axis)
    counts, length = [max(one, 0) for one in counts], input.shape[axis]
    if len(counts) != length:
        raise ValueError(f"Dimensions {length} and {len(counts)} are not compatible")
    positions = np.repeat(np.arange(length, dtype=np.int32), counts)
    return take(input, host_constant(positions), axis)


@step("Repeat", lambda new, repeats, length: new([None], dtypes.int32), underived=True)
def _positions(repeats, length):
    """The position of what each element of the result repeats, int32; `length` is that of the axis."""
    counts, length = np.maximum(static_value(repeats), 0), static_value(length)
    if len(counts) not in (1, length):
        raise ValueError(f"Dimensions {length} and {len(counts)} are not compatible")
    return sized_by_values(np.repeat(np.arange(length, dtype=np.int32), counts))


@op(
    "_repeat_all",
    kernel="Tile",
    tensors=("input",),
    host=lambda input, times, axis: np.repeat(input, times, axis),
    numpy=True,
)
def _repeat_all(input, times, axis):
    return repeated(input, times, axis)


def repeated(array, times, axis):
    """Each element of an axis of an array `times` times. The derivative is a sum; that of `jnp.repeat` scatters."""
    shape = (*array.shape[: axis + 1], times, *array.shape[axis + 1 :])
    return lax.collapse(jnp.broadcast_to(lax.expand_dims(array, [axis + 1]), shape), axis, axis + 2)
