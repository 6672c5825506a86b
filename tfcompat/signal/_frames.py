"""A signal as overlapping frames, and frames as a signal."""

import jax.numpy as jnp
import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import NUMERIC, op
from tfcompat._core.symbolic_sizes import larger, sizes_of
from tfcompat.array._arguments import invalid
from tfcompat.array._shape_ops import detached


def as_scalar(value, argument):
    """A Python number of a length or step given as one or as a scalar tensor."""
    value = static_value(value)
    if value is None:
        raise ValueError(f"Attempt to convert a value (None) with an unsupported type to a Tensor: `{argument}`")
    if isinstance(value, tuple):
        raise ValueError(f"`{argument}`: Shape {np.shape(value)} must have rank 0")
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid(f"`{argument}` must be an integer, got {value!r}")
    return value


def check_rank(x, rank):
    """ValueError for a tensor of fewer axes than `rank`."""
    if len(x.shape) < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")


@op("_frame", kernel="GatherV2", tensors=("signal", "pad_value"), host="moves")
def _frame(signal, length, step, count, axis, pad_value=None):
    missing = max(0, length + step * (count - 1) - signal.shape[axis])
    padding = [(0, missing if a == axis else 0) for a in range(signal.ndim)]
    if pad_value is not None and missing:
        signal = jnp.pad(signal, padding, constant_values=pad_value)
    if not count:
        return jnp.zeros((*signal.shape[:axis], 0, length, *signal.shape[axis + 1 :]), signal.dtype)
    places = np.arange(count)[:, None] * step + np.arange(length)
    return jnp.take(signal, places, axis)


@takes_composites("tf.signal.frame")
def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Cuts an axis into frames that may overlap.

    Args:
      signal: tensor of rank at least 1, any numeric dtype or bool.
      frame_length: integer, how many samples a frame has.
      frame_step: positive integer, from the start of a frame to that of the next.
      pad_end: whether to add frames that begin within the signal and end beyond it.
      pad_value: scalar that stands for the samples beyond the end.
      axis: integer in [-rank, rank).
      name: ignored.

    Returns:
      Tensor of the dtype of `signal`, with two axes, frames and samples, in place of `axis`.

    Raises:
      ValueError: `signal` is a scalar; a length is not.
      IndexError: `axis` is out of range.
      tf.errors.InvalidArgumentError: lengths that are no integers, or a step of zero.

    Gradient: None by `pad_value`.
    TF: `tf.signal.frame`; no known difference.
    """
    signal = convert_to_tensor(signal)
    check_rank(signal, 1)
    length, step = as_scalar(frame_length, "frame_length"), as_scalar(frame_step, "frame_step")
    if step == 0:
        raise when_run("Integer division by zero: `frame_step` is 0")
    if length < 0 or step < 0:
        raise invalid(f"`frame_length` and `frame_step` must not be negative, got {length} and {step}")
    axis = range(len(signal.shape))[as_scalar(axis, "axis")]
    samples = sizes_of(signal)[axis]
    count = -(-samples // step) if pad_end else larger(0, 1 + (samples - length) // step)
    value = detached(convert_to_tensor(pad_value, signal.dtype)) if pad_end else None
    if value is not None and value.shape.rank:
        raise ValueError(f"Shape {value.shape} of `pad_value` must have rank 0")
    return _frame(signal, length, step, count, axis, value)


@op("_overlap_and_add", kernel="Sum", tensors=("signal",), dtypes=NUMERIC)
def _overlap_and_add(signal, step):
    frames, length = signal.shape[-2:]
    total = max(0, length + step * (frames - 1))
    if not length and not frames:
        raise invalid(f"Size 0 must be non-negative, not {-step} [Op:Reshape]")
    places = np.arange(frames)[:, None] * step + np.arange(length)
    return jnp.zeros((*signal.shape[:-2], total), signal.dtype).at[..., places].add(signal)


@takes_composites("tf.signal.overlap_and_add")
def overlap_and_add(signal, frame_step, name=None):
    """A signal from its frames; where they overlap they are added.

    Args:
      signal: numeric tensor of shape `[..., frames, frame_length]`.
      frame_step: positive integer, from the start of a frame to that of the next.
      name: ignored.

    Returns:
      Tensor of that dtype and shape `[..., (frames - 1) * frame_step + frame_length]`.

    Raises:
      ValueError: a rank below 2, or `frame_step` that is no integer scalar.
      tf.errors.InvalidArgumentError: `frame_step` is not positive.

    TF: `tf.signal.overlap_and_add`; no known difference.
    """
    signal = convert_to_tensor(signal)
    check_rank(signal, 2)
    step = static_value(frame_step)
    if not isinstance(step, int) or isinstance(step, bool):
        raise ValueError(f"frame_step must be an integer scalar. Got {step!r}")
    if step <= 0:
        raise invalid(f"Paddings must be non-negative: `frame_step` is {step}")
    return _overlap_and_add(signal, step)
