"""Decompositions: cholesky, qr, svd, eigh, eig; pinv and matrix_rank.

Their derivatives are TF's (linalg_grad.py) where those differ from JAX's: the triangle that is read gets the
gradient, equal eigenvalues or singular values give 0 and not infinity.
"""

import collections

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import COMPLEX, op
from tfcompat.dtypes import float32, float64
from tfcompat.linalg._diagonal import lower_and_upper, on_diagonal
from tfcompat.linalg._products import adjoint_of, check_matrix, check_square, product

# TF has no CPU kernel for half precision here, nor has JAX.
SOLVABLE = COMPLEX | {float32, float64}

Qr = collections.namedtuple("Qr", ["q", "r"])


def safe_reciprocal(x):
    """`1 / x`, and 0 at 0."""
    return x / (x * x + 1e-20)


def _diagonal_matrix(x):
    return jnp.where(on_diagonal(x.shape[-1]), x[..., None, :], jnp.zeros((), x.dtype))


def _inverse_gaps(x):
    """Reciprocals of the differences of numbers, 0 on the diagonal and between equal ones."""
    same = on_diagonal(x.shape[-1])
    gaps = jnp.where(same, jnp.ones((), x.dtype), x[..., None, :] - x[..., :, None])
    return jnp.where(same, jnp.zeros((), x.dtype), safe_reciprocal(gaps))


def _diagonal(x):
    return jnp.diagonal(x, 0, -2, -1)


def _real(x):
    return lax.real(x) if jnp.iscomplexobj(x) else x


def from_lower(matrix):
    """The Hermitian matrices with this lower triangle."""
    return lower_and_upper(matrix, -1, 0) + adjoint_of(jnp.tril(matrix, -1)) if matrix.size else matrix


def factor(matrix):
    """Lower Cholesky factors; NaN where a matrix is not positive definite."""
    return _factor(matrix)


@jax.custom_jvp
def _factor(matrix):
    return lax.linalg.cholesky(from_lower(matrix), symmetrize_input=False)


@_factor.defjvp
def _factor_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    lower = _factor(matrix)
    # The whole matrix counts in the derivative, though only its lower triangle is read.
    change = (change + adjoint_of(change)) / 2
    half_solved = lax.linalg.triangular_solve(lower, change, left_side=True, lower=True)
    middle = lax.linalg.triangular_solve(
        lower, half_solved, left_side=False, lower=True, transpose_a=True, conjugate_a=jnp.iscomplexobj(lower)
    )
    half = lower_and_upper(middle, -1, 0) - _diagonal_matrix(_diagonal(middle)) / 2
    return lower, product(lower, half)


@op("tf.linalg.cholesky", kernel="Cholesky", tensors=("input",), dtypes=SOLVABLE)
def cholesky(input):
    """Cholesky decomposition.

    Args:
      input: float32, float64 or complex tensor of shape `[..., n, n]`: Hermitian positive definite matrices,
        of which only the lower triangle is read.

    Returns:
      Tensor of that shape and dtype: lower triangular matrices L with `L L^H = input`; NaN where a matrix is
      not positive definite.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square.

    Gradient: symmetric, though only one triangle is read.
    TF: `tf.linalg.cholesky`; no known difference.
    """
    check_square(input, "Cholesky")
    return factor(input)


@jax.custom_jvp
def _qr_tall(matrix):
    return tuple(lax.linalg.qr(matrix, full_matrices=False))


@_qr_tall.defjvp
def _qr_tall_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    q, r = _qr_tall(matrix)
    relative = lax.linalg.triangular_solve(r, change)
    inner = product(adjoint_of(q), relative)
    lower = jnp.tril(inner, -1)
    rotation = lower - adjoint_of(lower)
    if jnp.iscomplexobj(inner):
        diagonal = _diagonal(inner)
        rotation = rotation + _diagonal_matrix(diagonal - lax.real(diagonal).astype(diagonal.dtype))
    return (q, r), (product(q, rotation - inner) + relative, product(inner - rotation, r))


@jax.custom_jvp
def _qr_full(matrix):
    return tuple(lax.linalg.qr(matrix, full_matrices=True))


@_qr_full.defjvp
def _qr_full_jvp(primals, tangents):
    raise NotImplementedError("the derivative of qr with full_matrices=True and more rows than columns does not exist")


def _qr(matrix, full_matrices):
    rows, columns = matrix.shape[-2:]
    if rows > columns and full_matrices:
        return _qr_full(matrix)
    if rows >= columns:
        return _qr_tall(matrix)
    q, triangle = _qr_tall(matrix[..., :rows])
    return q, jnp.concatenate([triangle, product(adjoint_of(q), matrix[..., rows:])], -1)


