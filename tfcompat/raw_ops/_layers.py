"""Raw ops of neural networks, and those that compute gradients of others."""

import numpy as np

from tfcompat import array, dtypes, linalg, math, nn
from tfcompat._core.convert import convert_to_tensor, host_constant, static_value
from tfcompat._core.in_graphs import of_rank
from tfcompat.errors import InvalidArgumentError
from tfcompat.math import reduce_sum
from tfcompat.nn import _backprop, _ctc, _fractional, _fused
from tfcompat.raw_ops._numbers import seeds_of
from tfcompat.raw_ops._registry import OPS, raw
from tfcompat.tape import GradientTape, stop_gradient


def pulled_back(function, inputs, cotangent):
    """The cotangents of `inputs`, a list of tensors, of a function of them."""
    inputs = [convert_to_tensor(x) for x in inputs]
    with GradientTape() as tape:
        for x in inputs:
            tape.watch(x)
        result = function(*inputs)
    cotangent = convert_to_tensor(cotangent, result.dtype)
    if not cotangent.shape.is_compatible_with(result.shape):
        raise InvalidArgumentError(
            None, None, f"a gradient of the shape {result.shape} is expected, got {cotangent.shape}"
        )
    grads = tape.gradient(result, inputs, output_gradients=cotangent)
    return [array.zeros_like(x) if g is None else g for x, g in zip(inputs, grads, strict=True)]


def fitting(result, given):
    """`result`, whose shape must be that of the result that an op was given.

    Raises:
      tf.errors.InvalidArgumentError: it is not.
    """
    given = convert_to_tensor(given)
    if not given.shape.is_compatible_with(result.shape):
        raise InvalidArgumentError(
            None, None, f"Expected orig_output shape to be {result.shape}, but got {given.shape}"
        )
    return result


def _padding(padding, explicit_paddings):
    return _backprop.with_explicit(padding, explicit_paddings)


@raw()
def Conv2D(input, filter, strides, padding, explicit_paddings, data_format, dilations):
    """Convolution of pictures."""
    input = convert_to_tensor(input)
    if input.shape.rank not in (None, 4):
        raise of_rank(InvalidArgumentError(
            None, None, f"convolution input must be 4-dimensional: {input.shape} [Op:Conv2D]"
        ))  # fmt: skip
    return nn.conv2d(input, filter, list(strides), _padding(padding, explicit_paddings), data_format, list(dilations))


@raw()
def DepthwiseConv2dNative(input, filter, strides, padding, explicit_paddings, data_format, dilations):
    """Convolution of each channel by itself."""
    axes = slice(1, 3) if data_format == "NHWC" else slice(2, 4)
    padding = _padding(padding, explicit_paddings)
    return nn.depthwise_conv2d(input, filter, list(strides), padding, data_format, list(dilations[axes]))


@raw()
def MaxPool(input, ksize, strides, padding, explicit_paddings, data_format):
    """The largest element of each window."""
    return nn.max_pool2d(input, list(ksize), list(strides), _padding(padding, explicit_paddings), data_format)


@raw()
def MaxPoolV2(input, ksize, strides, padding, data_format):
    """The largest element of each window."""
    return nn.max_pool2d(input, static_value(ksize), static_value(strides), padding, data_format)


@raw()
def MaxPoolWithArgmax(input, ksize, strides, padding, Targmax, include_batch_in_index):
    """The largest element of each window, and where it is."""
    return nn.max_pool_with_argmax(
        input, list(ksize), list(strides), padding, output_dtype=Targmax, include_batch_in_index=include_batch_in_index
    )


@raw()
def FusedBatchNorm(x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training):
    """Batch normalization of pictures."""
    x = convert_to_tensor(x)
    settings = (epsilon, exponential_avg_factor, data_format, is_training)
    if x.shape.rank == 5:
        return _of_volumes(x, scale, offset, mean, variance, *settings)
    names = ("x", "scale", "offset", "mean", "variance", "epsilon", "exponential_avg_factor", "data_format",
             "is_training")  # fmt: skip
    values = (x, scale, offset, mean, variance, *settings)
    return tuple(OPS["FusedBatchNormV2"].run(dict(zip(names, values, strict=True))))


@raw()
def FusedBatchNormV3(x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training):
    """Batch normalization of pictures, or of volumes."""
    results = FusedBatchNorm(
        x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
    )
    return *results, array.zeros([0], dtypes.float32)


