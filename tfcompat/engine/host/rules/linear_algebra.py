"""Decompositions and solutions, by LAPACK, which is what XLA calls on a CPU."""

import contextlib
import functools
import importlib
import importlib.machinery
import importlib.util
import os
import sys

import numpy as np

from tfcompat.engine.host.rules.registry import Unknown


@functools.cache
def _wrapped(extension):
    """SciPy's module of LAPACK or BLAS functions, `_flapack` or `_fblas`.

    `import scipy.linalg` takes 0.15 s, most of it for parts of NumPy that it does not use
    (https://github.com/data-apis/array-api-compat/blob/main/array_api_compat/numpy/__init__.py imports all of them).
    The file of the functions takes 3 ms, and is loaded without the package.
    """
    public = {"_flapack": "scipy.linalg.lapack", "_fblas": "scipy.linalg.blas"}[extension]
    if public not in sys.modules:
        scipy = importlib.import_module("scipy")  # on Windows, it makes the libraries known
        folder = os.path.join(os.path.dirname(scipy.__file__ or ""), "linalg")
        spec = importlib.machinery.PathFinder.find_spec(f"scipy.linalg.{extension}", [folder])
        with contextlib.suppress(ImportError):
            if spec is not None and spec.loader is not None:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    return importlib.import_module(public)


def _of_dtype(extension, name, dtype):
    letter = {"f": "s", "d": "d", "F": "c", "D": "z"}[dtype.char]
    return getattr(_wrapped(extension), letter + name)


def _lapack(name, dtype):
    return _of_dtype("_flapack", name, dtype)


def _each(function, in_avals, out_avals, rank=2):
    """A function of stacks of matrices, computed one by one; what cannot be computed is NaN."""
    batch = tuple(in_avals[0].shape[:-rank])
    shapes = [(tuple(aval.shape), aval.dtype) for aval in out_avals]

    def computed(*arrays):
        try:
            results = function(*arrays)
        except np.linalg.LinAlgError:
            results = [np.full(shape[len(batch) :], np.nan, dtype) for shape, dtype in shapes]
        return [np.asarray(x, dtype) for x, (_, dtype) in zip(results, shapes, strict=True)]

    def of_stacks(*arrays):
        results = [np.empty(shape, dtype) for shape, dtype in shapes]
        for index in np.ndindex(batch):
            for result, one in zip(results, computed(*[x[index] for x in arrays]), strict=True):
                result[index] = one
        return results

    if any(0 in aval.shape for aval in in_avals):
        return lambda *arrays: [np.zeros(shape, dtype) for shape, dtype in shapes]
    return of_stacks if batch else computed


def _stacked(function, in_avals, out_avals):
    """A function that NumPy has for stacks; one by one where one of them fails, or there is nothing."""
    each = _each(function, in_avals, out_avals)
    if any(0 in aval.shape for aval in in_avals):
        return each
    dtypes = [aval.dtype for aval in out_avals]

    def computed(*arrays):
        try:
            results = function(*arrays)
        except np.linalg.LinAlgError:
            return each(*arrays)
        return [x.astype(dtype, copy=False) for x, dtype in zip(results, dtypes, strict=True)]

    return computed


def _is_single(in_avals):
    """Whether NumPy, which computes in double precision, would choose other signs than XLA."""
    return in_avals[0].dtype.char in "fF"


def _unless(info, *results):
    if info:
        raise np.linalg.LinAlgError(info)
    return results


def _only(function):
    return lambda *arrays: function(*arrays)[0]


def _cholesky(params, in_avals, out_avals):
    return _only(_stacked(lambda x: [np.linalg.cholesky(x)], in_avals, out_avals))


def _eigh(params, in_avals, out_avals):
    if params["subset_by_index"] is not None and params["subset_by_index"] != (0, in_avals[0].shape[-1]):
        raise Unknown("a part of the eigenvalues")
    lower, dtype = params["lower"], in_avals[0].dtype
    if _is_single(in_avals):

        def in_single(x):
            values, vectors, info = _lapack("heevd" if dtype.kind == "c" else "syevd", dtype)(x, lower=lower)
            return _unless(info, vectors, values)

        return _each(in_single, in_avals, out_avals)
    side = "L" if lower else "U"

    def eigh(x):
        values, vectors = np.linalg.eigh(x, side)
        return [vectors, values]

    return _stacked(eigh, in_avals, out_avals)


def _eig(params, in_avals, out_avals):
    left, right = params["compute_left_eigenvectors"], params["compute_right_eigenvectors"]
    if left or _is_single(in_avals):

        def both(x):
            linalg = importlib.import_module("scipy.linalg")
            results = linalg.eig(x, left=left, right=right, check_finite=False)
            return results if left or right else [results]

        return _each(both, in_avals, out_avals)
    return _stacked((lambda x: list(np.linalg.eig(x))) if right else (lambda x: [np.linalg.eigvals(x)]),
                    in_avals, out_avals)  # fmt: skip


