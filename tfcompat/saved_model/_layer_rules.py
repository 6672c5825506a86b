"""Rules for layers, linear algebra and transforms; see `_node_rules`."""

import numpy as np

from tfcompat import dtypes
from tfcompat.saved_model._node_rules import _number, rule

# --- layers -----------------------------------------------------------------------------------------------------------


@rule("tf.nn.softmax", "tf.nn.log_softmax")
def _(call):
    kernel = call.spec.kernel
    axis = -1 if call.axis is None else call.axis
    if axis % call.rank == call.rank - 1:
        return call.op(kernel, call.logits)
    perm = list(range(call.rank))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    perm = call.body.constant(perm, "int32")
    return call.op("Transpose", call.op(kernel, call.op("Transpose", call.logits, perm)), perm)


@rule("tf.nn.gelu")
def _(call):
    x, op = call.features, call.op
    if call.approximate:
        cube = op("Mul", _number(call, 0.044715), op("Pow", x, _number(call, 3)))
        inner = op("Tanh", op("Mul", _number(call, 0.7978845608028654), op("AddV2", x, cube)))
    else:
        inner = op("Erf", op("RealDiv", x, _number(call, 1.4142135623730951)))
    return op("Mul", op("Mul", _number(call, 0.5), x), op("AddV2", _number(call, 1.0), inner))


@rule("_silu")
def _(call):
    return call.op("Mul", call.features, call.op("Sigmoid", call.op("Mul", call.beta, call.features)))


@rule("tf.nn.relu", "tf.nn.relu6", "tf.nn.elu", "tf.nn.selu", "tf.nn.softsign", "tf.math.softplus")
def _(call):
    return call.op(call.spec.kernel, call.features)


@rule("tf.math.log_sigmoid")
def _(call):
    return call.op("Neg", call.op("Softplus", call.op("Neg", call.x)))


@rule("_bias_add")
def _(call):
    return call.op("BiasAdd", call.value, call.bias, data_format="NCHW" if call.first else "NHWC")


def _steps(value, spatial, first):
    """Strides or the like for all four or five axes."""
    value = 1 if value is None else value
    values = (value,) * spatial if isinstance(value, int) else tuple(value)
    if len(values) == 1:
        values *= spatial
    if len(values) == spatial:
        values = (1, 1, *values) if first else (1, *values, 1)
    return list(values)


_IS_FIRST = {"NCHW": True, "NCDHW": True, "NCW": True, "NHWC": False, "NDHWC": False, "NWC": False, None: False}


def _window(call):
    """(spatial axes, channels first, padding as attributes); None if TensorFlow has no such thing."""
    first, padding = _IS_FIRST.get(call.data_format), call.padding
    if first is None or call.rank != call.static("spatial") + 2:
        return None
    if isinstance(padding, str):
        return call.static("spatial"), first, {"padding": padding.upper()}
    if call.static("spatial") != 2:
        return None
    return 2, first, {"padding": "EXPLICIT", "explicit_paddings": [n for pair in padding for n in pair]}


@rule("_convolution")
def _(call):
    window = _window(call)
    if window is None:
        return None
    spatial, first, padding = window
    strides, dilations = (_steps(x, spatial, first) for x in (call.strides, call.dilations))
    if spatial == 2:
        return call.op("Conv2D", call.input, call.filters, strides=strides, dilations=dilations,
                       data_format="NCHW" if first else "NHWC", **padding)  # fmt: skip
    if spatial == 3:
        return call.op("Conv3D", call.input, call.filters, strides=strides, dilations=dilations,
                       data_format="NCDHW" if first else "NDHWC", **padding)  # fmt: skip
    if first:
        return None
    at, ones = call.body.constant(1, "int32"), [1]
    result = call.op(
        "Conv2D", call.op("ExpandDims", call.input, at),
        call.op("ExpandDims", call.filters, call.body.constant(0, "int32")), strides=ones + [1] + strides[1:],
        dilations=[1, 1, *dilations[1:]], data_format="NHWC", **padding,
    )  # fmt: skip
    return call.op("Squeeze", result, squeeze_dims=[1])


@rule("_conv_transpose")
def _(call):
    window = _window(call)
    if window is None or window[0] != 2 or "explicit_paddings" in window[2]:
        return None
    _, first, padding = window
    strides, dilations = (_steps(x, 2, first) for x in (call.strides, call.dilations))
    return call.op("Conv2DBackpropInput", call.body.sizes(call.aval.shape), call.filters, call.input, strides=strides,
                   dilations=dilations, data_format="NCHW" if first else "NHWC", **padding)  # fmt: skip


