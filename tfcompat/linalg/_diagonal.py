"""Diagonals and bands: diag, diag_part, set_diag, band_part, trace, tensor_diag."""

import functools

import jax.numpy as jnp
import numpy as np
from jax.core import max_dim, min_dim

from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import ANY, INDEX, INEXACT, NUMERIC, op
from tfcompat.array._arguments import as_int, as_int32, invalid, show_shape

_DIAGONAL = INEXACT | INDEX
_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(k, kernel):
    """Lowest and highest diagonal of `k`, a number or a pair."""
    lowest, highest = (k[0], k[-1]) if isinstance(k, tuple) and 0 < len(k) <= 2 else (k, k)
    if isinstance(lowest, tuple) or isinstance(highest, tuple):
        raise invalid(f"diag_index must be a scalar or vector with one or two elements, got {k} [Op:{kernel}]")
    lowest, highest = as_int32(lowest, "k"), as_int32(highest, "k")
    if lowest > highest:
        raise invalid(f"lower_diag_index must not be larger than upper_diag_index: {lowest} > {highest} [Op:{kernel}]")
    return lowest, highest


def _check_inside(lowest, highest, rows, columns, kernel):
    for name, k in (("lower", lowest), ("upper", highest)):
        if k != 0 and not -rows < k < columns:
            raise invalid(
                f"{name}_diag_index is out of bound: {k}. It must be between {-rows} and {columns} [Op:{kernel}]"
            )


def _check_alignment(align, kernel):
    if align not in _ALIGNMENTS:
        raise invalid(f"Value for attr 'align' of \"{align}\" is not in the list of allowed values: {_ALIGNMENTS}")


def _places(lowest, highest, rows, columns, align):
    """Where the diagonals of a matrix stand in a table with one row for each, the highest first.

    Returns:
      `(diagonal, position)`: for each element of the matrix its row and column in the table, and the table's
      width. Elements outside the band get position -1.
    """
    # As ComputeDiagLenAndContentOffset does.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/kernels/linalg/matrix_diag_op.h
    superdiagonals, subdiagonals = align.split("_")
    length = {k: max(min(rows + min(0, k), columns - max(0, k)), 0) for k in range(lowest, highest + 1)}
    width = max(length.values())
    i, j = np.indices((rows, columns))
    k = j - i
    inside = (lowest <= k) & (k <= highest)
    offset = np.zeros_like(k)
    for one, size in length.items():
        aligned_left = one >= 0 and superdiagonals == "LEFT" or one <= 0 and subdiagonals == "LEFT"
        offset[k == one] = 0 if aligned_left else width - size
    position = np.where(inside, np.minimum(i, j) + offset, -1)
    return np.where(inside, highest - k, 0), position, width


def _spread(table, lowest, highest, rows, columns, align, otherwise):
    """A matrix with the diagonals of `table` in its band and `otherwise` elsewhere."""
    if lowest == highest == 0 and rows == columns:
        return jnp.where(on_diagonal(rows), table[..., 0, :, None], otherwise)
    diagonal, position, width = _places(lowest, highest, rows, columns, align)
    flat = table.reshape(*table.shape[:-2], table.shape[-2] * table.shape[-1])
    chosen = flat[..., np.maximum(diagonal * width + position, 0)] if flat.shape[-1] else otherwise
    return jnp.where(position >= 0, chosen, otherwise)


