"""Raw ops that make, take apart and rearrange tensors."""

import numpy as np

from tfcompat import array, dtypes, image, linalg, math
from tfcompat._control._tensor_array import TensorArray
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.shape import TensorShape
from tfcompat.array import _getitem
from tfcompat.debugging import Assert as assert_
from tfcompat.debugging import check_numerics
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.raw_ops._registry import raw
from tfcompat.raw_ops._tables import HashTable
from tfcompat.tape import stop_gradient


@raw()
def Const(value, dtype):
    """A constant."""
    return array.constant(value, dtype)


@raw("Identity", "Snapshot", "PlaceholderWithDefault", ignored=("shape",))
def _identity(input):
    """The tensor, or what stands for a handle."""
    return input if is_handle(input) else array.identity(input)


@raw()
def IdentityN(input):
    """The tensors, or what stands for handles."""
    return [x if is_handle(x) else array.identity(x) for x in input]


def is_handle(x):
    """Whether an argument is an object that stands for a handle: a variable, a table, a list of tensors."""
    return isinstance(x, TensorArray | HashTable)


@raw()
def PreventGradient(input, message):
    """The tensor; its gradient may not be asked for."""
    return stop_gradient(input)


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
    assert_(condition, data, summarize)


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


@raw()
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


@raw("BatchMatrixBandPart")
def _band(input, num_lower, num_upper):
    """Matrices with zeros away from the diagonal."""
    return linalg.band_part(input, num_lower, num_upper)


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


def _legacy_places(old, new, align_corners, half_pixel_centers):
    scale = (old - 1) / (new - 1) if align_corners and new > 1 else old / new
    places = np.arange(new, dtype=np.float32)
    return np.float32(scale) * (places + np.float32(0.5)) if half_pixel_centers else places * np.float32(scale)


@raw()
def ResizeBilinear(images, size, align_corners, half_pixel_centers):
    """Pictures at another size, between the nearest pixels; float32."""
    if half_pixel_centers:
        return image.resize(images, size)
    images = array.cast(images, dtypes.float32)
    for axis, new in zip((1, 2), static_value(size), strict=True):
        old = images.shape[axis]
        places = _legacy_places(old, new, align_corners, False)
        low = np.floor(places).astype(np.int32)
        shape = [-1 if axis == i else 1 for i in range(4)]
        share = array.reshape(host_constant((places - low).astype(np.float32)), shape)
        first = array.gather(images, host_constant(low), axis=axis)
        second = array.gather(images, host_constant(np.minimum(low + 1, old - 1)), axis=axis)
        images = first + (second - first) * share
    return images


@raw()
def ResizeNearestNeighbor(images, size, align_corners, half_pixel_centers):
    """Pictures at another size, by nearest pixels."""
    images = convert_to_tensor(images)
    for axis, new in zip((1, 2), static_value(size), strict=True):
        old = images.shape[axis]
        places = _legacy_places(old, new, align_corners, half_pixel_centers)
        places = np.floor(places + np.float32(0.5)) if align_corners else np.floor(places)
        images = array.gather(images, host_constant(np.minimum(places, old - 1).astype(np.int32)), axis=axis)
    return images


@raw()
def ResizeBicubic(images, size, align_corners, half_pixel_centers):
    """Pictures at another size, by cubic curves."""
    if not half_pixel_centers:
        raise UnimplementedError(
            None, None, "tf.raw_ops.ResizeBicubic: half_pixel_centers=False is not available in tfcompat"
        )
    return image.resize(images, size, "bicubic")


@raw()
def ResizeArea(images, size, align_corners):
    """Pictures at another size, by averages."""
    if align_corners:
        raise UnimplementedError(
            None, None, "tf.raw_ops.ResizeArea: align_corners=True is not available in tfcompat"
        )
    return image.resize(images, size, "area")


@raw()
def ScaleAndTranslate(images, size, scale, translation, kernel_type, antialias):
    """Pictures at another size."""
    methods = {"triangle": "bilinear", "keyscubic": "bicubic", "lanczos3": "lanczos3", "lanczos5": "lanczos5",
               "gaussian": "gaussian", "mitchellcubic": "mitchellcubic"}  # fmt: skip
    sizes, old = static_value(size), convert_to_tensor(images).shape[1:3]
    expected = np.array(sizes, np.float32) / np.array(old, np.float32)
    if kernel_type not in methods:
        raise InvalidArgumentError(None, None, f"Unrecognized kernel type: {kernel_type}")
    if not np.allclose(static_value(scale), expected) or np.any(static_value(translation)):
        raise UnimplementedError(
            None, None, "tf.raw_ops.ScaleAndTranslate: only whole pictures are scaled in tfcompat, without translation"
        )
    return image.resize(images, size, methods[kernel_type], antialias=antialias)


@raw()
def CropAndResize(image, boxes, box_ind, crop_size, method, extrapolation_value):
    """Parts of pictures at another size."""
    from tfcompat.image import crop_and_resize  # an argument has the name of the module

    return crop_and_resize(image, boxes, box_ind, crop_size, method, extrapolation_value)


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
