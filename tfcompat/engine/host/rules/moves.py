"""What moves, repeats or leaves out elements, at places known beforehand."""

import math

import numpy as np

from tfcompat.engine._policy import HOST
from tfcompat.engine.host.rules.registry import plain


def _broadcast(params, in_avals, out_avals):
    shape, between = params["shape"], [1] * len(params["shape"])
    for axis, size in zip(params["broadcast_dimensions"], in_avals[0].shape, strict=True):
        between[axis] = size
    if math.prod(shape) == math.prod(between):
        return lambda x, *_: x.reshape(shape)
    if math.prod(shape) > HOST.copied:
        return lambda x, *_: np.broadcast_to(x.reshape(between), shape)
    dtype = out_avals[0].dtype

    def broadcast(x, *_):
        result = np.empty(shape, dtype)
        result[...] = x.reshape(between)
        return result

    return broadcast


def padded(shape, config):
    """A function of an array of this shape and a value that pads by (low, high, inner) of each axis; see `lax.pad`."""
    new_shape, places, taken = [], [], []
    for (low, high, inner), size in zip(config, shape, strict=True):
        step = inner + 1
        length = low + size + max(size - 1, 0) * inner + high
        first = max(-(low // step), 0)  # of the elements that stay
        last = min((length - 1 - low) // step, size - 1)
        new_shape.append(length)
        taken.append(slice(first, last + 1))
        places.append(slice(low + first * step, low + last * step + 1, step) if last >= first else slice(0, 0))
    places, taken = tuple(places), tuple(taken)

    def pad(x, value):
        result = np.full(new_shape, value, x.dtype)
        result[places] = x[taken]
        return result

    return pad


def _pad(params, in_avals, out_avals):
    return padded(in_avals[0].shape, params["padding_config"])


def _slice(params, in_avals, out_avals):
    strides = params["strides"] or (1,) * len(in_avals[0].shape)
    places = tuple(map(slice, params["start_indices"], params["limit_indices"], strides))
    return lambda x: x[places]


def _iota(params, in_avals, out_avals):
    shape, dimension = params["shape"], params["dimension"]
    between = [1] * len(shape)
    between[dimension] = shape[dimension]
    numbers = np.arange(shape[dimension], dtype=params["dtype"])
    result = np.broadcast_to(numbers.reshape(between), shape)
    return lambda *_: result


def _concatenate(params, in_avals, out_avals):
    axis = params["dimension"]
    return lambda *arrays: np.concatenate(arrays, axis)


def _reshape(params, in_avals, out_avals):
    shape, order = out_avals[0].shape, params["dimensions"]
    if order is not None:
        return lambda x, *_: x.transpose(order).reshape(shape)
    return lambda x, *_: x.reshape(shape)


def _with_other_axes(params, in_avals, out_avals):
    shape = out_avals[0].shape
    return lambda x, *_: x.reshape(shape)


def _reverse(params, in_avals, out_avals):
    places = [slice(None)] * len(in_avals[0].shape)
    for axis in params["dimensions"]:
        places[axis] = slice(None, None, -1)
    places = tuple(places)
    return lambda x: x[places]


def _split(params, in_avals, out_avals):
    axis, bounds = params["axis"], np.cumsum(params["sizes"])[:-1]
    if not params["sizes"]:
        return lambda x: []
    return lambda x: np.split(x, bounds, axis)


def _stack(params, in_avals, out_avals):
    axis = params["axis"]
    return lambda *arrays: np.stack(arrays, axis)


def _transpose(params, in_avals, out_avals):
    order = params["permutation"]
    return lambda x: x.transpose(order)


def _unstack(params, in_avals, out_avals):
    axis = params["axis"]
    return lambda x: list(np.moveaxis(x, axis, 0))


def _size(params, in_avals, out_avals):
    size = np.asarray(params["dim"], out_avals[0].dtype)
    return lambda: size


def _tile(params, in_avals, out_avals):
    reps = params["reps"]
    return lambda x: np.tile(x, reps)


def _empty(params, in_avals, out_avals):
    shape, dtype = out_avals[0].shape, out_avals[0].dtype
    return lambda: np.zeros(shape, dtype)


RULES = {
    "broadcast_in_dim": _broadcast,
    "concatenate": _concatenate,
    "dim_as_value": _size,
    "empty": _empty,
    "empty2": _empty,
    "expand_dims": _with_other_axes,
    "iota": _iota,
    "optimization_barrier": plain(lambda *arrays: list(arrays)),
    "pad": _pad,
    "reshape": _reshape,
    "rev": _reverse,
    "slice": _slice,
    "split": _split,
    "squeeze": _with_other_axes,
    "stack": _stack,
    "tile": _tile,
    "transpose": _transpose,
    "unstack": _unstack,
}
