"""Linear equations: solve, inv, det, triangular_solve, lu, lstsq, tridiagonal_solve..."""

import collections
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes as _dtypes
from tfcompat import engine, errors
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import INDEX, op
from tfcompat.array import pad, unstack
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.linalg._decompose import SOLVABLE, factor
from tfcompat.linalg._diagonal import diag, diag_part
from tfcompat.linalg._products import adjoint_of, check_matrix, check_square, product, transposed

LogMatrixDeterminant = collections.namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])
Lu = collections.namedtuple("Lu", ["lu", "p"])


@jax.custom_jvp
def _inverse(matrix):
    return jnp.linalg.inv(matrix)


@_inverse.defjvp
def _inverse_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    inverse = _inverse(matrix)
    return inverse, -product(inverse, product(change, inverse))


def _pivots_are_good(factors):
    """Whether each pivot is good: not 0, and the first not nan, as the minimum that TF looks at would then be nan."""
    pivots = jnp.diagonal(factors, axis1=-2, axis2=-1)
    first = jnp.arange(pivots.shape[-1]) == 0
    return (pivots != 0) & ~(first & jnp.isnan(pivots))


def _is_invertible(matrix, adjoint, text):
    """What TF requires of matrices.

    The decomposition is that of the solution: where both are compiled, it is computed once.
    """
    matrix = adjoint_of(matrix) if adjoint else matrix
    return [engine.require(_pivots_are_good(lax.linalg.lu(matrix)[0]).all(), text)]


def _inverse_exists(input, adjoint):
    wide = input.astype(np.float32) if input.dtype == np.float16 else input
    return _is_invertible(wide, adjoint, "Input is not invertible. [Op:MatrixInverse] name: ")


def _has_inverse(_, matrix):
    """What TF's gradient of a determinant, which takes the inverse, requires."""
    return _inverse_exists(matrix, False)


@op("tf.linalg.inv", kernel="MatrixInverse", tensors=("input",), dtypes=SOLVABLE | {_dtypes.float16},
    requires=_inverse_exists)  # fmt: skip
def inv(input, adjoint=False):
    """Inverse of square matrices.

    Args:
      input: float16, float32, float64 or complex tensor of shape `[..., n, n]`.
      adjoint: whether to invert the conjugate transpose.

    Returns:
      Tensor of that shape and dtype.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square, or one is singular.

    TF: `tf.linalg.inv`; no known difference.
    """
    check_square(input, "MatrixInverse")
    wide = input.astype(np.float32) if input.dtype == np.float16 else input
    return _inverse(adjoint_of(wide) if adjoint else wide).astype(input.dtype)


def solution_exists(matrix, adjoint):
    """What TF requires of the matrices of linear equations."""
    return _is_invertible(matrix, adjoint, "Input matrix is not invertible. [Op:MatrixSolve] name: ")


@op("tf.linalg.solve", kernel="MatrixSolve", tensors=("matrix", "rhs"), dtypes=SOLVABLE,
    requires=lambda matrix, rhs, adjoint: [] if 0 in rhs.shape else solution_exists(matrix, adjoint))  # fmt: skip
def solve(matrix, rhs, adjoint=False):
    """Solution of `matrix x = rhs`.

    Args:
      matrix: float32, float64 or complex tensor of shape `[..., n, n]`.
      rhs: tensor of the same dtype and shape `[..., n, k]`, with the same leading sizes.
      adjoint: whether to use the conjugate transpose of `matrix`.

    Returns:
      Tensor of the shape and dtype of `rhs`.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, dtypes differ, or a matrix is singular.

    TF: `tf.linalg.solve`; no known difference.
    """
    kernel = "MatrixSolve"
    if matrix.ndim != rhs.ndim:
        raise invalid(
            f"All input tensors must have the same rank, got {show_shape(matrix.shape)} and "
            f"{show_shape(rhs.shape)} "
            f"[Op:{kernel}]"
        )
    check_square(matrix, kernel)
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid(
            f"All input tensors must have the same outer dimensions, got {show_shape(matrix.shape)} and "
            f"{show_shape(rhs.shape)} [Op:{kernel}]"
        )
    if matrix.shape[-1] != rhs.shape[-2]:
        raise invalid(
            f"Input matrix and rhs are incompatible: {show_shape(matrix.shape)} and {show_shape(rhs.shape)} "
            f"[Op:{kernel}]"
        )
    return jnp.linalg.solve(adjoint_of(matrix) if adjoint else matrix, rhs)


