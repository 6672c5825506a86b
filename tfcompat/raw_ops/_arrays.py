"""Raw ops that make, take apart and rearrange tensors."""

import sys

import numpy as np
from jax import lax

from tfcompat import array, dtypes, engine, linalg, math, strings
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.op import op
from tfcompat._core.shape import TensorShape
from tfcompat._core.steps import step
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.array import _getitem
from tfcompat.debugging import check_numerics
from tfcompat.debugging._asserts import assert_of_node
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.raw_ops._functions import truth
from tfcompat.raw_ops._registry import raw
from tfcompat.strings._print import print as print_
from tfcompat.tape import refuse_gradient


@raw()
def Const(value, dtype):
    """A constant."""
    return array.constant(value, dtype)


@raw("Identity", "Snapshot", "PlaceholderWithDefault", ignored=("shape",))
def _identity(input):
    """The tensor, or what stands for a handle."""
    return array.identity(input) if _has_values(input) else input


@raw()
def IdentityN(input):
    """The tensors, or what stands for handles."""
    return [array.identity(x) if _has_values(x) else x for x in input]


def _has_values(x):
    """Whether an argument is no object that stands for a handle: a table, a list of tensors, a sparse matrix."""
    return isinstance(x, Tensor | Variable | np.ndarray | np.generic | int | float | str | bytes | list)


@raw()
def PreventGradient(input, message):
    """The tensor, whose gradient may not be asked for."""
    reason = message.encode() if isinstance(message, str) else message
    return refuse_gradient(input, f"Gradient explicitly disabled. Reason: {reason!r}")


@raw()
def CheckNumerics(tensor, message):
    """The tensor, whose elements must be finite."""
    return check_numerics(tensor, message)


@raw()
def CheckNumericsV2(tensor, message):
    """The tensor, whose elements must be finite."""
    return check_numerics(tensor, message)


@raw()
def Assert(condition, data, summarize):
    """Raises unless `condition` holds."""
    assert_of_node(condition, data, summarize)


@raw()
def Split(axis, value, num_split):
    """Equal pieces of a tensor."""
    return array.split(value, num_split, axis)


@raw()
def SplitV(value, size_splits, axis, num_split):
    """Pieces of a tensor, of the sizes given."""
    return array.split(value, size_splits, axis, num_split)


@raw()
def Concat(concat_dim, values):
    """Tensors joined."""
    return array.concat(values, concat_dim)


@raw()
def ConcatOffset(concat_dim, shape):
    """Where each of the tensors begins in the joined one."""
    axis, shapes = int(static_value(concat_dim)), [list(static_value(s)) for s in shape]
    dtype = convert_to_tensor(shape[0]).dtype.np
    offsets, place = [], 0
    for sizes in shapes:
        offsets.append(host_constant(np.array([place if i == axis else 0 for i in range(len(sizes))], dtype)))
        place += sizes[axis]
    return offsets


@raw()
def ShapeN(input, out_type):
    """The shape of each tensor."""
    return [array.shape(x, out_type) for x in input]


@raw()
def Squeeze(input, axis):
    """The tensor without axes of size 1: all, or those listed."""
    return array.squeeze(input, list(axis) or None)


@raw()
def Empty(shape, dtype, init):
    """A tensor of zeros."""
    return array.zeros(shape, dtype)


@raw()
def BroadcastArgs(s0, s1):
    """The shape of tensors of two shapes, broadcast."""
    shape = TensorShape(np.broadcast_shapes(tuple(static_value(s0)), tuple(static_value(s1))))
    return host_constant(np.array(shape.as_list(), convert_to_tensor(s0).dtype.np))


@raw()
def LowerBound(sorted_inputs, values, out_type):
    """How many elements of each row are below each value."""
    return array.searchsorted(sorted_inputs, values, "left", out_type)


@raw()
def UpperBound(sorted_inputs, values, out_type):
    """How many elements of each row are at most each value."""
    return array.searchsorted(sorted_inputs, values, "right", out_type)


@raw()
def Einsum(inputs, equation):
    """Sums of products."""
    return linalg.einsum(equation, *inputs)


@raw()
def BatchMatMulV3(x, y, Tout, adj_x, adj_y):
    """Products of matrices, of the dtype `Tout`."""
    return linalg.matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y, output_type=Tout)


@raw()
def SparseMatMul(a, b, transpose_a, transpose_b, a_is_sparse, b_is_sparse):
    """Products of matrices with many zeros."""
    return linalg.matmul(a, b, transpose_a, transpose_b)


