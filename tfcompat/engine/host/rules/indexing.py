"""Reads and writes at places that are computed."""

from typing import Any

import numpy as np
from jax.lax import GatherScatterMode

from tfcompat.engine.host.rules.reductions import of_elements
from tfcompat.engine.host.rules.registry import BFLOAT16, Unknown, is_narrow


def _places(shape, sizes):
    """A function of indices that gives the slices of these sizes there, moved to lie within the shape."""
    last = [n - size for n, size in zip(shape, sizes, strict=True)]

    def places(indices):
        starts = [min(max(int(i), 0), end) for i, end in zip(indices, last, strict=True)]
        return tuple([slice(i, i + size) for i, size in zip(starts, sizes, strict=True)])

    return places


def _dynamic_slice(params, in_avals, out_avals):
    places = _places(in_avals[0].shape, params["slice_sizes"])
    return lambda x, *indices: x[places(indices)]


def _dynamic_update_slice(params, in_avals, out_avals):
    places = _places(in_avals[0].shape, in_avals[1].shape)

    def write(x, update, *indices):
        result = np.array(x)
        result[places(indices)] = update
        return result

    return write


class _Windows:
    """Windows of one size in an array: `gather` reads them, `scatter` writes them.

    The axes that windows do not fill are brought to the front of the array; these are indexed. An array indexed so has
    the axes of the batch (those of the indices but the last), the axes of the window, and then the axes left alone.

    Args:
      shape, sizes: of the array and of a window, which has all of its axes.
      batch: shape of the indices without the last axis.
      starts: for each number of an index, the axis of the array that it is for.
      batching: for axes of the array that are axes of the batch, which.
      left_out: axes of the array that windows lack as results or updates.
    """

    def __init__(self, shape, sizes, batch, starts, batching, left_out):
        count = len(shape)
        whole = [d for d in range(count) if sizes[d] == shape[d] and d not in starts and d not in batching]
        indexed = [d for d in range(count) if d not in whole]
        self.order = None if indexed + whole == list(range(count)) else [*indexed, *whole]
        kept = [d for d in indexed if d not in left_out]
        self.last = np.array([shape[d] - sizes[d] for d in starts], np.intp)
        self.within, self._fixed = [], []
        of_window = len(kept)
        self._new_axes = (1,) * of_window
        for d in indexed:
            offset = 0
            if d in kept and sizes[d] > 1:
                along = [1] * of_window
                along[kept.index(d)] = sizes[d]
                offset = np.arange(sizes[d]).reshape(along)
            if d in batching:
                axis = batching[d]
                along = [1] * (len(batch) + of_window)
                along[axis] = batch[axis]
                offset = offset + np.arange(batch[axis]).reshape(along)
            self._fixed.append((starts.index(d) if d in starts else None, offset))
        window_shape = [sizes[d] for d in kept]
        self.full = (*batch, *window_shape)
        # Windows' axes are left as results or updates in the order of the array's axes, then here in another.
        result_axes = [d for d in range(count) if d not in left_out]
        self.axes = [result_axes.index(d) for d in [*kept, *[d for d in whole if d not in left_out]]]
        self._spreads = not starts  # nothing else has all axes of the batch
        if not indexed:
            raise Unknown("the same window for all of a batch")
        self.batch = batch
        self.window_shape = [sizes[d] for d in [*kept, *[d for d in whole if d not in left_out]]]
        self.moved_shape = (*self.full, *[shape[d] for d in whole])

    def at(self, indices):
        """What to index the array with."""
        places = []
        for number, offset in self._fixed:
            if number is None:
                places.append(offset)
            else:
                start = indices[..., number]
                places.append(start.reshape(start.shape + self._new_axes) + offset)
        if self._spreads:
            places[0] = np.broadcast_to(places[0], self.full)
        return tuple(places)

    def moved(self, x):
        return x if self.order is None else x.transpose(self.order)


def _windows_of(aval, indices, sizes, starts, batching, batching_of_indices, left_out):
    return _Windows(
        aval.shape, sizes, tuple(indices.shape[:-1]), list(starts),
        dict(zip(batching, batching_of_indices, strict=True)), {*left_out, *batching},
    )  # fmt: skip


def _with_batch_at(others, count):
    """The axes of the result that are not `others`, of `count` axes."""
    return [axis for axis in range(count) if axis not in others]


