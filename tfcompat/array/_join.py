"""Joining and splitting: stack, unstack, concat, split."""

import contextlib

import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.op import op
from tfcompat._core.symbolic_sizes import is_symbol
from tfcompat._core.tensor import Tensor
from tfcompat.array._arguments import as_int, as_ints, invalid, show_shape
from tfcompat.array._shape_ops import identity


def _stack(xp, values, axis):
    first = values[0].shape
    for i, value in enumerate(values):
        if value.shape != first:
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {show_shape(first)} != "
                f"values[{i}].shape = {show_shape(value.shape)}"
            )
    rank = values[0].ndim + 1
    axis = as_int(axis, "axis", attribute=True)
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return xp.stack(values, axis)


@op("_pack", kernel="Pack", tensors=("*values",), host=lambda values, axis: _stack(np, values, axis),
    numpy=True)  # fmt: skip
def _pack(values, axis):
    return _stack(jnp, values, axis)


@takes_composites("tf.stack")
def stack(values, axis=0, name="stack"):
    """Joins tensors of one shape along a new axis.

    Args:
      values: list of tensors of one shape and dtype.
      axis: where the new axis goes, in [-rank - 1, rank].
      name: ignored.

    Returns:
      Tensor of rank one more than the values.

    Raises:
      ValueError: `axis` out of range.
      tf.errors.InvalidArgumentError: shapes or dtypes differ.

    TF: `tf.stack`; no known difference.
    """
    if isinstance(values, (list, tuple)):
        if not values or (axis == 0 and not any(isinstance(value, Tensor) for value in values)):
            with contextlib.suppress(TypeError, ValueError):  # the kernel says what does not fit
                return convert_to_tensor(values)
        return _pack(values, axis)
    values = convert_to_tensor(values)
    return values if axis == 0 else _pack(unstack(values), axis)


def _unstack(xp, value, num, axis):
    rank = value.ndim
    axis = as_int(axis, "axis")
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    axis %= rank
    length = value.shape[axis]
    if num is not None and num != length:
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {show_shape(value.shape)}")
    if not np.arange(length).size:  # raises for a symbol
        return []
    return list(np.moveaxis(value, axis, 0) if xp is np else jnp.unstack(value, axis=axis))


def _unstack_on_host(value, num, axis, name=None):
    return _unstack(np, value, num, axis)


@op("tf.unstack", kernel="Unpack", tensors=("value",), host=_unstack_on_host, numpy=True)
def unstack(value, num=None, axis=0, name="unstack"):
    """Splits along an axis, which goes away.

    Args:
      value: tensor of any dtype, rank at least 1.
      num: the size of the axis, if given.
      axis: in [-rank, rank).
      name: ignored.

    Returns:
      List of tensors.

    Raises:
      ValueError: `axis` out of range.
      tf.errors.InvalidArgumentError: `num` is not the size.

    TF: `tf.unstack`; no known difference.
    """
    return _unstack(jnp, value, num, axis)


# In a rolled-up loop the values stacked, or unstacked, are rows of a stack already.


def _axis(call, rank):
    return call.attributes.values[-1] % rank


def _pack_rows(call, values):
    if not any(type(value) is engine.Row for value in values):
        return call.fn(*values)
    stacked = engine.stacked(values)
    return jnp.moveaxis(stacked, 0, _axis(call, stacked.ndim))


def _rows_of_packed(call, wrt, arrays):
    cotangent = engine.row_value(arrays[-1])
    stacked = jnp.moveaxis(cotangent, _axis(call, cotangent.ndim), 0)
    rows = tuple([engine.Row(stacked, i) for i in wrt])
    return rows if len(wrt) > 1 else rows[0]


def _unpacked_rows(call, values):
    stacked = engine.row_value(values[0])
    stacked = jnp.moveaxis(stacked, _axis(call, stacked.ndim), 0)
    return tuple([engine.Row(stacked, i) for i in range(len(stacked))])


def _packed_rows(call, wrt, arrays):
    stacked = engine.stacked(arrays[1:])
    return jnp.moveaxis(stacked, 0, _axis(call, stacked.ndim))


_pack.operation.of_rows, _pack.operation.gradient_of_rows = _pack_rows, _rows_of_packed
unstack.operation.of_rows, unstack.operation.gradient_of_rows = _unpacked_rows, _packed_rows


