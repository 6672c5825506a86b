"""Sorting."""

import numpy as np

from tfcompat.engine.host.rules.elementwise import ordered
from tfcompat.engine.host.rules.registry import BFLOAT16, is_floating


def _comparable(x):
    """NumPy does not know where NaN stands in bfloat16."""
    return x.astype(np.float32) if x.dtype == BFLOAT16 else x


def _sorted(params, in_avals, out_avals):
    """NaN comes last, and the two zeros are equal."""
    axis, count = params["dimension"], params["num_keys"]
    if len(in_avals) == 1:
        dtype = in_avals[0].dtype
        return lambda x: [np.sort(_comparable(x), axis, kind="stable").astype(dtype, copy=False)]

    def sort(*arrays):
        if count == 1:
            order = np.argsort(_comparable(arrays[0]), axis, kind="stable")
        else:
            order = np.lexsort([_comparable(x) for x in arrays[count - 1 :: -1]], axis)
        return [np.take_along_axis(x, order, axis) for x in arrays]

    return sort


def _largest(params, in_avals, out_avals):
    return _first(in_avals[0], params["k"], params.get("axis", -1), out_avals[1].dtype, True)


def _nearly_largest(params, in_avals, out_avals):
    """Without an accelerator the approximation is exact."""
    return _first(
        in_avals[0], out_avals[0].shape[params["reduction_dimension"]], params["reduction_dimension"],
        out_avals[1].dtype, params["is_max_k"],
    )  # fmt: skip


def _first(aval, count, axis, index_dtype, is_largest):
    """Values and places of the `count` largest or smallest, in the total order of floating numbers."""
    axis %= len(aval.shape)
    first = (slice(None),) * axis + (slice(count),)
    of_numbers = ordered if is_floating(aval.dtype) else lambda x: x

    def top(x):
        keys = of_numbers(x)
        order = (~keys if is_largest else keys).argsort(axis, kind="stable")[first]
        return [x[order] if x.ndim == 1 else np.take_along_axis(x, order, axis), order.astype(index_dtype)]

    return top


RULES = {"approx_top_k": _nearly_largest, "sort": _sorted, "top_k": _largest}