def _of_volumes(x, *arguments):
    """As pictures: two of three spatial axes joined."""
    *others, data_format, is_training = arguments
    shape = array.shape(x)
    joined = [shape[0], -1, shape[3], shape[4]] if data_format == "NDHWC" else [shape[0], shape[1], -1, shape[4]]
    y, *rest = FusedBatchNorm(
        array.reshape(x, array.stack(joined)), *others, "NHWC" if data_format == "NDHWC" else "NCHW", is_training
    )
    return array.reshape(y, shape), *rest


@raw()
def LSTMBlockCell(x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias, cell_clip, use_peephole):
    """One step of an LSTM. The gates are in the order input, cell, forget, output."""
    steps = _fused.block_lstm(
        host_constant(np.int64(1)), array.expand_dims(x, 0), cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias,
        cell_clip, use_peephole, "icfo",
    )  # fmt: skip
    return tuple(array.squeeze(each, [0]) for each in steps)


@raw()
def GRUBlockCell(x, h_prev, w_ru, w_c, b_ru, b_c):
    """One step of a GRU: the reset and update gates, what is new, and the output."""
    gates = math.sigmoid(linalg.matmul(array.concat([x, h_prev], 1), w_ru) + b_ru)
    r, u = array.split(gates, 2, 1)
    c = math.tanh(linalg.matmul(array.concat([x, h_prev * r], 1), w_c) + b_c)
    return r, u, c, u * h_prev + (1 - u) * c


def _fractional_pooling(name, largest):
    def pool(value, pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2):
        if not deterministic and (seed or seed2):
            raise InvalidArgumentError(
                None, None, f"Both seed and seed2 should be 0 if deterministic is false. [Op:{name}]"
            )
        seeds = seeds_of(seed, seed2) or 0
        return _fractional.pooled(value, list(pooling_ratio), pseudo_random, overlapping, seeds, name, largest)

    pool.__doc__ = "Pooling over windows of unequal sizes, and the places where these begin."
    raw(name)(pool)


_fractional_pooling("FractionalMaxPool", True)
_fractional_pooling("FractionalAvgPool", False)


@raw()
def ApproxTopK(input, k, reduction_dimension, recall_target, is_max_k, reduction_input_size_override,
               aggregate_to_topk):  # fmt: skip
    """The largest or smallest elements along an axis, and where they are."""
    function = nn.approx_max_k if is_max_k else nn.approx_min_k
    return function(input, k, reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk)


@raw()
def CTCGreedyDecoder(inputs, sequence_length, merge_repeated, blank_index):
    """The labels of the likeliest class at each time."""
    (decoded,), scores = nn.ctc_greedy_decoder(inputs, sequence_length, merge_repeated, blank_index)
    return decoded.indices, decoded.values, decoded.dense_shape, scores


@raw()
def CTCBeamSearchDecoder(inputs, sequence_length, beam_width, top_paths, merge_repeated):
    """The likeliest sequences of labels."""
    decode = _ctc.beams_without_repetition if merge_repeated else nn.ctc_beam_search_decoder
    decoded, scores = decode(inputs, sequence_length, beam_width, top_paths)
    return *map(list, zip(*((d.indices, d.values, d.dense_shape) for d in decoded), strict=True)), scores


@raw("CTCLoss", "CTCLossV2")
def _ctc_loss(inputs, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated,
              ignore_longer_outputs_than_inputs):  # fmt: skip
    """Losses of connectionist temporal classification, and their gradient; the last class is the blank."""
    inputs = convert_to_tensor(inputs)
    classes = inputs.shape[-1]

    def losses(logits):
        return _ctc.loss_of_sparse(
            logits, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated,
            ignore_longer_outputs_than_inputs, classes - 1,
        )  # fmt: skip

    loss = losses(inputs)
    return loss, stop_gradient(pulled_back(losses, [inputs], array.ones_like(loss))[0])


@raw()
def SoftmaxCrossEntropyWithLogits(features, labels):
    """The loss of each row, and its gradient."""
    features, labels = convert_to_tensor(features), convert_to_tensor(labels)
    loss = nn.softmax_cross_entropy_with_logits(labels, features)
    return loss, nn.softmax(features) - labels


@raw()
def SparseSoftmaxCrossEntropyWithLogits(features, labels):
    """The loss of each row, and its gradient."""
    features = convert_to_tensor(features)
    loss = nn.sparse_softmax_cross_entropy_with_logits(labels, features)
    return loss, nn.softmax(features) - array.one_hot(labels, features.shape[-1], dtype=features.dtype)