@op("_qr", kernel="Qr", tensors=("input",), dtypes=SOLVABLE, gradient="partial")
def _qr_op(input, full_matrices):
    check_matrix(input, "Qr")
    return _qr(input, full_matrices)


@takes_composites("tf.linalg.qr")
def qr(input, full_matrices=False, name=None):
    """QR decomposition.

    Args:
      input: float32, float64 or complex tensor of shape `[..., m, n]`.
      full_matrices: whether Q is square.
      name: ignored.

    Returns:
      `Qr(q, r)`: tensors of that dtype, `q` of shape `[..., m, p]` with orthonormal columns, `r` of shape
      `[..., p, n]` upper triangular, with `p = min(m, n)`, or `m` if `full_matrices`; `q r = input`.

    Raises:
      tf.errors.InvalidArgumentError: the rank is below 2.
      NotImplementedError: differentiated with `full_matrices` and `m > n`.

    TF: `tf.linalg.qr`; signs may differ.
    """
    return Qr(*_qr_op(input, bool(full_matrices)))


def _svd_parts(matrix, full_matrices):
    u, s, vh = lax.linalg.svd(matrix, full_matrices=full_matrices, compute_uv=True)
    return s, u, adjoint_of(vh)


@jax.custom_jvp
def _svd_thin(matrix):
    return _svd_parts(matrix, False)


@jax.custom_jvp
def _svd_square(matrix):
    return _svd_parts(matrix, True)


def _svd_change(s, u, v, change):
    """Tangents of the singular values and of u and v; u is square, v has as many columns or more."""
    size = s.shape[-1]
    first = v[..., :size]
    inner = product(adjoint_of(u), product(change, first))
    scale = s.astype(change.dtype)
    square = scale * scale
    gaps = _inverse_gaps(square)
    across, along = scale[..., None, :], scale[..., :, None]
    u_change = product(u, gaps * (inner * across + along * adjoint_of(inner)))
    v_inner = gaps * (along * inner + adjoint_of(inner) * across)
    if jnp.iscomplexobj(change):
        phase = lax.imag(_diagonal(inner)) * safe_reciprocal(s)
        v_inner = v_inner - _diagonal_matrix(phase * 1j).astype(change.dtype)
    v_change = product(first, v_inner)
    inverse = safe_reciprocal(scale)[..., None, :]
    if v.shape[-2] > size:
        outside = product(adjoint_of(change), u) * inverse
        v_change = v_change + outside - product(first, product(adjoint_of(first), outside))
    if v.shape[-1] > size:
        rest = v[..., size:]
        turned = product(adjoint_of(u), product(change, rest)) * safe_reciprocal(scale)[..., :, None]
        v_change = jnp.concatenate([v_change, -product(first, turned)], -1)
    return _real(_diagonal(inner)), u_change, v_change


def _svd_jvp(decompose, full_matrices):
    def rule(primals, tangents):
        (matrix,), (change,) = primals, tangents
        s, u, v = result = decompose(matrix)
        rows, columns = matrix.shape[-2:]
        if full_matrices and abs(rows - columns) > 1:
            raise NotImplementedError(
                "the derivative of svd with full_matrices=True does not exist for matrices whose numbers "
                "of rows and "
                f"columns differ by more than 1, got {rows} and {columns}"
            )
        if rows > columns:
            s_change, v_change, u_change = _svd_change(s, v, u, adjoint_of(change))
        else:
            s_change, u_change, v_change = _svd_change(s, u, v, change)
        return result, (s_change, u_change, v_change)

    return rule


_svd_thin.defjvp(_svd_jvp(_svd_thin, False))
_svd_square.defjvp(_svd_jvp(_svd_square, True))


@jax.custom_jvp
def singular_values(matrix):
    """Singular values, the largest first."""
    return lax.linalg.svd(matrix, compute_uv=False)


@singular_values.defjvp
def _singular_values_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    s, u, v = _svd_thin(matrix)
    return s, _real(jnp.sum(lax.conj(u) * product(change, v) if jnp.iscomplexobj(u) else u * product(change, v), -2))


@op("_svd", kernel="Svd", tensors=("tensor",), dtypes=SOLVABLE, gradient="partial")
def _svd_op(tensor, full_matrices, compute_uv):
    check_matrix(tensor, "Svd")
    if not compute_uv:
        return singular_values(tensor)
    return _svd_square(tensor) if full_matrices else _svd_thin(tensor)