@op("tf.linalg.det", kernel="MatrixDeterminant", tensors=("input",), dtypes=SOLVABLE, conditional=True)
def det(input):
    """Determinant of square matrices.

    Args:
      input: float32, float64 or complex tensor of shape `[..., n, n]`.

    Returns:
      Tensor of that dtype and shape `[...]`.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square; one is singular, and the derivative is taken.

    Gradient: the cofactors.
    TF: `tf.linalg.det`; no known difference.
    """
    check_square(input, "MatrixDeterminant")
    if not input.shape[-1]:
        return jnp.ones(input.shape[:-2], input.dtype)
    input = engine.marked(input, _has_inverse, input)
    return _complex_det(input) if jnp.iscomplexobj(input) else jnp.linalg.det(input)


@jax.custom_jvp
def _complex_det(matrix):
    return jnp.linalg.det(matrix)


@_complex_det.defjvp
def _complex_det_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    result = _complex_det(matrix)
    # TF's gradient, _MatrixDeterminantGrad, conjugates the inverse, but not the determinant.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/linalg_grad.py
    return result, lax.conj(result) * jnp.trace(jnp.linalg.solve(matrix, change), 0, -2, -1)


@jax.custom_jvp
def _slogdet(matrix):
    # Not jnp.linalg.slogdet: for small matrices it computes the determinant itself, which may overflow.
    # https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/numpy/linalg.py, `_slogdet_small`
    if not matrix.size:
        return jnp.ones(matrix.shape[:-2], matrix.dtype), jnp.zeros(matrix.shape[:-2], matrix.dtype)
    factors, pivots, _ = lax.linalg.lu(matrix)
    diagonal = jnp.diagonal(factors, axis1=-2, axis2=-1)
    size = lax.abs(diagonal)
    swaps = jnp.count_nonzero(pivots != jnp.arange(matrix.shape[-1], dtype=pivots.dtype), -1)
    signs = jnp.where(size == 0, 0, diagonal / jnp.where(size == 0, 1, size).astype(matrix.dtype))
    sign = jnp.prod(signs, -1) * jnp.where(swaps % 2 == 1, -1, 1).astype(matrix.dtype)
    return sign, jnp.sum(lax.log(size), -1).astype(matrix.dtype)


@_slogdet.defjvp
def _slogdet_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    result = _slogdet(matrix)
    relative = jnp.trace(jnp.linalg.solve(matrix, change), 0, -2, -1)
    # The sign counts as constant, also that of complex matrices. TF's gradient inverts the matrix all the same, so
    # the zeros are made of the tangent: what it requires is then required of the sign as well.
    none = jnp.trace(change, 0, -2, -1)
    return result, (jnp.where(np.zeros((), bool), none, jnp.zeros_like(none)), relative)


@op("_slogdet", kernel="LogMatrixDeterminant", tensors=("input",), dtypes=SOLVABLE, conditional=True)
def _slogdet_op(input):
    check_square(input, "LogMatrixDeterminant")
    return _slogdet(engine.marked(input, _has_inverse, input))


def slogdet(input, name=None):
    """Sign and logarithm of the absolute value of determinants.

    Args:
      input: float32, float64 or complex tensor of shape `[..., n, n]`.
      name: ignored.

    Returns:
      `LogMatrixDeterminant(sign, log_abs_determinant)`: tensors of that dtype and shape `[...]`; 0 and
      -infinity for singular matrices.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square; one is singular, and the derivative is taken.

    Gradient: the sign counts as constant.
    TF: `tf.linalg.slogdet`; no known difference.
    """
    return LogMatrixDeterminant(*_slogdet_op(input))


@op("tf.linalg.logdet", kernel="Cholesky", tensors=("matrix",), dtypes=SOLVABLE)
def logdet(matrix):
    """Logarithm of the determinant of Hermitian positive definite matrices.

    Args:
      matrix: float32, float64 or complex tensor of shape `[..., n, n]`, of which only the lower triangle is
        read.

    Returns:
      Tensor of shape `[...]`, real; NaN where a matrix is not positive definite.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square.

    TF: `tf.linalg.logdet`; no known difference.
    """
    check_square(matrix, "Cholesky")
    diagonal = jnp.diagonal(factor(matrix), 0, -2, -1)
    return 2 * jnp.sum(lax.log(lax.real(diagonal) if jnp.iscomplexobj(diagonal) else diagonal), -1)