@raw()
def InTopKV2(predictions, targets, k):
    """Whether the target of each row is among its `k` largest elements."""
    return math.in_top_k(targets, predictions, int(static_value(k)))


@raw()
def InTopK(predictions, targets, k):
    """Whether the target of each row is among its `k` largest elements."""
    return math.in_top_k(targets, predictions, k)


@raw()
def AdjustContrastv2(images, contrast_factor):
    """Pictures with another contrast."""
    from tfcompat import image  # the only op of images here

    return image.adjust_contrast(images, contrast_factor)


@raw()
def LeakyReluGrad(gradients, features, alpha):
    """Gradient of `LeakyRelu`."""
    return array.where(convert_to_tensor(features) > 0, gradients, gradients * alpha)


@raw()
def ReluGrad(gradients, features):
    """Gradient of `Relu`."""
    gradients = convert_to_tensor(gradients)
    return gradients * array.cast(convert_to_tensor(features) > 0, gradients.dtype)


@raw()
def Relu6Grad(gradients, features):
    """Gradient of `Relu6`."""
    gradients, features = convert_to_tensor(gradients), convert_to_tensor(features)
    return gradients * array.cast(math.logical_and(features > 0, features < 6), gradients.dtype)


@raw()
def SigmoidGrad(y, dy):
    """Gradient of `Sigmoid` by its result."""
    return dy * y * (1 - y)


@raw()
def TanhGrad(y, dy):
    """Gradient of `Tanh` by its result."""
    return dy * (1 - y * y)


@raw()
def SqrtGrad(y, dy):
    """Gradient of `Sqrt` by its result."""
    return dy * 0.5 / y


@raw()
def RsqrtGrad(y, dy):
    """Gradient of `Rsqrt` by its result."""
    return dy * -0.5 * y * y * y


@raw("ReciprocalGrad", "InvGrad")
def _reciprocal_grad(y, dy):
    """Gradient of `Reciprocal` by its result."""
    return -dy * y * y


@raw()
def EluGrad(gradients, outputs):
    """Gradient of `Elu` by its result."""
    return array.where(outputs < 0, gradients * (outputs + 1), gradients)


@raw()
def SeluGrad(gradients, outputs):
    """Gradient of `Selu` by its result."""
    scale, scale_alpha = 1.0507009873554804934193349852946, 1.7580993408473768599402175208123
    return array.where(outputs < 0, gradients * (outputs + scale_alpha), gradients * scale)


@raw()
def SoftplusGrad(gradients, features):
    """Gradient of `Softplus`."""
    return gradients * math.sigmoid(features)


@raw()
def SoftsignGrad(gradients, features):
    """Gradient of `Softsign`."""
    return gradients / math.square(1 + math.abs(features))


@raw()
def BiasAddGrad(out_backprop, data_format):
    """Gradient of `BiasAdd` by the bias."""
    out_backprop = convert_to_tensor(out_backprop)
    rank = out_backprop.shape.rank
    if rank is not None and rank < 2:
        raise InvalidArgumentError(None, None, f"Input tensor must be at least 2D: {out_backprop.shape}")
    channel = 1 if data_format == "NCHW" else rank - 1
    return reduce_sum(out_backprop, [axis for axis in range(rank) if axis != channel])


@raw()
def BiasAddV1(value, bias):
    """A vector added to the last axis."""
    return nn.bias_add(value, bias)


@raw()
def MaxPoolGrad(orig_input, orig_output, grad, ksize, strides, padding, explicit_paddings, data_format):
    """Gradient of `MaxPool`."""
    def pooled(x):
        return fitting(MaxPool(x, ksize, strides, padding, explicit_paddings, data_format), orig_output)

    return pulled_back(pooled, [orig_input], grad)[0]


def _transposed(function, sizes, cotangent):
    """The transpose of a linear function of a tensor of these sizes, applied to a cotangent of its result."""
    zeros = array.zeros(static_value(sizes), convert_to_tensor(cotangent).dtype)
    return pulled_back(function, [zeros], cotangent)[0]


@raw()
def AvgPoolGrad(orig_input_shape, grad, ksize, strides, padding, data_format):
    """Gradient of `AvgPool`."""
    return _transposed(
        lambda x: nn.avg_pool2d(x, list(ksize), list(strides), padding, data_format), orig_input_shape, grad
    )


