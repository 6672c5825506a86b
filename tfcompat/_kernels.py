"""Dtypes that an op of TF's takes, but for which TF has no kernel on a CPU: it raises NotFoundError, not
InvalidArgumentError. Only what does not work here either is listed."""

_HALF = ("float16",)
_HALVES = ("float16", "bfloat16")
_COMPLEX = ("complex64", "complex128")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_SIGNED = ("int8", "int16", "int32", "int64")

WITHOUT_KERNEL = {
    "BandedTriangularSolve": _HALF,
    "BatchMatMulV2": _UNSIGNED,
    "BatchToSpaceND": ("string",),
    "Cholesky": _HALF,
    "Dawsn": _HALVES,
    "Einsum": ("bool", "string"),
    "Expint": _HALVES,
    "FloorDiv": _COMPLEX,
    "FresnelCos": _HALVES,
    "FresnelSin": _HALVES,
    "LogMatrixDeterminant": _HALF,
    "Lu": _HALF,
    "MatMul": _UNSIGNED,
    "MatrixBandPart": ("string",),
    "MatrixDeterminant": _HALF,
    "MatrixSetDiagV3": ("string",),
    "MatrixSolve": _HALF,
    "MatrixSquareRoot": _HALF,
    "MatrixTriangularSolve": _HALVES,
    "Ndtri": _HALVES,
    "RealDiv": _SIGNED + _UNSIGNED,
    "Reciprocal": _SIGNED,
    "Round": _COMPLEX,
    "SelfAdjointEigV2": _HALF,
    "SpaceToBatchND": ("bool", *_COMPLEX, "string"),
    "SparseSparseMinimum": _COMPLEX,
    "SparseTensorDenseMatMul": ("bool", "string"),
    "Spence": _HALVES,
    "Svd": _HALF,
    "TensorScatterAdd": ("bool", "string"),
    "TensorScatterMax": ("string",),
    "TensorScatterMin": ("string",),
    "TensorScatterSub": ("bool", "string"),
    "TruncateDiv": _COMPLEX,
}