def _triangular_solution(matrix, rhs, lower, adjoint):
    batch = jnp.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    triangle = jnp.broadcast_to(jnp.tril(matrix) if lower else jnp.triu(matrix), (*batch, *matrix.shape[-2:]))

    def substituted(right, transposed):
        return lax.linalg.triangular_solve(
            triangle,
            right,
            left_side=True,
            lower=lower,
            transpose_a=adjoint != transposed,
            conjugate_a=adjoint and jnp.iscomplexobj(triangle),
        )

    # lax's own derivative of triangular_solve compares sizes, which fails for unknown ones:
    # https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/lax/linalg.py, `_triangular_solve_jvp_rule_a`.
    return lax.custom_linear_solve(
        lambda x: product(adjoint_of(triangle) if adjoint else triangle, x),
        jnp.broadcast_to(rhs, (*batch, *rhs.shape[-2:])),
        lambda _, right: substituted(right, False),
        lambda _, right: substituted(right, True),
    )


def _check_triangular(matrix, rhs, kernel="MatrixTriangularSolve"):
    for number, x in enumerate((matrix, rhs)):
        if x.ndim < 2:
            raise invalid(f"In[{number}] ndims must be >= 2: {x.ndim} [Op:{kernel}]")
    check_square(matrix, kernel)
    if matrix.shape[-1] != rhs.shape[-2]:
        raise invalid(
            f"In[0] mismatch In[1] shape: {show_shape(matrix.shape)} and {show_shape(rhs.shape)} [Op:{kernel}]"
        )


@op("tf.linalg.triangular_solve", kernel="MatrixTriangularSolve", tensors=("matrix", "rhs"), dtypes=SOLVABLE)
def triangular_solve(matrix, rhs, lower=True, adjoint=False):
    """Solution of `matrix x = rhs` for triangular matrices.

    Args:
      matrix: float32, float64 or complex tensor of shape `[..., n, n]`, of which one triangle is read.
      rhs: tensor of the same dtype and shape `[..., n, k]`; leading axes broadcast.
      lower: whether that is the lower triangle.
      adjoint: whether to use the conjugate transpose of `matrix`.

    Returns:
      Tensor of that dtype and shape `[..., n, k]`; infinite or NaN where a matrix is singular.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, or dtypes differ.

    Gradient: goes to the triangle that is read.
    TF: `tf.linalg.triangular_solve`; no known difference.
    """
    _check_triangular(matrix, rhs)
    return _triangular_solution(matrix, rhs, bool(lower), bool(adjoint))


def _with_factor(lower, rhs):
    return _triangular_solution(lower, _triangular_solution(lower, rhs, True, False), True, True)


@op("tf.linalg.cholesky_solve", kernel="MatrixTriangularSolve", tensors=("chol", "rhs"), dtypes=SOLVABLE)
def cholesky_solve(chol, rhs):
    """Solution of `chol chol^H x = rhs`.

    Args:
      chol: float32, float64 or complex tensor of shape `[..., n, n]`, a result of `tf.linalg.cholesky`; only
        the lower triangle is read.
      rhs: tensor of the same dtype and shape `[..., n, k]`; leading axes broadcast.

    Returns:
      Tensor of that dtype and shape `[..., n, k]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, or dtypes differ.

    TF: `tf.linalg.cholesky_solve`; no known difference.
    """
    _check_triangular(chol, rhs)
    return _with_factor(chol, rhs)


def _no_pivot_is_zero(input, output_idx_type, results):
    return [engine.require(_pivots_are_good(results[0]), "Input is not invertible. [Op:Lu] name: ")]


@op("_lu", kernel="Lu", tensors=("input",), dtypes=SOLVABLE, gradient="missing", requires=_no_pivot_is_zero,
    requires_results=True)  # fmt: skip
def _lu(input, output_idx_type):
    check_square(input, "Lu")
    lower_upper, _, permutation = lax.linalg.lu(input)
    return lower_upper, permutation.astype(output_idx_type.np)