@op("tf.linalg.diag", kernel="MatrixDiagV3", tensors=("diagonal",), dtypes=ANY, beside=0)
def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with the given diagonals.

    Args:
      diagonal: tensor of shape `[..., n]`, or `[..., diagonals, n]` for several, the highest first.
      name: ignored.
      k: which diagonals: an integer, positive above the main one, or a pair of the lowest and the highest.
      num_rows: number of rows; -1 for the smallest square.
      num_cols: number of columns; -1 likewise.
      padding_value: number for the other elements.
      align: how shorter diagonals stand in `diagonal`: "RIGHT_LEFT" means those above the main one to the
        right, those below to the left; or "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT".

    Returns:
      Tensor of the dtype of `diagonal` and shape `[..., num_rows, num_cols]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes or numbers do not fit.

    TF: `tf.linalg.diag`; no gradient with respect to `padding_value`.
    """
    kernel = "MatrixDiagV3"
    _check_alignment(align, kernel)
    lowest, highest = _band(k, kernel)
    if diagonal.ndim < 1:
        raise invalid(f"diagonal must be at least 1-dim, received shape: [] [Op:{kernel}]")
    if lowest == highest:
        diagonal = diagonal[..., None, :]
    elif diagonal.ndim < 2 or diagonal.shape[-2] != highest - lowest + 1:
        raise invalid(
            "The number of diagonals provided in the input does not match the lower_diag_index and "
            "upper_diag_index "
            f"range: shape {show_shape(diagonal.shape)}, k={k} [Op:{kernel}]"
        )
    fewest_rows = diagonal.shape[-1] - min(highest, 0)
    fewest_columns = diagonal.shape[-1] + max(lowest, 0)
    if num_rows == -1 and num_cols == -1:
        num_rows = num_cols = max(fewest_rows, fewest_columns)
    num_rows = fewest_rows if num_rows == -1 else num_rows
    num_cols = fewest_columns if num_cols == -1 else num_cols
    for name_, number, fewest in (("rows", num_rows, fewest_rows), ("columns", num_cols, fewest_columns)):
        if number < fewest:
            raise invalid(f"The number of {name_} is too small. [Op:{kernel}]")
    if num_rows != fewest_rows and num_cols != fewest_columns:
        raise invalid(
            f"The number of rows or columns is not consistent with the specified k and diagonal. [Op:{kernel}]"
        )
    return _spread(diagonal, lowest, highest, num_rows, num_cols, align, jnp.asarray(padding_value, diagonal.dtype))


@op("tf.linalg.diag_part", kernel="MatrixDiagPartV3", tensors=("input",), dtypes=ANY, beside=0)
def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    """Diagonals of matrices.

    Args:
      input: tensor of rank at least 2.
      name: ignored.
      k: which diagonals: an integer, positive above the main one, or a pair of the lowest and the highest.
      padding_value: number that fills up shorter diagonals.
      align: where they stand, as in `tf.linalg.diag`.

    Returns:
      Tensor of the dtype of `input` and shape `[..., n]`, or `[..., diagonals, n]` for several, the highest
      first.

    Raises:
      tf.errors.InvalidArgumentError: a diagonal is out of range.

    TF: `tf.linalg.diag_part`; no gradient with respect to `padding_value`.
    """
    kernel = "MatrixDiagPartV3"
    _check_alignment(align, kernel)
    lowest, highest = _band(k, kernel)
    if input.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {show_shape(input.shape)} [Op:{kernel}]")
    rows, columns = input.shape[-2:]
    _check_inside(lowest, highest, rows, columns, kernel)
    if lowest == highest:
        return jnp.diagonal(input, lowest, -2, -1)
    diagonal, position, width = _places(lowest, highest, rows, columns, align)
    source = np.full((highest - lowest + 1, width), -1)
    at = position >= 0
    source[diagonal[at], position[at]] = np.arange(rows * columns).reshape(rows, columns)[at]
    flat = input.reshape(*input.shape[:-2], -1)
    padding = jnp.asarray(padding_value, input.dtype)
    return jnp.where(source >= 0, flat[..., np.maximum(source, 0)], padding)


@op("tf.linalg.set_diag", kernel="MatrixSetDiagV3", tensors=("input", "diagonal"), dtypes=ANY)
def set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    """Matrices with diagonals replaced.

    Args:
      input: tensor of rank at least 2.
      diagonal: tensor of the same dtype and shape `[..., n]`, or `[..., diagonals, n]` for several, the
        highest first.
      name: ignored.
      k: which diagonals: an integer, positive above the main one, or a pair of the lowest and the highest.
      align: where shorter ones stand in `diagonal`, as in `tf.linalg.diag`.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, a diagonal is out of range, or dtypes differ.

    TF: `tf.linalg.set_diag`; no known difference.
    """
    kernel = "MatrixSetDiagV3"
    _check_alignment(align, kernel)
    lowest, highest = _band(k, kernel)
    if input.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {show_shape(input.shape)} [Op:{kernel}]")
    if diagonal.ndim < 1:
        raise invalid(f"diagonal must be at least 1-dim, received shape: [] [Op:{kernel}]")
    rows, columns = input.shape[-2:]
    _check_inside(lowest, highest, rows, columns, kernel)
    widths = [min_dim(rows + min(0, k_), columns - max(0, k_)) for k_ in range(lowest, highest + 1)]
    width = functools.reduce(max_dim, widths)
    expected = (*input.shape[:-2], *(() if lowest == highest else (highest - lowest + 1,)), width)
    if diagonal.shape != expected:
        kind = when_run if diagonal.ndim == len(expected) else invalid
        raise kind(
            f"diagonal must have shape {show_shape(expected)} for an input of shape "
            f"{show_shape(input.shape)} and "
            f"k={k}, received {show_shape(diagonal.shape)} [Op:{kernel}]"
        )
    table = diagonal[..., None, :] if lowest == highest else diagonal
    return _spread(table, lowest, highest, rows, columns, align, input)


def on_diagonal(size):
    """A square array of bools, true on the diagonal; `size` may be a symbol."""
    places = jnp.arange(size)
    return places[:, None] == places


def lower_and_upper(matrix, lower, upper):
    """The matrices with zeros more than `lower` places below and `upper` above the diagonal; -1 for no limit."""
    i, j = jnp.arange(matrix.shape[-2])[:, None], jnp.arange(matrix.shape[-1])
    inside = ((lower < 0) | (i - j <= lower)) & ((upper < 0) | (j - i <= upper))
    return jnp.where(inside, matrix, jnp.zeros((), matrix.dtype))


@op("tf.linalg.band_part", kernel="MatrixBandPart", tensors=("input",), dtypes=ANY)
def band_part(input, num_lower, num_upper):
    """Matrices with zeros outside a band around the diagonal.

    Args:
      input: tensor of rank at least 2.
      num_lower: how many diagonals below the main one to keep; negative for all.
      num_upper: how many above; negative for all.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: the rank is below 2, or there are not that many diagonals.

    TF: `tf.linalg.band_part`; no known difference.
    """
    if input.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {show_shape(input.shape)} [Op:MatrixBandPart]")
    for name, number, size, lines in (
        ("num_lower", num_lower, input.shape[-2], "rows"),
        ("num_upper", num_upper, input.shape[-1], "columns"),
    ):
        number = as_int(number, name)
        if number > size:
            raise invalid(
                f"{name} must be negative or less or equal to number of {lines} ({size}) got: {number} "
                "[Op:MatrixBandPart]"
            )
    return lower_and_upper(input, int(num_lower), int(num_upper))


@op("tf.linalg.trace", kernel="MatrixDiagPartV3", tensors=("x",), dtypes=NUMERIC)
def trace(x):
    """Sum of the main diagonal.

    Args:
      x: numeric tensor of rank at least 2.

    Returns:
      Tensor of the dtype of `x` without the last two axes.

    Raises:
      tf.errors.InvalidArgumentError: the rank is below 2.

    TF: `tf.linalg.trace`; no known difference.
    """
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {show_shape(x.shape)} [Op:MatrixDiagPartV3]")
    return jnp.sum(jnp.diagonal(x, 0, -2, -1), -1, dtype=x.dtype)


@op("tf.linalg.tensor_diag", kernel="Diag", tensors=("diagonal",), dtypes=_DIAGONAL)
def tensor_diag(diagonal):
    """A tensor of twice the rank with `diagonal` where both halves of the index agree, 0 elsewhere.

    Args:
      diagonal: floating, complex, int32 or int64 tensor of rank at least 1.

    Returns:
      Tensor of the dtype of `diagonal` and its shape twice.

    Raises:
      tf.errors.InvalidArgumentError: `diagonal` is a scalar.

    TF: `tf.linalg.tensor_diag`; no known difference.
    """
    if not diagonal.ndim:
        raise invalid("Input must be at least rank 1, got 0 [Op:Diag]")
    flat = jnp.where(on_diagonal(diagonal.size), diagonal.reshape(-1), jnp.zeros((), diagonal.dtype))
    return flat.reshape(diagonal.shape * 2)


@op("tf.linalg.tensor_diag_part", kernel="DiagPart", tensors=("input",), dtypes=_DIAGONAL)
def tensor_diag_part(input):
    """The elements where both halves of the index agree.

    Args:
      input: floating, complex, int32 or int64 tensor of even rank and shape `s + s`.

    Returns:
      Tensor of the dtype of `input` and shape `s`.

    Raises:
      tf.errors.InvalidArgumentError: the shape is another one.

    TF: `tf.linalg.tensor_diag_part`; no known difference.
    """
    if input.ndim % 2:
        raise invalid(f"The rank of the tensor should be even and positive, got shape {show_shape(input.shape)}")
    half = input.shape[: input.ndim // 2]
    if half != input.shape[input.ndim // 2 :]:
        raise invalid(f"Invalid shape {show_shape(input.shape)}: both halves must be equal [Op:DiagPart]")
    size = int(np.prod(half, dtype=np.int64))
    return jnp.diagonal(input.reshape(size, size)).reshape(half)
