"""Selection by masks and values: where, boolean_mask, dynamic_partition, unique.

Most of these need a value to know the shape of their result.
"""

import collections
import math

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import (
    convert_to_tensor,
    host_constant,
    known_values,
    sized_by_values,
    stand_in,
    static_value,
)
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import BOOL, op
from tfcompat._core.steps import is_unknown, sizes_of, step
from tfcompat._core.tensor import Tensor
from tfcompat.array._arguments import as_int, invalid, show_shape
from tfcompat.array._cast import cast
from tfcompat.array._gather import take
from tfcompat.array._shape_ops import reshape


def _select(xp, condition, x, y):
    try:
        jnp.broadcast_shapes(condition.shape, x.shape, y.shape)  # NumPy's takes no symbols
    except ValueError as err:
        shapes = ", ".join(
            f"{role} {show_shape(one.shape)}"
            for role, one in (("condition", condition), ("then", x), ("and else", y))
        )
        raise invalid(f"{shapes} must be broadcastable") from err
    return xp.where(condition, x, y)


@op(
    "_select",
    kernel="SelectV2",
    tensors=("condition", "x", "y"),
    same=("x", "y"),
    dtypes={"condition": BOOL},
    host=lambda condition, x, y: _select(np, condition, x, y),
    numpy=True,
)
def _select_op(condition, x, y):
    return _select(jnp, condition, x, y)


@takes_composites("tf.where")
def where(condition, x=None, y=None, name=None):
    """Elements of `x` where `condition` holds, of `y` elsewhere; without these, the indices of what is true.

    Args:
      condition: bool tensor; any numeric tensor if `x` and `y` are None.
      x: tensor of any dtype.
      y: tensor of the dtype of `x`; the three shapes broadcast.
      name: ignored.

    Returns:
      Tensor of the broadcast shape and the dtype of `x`; or int64 tensor of shape `[count, rank]` with the
      indices of the true elements in row-major order, for which the value of `condition` is needed.

    Raises:
      ValueError: only one of `x` and `y` is given.
      tf.errors.InvalidArgumentError: shapes do not broadcast, or dtypes differ.

    Gradient: zero for what is not chosen; further back, zero times infinity is NaN, as in TF.
    TF: `tf.where`; no known difference.
    """
    if x is None and y is None:
        condition = convert_to_tensor(condition)
        if not condition.shape.rank:
            raise invalid("WhereOp : Unhandled input dimensions: 0")
        if condition.shape.rank == 1 and is_unknown(condition):  # as many as `boolean_mask` takes
            return reshape(_places(condition, np.flatnonzero, [None]), [-1, 1])
        return _places(condition, np.argwhere, [None, condition.shape.rank])
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    if not isinstance(condition, Tensor):
        condition = convert_to_tensor(condition, dtypes.bool)
    return _select_op(condition, x, y)


@takes_composites("tf.boolean_mask")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """The elements or slices of `tensor` where `mask` is true. The value of `mask` is needed.

    Args:
      tensor: tensor of any dtype.
      mask: tensor of rank at least 1, true where not zero; its shape is that of `tensor` from `axis` on.
      axis: first axis that `mask` covers; 0 if None.
      name: ignored.

    Returns:
      Tensor of rank `tensor.rank - mask.rank + 1`.

    Raises:
      ValueError: `mask` is a scalar, or its shape does not fit.

    TF: `tf.boolean_mask`; no known difference.
    """
    tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask)
    sizes, mask_sizes = tuple(tensor.shape), tuple(mask.shape)
    if not mask_sizes:
        raise ValueError("mask cannot be scalar.")
    axis = 0 if axis is None else as_int(static_value(axis), "axis")
    covered = sizes[axis : axis + len(mask_sizes)]
    if covered != mask_sizes:
        raise ValueError(f"Shapes {covered} and {mask_sizes} are incompatible")
    if len(mask_sizes) > 1:
        size = -1 if None in covered else math.prod(covered)
        tensor = reshape(tensor, sizes[:axis] + (size,) + sizes[axis + len(mask_sizes) :])
    return take(tensor, _places(mask, np.flatnonzero, [None]), axis)


@step("Where", lambda new, tensor, find, shape: new(shape, dtypes.int64))
def _places(tensor, find, shape):
    """What `find` gives for the value of a tensor, int64; a stand-in of `shape` where only shapes are wanted."""
    values = known_values(tensor)
    if values is None:
        places = stand_in(shape, np.int64)
        if places is not None:
            return places
        values = known_values(tensor, "use tf.where(mask, x, y)")
    return sized_by_values(find(values).astype(np.int64), [1])