@takes_composites("tf.linalg.lu")
def lu(input, output_idx_type=_dtypes.int32, name=None):
    """LU decomposition with row exchanges.

    Args:
      input: float32, float64 or complex tensor of shape `[..., n, n]`.
      output_idx_type: int32 or int64.
      name: ignored.

    Returns:
      `Lu(lu, p)`: both triangular factors in one tensor of the shape and dtype of `input` (the ones on the
      diagonal of the lower one left out), and the permutation of rows, of shape `[..., n]`.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square.
      LookupError: differentiated.

    TF: `tf.linalg.lu`; TF raises for singular matrices.
    """
    return Lu(*_lu(input, _dtypes.as_dtype(output_idx_type)))


def _unpacked(lower_upper):
    eye = jnp.eye(lower_upper.shape[-1], dtype=lower_upper.dtype)
    return jnp.tril(lower_upper, -1) + eye, jnp.triu(lower_upper)


def _rows(x, order):
    order = jnp.broadcast_to(order, (*x.shape[:-2], order.shape[-1]))
    return jnp.take_along_axis(x, order[..., None], -2)


def _check_lu(lower_upper, perm):
    if lower_upper.ndim < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if lower_upper.shape[-1] != lower_upper.shape[-2]:
        raise ValueError(f"Input `lower_upper` must be square, got shape {show_shape(lower_upper.shape)}.")
    if perm.ndim < 1 or perm.shape[-1] != lower_upper.shape[-1] or perm.ndim + 1 != lower_upper.ndim:
        kind = invalid if perm.ndim + 1 == lower_upper.ndim else ValueError
        raise kind(
            f"`perm` must have the same number of elements as `lower_upper` has rows, got "
            f"{show_shape(perm.shape)} and "
            f"{show_shape(lower_upper.shape)}."
        )


_LU = {"same": ("lower_upper",), "dtypes": {"lower_upper": SOLVABLE, "perm": INDEX}}


@op("tf.linalg.lu_reconstruct", kernel="MatMul", tensors=("lower_upper", "perm"), **_LU)
def lu_reconstruct(lower_upper, perm, validate_args=False):
    """The matrices of LU decompositions.

    Args:
      lower_upper: float32, float64 or complex tensor of shape `[..., n, n]`, the first result of
        `tf.linalg.lu`.
      perm: int32 or int64 tensor of shape `[..., n]`, the second one.
      validate_args: whether to check shapes, which is done in any case.

    Returns:
      Tensor of the shape and dtype of `lower_upper`.

    Raises:
      ValueError: shapes do not fit.

    TF: `tf.linalg.lu_reconstruct`; no known difference.
    """
    _check_lu(lower_upper, perm)
    lower, upper = _unpacked(lower_upper)
    return _rows(product(lower, upper), jnp.argsort(perm, -1))


@op(
    "tf.linalg.lu_solve",
    kernel="MatrixTriangularSolve",
    tensors=("lower_upper", "perm", "rhs"),
    same=("lower_upper", "rhs"),
    dtypes={"lower_upper": SOLVABLE, "rhs": SOLVABLE, "perm": INDEX},
)
def lu_solve(lower_upper, perm, rhs, validate_args=False):
    """Solution of `x` in `matrix x = rhs` from the LU decomposition of the matrix.

    Args:
      lower_upper: float32, float64 or complex tensor of shape `[..., n, n]`, the first result of
        `tf.linalg.lu`.
      perm: int32 or int64 tensor of shape `[..., n]`, the second one.
      rhs: tensor of the dtype of `lower_upper` and shape `[..., n, k]`.
      validate_args: whether to check shapes, which is done in any case.

    Returns:
      Tensor of that dtype and shape `[..., n, k]`.

    Raises:
      ValueError: shapes do not fit.

    TF: `tf.linalg.lu_solve`; no known difference.
    """
    _check_lu(lower_upper, perm)
    if rhs.ndim < 2:
        raise ValueError("Input `rhs` must have at least 2 dimensions.")
    if rhs.shape[-2] != lower_upper.shape[-1]:
        raise ValueError(f"Input `rhs` must have {lower_upper.shape[-1]} rows, got {rhs.shape[-2]}.")
    batch = jnp.broadcast_shapes(lower_upper.shape[:-2], rhs.shape[:-2])
    lower, upper = _unpacked(lower_upper)
    rhs = _rows(jnp.broadcast_to(rhs, (*batch, *rhs.shape[-2:])), perm)
    return _triangular_solution(upper, _triangular_solution(lower, rhs, True, False), False, False)