def _svd(params, in_avals, out_avals):
    if params["subset_by_index"] is not None:
        raise Unknown("a part of the singular values")
    full, with_vectors, dtype = params["full_matrices"], params["compute_uv"], in_avals[0].dtype
    if _is_single(in_avals):

        def in_single(x):
            u, values, v, info = _lapack("gesdd", dtype)(x, compute_uv=with_vectors, full_matrices=full)
            return _unless(info, values, u, v) if with_vectors else _unless(info, values)

        return _each(in_single, in_avals, out_avals)

    def svd(x):
        if not with_vectors:
            return [np.linalg.svd(x, compute_uv=False)]
        u, values, v = np.linalg.svd(x, full_matrices=full)
        return [values, u, v]

    return _stacked(svd, in_avals, out_avals)


def _qr(params, in_avals, out_avals):
    full = params["full_matrices"]
    if params["pivoting"]:

        def pivoted(x):
            linalg = importlib.import_module("scipy.linalg")
            return linalg.qr(x, mode="full" if full else "economic", pivoting=True, check_finite=False)

        return _each(pivoted, in_avals, out_avals)
    return _stacked(lambda x: np.linalg.qr(x, "complete" if full else "reduced"), in_avals, out_avals)


def _geqrf(params, in_avals, out_avals):
    geqrf = functools.cache(lambda: _lapack("geqrf", in_avals[0].dtype))
    return _each(lambda x: geqrf()(x)[:2], in_avals, out_avals)


def _householder_product(params, in_avals, out_avals):
    dtype = in_avals[0].dtype
    name = "ungqr" if dtype.kind == "c" else "orgqr"
    return _only(_each(lambda a, taus: _lapack(name, dtype)(a, taus)[:1], in_avals, out_avals))


def _permutation(pivots, size):
    order = list(range(size))
    for i, j in enumerate(pivots.tolist()):
        order[i], order[j] = order[j], order[i]
    return order


def _lu(params, in_avals, out_avals):
    dtype, size = in_avals[0].dtype, in_avals[0].shape[-2]

    def lu(x):
        factors, pivots, _ = _lapack("getrf", dtype)(x)
        return factors, pivots, _permutation(pivots, size)

    return _each(lu, in_avals, out_avals)


def _of_pivots(params, in_avals, out_avals):
    size = params["permutation_size"]
    return _only(_each(lambda pivots: [_permutation(pivots, size)], in_avals, out_avals, 1))


def _triangular_solve(params, in_avals, out_avals):
    dtype = in_avals[0].dtype
    transposed, conjugated = params["transpose_a"], params["conjugate_a"]
    options = {
        "side": int(not params["left_side"]),
        "lower": int(params["lower"]),
        "trans_a": (2 if conjugated else 1) if transposed else 0,
        "diag": int(params["unit_diagonal"]),
    }

    def solve(a, b):
        trsm = _of_dtype("_fblas", "trsm", dtype)
        return [trsm(1.0, np.conj(a) if conjugated and not transposed else a, b, **options)]

    return _only(_each(solve, in_avals, out_avals))


def _tridiagonal_solve(params, in_avals, out_avals):
    if params.get("perturb_singular"):
        raise Unknown("a perturbed matrix")
    dtype = in_avals[0].dtype
    batch = tuple(in_avals[0].shape[:-1])

    def solve(below, diagonal, above, b):
        *_, result, info = _lapack("gtsv", dtype)(below[1:], diagonal, above[:-1], b)
        return np.full_like(result, np.nan) if info else result

    def of_stacks(*arrays):
        result = np.empty(out_avals[0].shape, dtype)
        for index in np.ndindex(batch):
            result[index] = solve(*[x[index] for x in arrays])
        return result

    return of_stacks


def _schur(params, in_avals, out_avals):
    if params["sort_eig_vals"]:
        raise Unknown("sorted eigenvalues")
    vectors = params["compute_schur_vectors"]

    def schur(x):
        linalg = importlib.import_module("scipy.linalg")
        return linalg.schur(x, output="complex" if x.dtype.kind == "c" else "real", check_finite=False)[: 1 + vectors]

    return _each(schur, in_avals, out_avals)


RULES = {
    "cholesky": _cholesky,
    "eig": _eig,
    "eigh": _eigh,
    "geqrf": _geqrf,
    "householder_product": _householder_product,
    "lu": _lu,
    "lu_pivots_to_permutation": _of_pivots,
    "qr": _qr,
    "schur": _schur,
    "svd": _svd,
    "triangular_solve": _triangular_solve,
    "tridiagonal_solve": _tridiagonal_solve,
}
