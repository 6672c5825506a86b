"""Reductions over groups of rows: segment_sum, unsorted_segment_max..."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import FLOATING, INDEX, NUMERIC, REAL, op
from tfcompat._core.steps import is_unknown, sizes_of, step
from tfcompat.array._arguments import as_int, invalid
from tfcompat.dtypes import int16
from tfcompat.math._derivative import with_tangent

_SORTED_IDS = INDEX
_UNSORTED_IDS = INDEX | {int16}


def _scatter(count, method, start):
    """Function of rows and ids: rows are combined by `method` in row `ids[i]` of `count` rows of `start`."""

    def combine(data, ids):
        rows = jnp.full((count, *data.shape[1:]), start, data.dtype)
        # Unlike .at[] itself, which counts a negative index from the end, this drops it.
        places = jnp.where(ids < 0, count, ids)
        return getattr(rows.at[places], method)(data, mode="drop")

    return combine


def _rows_of(values, ids):
    """Row `ids[i]` of `values` for each i; zeros where the id is negative or too large."""
    return values.at[jnp.where(ids < 0, values.shape[0], ids)].get(mode="fill", fill_value=0)


def _sum(data, ids, count):
    return _scatter(count, "add", 0)(data, ids)


def _column(flags, data):
    return flags.reshape(flags.shape + (1,) * (data.ndim - flags.ndim))


def _extreme(method, start_of):
    """Largest or smallest row of each segment; the derivative is shared evenly by equal elements."""

    def combine(data, ids, count):
        # TF, `_SegmentMinOrMaxGrad`.
        # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py
        def tangent_of(result, primals, moving):
            (data, ids), ((_, tangent),) = primals, moving
            known = _column((ids >= 0) & (ids < count), data)
            selected = known & (data == _rows_of(result, ids))
            number = _sum(selected.astype(data.dtype), ids, count)
            return _sum(jnp.where(selected, tangent, jnp.zeros((), data.dtype)), ids, count) / jnp.maximum(
                number, 1
            )

        return with_tangent(tangent_of)(_scatter(count, method, start_of(np.dtype(data.dtype))))(data, ids)

    return combine


def _lowest(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else jnp.finfo(dtype).min


def _highest(dtype):
    return np.iinfo(dtype).max if dtype.kind in "iu" else jnp.finfo(dtype).max


def _least(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _greatest(dtype):
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


_max = _extreme("max", _lowest)
_min = _extreme("min", _highest)


def _prod(data, ids, count):
    # TF, `_SegmentProdGrad`: each element's cofactor, also beside zeros.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py
    def tangent_of(result, primals, moving):
        (data, ids), ((_, tangent),) = primals, moving
        zero = data == 0
        others = jnp.where(zero, jnp.ones((), data.dtype), data)
        cofactor = jnp.where(zero, _rows_of(_prod(others, ids, count), ids), _rows_of(result, ids) / others)
        several = _rows_of(_sum(zero.astype(np.int32), ids, count), ids) > 1
        cofactor = jnp.where(several, jnp.zeros((), data.dtype), cofactor)
        return _sum((lax.conj(cofactor) if jnp.iscomplexobj(data) else cofactor) * tangent, ids, count)

    return with_tangent(tangent_of)(_scatter(count, "multiply", 1))(data, ids)


def _mean(data, ids, count):
    number = _sum(jnp.ones(ids.shape, data.dtype), ids, count)
    number = _column(jnp.maximum(number, 1) if not jnp.iscomplexobj(data) else number + (number == 0), data)
    total = _sum(data, ids, count)
    number = jnp.broadcast_to(number, total.shape)
    return lax.div(total, number)


def _nothing_in_empty(combine):
    """`combine`, with zeros in segments without a row."""

    def combined(data, ids, count):
        empty = _column(_sum(jnp.ones(ids.shape, np.int32), ids, count) == 0, data)
        return jnp.where(empty, jnp.zeros((), data.dtype), combine(data, ids, count))

    return combined


def _check_sorted(data, ids):
    if len(data.shape) < 1:
        raise invalid("input must be at least rank 1")
    if len(ids.shape) != 1:
        raise invalid(f"segment_ids should be a vector, got shape {list(ids.shape)}")
    if ids.shape[0] != data.shape[0]:
        raise when_run(
            f"segment_ids should be the same size as dimension 0 of input, got {ids.shape[0]} and "
            f"{data.shape[0]}"
        )


def _rows_by_ids(new, data, segment_ids):
    data = convert_to_tensor(data)
    return new([None, *sizes_of(data)[1:]], data.dtype) if is_unknown(segment_ids) else NotImplemented


def _sorted_op(kernel, combine, dtypes):
    """The op with a known number of segments, and the function that finds it in the ids."""

    @op(
        f"_{kernel}",
        kernel=kernel,
        tensors=("data", "segment_ids"),
        same=("data",),
        dtypes={"data": dtypes, "segment_ids": _SORTED_IDS},
    )
    def segment(data, segment_ids, count):
        return combine(data, segment_ids, count)

    @step(kernel, _rows_by_ids, underived=True)
    def call(data, segment_ids):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        if segment_ids.dtype not in _SORTED_IDS:
            raise invalid(
                f"Value for attr 'Tindices' of {segment_ids.dtype.name} is not in the list of allowed "
                "values: "
                f"int32, int64 [Op:{kernel}]"
            )
        _check_sorted(data._node.aval, segment_ids._node.aval)
        ids = known_values(segment_ids, "use tf.math.unsorted_segment_sum and its kin with `num_segments`")
        if np.any(np.diff(ids) < 0):
            raise when_run(f"segment ids are not increasing [Op:{kernel}]")
        if ids.size and ids[0] < 0:
            raise when_run(
                f"Segment id {ids[0]} out of range [0, {ids[-1] + 1}), possibly because 'segment_ids' input is not "
                f"sorted. [Op:{kernel}]"
            )
        return segment(data, segment_ids, int(ids[-1]) + 1 if ids.size else 0)

    return call


def _show(shape):
    return "[" + ",".join(map(str, shape)) + "]"


def _flattened(combine):
    """`combine` for ids of any rank, a prefix of the shape of `data`."""

    def flattened(data, segment_ids, num_segments):
        rank = segment_ids.ndim
        if data.shape[:rank] != segment_ids.shape:
            raise invalid(
                f"data.shape = {_show(data.shape)} does not start with segment_ids.shape = "
                f"{_show(segment_ids.shape)}"
            )
        if isinstance(num_segments, tuple):
            raise invalid(f"num_segments should be a scalar, got {num_segments}")
        num_segments = as_int(num_segments, "num_segments")
        if num_segments < 0:
            raise invalid(f"Input num_segments == {num_segments} must not be negative.")
        return combine(
            data.reshape(segment_ids.size, *data.shape[rank:]), segment_ids.reshape(-1), num_segments
        )

    return flattened


def _unsorted(kernel, *names, dtypes, beside=None):
    def requires(data, segment_ids, num_segments):
        if 0 in data.shape:
            return []
        count = as_int(num_segments, "num_segments")
        text = f"segment_ids{{place}} = {{0}} is out of range [0, {{1}}) [Op:{kernel}] name: "
        return [engine.require(segment_ids < count, text, segment_ids, count)]

    return op(
        *names,
        kernel=kernel,
        tensors=("data", "segment_ids"),
        same=("data",),
        dtypes={"data": dtypes, "segment_ids": _UNSORTED_IDS},
        requires=requires,
        beside=beside,
    )


_segment_sum = _sorted_op("SegmentSum", _sum, NUMERIC)
_segment_mean = _sorted_op("SegmentMean", _mean, NUMERIC)
_segment_prod = _sorted_op("SegmentProd", _prod, NUMERIC)
_segment_max = _sorted_op("SegmentMax", _nothing_in_empty(_extreme("max", _least)), REAL)
_segment_min = _sorted_op("SegmentMin", _nothing_in_empty(_extreme("min", _greatest)), REAL)


@takes_composites("tf.math.segment_sum")
def segment_sum(data, segment_ids, name=None):
    """Sums of consecutive groups of rows.

    Args:
      data: numeric tensor of rank at least 1.
      segment_ids: int32 or int64 vector, increasing, one id for each row; its values are looked at.
      name: ignored.

    Returns:
      Tensor of the dtype of `data` with one row for each id up to the last; 0 for ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: ids decrease, are negative, or are not one for each row.

    TF: `tf.math.segment_sum`; inside `tf.function` the ids must not depend on its arguments.
    """
    return _segment_sum(data, segment_ids)


@takes_composites("tf.math.segment_mean")
def segment_mean(data, segment_ids, name=None):
    """Means of consecutive groups of rows.

    Args:
      data: numeric tensor of rank at least 1.
      segment_ids: int32 or int64 vector, increasing, one id for each row; its values are looked at.
      name: ignored.

    Returns:
      Tensor of the dtype of `data` with one row for each id up to the last; 0 for ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: ids decrease, are negative, or are not one for each row.

    TF: `tf.math.segment_mean`; inside `tf.function` the ids must not depend on its arguments.
    """
    return _segment_mean(data, segment_ids)


@takes_composites("tf.math.segment_prod")
def segment_prod(data, segment_ids, name=None):
    """Products of consecutive groups of rows.

    Args:
      data: numeric tensor of rank at least 1.
      segment_ids: int32 or int64 vector, increasing, one id for each row; its values are looked at.
      name: ignored.

    Returns:
      Tensor of the dtype of `data` with one row for each id up to the last; 1 for ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: ids decrease, are negative, or are not one for each row.

    TF: `tf.math.segment_prod`; inside `tf.function` the ids must not depend on its arguments.
    """
    return _segment_prod(data, segment_ids)


@takes_composites("tf.math.segment_max")
def segment_max(data, segment_ids, name=None):
    """Largest elements of consecutive groups of rows.

    Args:
      data: floating or integer tensor of rank at least 1.
      segment_ids: int32 or int64 vector, increasing, one id for each row; its values are looked at.
      name: ignored.

    Returns:
      Tensor of the dtype of `data` with one row for each id up to the last; 0 for ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: ids decrease, are negative, or are not one for each row.

    Gradient: split evenly between equal elements.
    TF: `tf.math.segment_max`; inside `tf.function` the ids must not depend on its arguments.
    """
    return _segment_max(data, segment_ids)


@takes_composites("tf.math.segment_min")
def segment_min(data, segment_ids, name=None):
    """Smallest elements of consecutive groups of rows.

    Args:
      data: floating or integer tensor of rank at least 1.
      segment_ids: int32 or int64 vector, increasing, one id for each row; its values are looked at.
      name: ignored.

    Returns:
      Tensor of the dtype of `data` with one row for each id up to the last; 0 for ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: ids decrease, are negative, or are not one for each row.

    Gradient: split evenly between equal elements.
    TF: `tf.math.segment_min`; inside `tf.function` the ids must not depend on its arguments.
    """
    return _segment_min(data, segment_ids)


@_unsorted("UnsortedSegmentSum", "tf.math.unsorted_segment_sum", dtypes=NUMERIC)
@takes_composites("tf.math.unsorted_segment_sum")
def unsorted_segment_sum(data, segment_ids, num_segments):
    """Sums of groups of rows.

    Args:
      data: numeric tensor.
      segment_ids: int16, int32 or int64 tensor; its shape is the beginning of that of `data`. Rows with a
        negative id are dropped.
      num_segments: integer, above every id.

    Returns:
      Tensor of the dtype of `data` and shape `[num_segments]` followed by the rest of that of `data`; 0 for
      ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, `num_segments` is negative, or an id is too large.

    TF: `tf.math.unsorted_segment_sum`; no known difference.
    """
    return _flattened(_sum)(data, segment_ids, num_segments)


@_unsorted("UnsortedSegmentProd", "tf.math.unsorted_segment_prod", dtypes=NUMERIC)
@takes_composites("tf.math.unsorted_segment_prod")
def unsorted_segment_prod(data, segment_ids, num_segments):
    """Products of groups of rows.

    Args:
      data: numeric tensor.
      segment_ids: int32 or int64 tensor; its shape is the beginning of that of `data`. Rows with a negative
        id are dropped.
      num_segments: integer, above every id.

    Returns:
      Tensor of the dtype of `data` and shape `[num_segments]` followed by the rest of that of `data`; 1 for
      ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, `num_segments` is negative, or an id is too large.

    TF: `tf.math.unsorted_segment_prod`; no known difference.
    """
    return _flattened(_prod)(data, segment_ids, num_segments)


@_unsorted("UnsortedSegmentMax", "tf.math.unsorted_segment_max", dtypes=REAL)
@takes_composites("tf.math.unsorted_segment_max")
def unsorted_segment_max(data, segment_ids, num_segments):
    """Largest elements of groups of rows.

    Args:
      data: floating or integer tensor.
      segment_ids: int32 or int64 tensor; its shape is the beginning of that of `data`. Rows with a negative
        id are dropped.
      num_segments: integer, above every id.

    Returns:
      Tensor of the dtype of `data` and shape `[num_segments]` followed by the rest of that of `data`; the
      lowest finite number for ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, `num_segments` is negative, or an id is too large.

    Gradient: split evenly between equal elements.
    TF: `tf.math.unsorted_segment_max`; no known difference.
    """
    return _flattened(_max)(data, segment_ids, num_segments)


@_unsorted("UnsortedSegmentMin", "tf.math.unsorted_segment_min", dtypes=REAL)
@takes_composites("tf.math.unsorted_segment_min")
def unsorted_segment_min(data, segment_ids, num_segments):
    """Smallest elements of groups of rows.

    Args:
      data: floating or integer tensor.
      segment_ids: int32 or int64 tensor; its shape is the beginning of that of `data`. Rows with a negative
        id are dropped.
      num_segments: integer, above every id.

    Returns:
      Tensor of the dtype of `data` and shape `[num_segments]` followed by the rest of that of `data`; the
      highest finite number for ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, `num_segments` is negative, or an id is too large.

    Gradient: split evenly between equal elements.
    TF: `tf.math.unsorted_segment_min`; no known difference.
    """
    return _flattened(_min)(data, segment_ids, num_segments)


def _number_of_rows(data, ids, count, dtype):
    return _column(jnp.maximum(_sum(jnp.ones(ids.shape, dtype), ids, count), 1), data)


@_unsorted("UnsortedSegmentSum", "tf.math.unsorted_segment_mean", dtypes=REAL, beside=True)
@takes_composites("tf.math.unsorted_segment_mean")
def unsorted_segment_mean(data, segment_ids, num_segments):
    """Means of groups of rows.

    Args:
      data: real tensor.
      segment_ids: int32 or int64 tensor; its shape is the beginning of that of `data`. Rows with a negative
        id are dropped.
      num_segments: integer, above every id.

    Returns:
      Tensor of shape `[num_segments]` followed by the rest of that of `data`; dtype of `data`, for integers
      float32 (8 and 16 bits) or float64. 0 for ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, `num_segments` is negative, or an id is too large.

    TF: `tf.math.unsorted_segment_mean`; no known difference.
    """

    def mean(data, ids, count):
        kind = np.dtype(data.dtype)
        dtype = {True: np.float32, False: np.float64}[kind.itemsize < 4] if kind.kind in "iu" else kind
        return _sum(data, ids, count).astype(dtype) / _number_of_rows(data, ids, count, dtype)

    return _flattened(mean)(data, segment_ids, num_segments)


@_unsorted("UnsortedSegmentSum", "tf.math.unsorted_segment_sqrt_n", dtypes=FLOATING, beside=True)
@takes_composites("tf.math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data, segment_ids, num_segments):
    """Sums of groups of rows, divided by the root of their number.

    Args:
      data: floating tensor.
      segment_ids: int32 or int64 tensor; its shape is the beginning of that of `data`. Rows with a negative
        id are dropped.
      num_segments: integer, above every id.

    Returns:
      Tensor of the dtype of `data` and shape `[num_segments]` followed by the rest of that of `data`; 0 for
      ids without rows.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, `num_segments` is negative, or an id is too large.

    TF: `tf.math.unsorted_segment_sqrt_n`; no known difference.
    """

    def scaled(data, ids, count):
        return _sum(data, ids, count) / lax.sqrt(_number_of_rows(data, ids, count, data.dtype))

    return _flattened(scaled)(data, segment_ids, num_segments)