def _gather(params, in_avals, out_avals):
    numbers, (operand, indices) = params["dimension_numbers"], in_avals
    windows = _windows_of(
        operand, indices, params["slice_sizes"], numbers.start_index_map, numbers.operand_batching_dims,
        numbers.start_indices_batching_dims, numbers.collapsed_slice_dims,
    )  # fmt: skip
    result, fills = out_avals[0], params["mode"] == GatherScatterMode.FILL_OR_DROP
    if 0 in result.shape or 0 in operand.shape:
        empty = np.full(result.shape, _filling(operand.dtype, params["fill_value"]), result.dtype)
        return lambda x, indices: empty
    batch_axes = _with_batch_at(numbers.offset_dims, len(result.shape))
    # From (batch, window) to the axes of the result.
    back = [0] * len(result.shape)
    for i, axis in enumerate(batch_axes):
        back[axis] = i
    for i, axis in enumerate(windows.axes):
        back[numbers.offset_dims[axis]] = len(batch_axes) + i
    back = None if back == sorted(back) else back
    between = (*windows.batch, *windows.window_shape)
    last, to_batch = windows.last, (*windows.batch, *(1,) * len(windows.window_shape))
    fill = _filling(operand.dtype, params["fill_value"]) if fills else None
    axis = _axis_taken(params, operand, batch_axes)
    if axis is not None:
        batch, size = windows.batch, operand.shape[axis]

        def take(x, indices):
            indices = indices.reshape(batch)
            if fills and not ((indices >= 0) & (indices < size)).all():
                return gather(x, indices[..., None])
            return x.take(indices, axis, mode="clip")

    def gather(x, indices):
        indices = indices.astype(np.intp)
        inside = np.minimum(np.maximum(indices, 0), last)
        taken: Any = windows.moved(x)[windows.at(inside)].reshape(between)
        if fills:
            is_inside = (indices == inside).all(-1)
            if not is_inside.all():
                taken = np.where(is_inside.reshape(to_batch), taken, fill)
        return taken if back is None else taken.transpose(back)

    return gather if axis is None else take


def _axis_taken(params, operand, batch_axes):
    """The axis whose entries a gather takes, as `np.take` does; None if it does something else."""
    numbers = params["dimension_numbers"]
    if len(numbers.start_index_map) != 1 or numbers.operand_batching_dims:
        return None
    (axis,) = numbers.start_index_map
    sizes = tuple([1 if i == axis else size for i, size in enumerate(operand.shape)])
    is_whole = params["slice_sizes"] == sizes and tuple(numbers.collapsed_slice_dims) == (axis,)
    return axis if is_whole and batch_axes == list(range(axis, axis + len(batch_axes))) else None


def _filling(dtype, value):
    if value is not None:
        return dtype.type(value)
    if dtype.kind in "fc" or dtype == BFLOAT16:
        return dtype.type(np.nan)
    if dtype.kind == "b":
        return dtype.type(True)
    return dtype.type(np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max)


def _scatter(join):
    """The rule of a scatter; `join(array, places, updates)` writes."""

    def rule(params, in_avals, out_avals):
        numbers, (operand, indices, updates) = params["dimension_numbers"], in_avals
        left_out = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
        of_window = iter([updates.shape[axis] for axis in numbers.update_window_dims])
        sizes = [1 if d in left_out else next(of_window) for d in range(len(operand.shape))]
        windows = _windows_of(
            operand, indices, sizes, numbers.scatter_dims_to_operand_dims, numbers.operand_batching_dims,
            numbers.scatter_indices_batching_dims, numbers.inserted_window_dims,
        )  # fmt: skip
        if 0 in updates.shape or 0 in operand.shape:
            return lambda x, indices, updates: x
        batch_axes = _with_batch_at(numbers.update_window_dims, len(updates.shape))
        order = [*batch_axes, *[numbers.update_window_dims[axis] for axis in windows.axes]]
        order = None if order == sorted(order) else order
        last, clips, full = windows.last, params["mode"] == GatherScatterMode.CLIP, windows.moved_shape
        write, within = join(params, operand.dtype), operand.dtype
        if write is not _put and is_narrow(within):
            within = np.dtype(np.float32)
        dtype = operand.dtype

        def scatter(x, indices, updates):
            indices = indices.astype(np.intp)
            inside = np.minimum(np.maximum(indices, 0), last)
            if order is not None:
                updates = updates.transpose(order)
            updates = updates.reshape(full)
            places = windows.at(inside)
            if not clips:
                is_inside = (indices == inside).all(-1)
                if not is_inside.all():
                    places = tuple([np.broadcast_to(place, windows.full)[is_inside] for place in places])
                    updates = updates[is_inside]
            result = np.array(x, within)
            write(windows.moved(result), places, updates.astype(within, copy=False))
            return result if within is dtype else result.astype(dtype)

        return scatter

    return rule


def _put(x, places, updates):
    x[places] = updates


def _put_or_apply(params, dtype):
    jaxpr = params["update_jaxpr"]
    if jaxpr is None or not jaxpr.eqns and jaxpr.outvars[0] is jaxpr.invars[-1]:
        return _put
    if not params["unique_indices"]:
        raise Unknown("a function to be applied anew where a place comes again")
    function = of_elements(jaxpr, params["update_consts"])

    def apply(x, places, updates):
        x[places] = function(x[places], updates)[0]

    return apply


def _at(ufunc):
    return lambda params, dtype: ufunc.at


RULES = {
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": _gather,
    "scatter": _scatter(_put_or_apply),
    "scatter-add": _scatter(_at(np.add)),
    "scatter-max": _scatter(_at(np.maximum)),
    "scatter-min": _scatter(_at(np.minimum)),
    "scatter-mul": _scatter(_at(np.multiply)),
    "scatter-sub": _scatter(_at(np.subtract)),
}
