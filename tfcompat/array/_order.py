"""Ops that reorder along axes: roll, reverse, reverse_sequence."""

import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import static_value
from tfcompat._core.in_graphs import traced, when_run
from tfcompat._core.op import ANY_OR_STRING, INDEX, op
from tfcompat._core.tensor import Tensor
from tfcompat.array._arguments import as_axis, as_ints, invalid, is_known


def _roll_pairs(input, shift, axis):
    if axis is None or shift is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
        )
    if not input.ndim:
        raise invalid("input must be 1-D or higher")
    axes = as_ints(axis, "axis")
    for one in axes:
        if not -input.ndim <= one < input.ndim:
            raise when_run(f"axis {one} is out of range")
    return axes


@op("_roll", kernel="Roll", tensors=("input",), host="moves")
def _roll(input, shift, axis):
    axes, shifts = _roll_pairs(input, shift, axis), as_ints(shift, "shift")
    if len(axes) != len(shifts) or isinstance(axis, tuple) != isinstance(shift, tuple):
        raise invalid("shift and axis must have the same size")
    return jnp.roll(input, shifts, axes)


@op("_roll_by", kernel="Roll", tensors=("input", "shift"), same=("input",), dtypes={"shift": INDEX}, host="moves")
def _roll_by(input, shift, axis):
    axes, shifts = _roll_pairs(input, shift, axis), shift.reshape(-1)
    if len(axes) != shifts.size or isinstance(axis, tuple) != bool(shift.ndim):
        raise invalid("shift and axis must have the same size")
    return jnp.roll(input, shifts, axes)


@takes_composites("tf.roll")
def roll(input, shift, axis, name=None):
    """Shifts elements along axes; what leaves at one end enters at the other.

    Args:
      input: tensor of any dtype, rank at least 1.
      shift: how far, towards larger indices: an integer, or one for each of `axis`.
      axis: integer, or several; may repeat, and then the shifts add up.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: `axis` out of range, or not as many shifts as axes.

    TF: `tf.roll`; no known difference.
    """
    if isinstance(shift, Tensor) and not is_known(shift):
        return _roll_by(input, shift, axis)
    return _roll(input, shift, axis)


def _reverse_axes(shape, axis):
    rank = len(shape)
    if not rank or any(type(size) is int and not size for size in shape):
        return ()  # TF looks at no axis then
    if not isinstance(axis, tuple):
        raise invalid("'dims' must be 1-dimension, not 0")
    axes = []
    for i, one in enumerate(as_ints(axis, "axis")):
        if not -rank <= one < rank:
            raise invalid(f"'axis'[{i}] = {one} is out of valid range [0, {rank - 1}]")
        if one % rank in axes:
            raise invalid(f"axis {one % rank} specified more than once.")
        axes.append(one % rank)
    return tuple(axes)


@op(
    "tf.reverse",
    kernel="ReverseV2",
    tensors=("tensor",),
    host=lambda tensor, axis: np.flip(tensor, _reverse_axes(tensor.shape, axis)),
    numpy=True,
)
def reverse(tensor, axis):
    """Reverses the order along axes.

    Args:
      tensor: tensor of any dtype.
      axis: list of distinct axes, in [-rank, rank).

    Returns:
      Tensor with the shape and dtype of `tensor`.

    Raises:
      tf.errors.InvalidArgumentError: `axis` is not a list, out of range, or holds an axis twice.

    TF: `tf.reverse`; no known difference.
    """
    return jnp.flip(tensor, _reverse_axes(tensor.shape, axis))


def _check_axes_in_graph(spec, args, kwargs, result):
    """Raises ValueError in a function for wrong axes of an empty tensor, whose axes nothing looks at eagerly."""
    shape = result.aval.shape
    if 0 in shape and traced():
        axes, rank = as_ints(static_value(spec.bound(args, kwargs)["axis"]), "axis"), len(shape)
        if len({one % rank for one in axes}) < len(axes) or any(not -rank <= one < rank for one in axes):
            raise ValueError(f"axes {axes} are out of the range [-{rank}, {rank}), or specified more than once.")


reverse.operation.keeps_empty, reverse.spec.when_empty = False, _check_axes_in_graph


def _lengths_fit(input, seq_lengths, seq_axis, batch_axis):
    """What TF requires of the lengths of sequences."""
    which, length = jnp.arange(seq_lengths.shape[0]), jnp.asarray(input.shape[seq_axis])
    return [
        engine.require(seq_lengths >= 0, "seq_lens({0}) < 0 [Op:ReverseSequence] name: ", which),
        engine.require(seq_lengths <= length, f"seq_lens({{0}}) > input.dims({seq_axis}) [Op:ReverseSequence] name: ",
                       which),
    ]  # fmt: skip


@op("tf.reverse_sequence", kernel="ReverseSequence", tensors=("input", "seq_lengths"), same=("input",),
    dtypes={"input": ANY_OR_STRING, "seq_lengths": INDEX}, host="moves", requires=_lengths_fit)  # fmt: skip
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None):
    """Reverses the first `seq_lengths[b]` elements of each sequence in a batch.

    Args:
      input: tensor of any dtype.
      seq_lengths: int32 or int64 tensor of shape `[input.shape[batch_axis]]`, at most
        `input.shape[seq_axis]`.
      seq_axis: the axis of the sequences.
      batch_axis: the axis of the batch; 0 if None.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      TypeError: `seq_axis` is None.
      tf.errors.InvalidArgumentError: an axis is out of range, both are the same, or `seq_lengths` does not
        fit; a length is negative or greater than the axis.

    TF: `tf.reverse_sequence`; no known difference.
    """
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    batch_axis = 0 if batch_axis is None else batch_axis
    for axis, argument in ((seq_axis, "seq_dim"), (batch_axis, "batch_dim")):
        if as_axis(axis, input.ndim, argument) != axis:
            raise invalid(f"`{argument}` must be in the range [0, {input.ndim}), got {axis}")
    if seq_axis == batch_axis:
        raise invalid(f"batch_dim == seq_dim == {seq_axis}")
    length = input.shape[seq_axis]
    if seq_lengths.shape != (input.shape[batch_axis],):
        raise invalid(
            f"Length of seq_lens != input.dims({batch_axis}), ({seq_lengths.shape} vs. {input.shape})"
        )
    positions = jnp.arange(length, dtype=seq_lengths.dtype)
    lengths = jnp.minimum(seq_lengths, np.asarray(length, seq_lengths.dtype))[:, None]
    source = jnp.where(positions < lengths, lengths - np.asarray(1, seq_lengths.dtype) - positions, positions)
    if batch_axis > seq_axis:
        source = source.T
    index_shape = [input.shape[i] if i in (seq_axis, batch_axis) else 1 for i in np.arange(input.ndim)]
    return jnp.take_along_axis(input, source.reshape(index_shape), seq_axis)