def _parts(new, data, partitions, num_partitions, name=None):
    data, count = convert_to_tensor(data), as_int(static_value(num_partitions), "num_partitions")
    inner = sizes_of(data)[len(sizes_of(partitions)) :]
    return [new([None, *inner], data.dtype) for _ in range(count)] if is_unknown(partitions) else NotImplemented


@takes_composites("tf.dynamic_partition")
@step("DynamicPartition", _parts, underived=True)
def dynamic_partition(data, partitions, num_partitions, name=None):
    """Splits `data` by the number of the part given for each element or slice. The value of `partitions` is
    needed.

    Args:
      data: tensor of any dtype; its shape starts with that of `partitions`.
      partitions: int32 tensor, values in [0, num_partitions).
      num_partitions: integer, at least 1.
      name: ignored.

    Returns:
      List of `num_partitions` tensors.

    Raises:
      tf.errors.InvalidArgumentError: a part out of range, or shapes that do not fit.

    TF: `tf.dynamic_partition`; no known difference.
    """
    data = convert_to_tensor(data)
    values = known_values(convert_to_tensor(partitions, dtype_hint=dtypes.int32), "use tf.where for each part")
    count = as_int(static_value(num_partitions), "num_partitions")
    if count < 1:
        raise invalid(f"Value for attr 'num_partitions' of {count} must be at least minimum 1")
    sizes = tuple(data.shape)
    if sizes[: values.ndim] != values.shape:
        raise invalid(
            f"data.shape must start with partitions.shape, got data.shape = {show_shape(sizes)}, "
            f"partitions.shape = {show_shape(values.shape)}"
        )
    bad = (values < 0) | (values >= count)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise when_run(f"partitions{list(where)} = {values[where]} is not in [0, {count})")
    flat = reshape(data, (values.size,) + sizes_of(data)[values.ndim :])
    numbers = values.reshape(-1)
    return [take(flat, sized_by_values(np.flatnonzero(numbers == part)), 0) for part in np.arange(count)]


@jax.custom_jvp
def _stitched(rows, source, places, count):
    return rows.at[source].get(mode="fill", fill_value=0, wrap_negative_indices=False)


@_stitched.defjvp
def _stitched_jvp(primals, tangents):
    # TF's derivative: each row counts where it goes, also rows that later ones overwrite.
    rows, source, places, count = primals
    moved = jnp.zeros(source.shape[:1] + rows.shape[1:], rows.dtype).at[places].add(tangents[0])
    return _stitched(*primals), moved


@op("_stitch", kernel="DynamicStitch", tensors=("source", "places", "*data"), same=("data",), host="moves")
def _stitch(source, places, data, outer):
    rows = [
        part.reshape((math.prod(part.shape[:rank]),) + part.shape[rank:])
        for part, rank in zip(data, outer, strict=True)
    ]
    return _stitched(jnp.concatenate(rows), source, places, None)


def _whole(new, indices, data, name=None):
    if not any(map(is_unknown, indices)):
        return NotImplemented
    first = _of_one_dtype(data)[0]
    return new([None, *sizes_of(first)[len(sizes_of(indices[0])) :]], first.dtype)


@takes_composites("tf.dynamic_stitch")
@step("DynamicStitch", _whole, underived=True)
def dynamic_stitch(indices, data, name=None):
    """Merges slices into one tensor: `result[indices[k][i]] = data[k][i]`. The values of `indices` are
    needed.

    Args:
      indices: list of int32 tensors.
      data: list of tensors of one dtype; `data[k].shape` is `indices[k].shape` and an inner shape common to
        all.
      name: ignored.

    Returns:
      Tensor of shape `[largest index + 1, *inner]`. Of several slices for one place the last one counts;
      places not mentioned are zero.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or a negative index.

    Gradient: a slice that another one overwrites has a gradient all the same.
    TF: `tf.dynamic_stitch`; no known difference.
    """
    places = [
        known_values(convert_to_tensor(one, dtype_hint=dtypes.int32), "use tf.scatter_nd") for one in indices
    ]
    data = _of_one_dtype(data)
    if len(places) != len(data) or not data:
        raise ValueError(f"as many indices as data are needed, got {len(places)} and {len(data)}")
    inner = None
    for i, (place, part) in enumerate(zip(places, data, strict=True)):
        sizes = tuple(part.shape)
        if sizes[: place.ndim] != place.shape:
            raise invalid(
                f"data[{i}].shape = {show_shape(sizes)} does not start with indices[{i}].shape = "
                f"{show_shape(place.shape)}"
            )
        if inner is not None and sizes[place.ndim :] != inner:
            raise invalid(f"Need data[0].shape[{places[0].ndim}:] = data[{i}].shape[{place.ndim}:]")
        inner = sizes[place.ndim :]
        if (place < 0).any():
            raise invalid(f"indices[{int(np.argmax(place.reshape(-1) < 0))}] is out of range")
    flat = np.concatenate([place.reshape(-1) for place in places]).astype(np.int64)
    source = np.full(int(flat.max(initial=-1)) + 1, len(flat), np.int64)
    source[flat] = np.arange(len(flat))
    return _stitch(host_constant(source), host_constant(flat), data, tuple(place.ndim for place in places))