@rule("tf.nn.depthwise_conv2d")
def _(call):
    first = _IS_FIRST.get(call.data_format)
    if not isinstance(call.padding, str) or call.dilations not in (None, 1, (1, 1)) or first is None or first:
        return None
    return call.op("DepthwiseConv2dNative", call.input, call.filter, strides=_steps(call.strides, 2, False),
                   padding=call.padding.upper())  # fmt: skip


@rule("tf.nn.separable_conv2d")
def _(call):
    if not isinstance(call.padding, str) or call.dilations not in (None, 1, (1, 1)):
        return None
    if _IS_FIRST.get(call.data_format, True):
        return None
    deep = call.op("DepthwiseConv2dNative", call.input, call.depthwise_filter,
                   strides=_steps(call.strides, 2, False), padding=call.padding.upper())  # fmt: skip
    return call.op("Conv2D", deep, call.pointwise_filter, strides=[1, 1, 1, 1], padding="VALID")


@rule("_max_pool", "_avg_pool")
def _(call):
    window = _window(call)
    if window is None or "explicit_paddings" in window[2] or call.dilations not in (None, (1, 1), (1, 1, 1), (1,)):
        return None
    spatial, first, padding = window
    ksize, strides = (_steps(x, spatial, first) for x in (call.ksize, call.strides))
    kernel = call.spec.kernel
    if spatial == 2:
        return call.op(kernel, call.input, ksize=ksize, strides=strides,
                       data_format="NCHW" if first else "NHWC", **padding)  # fmt: skip
    if spatial == 3:
        return call.op(kernel + "3D", call.input, ksize=ksize, strides=strides,
                       data_format="NCDHW" if first else "NDHWC", **padding)  # fmt: skip
    if first:
        return None
    wide = call.op("ExpandDims", call.input, call.body.constant(1, "int32"))
    result = call.op(kernel, wide, ksize=[1, *ksize], strides=[1, *strides], **padding)
    return call.op("Squeeze", result, squeeze_dims=[1])