@op("tf.linalg.lu_matrix_inverse", kernel="MatrixTriangularSolve", tensors=("lower_upper", "perm"), **_LU)
def lu_matrix_inverse(lower_upper, perm, validate_args=False):
    """The inverse of matrices from their LU decompositions.

    Args:
      lower_upper: float32, float64 or complex tensor of shape `[..., n, n]`, the first result of
        `tf.linalg.lu`.
      perm: int32 or int64 tensor of shape `[..., n]`, the second one.
      validate_args: whether to check shapes, which is done in any case.

    Returns:
      Tensor of the shape and dtype of `lower_upper`.

    Raises:
      ValueError: shapes do not fit.

    TF: `tf.linalg.lu_matrix_inverse`; no known difference.
    """
    _check_lu(lower_upper, perm)
    identity = jnp.broadcast_to(jnp.eye(lower_upper.shape[-1], dtype=lower_upper.dtype), lower_upper.shape)
    return lu_solve.raw(lower_upper, perm, identity)


@op(
    "_lstsq",
    kernel="MatrixSolveLs",
    tensors=("matrix", "rhs", "l2_regularizer"),
    same=("matrix", "rhs"),
    dtypes={"matrix": SOLVABLE, "rhs": SOLVABLE},
    gradient="partial",
)
def _lstsq(matrix, rhs, l2_regularizer, fast):
    for number, x in enumerate((matrix, rhs)):
        if x.ndim < 2:
            raise invalid(f"In[{number}] ndims must be >= 2: {x.ndim} [Op:MatMul]")
    if matrix.shape[-2] != rhs.shape[-2]:
        raise invalid(
            f"Matrix size-incompatible: In[0]: {show_shape(matrix.shape)}, In[1]: {show_shape(rhs.shape)} [Op:MatMul]"
        )
    if not fast:
        return _least_norm(matrix, rhs)
    adjoint = adjoint_of(matrix)
    tall = matrix.shape[-2] >= matrix.shape[-1]
    gramian = product(adjoint, matrix) if tall else product(matrix, adjoint)
    gramian = gramian + l2_regularizer.astype(matrix.dtype) * jnp.eye(gramian.shape[-1], dtype=matrix.dtype)
    lower = factor(gramian)
    if tall:
        return _with_factor(lower, product(adjoint, rhs))
    return product(adjoint, _with_factor(lower, rhs))


@jax.custom_jvp
def _least_norm(matrix, rhs):
    return product(jnp.linalg.pinv(matrix, rtol=jnp.finfo(matrix.dtype).eps * max(matrix.shape[-2:])), rhs)


@_least_norm.defjvp
def _least_norm_jvp(primals, tangents):
    raise ValueError("Gradient not defined for fast=False")


@takes_composites("tf.linalg.lstsq")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """Least squares solution of `matrix x = rhs`.

    Args:
      matrix: float32, float64 or complex tensor of shape `[..., m, n]`.
      rhs: tensor of the same dtype and shape `[..., m, k]`; leading axes broadcast.
      l2_regularizer: scalar that is added to the diagonal of the normal equations; no effect unless `fast`.
      fast: whether to solve the normal equations, which needs full rank, or by orthogonal decomposition.
      name: ignored.

    Returns:
      Tensor of that dtype and shape `[..., n, k]`: of all solutions the one of least norm; NaN where `fast`
      and the rank is not full.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, or dtypes differ.
      ValueError: differentiated without `fast`.
      NotImplementedError: complex128 with `l2_regularizer`.

    TF: `tf.linalg.lstsq`; no known difference.
    """
    matrix = convert_to_tensor(matrix)
    if matrix.dtype == _dtypes.complex128 and isinstance(l2_regularizer, int | float) and l2_regularizer != 0:
        raise NotImplementedError("lstsq does not take l2_regularizer != 0 with complex128; use complex64 or float64")
    l2_regularizer = convert_to_tensor(l2_regularizer, dtype_hint=matrix.dtype.real_dtype)
    return _lstsq(matrix, rhs, l2_regularizer, bool(fast))


