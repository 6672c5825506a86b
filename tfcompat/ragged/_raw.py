"""`tf.ragged_fill_empty_rows`: rows without values get one."""

import collections

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.in_graphs import of_argument
from tfcompat.array import concat, gather, reshape, scatter_nd, shape
from tfcompat.array._arguments import as_input, invalid
from tfcompat.math import reduce_sum

RaggedFillEmptyRows = collections.namedtuple(
    "RaggedFillEmptyRows", ["output_value_rowids", "output_values", "empty_row_indicator", "reverse_index_map"]
)
RaggedFillEmptyRowsGrad = collections.namedtuple("RaggedFillEmptyRowsGrad", ["d_values", "d_default_value"])
_ADVICE = "call it outside"


def ragged_fill_empty_rows(value_rowids, values, nrows, default_value, name=None):
    """Values of rows, with a default value in each row that has none.

    Args:
      value_rowids: int64 vector, the row of each value, in order; looked at.
      values: vector of any dtype, as long.
      nrows: int64 scalar, how many rows there are; looked at.
      default_value: scalar of the dtype of `values`.
      name: ignored.

    Returns:
      `(output_value_rowids, output_values, empty_row_indicator, reverse_index_map)`: the same with the defaults among
      them, which rows were empty, and where each value went.

    Raises:
      tf.errors.InvalidArgumentError: a row out of range, or shapes that do not fit.

    TF: `tf.ragged_fill_empty_rows`; inside `tf.function` rows must be known.
    """
    rows = as_input(value_rowids, dtypes.int64, "RaggedFillEmptyRows", "value_rowids")
    count = as_input(nrows, dtypes.int64, "RaggedFillEmptyRows", "nrows")
    values = convert_to_tensor(values)
    default = convert_to_tensor(default_value, values.dtype)
    if rows.ndim != 1 or values.shape != rows.shape or default.shape.rank or count.shape.rank:
        raise of_argument(
            invalid("value_rowids and values must be vectors of one length, nrows and default_value scalars")
        )
    rows, count = known_values(rows, _ADVICE), int(known_values(count, _ADVICE))
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        wrong = rows[(rows < 0) | (rows >= count)][0]
        raise invalid(f"value_rowids out of range: {wrong} is not in [0, {count})")
    empty = np.bincount(rows, minlength=count) == 0
    every = np.concatenate([rows, np.flatnonzero(empty)])
    order = np.argsort(every, kind="stable")
    places = np.minimum(order, len(rows))
    filled = gather(concat([values, reshape(default, [1])], 0), host_constant(places))
    moved = np.argsort(order, kind="stable")[: len(rows)].astype(np.int64)
    return RaggedFillEmptyRows(
        host_constant(every[order].astype(np.int64)), filled, host_constant(empty), host_constant(moved)
    )


def ragged_fill_empty_rows_grad(reverse_index_map, grad_values, name=None):
    """The gradient of `ragged_fill_empty_rows` with respect to its values and its default.

    Args:
      reverse_index_map: int64 vector, from that function.
      grad_values: vector, the gradient with respect to `output_values`.
      name: ignored.

    Returns:
      `(d_values, d_default_value)`.

    TF: `tf.ragged_fill_empty_rows_grad`; no known difference.
    """
    grad_values = convert_to_tensor(grad_values)
    places = as_input(reverse_index_map, dtypes.int64, "RaggedFillEmptyRowsGrad", "reverse_index_map")
    if places.ndim != 1 or grad_values.ndim != 1:
        raise of_argument(invalid("reverse_index_map and grad_values must be vectors [Op:RaggedFillEmptyRowsGrad]"))
    taken = gather(grad_values, places)
    known = scatter_nd(reshape(places, [-1, 1]), taken, shape(grad_values, places.dtype))
    return RaggedFillEmptyRowsGrad(taken, reduce_sum(grad_values - known))