def _normalized(call, x, mean, variance, gamma, beta, epsilon):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta; gamma and beta may be None."""
    inverse = call.op("Rsqrt", call.op("AddV2", variance, call.body.constant(epsilon, variance.dtype)))
    inverse = inverse if gamma is None else call.op("Mul", inverse, gamma)
    shift = call.op("Mul", mean, inverse)
    shift = call.op("Neg", shift) if beta is None else call.op("Sub", beta, shift)
    return call.op("AddV2", call.op("Mul", x, inverse), shift)


def _of_last_axes(call):
    """Whether a normalization is of one dtype, and its axes are the last ones, so that weights broadcast."""
    axes = sorted(axis % call.rank for axis in call.axis)
    last = axes == list(range(call.rank - len(axes), call.rank))
    return last and all(value.dtype is dtypes.float32 for value in call.inputs)


@rule("_batch_norm_with")
def _(call):
    if len(call.axis) != 1 or not _of_last_axes(call):
        return None
    return _normalized(call, call.x, call.mean, call.variance, call.gamma, call.beta, call.epsilon)


@rule("_batch_norm")
def _(call):
    if len(call.axis) != 1 or not _of_last_axes(call) or not call.fused or call.rank != 4:
        return None
    if call.gamma is None or call.beta is None:
        return None
    none = call.body.constant(np.zeros(0, np.float32))
    return call.op("FusedBatchNormV3", call.x, call.gamma, call.beta, none, none, epsilon=call.epsilon)[:3]


@rule("_moving_averages")
def _(call):
    def moved(old, new):
        return call.op("Sub", old, call.op("Mul", call.op("Sub", old, new), call.decay))

    if any(value.dtype is not call.dtype for value in call.inputs):
        return None
    return [moved(call.mean, call.new_mean), moved(call.variance, call.new_variance)]


@rule("_layer_norm")
def _(call):
    if not _of_last_axes(call):
        return None
    axes = call.body.constant(list(call.axis), "int32")
    mean = call.op("Mean", call.x, axes, keep_dims=True)
    # Only the fused kernel has all of the second derivative, as in TensorFlow.
    squared = call.op("SquaredDifference", call.x, mean if call.fused else call.op("StopGradient", mean))
    variance = call.op("Mean", squared, axes, keep_dims=True)
    return _normalized(call, call.x, mean, variance, call.gamma, call.beta, call.epsilon)


@rule("tf.linalg.norm")
def _(call):
    if call.ord not in ("euclidean", 2) or isinstance(call.axis, tuple) or not call.dtype.is_floating:
        return None
    axes = list(range(call.rank)) if call.axis is None else [call.axis]
    axes = call.body.constant(axes, "int32")
    return call.op("Sqrt", call.op("Sum", call.op("Square", call.tensor), axes, keep_dims=bool(call.keepdims)))


@rule("_fused_batch_norm")
def _(call):
    x, scale, offset, mean, variance = call.inputs
    if call.data_format != "NHWC" or scale.dtype is not dtypes.float32:
        return None
    names = ("epsilon", "exponential_avg_factor", "is_training")
    return call.op("FusedBatchNormV3", x, scale, offset, mean, variance,
                   **{name: call._static[name] for name in names})[:5]  # fmt: skip


@rule("tf.nn.softmax_cross_entropy_with_logits")
def _(call):
    if call.rank != 2 or call.axis not in (-1, 1) or call.avals[0].shape != call.avals[1].shape:
        return None
    dtype = call.logits.dtype
    precise = dtypes.float32 if dtype in (dtypes.float16, dtypes.bfloat16) else dtype  # as TensorFlow computes it
    logits, labels = (call.body.cast(x, precise) for x in (call.logits, call.labels))
    return call.body.cast(call.op("SoftmaxCrossEntropyWithLogits", logits, labels)[0], dtype)


@rule("_sparse_softmax_cross_entropy")
def _(call):
    if len(call.avals[1].shape) != 2:
        return None
    return call.op("SparseSoftmaxCrossEntropyWithLogits", call.logits, call.labels)[0]


@rule("_sigmoid_cross_entropy")
def _(call):
    if call.avals[0].shape != call.avals[1].shape:
        return None
    op, x = call.op, call.logits
    zeros = op("ZerosLike", x)
    positive, negative = op("GreaterEqual", x, zeros), op("Neg", x)
    relu = op("SelectV2", positive, x, zeros)
    below = op("SelectV2", positive, negative, x)
    return op("AddV2", op("Sub", relu, op("Mul", x, call.labels)), op("Log1p", op("Exp", below)))


@rule("_resize")
def _(call):
    ops = {"bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor", "bicubic": "ResizeBicubic"}
    if call.antialias or call.static("method") not in ops:
        return None
    size = call.body.sizes(call.static("size"))
    return call.op(ops[call.static("method")], call.images, size, half_pixel_centers=True)


@rule("tf.nn.depth_to_space", "tf.nn.space_to_depth")
def _(call):
    if call.data_format not in (None, "NHWC"):
        return None
    return call.op(call.spec.kernel, call.inputs[0], block_size=call.block_size)


# --- linear algebra and transforms ------------------------------------------------------------------------------------


@rule("_qr")
def _(call):
    return call.op("Qr", *call.inputs, full_matrices=call.full_matrices)


@rule("_svd")
def _(call):
    result = call.op("Svd", *call.inputs, compute_uv=call.compute_uv, full_matrices=call.full_matrices)
    return result if call.compute_uv else _alone(call, result[0])


def _alone(call, value):
    return [value] if hasattr(call.aval, "parts") else value


@rule("_eigh")
def _(call):
    result = call.op("SelfAdjointEigV2", *call.inputs, compute_v=call.compute_v)
    return result if call.compute_v else _alone(call, result[0])


@rule("tf.linalg.cholesky_solve")
def _(call):
    inner = call.op("MatrixTriangularSolve", call.chol, call.rhs, lower=True, adjoint=False)
    return call.op("MatrixTriangularSolve", call.chol, inner, lower=True, adjoint=True)


@rule("tf.linalg.trace")
def _(call):
    bounds = call.body.constant(0, "int32"), call.body.constant(0, call.dtype)
    return call.op("Sum", call.op("MatrixDiagPartV3", call.x, *bounds), call.body.constant([-1], "int32"))


@rule("tf.linalg.diag", "tf.linalg.diag_part", "tf.linalg.set_diag")
def _(call):
    k = call.body.constant(call.k, "int32")
    if call.name == "tf.linalg.set_diag":
        return call.op("MatrixSetDiagV3", call.input, call.diagonal, k, align=call.align)
    padding = call.body.constant(call.padding_value or 0, call.dtype)
    if call.name == "tf.linalg.diag_part":
        return call.op("MatrixDiagPartV3", call.input, k, padding, align=call.align)
    sizes = [call.body.size(-1 if n is None else n) for n in (call.num_rows, call.num_cols)]
    return call.op("MatrixDiagV3", call.diagonal, k, *sizes, padding, align=call.align)


@rule("tf.linalg.band_part")
def _(call):
    bounds = [call.body.size(n) for n in (call.num_lower, call.num_upper)]
    return call.op("MatrixBandPart", call.input, *bounds)


@rule("_rfft", "_irfft")
def _(call):
    rank = len(call.axes)
    if tuple(a % call.rank for a in call.axes) != tuple(range(call.rank - rank, call.rank)) or rank > 2:
        return None
    sizes = call.lengths
    if sizes is None:
        shape = call.avals[0].shape if call.name == "_rfft" else call.aval.shape
        sizes = tuple(shape[axis] for axis in call.axes)
    lengths = call.body.sizes(sizes)
    double = call.dtype in (dtypes.float64, dtypes.complex128)
    kernel = call.spec.kernel + ("2D" if rank == 2 else "")
    kinds = {"Tcomplex": dtypes.complex128} if call.name == "_rfft" else {"Treal": dtypes.float64}
    return call.op(kernel, call.inputs[0], lengths, **(kinds if double else {}))


@rule("tf.quantization.fake_quant_with_min_max_vars", "tf.quantization.fake_quant_with_min_max_vars_per_channel")
def _(call):
    return call.op(call.spec.kernel, *call.inputs, num_bits=call.num_bits, narrow_range=call.narrow_range)


@rule("tf.nn.local_response_normalization")
def _(call):
    numbers = {name: call.static(name) for name in ("bias", "alpha", "beta")}
    return call.op("LRN", call.input, depth_radius=call.depth_radius, **numbers)


@rule("_max_pool_with_argmax")
def _(call):
    window, steps = ([1, *_pair(x), 1] for x in (call.ksize, call.strides))
    return call.op("MaxPoolWithArgmax", call.input, ksize=window, strides=steps, padding=call.padding.upper(),
                   Targmax=call.output_dtype, include_batch_in_index=call.include_batch_in_index)  # fmt: skip


def _pair(x):
    """Height and width of a window, of which one number or 1, 2 or 4 are given."""
    x = (x,) if isinstance(x, int) else tuple(x)
    return x[1:3] if len(x) == 4 else x * 2 if len(x) == 1 else x


# --- pictures ---------------------------------------------------------------------------------------------------------


@rule("_draw_boxes")
def _(call):
    return call.op("DrawBoundingBoxesV2", call.images, call.boxes, call.colors)


@rule("_crop_and_resize")
def _(call):
    return call.op("CropAndResize", call.image, call.boxes, call.box_indices, call.body.sizes(call.sizes),
                   method=call.method, extrapolation_value=call.outside)  # fmt: skip


@rule("_sobel_edges")
def _(call):
    op, number, x = call.op, call.body.constant, call.image
    padded = op("MirrorPad", x, number([[0, 0], [1, 1], [1, 1], [0, 0]], "int32"), mode="REFLECT")
    channels = call.avals[0].shape[3]
    if type(channels) is not int:
        return None
    slope = np.outer([-1, 0, 1], [1, 2, 1])
    kernels = np.broadcast_to(np.stack([slope, slope.T], -1)[:, :, None], (3, 3, channels, 2))
    edges = op("DepthwiseConv2dNative", padded, number(kernels, x.dtype), strides=[1] * 4, padding="VALID")
    shape = op("ConcatV2", [op("Shape", x), number([2], "int32")], number(0, "int32"))
    return op("Reshape", edges, shape)


# --- signals ----------------------------------------------------------------------------------------------------------


@rule("_overlap_and_add")
def _(call):
    op, number, x, rank = call.op, call.body.constant, call.signal, call.rank
    frames, length = call.avals[0].shape[-2:]
    frames, length = call.body.size(frames), call.body.size(length)
    zero, one, step = number(0, "int32"), number(1, "int32"), number(call.step, "int32")
    starts = op("Mul", op("Range", zero, frames, one), step)
    places = op("AddV2", op("ExpandDims", starts, one), op("Range", zero, length, one))
    total = op("AddV2", op("Mul", op("Sub", frames, one), step), length)
    total = op("Maximum", total, zero)
    first = number([rank - 2, rank - 1, *range(rank - 2)], "int32")
    summed = op("UnsortedSegmentSum", op("Transpose", x, first), places, total)
    return op("Transpose", summed, number([*range(1, rank - 1), 0], "int32"))