def _dense_bands(bands, lower):
    """Triangular matrices of their bands, which stand as in `tf.linalg.banded_triangular_solve`."""
    count, size = bands.shape[-2:]
    k = (1 - count, 0) if lower else (0, count - 1)
    return diag.raw(bands, k=k, num_rows=size, num_cols=size, align="LEFT_RIGHT")


def _diagonal_is_not_zero(bands, rhs, lower, adjoint):
    diagonal = bands[..., 0 if lower else -1, :]
    return [engine.require((diagonal != 0).all(), "Input matrix is not invertible. [Op:BandedTriangularSolve] name: ")]


@op("tf.linalg.banded_triangular_solve", kernel="BandedTriangularSolve", tensors=("bands", "rhs"), dtypes=SOLVABLE,
    requires=_diagonal_is_not_zero)  # fmt: skip
def banded_triangular_solve(bands, rhs, lower=True, adjoint=False):
    """Solution of `matrix x = rhs` for banded triangular matrices.

    Args:
      bands: float32, float64 or complex tensor of shape `[..., bands, n]`: the diagonals, the highest first;
        those of a lower triangle stand to the right, those of an upper one to the left.
      rhs: tensor of the same dtype and shape `[..., n, k]`; leading axes broadcast.
      lower: whether they are the lower triangle.
      adjoint: whether to use the conjugate transpose.

    Returns:
      Tensor of that dtype and shape `[..., n, k]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, dtypes differ, or an element of the diagonal is 0.

    TF: `tf.linalg.banded_triangular_solve`; works on whole matrices.
    """
    kernel = "BandedTriangularSolve"
    check_matrix(bands, kernel)
    check_matrix(rhs, kernel, 1)
    if 0 in rhs.shape:
        raise when_run(f"In[1] must not be an empty tensor: shape {show_shape(rhs.shape)} [Op:{kernel}]")
    if bands.shape[-1] != rhs.shape[-2] or not 1 <= bands.shape[-2] <= bands.shape[-1]:
        raise invalid(
            f"Shapes of bands and rhs do not fit: {show_shape(bands.shape)} and {show_shape(rhs.shape)} [Op:{kernel}]"
        )
    return _triangular_solution(_dense_bands(bands, lower), rhs, bool(lower), bool(adjoint))


_FORMATS = ("compact", "matrix", "sequence")


def _three_diagonals(diagonals, diagonals_format):
    """Tensors of the superdiagonal, diagonal and subdiagonal, each of the full length, and whether "
    "stacked."""
    if diagonals_format not in _FORMATS:
        raise ValueError(f"Expected diagonals_format to be one of {_FORMATS}, got {diagonals_format}.")
    if diagonals_format == "sequence":
        if not isinstance(diagonals, list | tuple) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, middle, below = map(convert_to_tensor, diagonals)
        size = middle.shape[-1]
        none = [[0, 0]] * (middle.shape.rank - 1)
        for name, one in (("superdiagonal", above), ("subdiagonal", below)):
            if one.shape.rank and (one.shape.rank != middle.shape.rank or one.shape[-1] not in (0, size, size - 1)):
                raise ValueError(f"Expected {name} to be have length {size} or {size - 1}, got {one.shape}.")
        if above.shape[-1] == size - 1:
            above = pad(above, [*none, [0, 1]])
        if below.shape[-1] == size - 1:
            below = pad(below, [*none, [1, 0]])
        return above, middle, below
    diagonals = convert_to_tensor(diagonals)
    if diagonals_format == "matrix":
        if diagonals.shape[-1] != diagonals.shape[-2]:
            raise ValueError(f"Expected last two dimensions of diagonals to be same, got {diagonals.shape}")
        diagonals = diag_part(diagonals, k=(-1, 1), align="LEFT_RIGHT")
    if diagonals.shape.rank < 2 or diagonals.shape[-2] != 3:
        raise ValueError(f"Expected diagonals of shape [..., 3, n], got {diagonals.shape}")
    return unstack(diagonals, axis=-2)


_TRIDIAGONAL = {"tensors": ("above", "middle", "below", "rhs"), "dtypes": SOLVABLE}


