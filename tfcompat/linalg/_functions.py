"""Functions of matrices: expm, logm, sqrtm; eigenvalues of tridiagonal matrices."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np
from jax import lax

from tfcompat import engine, math
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.op import ANY, COMPLEX, op
from tfcompat.array import cast, gather
from tfcompat.array._arguments import invalid
from tfcompat.linalg._decompose import SOLVABLE, eigh, eigvalsh
from tfcompat.linalg._diagonal import diag
from tfcompat.linalg._products import check_square, product
from tfcompat.linalg._solve import solution_exists


@op("tf.linalg.expm", kernel="BatchMatMulV2", tensors=("input",), dtypes=ANY)
def expm(input):
    """Exponential of square matrices.

    Args:
      input: float32, float64 or complex tensor of shape `[..., n, n]`.

    Returns:
      Tensor of that shape and dtype.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square.
      ValueError: the dtype is an integer one.

    TF: `tf.linalg.expm`; no known difference.
    """
    if np.dtype(input.dtype).kind not in "fc":
        raise ValueError(f"tf.linalg.expm does not support matrices of type {input.dtype.name}")
    check_square(input, "BatchMatMulV2")
    return jax.scipy.linalg.expm(input, max_squarings=48) if input.size else input


_ROOT_STEPS = 60


def _root(matrix):
    """Principal square roots, by the product form of the Denman-Beavers iteration with scaling."""
    size = matrix.shape[-1]
    identity = jnp.broadcast_to(jnp.eye(size, dtype=matrix.dtype), matrix.shape)
    tolerance = 4 * size * jnp.finfo(matrix.dtype).eps

    def distance(m):
        return jnp.max(jnp.sum(lax.abs(m - identity), -1), -1)

    def unfinished(state):
        step, _, m = state
        return (step < _ROOT_STEPS) & jnp.any(distance(m) > tolerance)

    def advance(state):
        step, x, m = state
        logarithm = jnp.linalg.slogdet(m)[1]
        scale = jnp.where(distance(m) > 0.1, jnp.exp(-logarithm / (2 * size)), jnp.ones_like(logarithm))
        scale = jnp.where(jnp.isfinite(scale), scale, jnp.ones_like(scale))[..., None, None].astype(m.dtype)
        inverse = jnp.linalg.inv(m)
        next_x = 0.5 * scale * (x + product(x, inverse) / (scale * scale))
        next_m = 0.5 * (identity + 0.5 * (scale * scale * m + inverse / (scale * scale)))
        done = (distance(m) <= tolerance)[..., None, None]
        return step + 1, jnp.where(done, x, next_x), jnp.where(done, m, next_m)

    _, x, m = lax.while_loop(unfinished, advance, (0, matrix, matrix))
    # Matrices without a principal root of this dtype do not converge.
    converged = (distance(m) < np.sqrt(jnp.finfo(matrix.dtype).eps))[..., None, None]
    return jnp.where(converged, x, jnp.full((), np.nan, x.dtype))


def _system(root):
    """The matrix of root d + d root = change, a linear equation in the elements of d, row by row."""
    size = root.shape[-1]
    identity = jnp.eye(size, dtype=root.dtype)
    # TF's gradient, _MatrixSquareRootGrad, transposes the root without conjugating it.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/linalg_grad.py
    factor = lax.conj(root) if jnp.iscomplexobj(root) else root
    left = jnp.einsum("...ik,jl->...ijkl", factor, identity)
    right = jnp.einsum("ik,...lj->...ijkl", identity, factor)
    return (left + right).reshape(*root.shape[:-2], size * size, size * size)


def _system_has_solution(_, root):
    return solution_exists(_system(root), False)


@jax.custom_jvp
def _sqrtm(matrix):
    zero = jnp.all(matrix == 0, (-2, -1), keepdims=True)
    # The iteration takes determinants of inverses: very large or small matrices are brought near 1.
    size = jnp.max(lax.abs(matrix), (-2, -1), keepdims=True, initial=0)
    size = jnp.where((size > 1e-6) & (size < 1e6) | zero, 1, size).astype(matrix.dtype)
    return jnp.where(zero, matrix, _root(matrix / size) * lax.sqrt(size))


@_sqrtm.defjvp
def _sqrtm_jvp(primals, tangents):
    (matrix,), (change,) = primals, tangents
    root = _sqrtm(matrix)
    size = root.shape[-1]
    solution = jnp.linalg.solve(_system(root), change.reshape(*root.shape[:-2], size * size, 1))
    return root, solution.reshape(root.shape)


@op("tf.linalg.sqrtm", "tf.matrix_square_root", kernel="MatrixSquareRoot", tensors=("input",), dtypes=SOLVABLE,
    conditional=True)  # fmt: skip
def sqrtm(input):
    """Principal square root of square matrices.

    Args:
      input: float32, float64 or complex tensor of shape `[..., n, n]`, invertible, and without negative real
        eigenvalues.

    Returns:
      Tensor of that shape and dtype; NaN where there is no such root.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square; or the derivative does not exist, and is taken.

    TF: `tf.linalg.sqrtm`; NaN for singular matrices other than 0.
    """
    check_square(input, "MatrixSquareRoot")
    if not input.size:
        return input
    root = _sqrtm(input)
    return engine.marked(root, _system_has_solution, root)


# Gauss-Legendre quadrature of log(1 + x) = integral of x / (1 + t x), which equals the Pade approximant.
_NODES, _WEIGHTS = (values.tolist() for values in np.polynomial.legendre.leggauss(8))


def _logm(matrix):
    identity = jnp.eye(matrix.shape[-1], dtype=matrix.dtype)

    def distance(m):
        return jnp.max(jnp.sum(lax.abs(m - identity), -1), -1)

    def unfinished(state):
        step, m, _ = state
        return (step < 64) & jnp.any(distance(m) > 0.25)

    def advance(state):
        step, m, factor = state
        far = distance(m) > 0.25
        root = _root(m)
        return step + 1, jnp.where(far[..., None, None], root, m), jnp.where(far, 2 * factor, factor)

    factors = jnp.ones(matrix.shape[:-2], lax.real(matrix).dtype)
    _, near, factors = lax.while_loop(unfinished, advance, (0, matrix, factors))
    rest = near - identity
    result = jnp.zeros_like(rest)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        result = result + weight / 2 * jnp.linalg.solve(identity + (node + 1) / 2 * rest, rest)
    return factors[..., None, None] * result


@op("tf.linalg.logm", kernel="MatrixLogarithm", tensors=("input",), dtypes=COMPLEX, gradient="missing")
def logm(input):
    """Principal logarithm of square matrices.

    Args:
      input: complex tensor of shape `[..., n, n]`, invertible, and without negative real eigenvalues.

    Returns:
      Tensor of that shape and dtype.

    Raises:
      tf.errors.InvalidArgumentError: the matrices are not square, or the dtype is not complex.
      LookupError: differentiated.

    TF: `tf.linalg.logm`; NaN for negative real eigenvalues.
    """
    check_square(input, "MatrixLogarithm")
    return _logm(input) if input.size else input


@takes_composites("tf.linalg.eigh_tridiagonal")
def eigh_tridiagonal(alpha, beta, eigvals_only=True, select="a", select_range=None, tol=None, name=None):
    """Eigenvalues, and eigenvectors, of a Hermitian matrix with three diagonals.

    Args:
      alpha: float32, float64 or complex vector of size n, the diagonal; its imaginary part does not count.
      beta: vector of the same dtype and size n - 1, the diagonal above.
      eigvals_only: whether to leave out the eigenvectors.
      select: "a" for all; "i" for those numbered by `select_range`; "v" for those in the interval `select_range`.
      select_range: pair of the first and last number wanted; or of the ends of the interval, of which the upper counts.
      tol: accuracy that is enough; the result is as exact as the dtype.
      name: ignored.

    Returns:
      Real vector of eigenvalues, the smallest first; or a pair of it and a matrix with eigenvectors in its
      columns.

    Raises:
      tf.errors.InvalidArgumentError, ValueError: shapes, dtypes or `select` do not fit.

    TF: `tf.linalg.eigh_tridiagonal`; works on the whole matrix, so a gradient exists.
    """
    alpha, beta = convert_to_tensor(alpha), convert_to_tensor(beta)
    if alpha.shape.rank != 1:
        raise ValueError(f"Expected `alpha` to be a vector, got shape {alpha.shape}")
    if beta.shape.rank != 1 or beta.shape[0] + 1 != alpha.shape[0]:
        raise invalid(f"Expected `beta` to have one element less than `alpha`, got {beta.shape} and {alpha.shape}")
    if alpha.dtype != beta.dtype:
        raise ValueError(f"'alpha' and 'beta' must have the same type, got {alpha.dtype} and {beta.dtype}")
    if not (alpha.dtype.is_floating or alpha.dtype.is_complex):
        raise ValueError(f"data type {alpha.dtype.as_numpy_dtype} not inexact")
    if select not in ("a", "i", "v"):
        raise ValueError(f"'select' must have a value in {{'a', 'i', 'v'}}, got {select!r}")
    matrix = cast(math.real(diag(alpha)), alpha.dtype) + diag(math.conj(beta), k=-1)
    values, vectors = (eigvalsh(matrix), None) if eigvals_only else eigh(matrix)
    values = math.real(values)
    if select == "i":
        first, last = static_value(select_range)
        if first > last:
            raise invalid(f"Got empty index range in select_range {select_range}")
        if not 0 <= first <= last < alpha.shape[0]:
            raise ValueError(f"Got empty index range in select_range {select_range}")
        values = values[first : last + 1]
        vectors = None if vectors is None else vectors[:, first : last + 1]
    elif select == "v":
        low, high = static_value(select_range[0]), static_value(select_range[1])
        if low >= high:
            raise invalid(f"Got empty interval in select_range {select_range}")
        known = known_values(values, "call it outside")
        places = host_constant(np.flatnonzero((known > low) & (known <= high)))
        values = gather(values, places)
        vectors = None if vectors is None else gather(vectors, places, axis=1)
    return values if eigvals_only else (values, vectors)
