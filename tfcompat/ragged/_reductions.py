"""Reductions of ragged tensors, over their rows, within them and over inner axes."""

import numpy as np

from tfcompat import dtypes, math
from tfcompat._core.composite import handles
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat.array import cast, expand_dims, ones_like, where, zeros_like
from tfcompat.array._arguments import invalid
from tfcompat.math import _segment as segment
from tfcompat.ragged._broadcast import with_equal_partitions
from tfcompat.ragged._join import axis_of, expanded
from tfcompat.ragged._tensor import RaggedTensor, outer_size


def _segments(combine, values, ids, count):
    """Rows of `values` combined by id; ragged rows element by element."""
    if not isinstance(values, RaggedTensor):
        return combine(values, host_constant(np.asarray(ids, np.int64)), int(count))
    lengths = np.zeros(int(count), np.int64)
    np.maximum.at(lengths, ids, values.lengths())
    splits = np.concatenate([[0], np.cumsum(lengths)])
    inner = [splits[i] + np.arange(n) for i, n in zip(ids, values.lengths(), strict=True)]
    inner = np.concatenate(inner) if inner else np.zeros(0, np.int64)
    return values._rebuilt(_segments(combine, values.values, inner, splits[-1]), splits)


def _some(values, ids, count):
    return cast(segment.unsorted_segment_sum(cast(values, dtypes.int32), ids, count), dtypes.bool)


def _every(values, ids, count):
    return cast(segment.unsorted_segment_prod(cast(values, dtypes.int32), ids, count), dtypes.bool)


_COMBINERS = {
    "reduce_sum": segment.unsorted_segment_sum,
    "reduce_prod": segment.unsorted_segment_prod,
    "reduce_max": segment.unsorted_segment_max,
    "reduce_min": segment.unsorted_segment_min,
    "reduce_any": _some,
    "reduce_all": _every,
}


def _combined(name, value, axis, keepdims):
    """A reduction by one of `_COMBINERS` over an axis, a tuple of axes, or all."""
    if not isinstance(value, RaggedTensor):
        return getattr(math, name)(value, axis=axis, keepdims=keepdims)
    if axis is None:
        result = getattr(math, name)(value.flat_values, keepdims=keepdims)
        for _ in range(value.ragged_rank if keepdims else 0):
            result = expand_dims(result, 0)
        return result
    if isinstance(axis, tuple):
        axes = [axis_of(one, value.shape.rank) for one in axis]
        if len(set(axes)) < len(axes):
            raise invalid(f"Invalid reduction arguments: Axes contains duplicate dimension: {axes}")
        for one in sorted(axes, reverse=True):
            value = _combined(name, value, one, keepdims)
        return value
    axis = axis_of(axis, value.shape.rank)
    if axis > 1:
        return value.with_values(_combined(name, value.values, axis - 1, keepdims))
    combine = _COMBINERS[name]
    if axis == 1 and not isinstance(value.values, RaggedTensor):
        result = combine(value.values, value.row_of_each(), outer_size(value))
    elif axis == 1:
        result = _segments(combine, value.values, value.rowids(), outer_size(value))
    else:
        columns = [np.arange(n) for n in value.lengths()]
        columns = np.concatenate(columns) if columns else np.zeros(0, np.int64)
        result = _segments(combine, value.values, columns, value.lengths().max(initial=0))
    return expanded(result, axis) if keepdims else result


def _mean(value, axis, keepdims):
    if axis == ():
        return value
    total = _combined("reduce_sum", value, axis, keepdims)
    return total / _combined("reduce_sum", ones_like(value), axis, keepdims)


def _variance(value, axis, keepdims):
    if value.dtype.is_complex:
        raise ValueError("reduce_variance is not supported for RaggedTensors with complex dtypes.")
    if value.dtype.is_integer:
        value = cast(value, dtypes.float64)
    return _mean(math.square(value), axis, keepdims) - math.square(_mean(value, axis, keepdims))


def _logsumexp(value, axis, keepdims):
    largest = _combined("reduce_max", value, axis, True)
    largest = where(math.is_finite(largest), largest, zeros_like(largest))
    total = math.log(_combined("reduce_sum", math.exp(value - largest), axis, keepdims))
    return total + (largest if keepdims else _combined("reduce_max", largest, axis, False))


_OTHERS = {
    "reduce_mean": _mean,
    "reduce_variance": _variance,
    "reduce_std": lambda *arguments: math.sqrt(_variance(*arguments)),
    "reduce_logsumexp": _logsumexp,
}


@handles(*(f"tf.{scope}{name}" for scope in ("", "math.") for name in (*_COMBINERS, *_OTHERS)))
def _reduction(function, args, kwargs):
    names = ["input_tensor", "axis", "keepdims", "name"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    value, name = arguments["input_tensor"], function.__name__
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    axis, keepdims = static_value(arguments.get("axis")), bool(arguments.get("keepdims"))
    if name in _OTHERS:
        return _OTHERS[name](value, axis, keepdims)
    if name in ("reduce_any", "reduce_all"):
        value = cast(value, dtypes.bool)
    return _combined(name, value, axis, keepdims)


@handles(*(f"tf.math.unsorted_segment_{name}" for name in ("sum", "prod", "max", "min")))
def _segment(function, args, kwargs):
    names = ["data", "segment_ids", "num_segments", "name"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    data, ids, count = (arguments[name] for name in names[:3])
    if not isinstance(data, RaggedTensor):
        return NotImplemented
    if isinstance(ids, RaggedTensor):
        data, ids = with_equal_partitions([data, ids])
        return function(data.flat_values, ids.flat_values, count)
    ids = known_values(convert_to_tensor(ids), "call it outside")
    if ids.shape != (outer_size(data),):
        raise invalid(f"segment_ids must have one number for each row, got shape {ids.shape}")
    return _segments(function, data, ids, static_value(count))