@raw()
def TensorStridedSliceUpdate(input, begin, end, strides, value, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                             shrink_axis_mask):  # fmt: skip
    """The tensor with a slice replaced."""
    input = convert_to_tensor(input)
    key = _getitem.masked_key(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    return set_slice(input, key, value)


def set_slice(input, key, value):
    """A tensor with the part at `key` replaced by `value`."""
    places = array.reshape(_numbers(input), array.shape(input))[key]
    value = array.broadcast_to(convert_to_tensor(value, input.dtype), array.shape(places))
    flat = array.tensor_scatter_nd_update(
        array.reshape(input, [-1]), array.reshape(places, [-1, 1]), array.reshape(value, [-1])
    )
    return array.reshape(flat, array.shape(input))


def _numbers(input):
    """The numbers of the elements of a tensor."""
    return array.range(array.size(input))


def _what_is_left(new, x, y, out_idx):
    return new([None], convert_to_tensor(x).dtype), new([None], dtypes.as_dtype(out_idx))


@raw()
@step("ListDiff", _what_is_left, underived=True)
def ListDiff(x, y, out_idx):
    """The elements of `x` that are not in `y`, and where they are."""
    first, second = (known_values(convert_to_tensor(each), "call it outside") for each in (x, y))
    places = np.flatnonzero(~np.isin(first, second))
    return array.gather(x, host_constant(places)), host_constant(places.astype(dtypes.as_dtype(out_idx).np))


@raw()
def Bincount(arr, size, weights):
    """How often each number below `size` occurs."""
    return _bincount(arr, size, weights, False)


@raw()
def DenseBincount(input, size, weights, binary_output):
    """How often each number below `size` occurs, by row."""
    return _bincount(input, size, weights, binary_output)


def _bincount(values, size, weights, binary):
    values, weights = convert_to_tensor(values), convert_to_tensor(weights)
    size = array.cast(size, dtypes.int32)
    has_weights = weights.shape.num_elements() != 0
    return math.bincount(
        array.cast(values, dtypes.int32), weights if has_weights else None, minlength=size, maxlength=size,
        dtype=weights.dtype, axis=-1 if values.shape.rank == 2 else None, binary_output=binary,
    )  # fmt: skip


@raw()
def MatrixSetDiagV2(input, diagonal, k):
    """Matrices with diagonals replaced."""
    return linalg.set_diag(input, diagonal, k=k)


@raw()
def MatrixSetDiagV3(input, diagonal, k, align):
    """Matrices with diagonals replaced."""
    return linalg.set_diag(input, diagonal, k=k, align=align)


@raw()
def SelfAdjointEigV2(input, compute_v):
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    if compute_v:
        return linalg.eigh(input)
    values = linalg.eigvalsh(input)
    return values, array.zeros([], values.dtype)


@raw()
def Eig(input, Tout, compute_v):
    """Eigenvalues and eigenvectors of matrices."""
    if compute_v:
        return linalg.eig(input)
    values = linalg.eigvals(input)
    return values, array.zeros([], values.dtype)


@raw()
def Svd(input, compute_uv, full_matrices):
    """Singular values and vectors."""
    if compute_uv:
        return linalg.svd(input, full_matrices)
    values = linalg.svd(input, full_matrices, compute_uv=False)
    return values, *[array.zeros([], convert_to_tensor(input).dtype)] * 2


@raw()
def MatrixSolveLs(matrix, rhs, l2_regularizer, fast):
    """Solutions of least squares."""
    return linalg.lstsq(matrix, rhs, static_value(l2_regularizer), fast)


@raw()
def TridiagonalMatMul(superdiag, maindiag, subdiag, rhs):
    """Products with tridiagonal matrices."""
    diagonals = [array.squeeze(each, [-2]) for each in (superdiag, maindiag, subdiag)]
    return linalg.tridiagonal_matmul(tuple(diagonals), rhs, "sequence")


@raw()
def BandedTriangularSolve(matrix, rhs, lower, adjoint):
    """Solutions with triangular matrices of few diagonals."""
    return linalg.banded_triangular_solve(matrix, rhs, lower, adjoint)


@raw()
def RaggedRange(starts, limits, deltas, Tsplits):
    """Ranges as ragged rows: where each row begins, and all numbers."""
    from tfcompat.ragged import range as ragged_range  # this module has the name

    rows = ragged_range(starts, limits, deltas, row_splits_dtype=Tsplits)
    return rows.row_splits, rows.values


@raw()
def ConjugateTranspose(x, perm):
    """The conjugate with its axes in another order."""
    return array.transpose(x, perm, conjugate=True)


@raw()
def InplaceUpdate(x, i, v):
    """The tensor with rows replaced."""
    return array.tensor_scatter_nd_update(x, array.expand_dims(i, -1), v)


@raw()
def InplaceAdd(x, i, v):
    """The tensor with rows added to."""
    return array.tensor_scatter_nd_add(x, array.expand_dims(i, -1), v)


@raw()
def InplaceSub(x, i, v):
    """The tensor with rows subtracted from."""
    return array.tensor_scatter_nd_sub(x, array.expand_dims(i, -1), v)


@raw()
def ParallelDynamicStitch(indices, data):
    """Tensors merged by index."""
    return array.dynamic_stitch(indices, data)


@raw()
def ApproximateEqual(x, y, tolerance):
    """Whether elements differ by less than `tolerance`."""
    return math.abs(convert_to_tensor(x) - y) < tolerance


@raw()
def ParallelConcat(values, shape):
    """Tensors joined along the first axis."""
    result = array.concat(values, 0)
    if not result.shape.is_compatible_with(shape):
        raise InvalidArgumentError(None, None, f"values make the shape {result.shape}, but shape is {shape}")
    return result


@raw("DeepCopy")
def _copy(x):
    """The tensor."""
    return array.identity(x)


@raw()
def CheckPinned(tensor):
    """The tensor."""
    return array.identity(tensor)


@raw()
def ControlTrigger():
    """Nothing: it orders other nodes."""


@raw()
def SyncDevice():
    """Waits for what has been recorded."""
    engine.flush()


@raw()
def FakeParam(dtype, shape):
    """Zeros in place of a parameter that is not used."""
    return array.zeros(shape, dtype)


@raw()
def ToBool(input):
    """Whether a number is not zero, or a tensor or text not empty."""
    return truth(input)


@raw()
def Reverse(tensor, dims):
    """The tensor with some axes reversed."""
    tensor = convert_to_tensor(tensor)
    if len(static_value(dims)) != tensor.shape.rank:
        raise InvalidArgumentError(None, None, f"dims must be a vector of {tensor.shape.rank} bools, got {dims}")
    return array.reverse(tensor, [axis for axis, chosen in enumerate(static_value(dims)) if chosen])


@raw()
def SpaceToBatch(input, paddings, block_size):
    """Blocks of pictures moved to the batch."""
    return array.space_to_batch(input, [block_size, block_size], paddings)


@raw()
def BatchToSpace(input, crops, block_size):
    """Blocks of the batch moved to pictures."""
    return array.batch_to_space(input, [block_size, block_size], crops)


@raw()
def NthElement(input, n, reverse):
    """The n-th smallest number of each row, or the n-th largest."""
    input = convert_to_tensor(input)
    place = int(static_value(n))
    size = input.shape[-1] if input.shape.rank else 0
    if not 0 <= place < size:
        raise InvalidArgumentError(None, None, f"Input must have at least n+1 columns, n={place}, got {size}")
    rows = array.sort(input, direction="DESCENDING" if reverse else "ASCENDING")
    return rows[..., place]


def _format_places(src_format, dst_format):
    if len(src_format) not in (4, 5) or sorted(src_format) != sorted(dst_format):
        raise InvalidArgumentError(
            None, None, f"Source and destination formats must be orders of 4 or 5 letters, got {src_format!r} and "
            f"{dst_format!r}"
        )  # fmt: skip
    return [dst_format.index(letter) for letter in src_format]


@raw()
def DataFormatDimMap(x, src_format, dst_format):
    """The axes of one data format in another."""
    places = _format_places(src_format, dst_format)
    x = convert_to_tensor(x)
    return array.gather(host_constant(np.array(places, x.dtype.np)), math.floormod(x, len(places)))


@raw()
def DataFormatVecPermute(x, src_format, dst_format):
    """Numbers of each axis, or pairs of them, in the order of another data format."""
    _format_places(src_format, dst_format)
    x = convert_to_tensor(x)
    rank = len(src_format)
    if x.shape.rank not in (1, 2) or x.shape[0] not in (rank, rank - 2):
        raise InvalidArgumentError(
            None, None, f"1D input must be of size {rank - 2} or {rank}, but got shape {x.shape}"
        )
    if x.shape[0] == rank - 2:  # numbers of spatial axes alone
        src_format, dst_format = (text.replace("N", "").replace("C", "") for text in (src_format, dst_format))
    return array.gather(x, host_constant(np.array([src_format.index(letter) for letter in dst_format], np.int32)))


@raw()
def PopulationCount(x):
    """How many bits of each number are set, uint8."""
    return _ones_in(x)


@op("_population_count", kernel="PopulationCount", tensors=("x",), gradient="none")
def _ones_in(x):
    return lax.population_count(x).astype(np.uint8)


@raw()
def SelfAdjointEig(input):
    """Eigenvalues in the first row, and eigenvectors below it."""
    values, vectors = linalg.eigh(input)
    return array.concat([array.expand_dims(values, -2), vectors], -2)


@raw()
def Print(input, data, message, first_n, summarize):
    """The tensor; prints a message and other tensors."""
    print_(strings.join([message, *(_first_elements(x, summarize) for x in data)]), output_stream=sys.stderr)
    return array.identity(input)


def _first_elements(x, count):
    """The text of the first elements of a tensor."""
    x = array.reshape(x, [-1])
    texts = x if x.dtype is dtypes.string else strings.as_string(x, shortest=x.dtype.is_floating)
    more = "..." if 0 <= count < x.shape[0] else ""
    shown = texts[:count] if more else texts
    return strings.join(["[", strings.reduce_join(shown, 0, separator=" "), more, "]"])


@raw()
def PrintV2(input, output_stream, end):
    """Prints a text."""
    streams = {"stdout": sys.stdout, "stderr": sys.stderr, "log(info)": 20, "log(warning)": 30, "log(error)": 40}
    if output_stream.startswith("file://"):  # a model that is loaded could write to any file
        raise UnimplementedError(None, None, "tf.raw_ops.PrintV2: a file is not available as stream: use tf.print")
    if output_stream not in streams:
        raise InvalidArgumentError(None, None, f"Unknown output stream: {output_stream} [Op:PrintV2]")
    print_(input, output_stream=streams[output_stream], end=end)
