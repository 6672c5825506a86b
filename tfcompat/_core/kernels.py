"""Which errors TensorFlow's kernels raise, and when.

`ALSO_MOVES` lists dtypes that kernels move besides those that they compute with: of a byte and less, and variants.
`WITHOUT_KERNEL` lists dtypes that an op accepts but that have no kernel on a CPU: TensorFlow raises NotFoundError, or
InvalidArgumentError when a function runs. Halves that XLA computes with are not listed.
`CONVERTED` lists inputs that a Python function converts to the dtype of the first one, before there is a kernel: then
another dtype is a ValueError. `CONVERTED_IN_FUNCTIONS` lists kernels for whose inputs this holds in functions only.
"""

_HALF = ("float16",)
_HALVES = ("float16", "bfloat16")
_COMPLEX = ("complex64", "complex128")
_FLOATS = ("float32", "float64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_SIGNED = ("int8", "int16", "int32", "int64")

_FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
_INT4 = ("int4", "uint4")

_QUANTIZED = ("qint8", "quint8", "qint16", "quint16", "qint32")
_QUANTIZED_16 = ("qint16", "quint16")
_OTHERS_QUANTIZED = ("qint8", "quint8", "qint32")

_MOVES_BOTH = ("EnsureShape", "ExpandDims", "Identity", "Reshape", "Split", "SplitV", "Squeeze")
_MOVES_FLOAT8 = (
    "BroadcastTo", "ConcatV2", "GatherNd", "GatherV2", "Pack", "Slice", "StridedSlice", "Transpose", "Unpack"
)  # fmt: skip
_MOVES_QUANTIZED = (
    "ConcatV2", "EnsureShape", "Equal", "ExpandDims", "GatherV2", "Identity", "NotEqual", "Pack", "Reshape", "Squeeze"
)  # fmt: skip
_MOVES_SOME_QUANTIZED = ("Fill", "GatherNd", "Pad", "PadV2", "Slice", "StridedSlice")
_MOVES_VARIANTS = (
    "EnsureShape", "Fill", "GatherV2", "Identity", "Pack", "Reshape", "Slice", "StridedSlice", "Tile", "Unpack"
)  # fmt: skip
_NO_QUANTIZED = (
    "AddN", "ArgMax", "ArgMin", "BiasAdd", "BroadcastTo", "Cumsum", "DynamicPartition", "Einsum", "LowerBound",
    "MatrixBandPart", "MatrixDiagV3", "Max", "Mean", "OneHot", "Prod", "ReverseSequence", "Roll", "ScatterNd",
    "SelectV2", "SpaceToBatchND", "Split", "SplitV", "Sum", "TensorScatterUpdate", "Transpose", "Unique", "Unpack",
    "ZerosLike",
)  # fmt: skip


def _merged(*tables):
    """One table of all entries of some; those of the same kernel are joined."""
    result: dict = {}
    for table in tables:
        for kernel, names in table.items():
            result[kernel] = result.get(kernel, ()) + names
    return result


ALSO_MOVES = _merged({
    **dict.fromkeys(_MOVES_BOTH, _FLOAT8 + _INT4),
    **dict.fromkeys(_MOVES_FLOAT8, _FLOAT8),
    "Fill": _INT4,
}, dict.fromkeys(_MOVES_QUANTIZED, _QUANTIZED), dict.fromkeys(_MOVES_SOME_QUANTIZED, _OTHERS_QUANTIZED),
   dict.fromkeys(_MOVES_VARIANTS, ("variant",)))  # fmt: skip

WITHOUT_KERNEL = _merged({
    **dict.fromkeys(_MOVES_FLOAT8, _INT4),
    **dict.fromkeys(("Equal", "NotEqual", "Pad", "Roll", "SelectV2"), _FLOAT8 + _INT4),
    **dict.fromkeys(("Fill", "ScatterNd", "TensorScatterUpdate"), _FLOAT8),
    "BandedTriangularSolve": _HALF,
    "BatchMatMulV2": _UNSIGNED,
    "BatchToSpaceND": ("bool", *_COMPLEX, "string"),
    "Cholesky": _HALF,
    "Dawsn": _HALVES,
    "Einsum": ("bool", "int8", "int16", *_UNSIGNED, "string", *_FLOAT8),
    "Expint": _HALVES,
    "ExtractImagePatches": ("bool",),
    "FloorDiv": _COMPLEX,
    "FresnelCos": _HALVES,
    "FresnelSin": _HALVES,
    "LogMatrixDeterminant": _HALF,
    "LowerBound": ("bool", *_COMPLEX, "string"),
    "Lu": _HALF,
    "MatMul": ("uint16", "uint32", "uint64"),  # a byte may be part of a product with `output_type`
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
    "SpaceToBatchND": ("bool", *_COMPLEX, "string", *_FLOAT8),
    "SparseDenseCwiseDiv": _COMPLEX,
    "SparseDenseCwiseMul": _COMPLEX,
    "SparseSparseMinimum": _COMPLEX,
    "SparseTensorDenseMatMul": ("bool", "string", "int8", "int16", "int64", *_UNSIGNED),
    "Spence": _HALVES,
    "Svd": _HALF,
    "TensorScatterAdd": ("bool", "string"),
    "TensorScatterMax": ("bool", *_COMPLEX, "string"),
    "TensorScatterMin": ("bool", *_COMPLEX, "string"),
    "TensorScatterSub": ("bool", "string"),
    "TruncateDiv": _COMPLEX,
    "Unique": _COMPLEX + _FLOAT8,
}, dict.fromkeys(_NO_QUANTIZED, _QUANTIZED), dict.fromkeys(_MOVES_SOME_QUANTIZED, _QUANTIZED_16))  # fmt: skip

CONVERTED = {
    "SampledADDMM": ("rows", "b"), "SparseDenseCwiseAdd": ("dense",), "SparseDenseCwiseDiv": ("dense",),
    "SparseDenseCwiseMul": ("dense",),
}  # fmt: skip
CONVERTED_IN_FUNCTIONS = ("BiasAdd",)

# Inputs of one dtype that Python converts to it before there is a kernel: another one is a ValueError, and a TypeError
# in a function. By kernel, the inputs, and the static argument that must be a list for this; None if that is always so.
OF_ONE_DTYPE = {
    "All": (("input_tensor",), "axis"), "Any": (("input_tensor",), "axis"), "CropAndResize": (("boxes",), None),
    "ExtractGlimpseV2": (("offsets",), None),
}  # fmt: skip

# Arguments that TensorFlow checks when the op runs, in functions too. The error is then InvalidArgumentError, not the
# ValueError that shape inference raises in a function. By kernel, a pattern of the messages.
_AXIS = r"`axis` must be in the range"
_ANYTHING = "(?s)."  # the op has no shape inference but that of its sizes
_AXIS_OF_VECTOR = r"range \[(-1, 1|0, 0)\)"
CHECKED_WHEN_RUN = {
    "ArgMax": _AXIS_OF_VECTOR, "ArgMin": _AXIS_OF_VECTOR, "Conv2DBackpropFilter": _ANYTHING,
    "Conv2DBackpropInput": "doesn't match computed", "Cumprod": _AXIS, "Cumsum": _AXIS, "CumulativeLogsumexp": _AXIS,
    "DepthwiseConv2dNativeBackpropFilter": _ANYTHING, "DepthwiseConv2dNativeBackpropInput": _ANYTHING,
    "LRN": "strictly positive", "LogSoftmax": _AXIS, "OneHot": r"Expected axis.* received: \d",
    "Roll": "is out of range", "Slice": "Expected size", "Softmax": _AXIS,
    "SparseDenseCwiseDiv": "broadcast", "SparseDenseCwiseMul": "broadcast",
}  # fmt: skip
