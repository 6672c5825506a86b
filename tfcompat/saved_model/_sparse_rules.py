"""What steps of sparse tensors of unknown sizes are among TensorFlow's nodes; rules as those of `_step_rules`."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import static_value
from tfcompat.saved_model._step_rules import rule
from tfcompat.sparse._tensor import SparseTensor


def _parts(call, x):
    return [call.value(part) for part in (x.indices, x.values, x.dense_shape)]


@rule("SparseFromDense")
def _(call):
    x, dtype = call.value(call.tensor), call.tensor.dtype
    nothing = {dtypes.string: b"", dtypes.bool: False}.get(dtype, 0)
    places = call.op("Where", call.op("NotEqual", x, call.body.constant(nothing, dtype)))
    return [places, call.op("GatherNd", x, places), call.op("Shape", x, out_type=dtypes.int64)]


@rule("SparseToDense")
def _(call):
    indices, values, shape = _parts(call, call.sp_input)
    default = call.default_value
    if default is None:
        default = {dtypes.string: b"", dtypes.bool: False}.get(call.sp_input.dtype, 0)
    return call.op("SparseToDense", indices, shape, values, call.value(default, call.sp_input.dtype),
                   validate_indices=bool(call.validate_indices))  # fmt: skip


def _reduced(name):
    @rule(name)
    def _(call):
        axes = static_value(call.axis)
        axes = range(call.sp_input.shape.rank) if axes is None else np.atleast_1d(axes).tolist()
        return call.op(name, *_parts(call, call.sp_input), call.vector(*axes), keep_dims=bool(call.keepdims))


for _name in ("SparseReduceSum", "SparseReduceMax"):
    _reduced(_name)


@rule("SparseTensorDenseMatMul")
def _(call):
    return call.op("SparseTensorDenseMatMul", *_parts(call, call.sp_a), call.value(call.b, call.sp_a.dtype),
                   adjoint_a=bool(call.adjoint_a), adjoint_b=bool(call.adjoint_b))  # fmt: skip


@rule("SparseAdd")
def _(call):
    a, b = call.a, call.b
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        threshold = call.value(call.threshold, dtypes.float64 if a.dtype in (dtypes.float64, dtypes.complex128) else
                               dtypes.float32 if a.dtype.is_floating or a.dtype.is_complex else a.dtype)  # fmt: skip
        return call.op("SparseAdd", *_parts(call, a), *_parts(call, b), threshold)
    sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
    return call.op("SparseTensorDenseAdd", *_parts(call, sparse), call.value(dense, sparse.dtype))


@rule("SparseReorder")
def _(call):
    return _reordered(call, *_parts(call, call.sp_input))


def _reordered(call, indices, values, shape):
    return [*call.op("SparseReorder", indices, values, shape), shape]


@rule("SparseTranspose")
def _(call):
    indices, values, shape = _parts(call, call.sp_input)
    perm = static_value(call.perm)
    perm = call.vector(*(range(call.sp_input.shape.rank)[::-1] if perm is None else perm))
    indices = call.op("GatherV2", indices, perm, call.body.constant(1, dtypes.int32))
    return _reordered(call, indices, values, call.op("GatherV2", shape, perm, call.body.constant(0, dtypes.int32)))


@rule("SparseSoftmax")
def _(call):
    indices, values, shape = _parts(call, call.sp_input)
    return [indices, call.op("SparseSoftmax", indices, values, shape), shape]


@rule("SparseReshape")
def _(call):
    indices, values, shape = _parts(call, call.sp_input)
    indices, shape = call.op("SparseReshape", indices, shape, call.value(call.shape, dtypes.int64))
    return [indices, values, shape]


@rule("SparseSlice")
def _(call):
    return call.op("SparseSlice", *_parts(call, call.sp_input), call.value(call.start, dtypes.int64),
                   call.value(call.size, dtypes.int64))  # fmt: skip


@rule("SparseConcat")
def _(call):
    columns = zip(*[_parts(call, x) for x in call.sp_inputs], strict=True)
    return call.op("SparseConcat", *map(list, columns), concat_dim=int(static_value(call.axis)))


@rule("SparseFillEmptyRows")
def _(call):
    indices, values, shape = _parts(call, call.sp_input)
    default = call.value(call.default_value, call.sp_input.dtype)
    indices, values, empty, _ = call.op("SparseFillEmptyRows", indices, values, shape, default)
    return [indices, values, shape, empty]


@rule("SparseRetain")
def _(call):
    indices, values, shape = _parts(call, call.sp_input)
    zero = call.body.constant(0, dtypes.int32)
    kept = call.op("Squeeze", call.op("Where", call.value(call.to_retain, dtypes.bool)), squeeze_dims=[1])
    return [call.op("GatherV2", indices, kept, zero), call.op("GatherV2", values, kept, zero), shape]


@rule("SparseSparseMaximum", "SparseSparseMinimum")
def _(call):
    a, b = _parts(call, call.sp_a), _parts(call, call.sp_b)
    return [*call.op(call.kernel, *a, *b), a[2]]


@rule("EmbeddingLookupSparse")
def _(call):
    indices, ids, _ = _parts(call, call.sp_ids)
    zero, one = (call.body.constant(n, dtypes.int32) for n in (0, 1))
    rows = call.op("GatherV2", call.value(call.params), ids, zero)
    numbers = call.op("Range", zero, call.op("Size", ids), one)
    segments = call.op("Cast", call.column(indices, 0), DstT=dtypes.int32)
    kind = {"sum": "Sum", "sqrtn": "SqrtN"}.get(call.combiner, "Mean")
    return call.op(f"SparseSegment{kind}", rows, numbers, segments)


@rule("CTCGreedyDecoder")
def _(call):
    blank = -1 if call.blank_index is None else int(static_value(call.blank_index))
    return call.op("CTCGreedyDecoder", call.value(call.inputs), call.value(call.sequence_length, dtypes.int32),
                   merge_repeated=bool(call.merge_repeated), blank_index=blank)  # fmt: skip


@rule("CTCBeamSearchDecoder")
def _(call):
    count = int(static_value(call.top_paths))
    found = call.op(
        "CTCBeamSearchDecoder", call.value(call.inputs), call.value(call.sequence_length, dtypes.int32),
        beam_width=int(static_value(call.beam_width)), top_paths=count, merge_repeated=False,
    )  # fmt: skip
    return [*(found[part * count + k] for k in range(count) for part in range(3)), found[-1]]
