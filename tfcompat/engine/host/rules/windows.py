"""Reductions of windows, and convolutions, which are products of windows."""

import itertools
import math

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tfcompat.engine.host.rules.blas import matmul_of
from tfcompat.engine.host.rules.moves import padded
from tfcompat.engine.host.rules.reductions import folded, greatest, least, of_elements
from tfcompat.engine.host.rules.registry import is_narrow


def _padding(shape, padding, dilation):
    """As `padded`; None where nothing is to be padded."""
    if all(low == high == 0 and step == 1 for (low, high), step in zip(padding, dilation, strict=True)):
        return None
    return padded(shape, [(low, high, step - 1) for (low, high), step in zip(padding, dilation, strict=True)])


def _views(x, count, window, strides, dilation, result):
    """`x`, whose last axes these are, with those of results and of windows in their place: a view."""
    steps = x.strides[x.ndim - count :]
    return as_strided(
        x, (*x.shape[: x.ndim - count], *result, *window),
        (*x.strides[: x.ndim - count], *[a * b for a, b in zip(steps, strides, strict=True)],
         *[a * b for a, b in zip(steps, dilation, strict=True)]), writeable=False,
    )  # fmt: skip


class _Pooling:
    """What all reductions of windows have in common: how windows lie in an array."""

    def __init__(self, params, shape, result):
        count = len(shape)
        self.window, self.strides = params["window_dimensions"], params["window_strides"]
        self.dilation = params.get("window_dilation", (1,) * count)
        self.pad = _padding(shape, params["padding"], params.get("base_dilation", (1,) * count))
        self.result, self.count = tuple(result), count
        self.size = math.prod(self.window)

    def padded(self, x, value):
        return x if self.pad is None else self.pad(x, value)

    def views(self, x, value):
        """Windows of an array, which are padded with a value: the axes of the result, then those of a window."""
        return _views(self.padded(x, value), self.count, self.window, self.strides, self.dilation, self.result)

    def stack(self, x, value):
        """The windows, their elements along the first axis."""
        views = self.views(x, value)
        return np.moveaxis(views.reshape(*self.result, self.size), -1, 0)

    def places(self):
        """Of each element of a window, in their order, the slices that take it from an array that is padded."""
        for offsets in itertools.product(*map(range, self.window)):
            yield tuple(
                [
                    slice(offset * dilation, offset * dilation + (size - 1) * stride + 1, stride)
                    for offset, dilation, size, stride in zip(
                        offsets, self.dilation, self.result, self.strides, strict=True
                    )
                ]
            )


def _pooled(ufunc, identity):
    def rule(params, in_avals, out_avals):
        dtype, shape = out_avals[0].dtype, out_avals[0].shape
        pooling = _Pooling(params, in_avals[0].shape, shape)
        value, axes = identity(dtype), tuple(range(pooling.count, 2 * pooling.count))
        if 0 in shape:
            return lambda x: np.empty(shape, dtype)
        if is_narrow(dtype) and ufunc is np.add:
            return lambda x: ufunc.reduce(pooling.views(x.astype(np.float32), 0), axes).astype(dtype)
        return lambda x: ufunc.reduce(pooling.views(x, value), axes, dtype)

    return rule


def _reduced_windows(params, in_avals, out_avals):
    count, shape = len(in_avals) // 2, out_avals[0].shape
    pooling = _Pooling(params, in_avals[0].shape, shape)
    function = of_elements(params["jaxpr"], params["consts"])

    def reduce(*arrays):
        starts = arrays[count:]
        if 0 in shape:
            return [np.empty(shape, x.dtype) for x in starts]
        stacks = [pooling.stack(x, start) for x, start in zip(arrays, starts, strict=False)]
        return function(*[np.broadcast_to(x, shape) for x in starts], *folded(function, stacks))

    return reduce


def _selection(params, in_avals):
    """What is least by the comparison that selects from windows, the comparison, and what it gives of a dtype."""
    is_largest = params["select_prim"].name in ("ge", "gt")
    return (np.greater_equal, least) if is_largest else (np.less_equal, greatest)


def _gathered_from_selected(params, in_avals, out_avals):
    """Of each window, the element of the first array where the second is largest or smallest."""
    pooling = _Pooling(params, in_avals[0].shape, out_avals[0].shape)
    keeps, worst = _selection(params, in_avals)
    start, dtype = worst(in_avals[1].dtype), out_avals[0].dtype

    def gather(moved, operand):
        moved, operand = pooling.padded(moved, dtype.type(0)), pooling.padded(operand, start)
        best, result = np.full(pooling.result, start, operand.dtype), np.zeros(pooling.result, dtype)
        for places in pooling.places():
            candidate = operand[places]
            stays = keeps(best, candidate)
            best = np.where(stays, best, candidate)
            result = np.where(stays, result, moved[places])
        return result

    return gather