def _of_one_dtype(values):
    first = next((value.dtype for value in values if isinstance(value, Tensor)), None)
    converted = []
    for value in values:
        converted.append(convert_to_tensor(value, dtype_hint=first))
        first = first or converted[0].dtype
    return converted


# Distinct values --------------------------------------------------------------------------------------------

Unique = collections.namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = collections.namedtuple("UniqueWithCounts", ["y", "idx", "count"])


@op(
    "_unique",
    kernel="Unique",
    tensors=("x", "first"),
    same=("x",),
    gradient="missing",
    host=lambda x, first: x[first],
)
def _unique(x, first):
    return x[first]


def _distinct(x, out_idx):
    out_idx = dtypes.as_dtype(out_idx)
    if out_idx not in (dtypes.int32, dtypes.int64):
        raise invalid(f"`out_idx` must be int32 or int64, got {out_idx.name}")
    x = convert_to_tensor(x)
    if len(x.shape) != 1:
        raise invalid("unique expects a 1D vector.")
    if known_values(x) is None:
        first = stand_in([None], np.int64)
        if first is not None:
            return _unique(x, first), stand_in(x.shape, out_idx.np), cast(first, out_idx)
    first, positions, counts = _first_places(x, out_idx)
    return _unique(x, first), positions, counts


def _of_distinct(new, x, out_idx):
    first = new([None], dtypes.int64)
    return first, new(sizes_of(x), out_idx), new(sizes_of(first), out_idx)


@step("UniqueWithCounts", _of_distinct)
def _first_places(x, out_idx):
    """Where each value of a vector occurs first; for each element the number of its value; how often each occurs."""
    values = known_values(x, "use tf.sort")
    seen, first, positions, counts = {}, [], [], []
    for i, value in enumerate(values.tolist()):
        # A NaN equals nothing, itself included.
        key = value if value == value else (i,)
        number = seen.setdefault(key, len(first))
        if number == len(first):
            first.append(i)
            counts.append(0)
        counts[number] += 1
        positions.append(number)
    first, counts = np.array(first, np.int64), np.array(counts, out_idx.np)
    return sized_by_values(first), host_constant(np.array(positions, out_idx.np)), sized_by_values(counts)


@takes_composites("tf.unique")
def unique(x, out_idx=dtypes.int32, name=None):
    """Distinct values in order of first appearance. The value of `x` is needed.

    Args:
      x: 1-D tensor of any dtype.
      out_idx: dtype of the indices, int32 or int64.
      name: ignored.

    Returns:
      Named tuple `(y, idx)`: the distinct values, and for each element of `x` its position in `y`.

    Raises:
      tf.errors.InvalidArgumentError: `x` is not 1-D.

    Gradient: none is registered, as in TF.
    TF: `tf.unique`; no known difference.
    """
    y, idx, _ = _distinct(x, out_idx)
    return Unique(y, idx)


@takes_composites("tf.unique_with_counts")
def unique_with_counts(x, out_idx=dtypes.int32, name=None):
    """Distinct values in order of first appearance, and how often each appears. The value of `x` is needed.

    Args:
      x: 1-D tensor of any dtype.
      out_idx: dtype of the indices and counts, int32 or int64.
      name: ignored.

    Returns:
      Named tuple `(y, idx, count)`.

    Raises:
      tf.errors.InvalidArgumentError: `x` is not 1-D.

    Gradient: none is registered, as in TF.
    TF: `tf.unique_with_counts`; no known difference.
    """
    return UniqueWithCounts(*_distinct(x, out_idx))