@takes_composites("tf.linalg.svd")
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """Singular value decomposition.

    Args:
      tensor: float32, float64 or complex tensor of shape `[..., m, n]`.
      full_matrices: whether `u` and `v` are square.
      compute_uv: whether to compute `u` and `v` at all.
      name: ignored.

    Returns:
      `(s, u, v)`, or `s` alone: `s` of shape `[..., p]` and real dtype, the largest first; `u` of shape
      `[..., m, p]` and `v` of shape `[..., n, p]` with orthonormal columns; `p = min(m, n)`; `u diag(s) v^H =
      tensor`.

    Raises:
      tf.errors.InvalidArgumentError: the rank is below 2.
      NotImplementedError: differentiated with `full_matrices` and `abs(m - n) > 1`.

    Gradient: equal singular values do not turn into each other.
    TF: `tf.linalg.svd`; signs of columns may differ.
    """
    result = _svd_op(tensor, bool(full_matrices), bool(compute_uv))
    return tuple(result) if compute_uv else result


@jax.custom_jvp
def _eigh(matrix):
    vectors, values = lax.linalg.eigh(matrix, symmetrize_input=False)
    return values, vectors


@_eigh.defjvp
def _eigh_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    values, vectors = _eigh(matrix)
    inner = product(adjoint_of(vectors), product(change, vectors))
    gaps = _inverse_gaps(values).astype(inner.dtype)
    return (values, vectors), (_real(_diagonal(inner)), product(vectors, gaps * inner))


def _ends(holds, kernel, text):
    """What it takes for TF's iteration to end."""
    text = f"{text} was not successful. The input might not be valid. [Op:{kernel}] name: "
    return [engine.require(holds.all(), text)]


def _eigh_ends(tensor, compute_v):
    size, diagonal = jnp.asarray(tensor.shape[-1]), _diagonal(tensor)  # the size may be a symbol
    # Of two rows nothing is left to do if the element beside the diagonal is 0, divided by the largest one.
    holds = (size == 1) | (size == 2) & ~jnp.isnan(diagonal) | jnp.isfinite(diagonal)
    holds &= jnp.isfinite(jnp.tril(tensor, -1)).all(-1)
    return _ends(holds, "SelfAdjointEigV2", "Self-adjoint eigen decomposition")


@op("_eigh", kernel="SelfAdjointEigV2", tensors=("tensor",), dtypes=SOLVABLE, requires=_eigh_ends)
def _eigh_op(tensor, compute_v):
    check_square(tensor, "SelfAdjointEigV2")
    values, vectors = _eigh(from_lower(tensor))
    # TF gives the eigenvalues of complex matrices their dtype.
    values = values.astype(tensor.dtype)
    return (values, vectors) if compute_v else values