def _concat(xp, values, axis):
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise invalid(f"ConcatOp : Expected concatenating dimension to be a scalar, got {axis}")
        axis = axis[0]
    axis, rank, first = as_int(axis, "axis"), values[0].ndim, values[0].shape
    if not rank:
        raise invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -rank <= axis < rank:
        raise invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}"
        )
    for i, value in enumerate(values):
        pair = f"shape[0] = {show_shape(first)} vs. shape[{i}] = {show_shape(value.shape)}"
        if value.ndim != rank:
            raise invalid(f"ConcatOp : Ranks of all input tensors should match: {pair}")
        for j, (have, want) in enumerate(zip(value.shape, first, strict=True)):
            if j != axis % rank and have != want:
                raise invalid(f"ConcatOp : Dimension {j} in both shapes must be equal: {pair}")
    return xp.concatenate(values, axis)


@op("_concat", kernel="ConcatV2", tensors=("*values",), host=lambda values, axis: _concat(np, values, axis),
    numpy=True)  # fmt: skip
def _concat_many(values, axis):
    return _concat(jnp, values, axis)


@takes_composites("tf.concat")
def concat(values, axis, name="concat"):
    """Joins tensors along an axis they have.

    Args:
      values: list of tensors of one dtype, their shapes equal but for `axis`; or one tensor.
      axis: in [-rank, rank).
      name: ignored.

    Returns:
      Tensor of the same rank and dtype.

    Raises:
      tf.errors.InvalidArgumentError: `axis` out of range; shapes or dtypes that do not fit; no values.

    TF: `tf.concat`; no known difference.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) > 1:
        return _concat_many(values, axis)
    if not values:
        raise invalid("ConcatOp : Expected at least one value to concatenate")
    axis = static_value(axis)
    if isinstance(axis, tuple):
        raise ValueError(f"Shape {np.shape(axis)} must have rank 0")
    as_int(axis, "axis")
    return identity(values[0])


def _split_sizes(value, num_or_size_splits, axis, num):
    rank = value.ndim
    axis = as_int(axis, "axis")
    if not -rank <= axis < rank:
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}")
    length = value.shape[axis]
    if not isinstance(num_or_size_splits, tuple):
        if not isinstance(num_or_size_splits, int | np.integer) and not is_symbol(num_or_size_splits):
            raise ValueError(
                "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: "
                f"{num_or_size_splits}"
            )
        count = as_int(num_or_size_splits, "num_or_size_splits")
        if count < 1:
            raise invalid(f"Value for attr 'num_split' of {count} must be at least minimum 1")
        if length % count:
            raise invalid(
                "Number of ways to split should evenly divide the split dimension, but got split_dim "
                f"{axis} (size = {length}) and num_split {count}"
            )
        return axis, (length // count,) * count
    sizes = as_ints(num_or_size_splits, "size_splits")
    if not sizes or (num is not None and num != len(sizes)):
        raise invalid(
            f"size of the split_tensor must be 1-D and have the same elements as outputs got {len(sizes)}"
        )
    if sizes.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    known = sum(one for one in sizes if one != -1)
    if any(one < -1 for one in sizes) or known > length or (-1 not in sizes and known != length):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or "
            f"be less than the size of the input along split_dim if not fully specified.  Got: {known}"
        )
    return axis, tuple(length - known if one == -1 else one for one in sizes)


def _split(xp, value, num_or_size_splits, axis, num):
    axis, sizes = _split_sizes(value, num_or_size_splits, axis, num)
    return list(xp.split(value, np.cumsum(sizes)[:-1].tolist(), axis))


def _split_on_host(value, num_or_size_splits, axis, num, name=None):
    return _split(np, value, num_or_size_splits, axis, num)


@op("tf.split", kernel="Split", tensors=("value",), host=_split_on_host, numpy=True)
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Splits along an axis, which stays.

    Args:
      value: tensor of any dtype, rank at least 1.
      num_or_size_splits: how many equal parts, or the list of their sizes, one of which may be -1 for what is
        left.
      axis: in [-rank, rank).
      num: how many sizes there are, if given.
      name: ignored.

    Returns:
      List of tensors.

    Raises:
      tf.errors.InvalidArgumentError: `axis` out of range, or the sizes do not fit.

    TF: `tf.split`; a scalar tensor as the number of parts is accepted.
    """
    return _split(jnp, value, num_or_size_splits, axis, num)


def parallel_stack(values, name="parallel_stack"):
    """Stacks tensors along a new first axis, inside a function.

    Args:
      values: list of tensors of one shape and dtype.
      name: ignored.

    Returns:
      Tensor of rank one higher.

    Raises:
      RuntimeError: called eagerly; use tf.stack.

    TF: `tf.parallel_stack`; no known difference.
    """
    if not engine.state.graph.symbolic:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    return stack(values)