@raw()
def MaxPool3DGrad(orig_input, orig_output, grad, ksize, strides, padding, data_format):
    """Gradient of `MaxPool3D`."""
    def pooled(x):
        return fitting(nn.max_pool3d(x, list(ksize), list(strides), padding, data_format), orig_output)

    return pulled_back(pooled, [orig_input], grad)[0]


@raw()
def AvgPool3DGrad(orig_input_shape, grad, ksize, strides, padding, data_format):
    """Gradient of `AvgPool3D`."""
    return _transposed(
        lambda x: nn.avg_pool3d(x, list(ksize), list(strides), padding, data_format), orig_input_shape, grad
    )


@raw()
def Conv3DBackpropInputV2(input_sizes, filter, out_backprop, strides, padding, data_format, dilations):
    """Gradient of `Conv3D` by its input."""
    return _transposed(
        lambda x: nn.conv3d(x, filter, list(strides), padding, data_format, list(dilations)), input_sizes, out_backprop
    )


@raw()
def Conv3DBackpropFilterV2(input, filter_sizes, out_backprop, strides, padding, data_format, dilations):
    """Gradient of `Conv3D` by its filter."""
    return _transposed(
        lambda x: nn.conv3d(input, x, list(strides), padding, data_format, list(dilations)), filter_sizes, out_backprop
    )


@raw()
def LRNGrad(input_grads, input_image, output_image, depth_radius, bias, alpha, beta):
    """Gradient of `LRN`."""
    def normalized(x):
        return nn.local_response_normalization(x, depth_radius, bias, alpha, beta)

    return pulled_back(normalized, [input_image], input_grads)[0]


@raw()
def FusedBatchNormGradV3(y_backprop, x, scale, reserve_space_1, reserve_space_2, reserve_space_3, epsilon, data_format,
                         is_training):  # fmt: skip
    """Gradients of `FusedBatchNormV3` by the pictures, the scale and the offset."""
    scale = convert_to_tensor(scale)

    def normalized(x, scale, offset):
        return FusedBatchNorm(
            x, scale, offset, reserve_space_1, reserve_space_2, epsilon, 1.0, data_format, is_training
        )[0]

    x, scale, offset = pulled_back(normalized, [x, scale, array.zeros_like(scale)], y_backprop)
    nothing = array.zeros([0], dtypes.float32)
    return x, scale, offset, nothing, nothing


@raw()
def StridedSliceGrad(shape, begin, end, strides, dy, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                     shrink_axis_mask):  # fmt: skip
    """Gradient of `StridedSlice`."""
    def sliced(x):
        return OPS["StridedSlice"](
            input=x, begin=begin, end=end, strides=strides, begin_mask=begin_mask, end_mask=end_mask,
            ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask, shrink_axis_mask=shrink_axis_mask,
        )  # fmt: skip

    return _transposed(sliced, shape, dy)


@raw()
def MirrorPadGrad(input, paddings, mode):
    """Gradient of `MirrorPad`."""
    input = convert_to_tensor(input)
    sizes = [n - a - b for n, (a, b) in zip(input.shape.as_list(), static_value(paddings), strict=True)]
    zeros = array.zeros(sizes, input.dtype)
    return pulled_back(lambda x: array.pad(x, paddings, mode), [zeros], input)[0]


@raw()
def ResizeBilinearGrad(grads, original_image, align_corners, half_pixel_centers):
    """Gradient of `ResizeBilinear`."""
    return _resize_grad("ResizeBilinear", grads, original_image, None, align_corners, half_pixel_centers)


@raw()
def ResizeNearestNeighborGrad(grads, size, align_corners, half_pixel_centers):
    """Gradient of `ResizeNearestNeighbor`."""
    return _resize_grad("ResizeNearestNeighbor", grads, None, size, align_corners, half_pixel_centers)


@raw()
def ResizeBicubicGrad(grads, original_image, align_corners, half_pixel_centers):
    """Gradient of `ResizeBicubic`."""
    return _resize_grad("ResizeBicubic", grads, original_image, None, align_corners, half_pixel_centers)


def _resize_grad(name, grads, original, size, align_corners, half_pixel_centers):
    grads = convert_to_tensor(grads)
    batch, height, width, channels = grads.shape.as_list()
    if original is None:
        original = array.zeros([batch, *static_value(size), channels], grads.dtype)
        if channels == 0:
            return original

    def resized(x):
        return OPS[name](
            images=x, size=[height, width], align_corners=align_corners, half_pixel_centers=half_pixel_centers
        )

    return pulled_back(resized, [original], grads)[0]
