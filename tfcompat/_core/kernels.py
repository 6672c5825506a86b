"""Which errors TensorFlow's kernels raise, and when.

`WITHOUT_KERNEL` lists dtypes that an op accepts but that have no kernel on a CPU: TensorFlow raises NotFoundError, not
InvalidArgumentError. Only dtypes that do not work in tfcompat either are listed.
"""

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

# Arguments that TensorFlow checks when the op runs, in functions too. The error is then InvalidArgumentError, not the
# ValueError that shape inference raises in a function. By kernel, a pattern of the messages.
_AXIS = r"`axis` must be in the range"
_AXIS_OF_VECTOR = r"range \[(-1, 1|0, 0)\)"
CHECKED_WHEN_RUN = {
    "ArgMax": _AXIS_OF_VECTOR, "ArgMin": _AXIS_OF_VECTOR, "Cumprod": _AXIS, "Cumsum": _AXIS,
    "CumulativeLogsumexp": _AXIS, "LogSoftmax": _AXIS, "OneHot": "Expected axis", "Roll": "is out of range",
    "Slice": "Expected size", "Softmax": _AXIS,
}  # fmt: skip