@takes_composites("tf.linalg.eigh")
def eigh(tensor, name=None):
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Args:
      tensor: float32, float64 or complex tensor of shape `[..., n, n]`, of which only the lower triangle is
        read.
      name: ignored.

    Returns:
      `(e, v)`: tensors of the dtype of `tensor`: eigenvalues of shape `[..., n]`, the smallest first, and
      eigenvectors in the columns of `[..., n, n]`.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square.

    Gradient: goes to the lower triangle. Equal eigenvalues do not turn into each other.
    TF: `tf.linalg.eigh`; signs of columns may differ.
    """
    return tuple(_eigh_op(tensor, True))


@takes_composites("tf.linalg.eigvalsh")
def eigvalsh(tensor, name=None):
    """Eigenvalues of Hermitian matrices.

    Args:
      tensor: float32, float64 or complex tensor of shape `[..., n, n]`, of which only the lower triangle is
        read.
      name: ignored.

    Returns:
      Tensor of the dtype of `tensor` and shape `[..., n]`, the smallest first.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square.

    Gradient: goes to the lower triangle.
    TF: `tf.linalg.eigvalsh`; no known difference.
    """
    return _eigh_op(tensor, False)


@jax.custom_jvp
def _eig(matrix):
    values, vectors = lax.linalg.eig(matrix, compute_left_eigenvectors=False)
    return values, vectors


@_eig.defjvp
def _eig_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    values, vectors = _eig(matrix)
    inner = jnp.linalg.solve(vectors, product(change, vectors))
    gaps = _inverse_gaps(values)
    turned = product(vectors, gaps * inner)
    # The columns keep their length.
    growth = lax.real(_diagonal(product(adjoint_of(vectors), turned))).astype(turned.dtype)
    return (values, vectors), (_diagonal(inner), turned - vectors * growth[..., None, :])


@op("_eig", kernel="Eig", tensors=("tensor",), dtypes=SOLVABLE,
    requires=lambda tensor, compute_v: _ends(jnp.isfinite(tensor), "Eig", "Eigen decomposition"))  # fmt: skip
def _eig_op(tensor, compute_v):
    check_square(tensor, "Eig")
    values, vectors = _eig(tensor if jnp.iscomplexobj(tensor) else lax.complex(tensor, jnp.zeros_like(tensor)))
    return (values, vectors) if compute_v else values


@takes_composites("tf.linalg.eig")
def eig(tensor, name=None):
    """Eigenvalues and eigenvectors of square matrices.

    Args:
      tensor: float32, float64 or complex tensor of shape `[..., n, n]`.
      name: ignored.

    Returns:
      `(e, v)`: complex tensors: eigenvalues of shape `[..., n]` in no particular order, and eigenvectors of
      length 1 in the columns of `[..., n, n]`.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square.

    TF: `tf.linalg.eig`; order and phases may differ. Where JAX has no such kernel (accelerators) it raises.
    """
    return tuple(_eig_op(tensor, True))


@takes_composites("tf.linalg.eigvals")
def eigvals(tensor, name=None):
    """Eigenvalues of square matrices.

    Args:
      tensor: float32, float64 or complex tensor of shape `[..., n, n]`.
      name: ignored.

    Returns:
      Complex tensor of shape `[..., n]`, in no particular order.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square.

    TF: `tf.linalg.eigvals`; the order may differ. Where JAX has no such kernel (accelerators) it raises.
    """
    return _eig_op(tensor, False)


def _check_floating_matrix(a):
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.shape.rank < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.shape.rank}).")


@op("_pinv", kernel="Svd", tensors=("a", "rcond"), dtypes={"a": SOLVABLE}, same=("a",))
def _pinv(a, rcond=None):
    return _inverse_of_rank(a) if rcond is None else _pseudo_inverse(a, rcond)


@jax.custom_jvp
def _inverse_of_rank(a):
    return _pseudo_inverse(a, 10.0 * max(a.shape[-2:]) * jnp.finfo(a.dtype).eps)


def _pseudo_inverse(a, rcond):
    s, u, v = _svd_thin(a)
    cutoff = jnp.asarray(rcond, s.dtype) * jnp.max(s, -1, initial=0)
    s = jnp.where(s > cutoff[..., None], s, jnp.full((), np.inf, s.dtype))
    return product(v / s[..., None, :].astype(v.dtype), adjoint_of(u))


@_inverse_of_rank.defjvp
def _inverse_of_rank_jvp(primals, tangents):
    # Golub and Pereyra's, for a rank that stays; that of the decomposition fails where singular values are equal.
    (a,), (change,) = primals, tangents
    inverse = _inverse_of_rank(a)
    turned, back = adjoint_of(change), adjoint_of(inverse)
    left = product(product(inverse, back), turned)
    right = product(turned, product(back, inverse))
    return inverse, (
        left - product(left, product(a, inverse)) + right - product(product(inverse, a), right)
        - product(product(inverse, change), inverse)
    )  # fmt: skip


@takes_composites("tf.linalg.pinv")
def pinv(a, rcond=None, validate_args=False, name=None):
    """Moore-Penrose pseudo-inverse.

    Args:
      a: float32 or float64 tensor of shape `[..., m, n]`.
      rcond: singular values up to `rcond` times the largest count as 0; tensor of shape `[...]`, or None for
        `10 max(m, n) eps`.
      validate_args: whether to check the rank, which is done in any case.
      name: ignored.

    Returns:
      Tensor of the dtype of `a` and shape `[..., n, m]`.

    Raises:
      TypeError: the dtype is not floating.
      ValueError: the rank is below 2.

    TF: `tf.linalg.pinv`; no known difference.
    """
    a = convert_to_tensor(a)
    _check_floating_matrix(a)
    if rcond is not None:
        rcond = convert_to_tensor(rcond, dtype=a.dtype.real_dtype)
    return _pinv(a, rcond)


@op("_matrix_rank", kernel="Svd", tensors=("a", "tol"), dtypes={"a": SOLVABLE}, same=("a",), gradient="none")
def _matrix_rank(a, tol=None):
    s = singular_values(a)
    if tol is None:
        tol = jnp.finfo(a.dtype).eps * max(a.shape[-2:]) * jnp.max(s, -1, keepdims=True, initial=0)
    return jnp.sum(s > tol, -1, dtype=np.int32)


@takes_composites("tf.linalg.matrix_rank")
def matrix_rank(a, tol=None, validate_args=False, name=None):
    """Number of singular values that are not 0.

    Args:
      a: float32 or float64 tensor of shape `[..., m, n]`.
      tol: singular values up to it count as 0; broadcastable to `[..., min(m, n)]`. None for `max(m, n) eps`
        times the largest.
      validate_args: whether to check the rank of the tensor, which is done in any case.
      name: ignored.

    Returns:
      int32 tensor of shape `[...]`.

    Raises:
      TypeError: the dtype is not floating.
      ValueError: the rank of the tensor is below 2.

    TF: `tf.linalg.matrix_rank`; no known difference.
    """
    a = convert_to_tensor(a, dtype_hint=float32)
    _check_floating_matrix(a)
    if tol is not None:
        tol = convert_to_tensor(tol, dtype_hint=a.dtype.real_dtype)
    return _matrix_rank(a, tol)
