"""Rules of `_node_rules` for what is made of decompositions of matrices."""

import numpy as np

from tfcompat import dtypes
from tfcompat.saved_model._node_rules import rule


@rule("tf.linalg.logdet")
def _(call):
    diagonal = call.op("MatrixDiagPart", call.op("Cholesky", call.matrix))
    total = call.op("Sum", call.op("Log", _real(call, diagonal)), call.body.constant([-1], "int32"))
    return call.op("Mul", call.body.constant(2, total.dtype), total)


@rule("_slogdet")
def _(call):
    return call.op("LogMatrixDeterminant", call.input)


@rule("_lu")
def _(call):
    return call.op("Lu", call.input, output_idx_type=call.output_idx_type)


@rule("_lstsq")
def _(call):
    if call.avals[0].shape[:-2] != call.avals[1].shape[:-2]:
        return None
    regularizer = call.op("Cast", _real(call, call.l2_regularizer), DstT=dtypes.float64)
    return call.op("MatrixSolveLs", call.matrix, call.rhs, regularizer, fast=call.fast)


@rule("_tridiagonal_solve")
def _(call):
    if call.conjugate_rhs or len({aval.shape for aval in call.avals[:3]}) > 1:
        return None
    diagonals = call.op("Pack", call.inputs[:3], axis=len(call.avals[1].shape) - 1)
    column, rhs = len(call.avals[3].shape) == len(call.avals[1].shape), call.rhs
    last = call.body.constant(-1, "int32")
    if call.transpose_rhs and not column:
        return None
    solution = call.op("TridiagonalSolve", diagonals, call.op("ExpandDims", rhs, last) if column else rhs)
    return call.op("Squeeze", solution, squeeze_dims=[-1]) if column else solution


@rule("tf.linalg.banded_triangular_solve")
def _(call):
    return call.op("BandedTriangularSolve", call.bands, call.rhs, lower=call.static("lower"), adjoint=call.adjoint)


@rule("tf.linalg.expm")
def _(call):
    """By its primitives: no graph of TensorFlow 2 may hold a `MatrixExponential`."""


@rule("_eig")
def _(call):
    tout = dtypes.from_numpy(np.result_type(call.dtype.np, np.complex64))
    values, vectors = call.op("Eig", call.tensor, compute_v=call.compute_v, Tout=tout)
    return [values, vectors] if call.compute_v else values


@rule("_matrix_rank")
def _(call):
    values, _, _ = call.op("Svd", call.a, compute_uv=False)
    tolerance = call.tol
    if tolerance is None:
        largest = call.op("Max", values, call.body.constant([-1], "int32"), keep_dims=True)
        tolerance = call.op("Mul", _tiny(call, 1, values.dtype), largest)
    counted = call.op("Cast", call.op("Greater", values, tolerance), DstT=dtypes.int32)
    return call.op("Sum", counted, call.body.constant([-1], "int32"))


@rule("_pinv")
def _(call):
    values, left, right = call.op("Svd", call.a, full_matrices=False)
    bound = _tiny(call, 10, values.dtype) if call.rcond is None else call.rcond
    bound = call.body.cast(bound, values.dtype)
    last = call.body.constant([-1], "int32")
    if call.rcond is not None and len(call.avals[1].shape):
        bound = call.op("ExpandDims", bound, last)
    cutoff = call.op("Mul", bound, call.op("Max", values, last, keep_dims=True))
    kept = call.op("SelectV2", call.op("Greater", values, cutoff), values, call.body.constant(np.inf, values.dtype))
    kept = call.op("ExpandDims", kept, call.body.constant(-2, "int32"))
    kept = call.body.cast(kept, right.dtype)
    return call.op("BatchMatMulV2", call.op("RealDiv", right, kept), left, adj_y=True)


def _real(call, x):
    return call.op("Real", x, Tout=x.dtype.real_dtype) if x.dtype.is_complex else x


def _tiny(call, factor, dtype):
    """What a matrix of this size and a largest singular value of 1 may have of rounding, times a factor."""
    rows, columns = (call.body.size(size) for size in call.avals[0].shape[-2:])
    size = call.op("Cast", call.op("Maximum", rows, columns), DstT=dtype)
    return call.op("Mul", size, call.body.constant(factor * np.finfo(dtype.np).eps, dtype))