def _scattered_to_selected(params, in_avals, out_avals):
    """The elements of the first array, one for each window, added where the second has its largest or smallest."""
    source, operand = in_avals
    pooling = _Pooling(params, operand.shape, source.shape)
    keeps, worst = _selection(params, in_avals)
    start, dtype, shape = worst(operand.dtype), out_avals[0].dtype, out_avals[0].shape
    pad = pooling.pad
    inside = np.broadcast_to(np.True_, shape) if pad is None else pad(np.ones(shape, bool), False)
    within = np.dtype(np.float32) if is_narrow(dtype) else dtype
    back = tuple([slice(low, low + size) for (low, _), size in zip(params["padding"], shape, strict=True)])

    def scatter(source, operand):
        operand = pooling.padded(operand, start)
        best, chosen = np.full(pooling.result, start, operand.dtype), np.full(pooling.result, -1)
        places_of = list(pooling.places())
        for number, places in enumerate(places_of):
            candidate, valid = operand[places], inside[places]
            moves = valid & ((chosen < 0) | ~keeps(best, candidate))
            best = np.where(moves, candidate, best)
            chosen = np.where(moves, number, chosen)
        result = np.zeros(operand.shape, within)
        for number, places in enumerate(places_of):
            result[places] += np.where(chosen == number, source, within.type(0)).astype(within, copy=False)
        return result[back].astype(dtype, copy=False)

    return scatter


def _convolution(params, in_avals, out_avals):
    """By products of windows, laid out as rows, with the kernel as a matrix; for each group of channels."""
    (image, kernel), result = in_avals, out_avals[0]
    image_axes, kernel_axes, result_axes = params["dimension_numbers"]
    strides, dilation = params["window_strides"], params["rhs_dilation"]
    batch_groups = params["batch_group_count"]
    groups = max(params["feature_group_count"], batch_groups)
    dtype = result.dtype
    within = np.dtype(np.float32) if is_narrow(dtype) else dtype
    if dtype == np.float32:  # whose sums XLA rounds less often than BLAS
        within = np.dtype(np.float64)
    spatial = [result.shape[axis] for axis in result_axes[2:]]
    window = [kernel.shape[axis] for axis in kernel_axes[2:]]
    count = len(spatial)
    outward, inward = kernel.shape[kernel_axes[0]], kernel.shape[kernel_axes[1]]
    each = image.shape[image_axes[0]] // batch_groups
    ordered_shape = tuple([image.shape[axis] for axis in image_axes])
    pad = _padding(ordered_shape, [(0, 0), (0, 0), *params["padding"]], [1, 1, *params["lhs_dilation"]])

    grouped = (batch_groups, each, groups // batch_groups, inward)  # the other group count is 1
    back = list(np.argsort(result_axes))
    shape = result.shape
    rows, length = each * math.prod(spatial), inward * math.prod(window)
    # Axes of the windows: both groups, examples, channels in, results, windows.
    axes_of_results = range(4, 4 + count)
    order = [0, 2, 1, *axes_of_results, 3, *range(4 + count, 4 + 2 * count)]
    matmul = matmul_of(rows, outward // groups, length)
    # After the product: groups, examples, results, channels out.
    last = [1, 0, 2 + count, *range(2, 2 + count)]

    def convolve(image, kernel):
        image = image.transpose(image_axes).astype(within, copy=False)
        if pad is not None:
            image = pad(image, within.type(0))
        if image.size == 0 or 0 in shape or length == 0:
            return np.zeros(shape, dtype)
        image = image.reshape(*grouped, *image.shape[2:])
        views = _views(image, count, window, strides, dilation, spatial).transpose(order)
        left = views.reshape(groups, rows, length)
        right = kernel.transpose(kernel_axes).astype(within, copy=False).reshape(groups, outward // groups, length)
        result = matmul(left, right.swapaxes(1, 2)).reshape(groups, each, *spatial, outward // groups)
        result = result.transpose(last).reshape(each, outward, *spatial)
        return result.transpose(back).astype(dtype, copy=False)

    return convolve


def _zero(dtype):
    return dtype.type(0)


RULES = {
    "conv_general_dilated": _convolution,
    "reduce_window": _reduced_windows,
    "reduce_window_max": _pooled(np.maximum, least),
    "reduce_window_min": _pooled(np.minimum, greatest),
    "reduce_window_sum": _pooled(np.add, _zero),
    "select_and_gather_add": _gathered_from_selected,
    "select_and_scatter_add": _scattered_to_selected,
}