@op("_tridiagonal_solve", kernel="TridiagonalSolve", **_TRIDIAGONAL)
def _tridiagonal_solve(above, middle, below, rhs, transpose_rhs, conjugate_rhs):
    rhs = lax.conj(rhs) if conjugate_rhs and jnp.iscomplexobj(rhs) else rhs
    vector = rhs.ndim == middle.ndim
    if vector:
        rhs = rhs[..., None]
    elif transpose_rhs:
        rhs = transposed(rhs)
    if rhs.shape[:-1] != middle.shape:
        raise invalid(
            f"Expected rhs of shape {show_shape(middle.shape)} with or without columns, got "
            f"{show_shape(rhs.shape)} "
            "[Op:TridiagonalSolve]"
        )
    first, last = np.arange(middle.shape[-1]) == 0, np.arange(middle.shape[-1]) == middle.shape[-1] - 1
    zero = jnp.zeros((), middle.dtype)
    solution = lax.linalg.tridiagonal_solve(jnp.where(first, zero, below), middle, jnp.where(last, zero, above), rhs)
    return solution[..., 0] if vector else transposed(solution) if transpose_rhs else solution


@takes_composites("tf.linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals,
    rhs,
    diagonals_format="compact",
    transpose_rhs=False,
    conjugate_rhs=False,
    name=None,
    partial_pivoting=True,
    perturb_singular=False,
):
    """Solution of `matrix x = rhs` for matrices with three diagonals.

    Args:
      diagonals: float32, float64 or complex. For "compact" a tensor of shape `[..., 3, n]`: those above, on
        and below the main diagonal, the first with its last and the last with its first element unused; for
        "sequence" a list of these three, where the unused elements may be missing; for "matrix" a tensor of
        shape `[..., n, n]`.
      rhs: tensor of the same dtype and shape `[..., n]` or `[..., n, k]`.
      diagonals_format: "compact", "sequence" or "matrix".
      transpose_rhs: whether `rhs` and the result are of shape `[..., k, n]`.
      conjugate_rhs: whether to conjugate `rhs`.
      name: ignored.
      partial_pivoting: whether rows may be exchanged, which they are in any case.
      perturb_singular: must be False.

    Returns:
      Tensor of the shape and dtype of `rhs`.

    Raises:
      ValueError: `diagonals` is malformed.
      tf.errors.InvalidArgumentError: shapes do not fit, or dtypes differ.
      tf.errors.UnimplementedError: `perturb_singular`.

    TF: `tf.linalg.tridiagonal_solve`; no `perturb_singular`; singular matrices give infinity or NaN, where TF
      raises.
    """
    if perturb_singular:
        raise errors.UnimplementedError(
            None, None, "perturb_singular=True is not supported; add a small number to the diagonal"
        )
    above, middle, below = _three_diagonals(diagonals, diagonals_format)
    return _tridiagonal_solve(above, middle, below, rhs, bool(transpose_rhs), bool(conjugate_rhs))


@op("_tridiagonal_matmul", kernel="TridiagonalMatMul", **_TRIDIAGONAL)
def _tridiagonal_matmul(above, middle, below, rhs):
    if rhs.shape[:-1] != middle.shape:
        raise invalid(
            f"Expected rhs of shape {show_shape(middle.shape)} and columns, got {show_shape(rhs.shape)} "
            "[Op:TridiagonalMatMul]"
        )
    edge = jnp.zeros((*rhs.shape[:-2], 1, rhs.shape[-1]), rhs.dtype)
    after = jnp.concatenate([rhs[..., 1:, :], edge], -2)
    before = jnp.concatenate([edge, rhs[..., :-1, :]], -2)
    return functools.reduce(jnp.add, (d[..., None] * x for d, x in ((above, after), (middle, rhs), (below, before))))


@takes_composites("tf.linalg.tridiagonal_matmul")
def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
    """Product of matrices with three diagonals and other matrices.

    Args:
      diagonals: as in `tf.linalg.tridiagonal_solve`.
      rhs: tensor of the same dtype and shape `[..., n, k]`.
      diagonals_format: "compact", "sequence" or "matrix".
      name: ignored.

    Returns:
      Tensor of the shape and dtype of `rhs`.

    Raises:
      ValueError: `diagonals` is malformed.
      tf.errors.InvalidArgumentError: shapes do not fit, or dtypes differ.

    TF: `tf.linalg.tridiagonal_matmul`; no known difference.
    """
    above, middle, below = _three_diagonals(diagonals, diagonals_format)
    return _tridiagonal_matmul(above, middle, below, rhs)
