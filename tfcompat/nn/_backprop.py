"""The derivatives of convolutions as functions of their own, and convolutions by way of batches."""

# ruff: noqa: B006  (lists as defaults are part of the signatures)

import jax
import jax.numpy as jnp

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.op import FLOATING, op
from tfcompat.array import batch_to_space, required_space_to_batch_paddings, space_to_batch_nd
from tfcompat.array._arguments import as_ints, invalid, show_shape
from tfcompat.nn._conv import _conv, _depthwise


def _transposed(forward, shape, cotangent, kernel):
    """What the transpose of a linear function, which takes arrays of `shape`, makes of a cotangent."""
    primal = jax.ShapeDtypeStruct(shape, cotangent.dtype)
    expected = jax.eval_shape(forward, primal).shape
    if expected != cotangent.shape:
        raise invalid(
            f"{kernel}: Size of out_backprop doesn't match computed: actual = {show_shape(cotangent.shape)}, "
            f"computed = {show_shape(expected)}"
        )
    return jax.linear_transpose(forward, primal)(cotangent)[0]


def _four(sizes, argument):
    sizes = as_ints(static_value(sizes), argument)
    if len(sizes) != 4:
        raise invalid(f"{argument} must be 4-dimensional: {show_shape(sizes)}")
    return sizes


@op("_depthwise_to_input", kernel="DepthwiseConv2dNativeBackpropInput", tensors=("filter", "out_backprop"),
    dtypes=FLOATING)  # fmt: skip
def _depthwise_to_input(filter, out_backprop, input_sizes, strides, padding, data_format, dilations):
    return _transposed(lambda input: _depthwise(input, filter, strides, padding, data_format, dilations), input_sizes,
                       out_backprop, "DepthwiseConv2dNativeBackpropInput")  # fmt: skip


@op("_depthwise_to_filter", kernel="DepthwiseConv2dNativeBackpropFilter", tensors=("input", "out_backprop"),
    dtypes=FLOATING)  # fmt: skip
def _depthwise_to_filter(input, out_backprop, filter_sizes, strides, padding, data_format, dilations):
    return _transposed(lambda filter: _depthwise(input, filter, strides, padding, data_format, dilations),
                       filter_sizes, out_backprop, "DepthwiseConv2dNativeBackpropFilter")  # fmt: skip


@takes_composites("tf.nn.depthwise_conv2d_backprop_input")
def depthwise_conv2d_backprop_input(input_sizes, filter, out_backprop, strides, padding, data_format="NHWC",
                                    dilations=[1, 1, 1, 1], name=None):  # fmt: skip
    """The gradient of `depthwise_conv2d` with respect to its input.

    Args:
      input_sizes: vector of 4 integers, the shape of the input.
      filter: floating tensor of shape `[height, width, channels, multiplier]`.
      out_backprop: tensor of the shape of the result of the convolution, same dtype.
      strides: those of the convolution, a list of 4.
      padding: that of the convolution.
      data_format: "NHWC" or "NCHW".
      dilations: those of the convolution, a list of 4.
      name: ignored.

    Returns:
      Tensor of shape `input_sizes`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit.

    TF: `tf.nn.depthwise_conv2d_backprop_input`; every `data_format` works on a CPU.
    """
    return _depthwise_to_input(filter, out_backprop, _four(input_sizes, "input_sizes"), strides, padding, data_format,
                               dilations)  # fmt: skip


@takes_composites("tf.nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding, data_format="NHWC",
                                     dilations=[1, 1, 1, 1], name=None):  # fmt: skip
    """The gradient of `depthwise_conv2d` with respect to its filter.

    Args:
      input: floating tensor of shape `[batch, height, width, channels]`.
      filter_sizes: vector of 4 integers, the shape of the filter.
      out_backprop: tensor of the shape of the result of the convolution, same dtype.
      strides: those of the convolution, a list of 4.
      padding: that of the convolution.
      data_format: "NHWC" or "NCHW".
      dilations: those of the convolution, a list of 4.
      name: ignored.

    Returns:
      Tensor of shape `filter_sizes`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit.

    TF: `tf.nn.depthwise_conv2d_backprop_filter`; every `data_format` works on a CPU.
    """
    return _depthwise_to_filter(input, out_backprop, _four(filter_sizes, "filter_sizes"), strides, padding,
                                data_format, dilations)  # fmt: skip


@op("_conv2d_to_input", kernel="Conv2DBackpropInput", tensors=("filter", "out_backprop"), dtypes=FLOATING)
def _conv2d_to_input(filter, out_backprop, input_sizes, strides, padding, data_format, dilations):
    return _transposed(lambda input: _conv(input, filter, strides, padding, data_format, dilations, 2), input_sizes,
                       out_backprop, "Conv2DBackpropInput")  # fmt: skip


@op("_conv2d_to_filter", kernel="Conv2DBackpropFilter", tensors=("input", "out_backprop"), dtypes=FLOATING)
def _conv2d_to_filter(input, out_backprop, filter_sizes, strides, padding, data_format, dilations):
    return _transposed(lambda filter: _conv(input, filter, strides, padding, data_format, dilations, 2), filter_sizes,
                       out_backprop, "Conv2DBackpropFilter")  # fmt: skip


def conv2d_to_input(input_sizes, filter, out_backprop, strides, padding, explicit_paddings=(), data_format="NHWC",
                    dilations=(1, 1, 1, 1)):  # fmt: skip
    """The gradient of `conv2d` with respect to its input, as `tf.raw_ops` has it."""
    return _conv2d_to_input(filter, out_backprop, _four(input_sizes, "input_sizes"), strides,
                            with_explicit(padding, explicit_paddings), data_format, dilations)  # fmt: skip


def conv2d_to_filter(input, filter_sizes, out_backprop, strides, padding, explicit_paddings=(), data_format="NHWC",
                     dilations=(1, 1, 1, 1)):  # fmt: skip
    """The gradient of `conv2d` with respect to its filter, as `tf.raw_ops` has it."""
    return _conv2d_to_filter(input, out_backprop, _four(filter_sizes, "filter_sizes"), strides,
                             with_explicit(padding, explicit_paddings), data_format, dilations)  # fmt: skip


def with_explicit(padding, explicit_paddings):
    """`padding` as public functions take it: pairs in place of "EXPLICIT"."""
    if padding != "EXPLICIT":
        return padding
    flat = static_value(explicit_paddings)
    return [list(flat[n : n + 2]) for n in range(0, len(flat), 2)]


def conv2d_backprop_input_v2(input, filter, out_backprop, strides, padding, use_cudnn_on_gpu=True,
                             explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, 1],
                             name=None):  # fmt: skip
    """The gradient of `tf.nn.conv2d` with respect to its input.

    Args:
      input: tensor of the shape of the input; its values do not matter.
      filter: floating tensor of shape `[height, width, in_channels, out_channels]`.
      out_backprop: tensor of the shape of the result of the convolution, same dtype.
      strides: those of the convolution, a list of 4.
      padding: that of the convolution: "VALID", "SAME" or "EXPLICIT".
      use_cudnn_on_gpu: ignored; XLA chooses.
      explicit_paddings: for "EXPLICIT", 8 integers: two for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: those of the convolution, a list of 4.
      name: ignored.

    Returns:
      Tensor of the shape of `input`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit.

    TF: `tf.conv2d_backprop_input_v2`; every `data_format` works on a CPU.
    """
    return conv2d_to_input(convert_to_tensor(input).shape, filter, out_backprop, strides, padding, explicit_paddings,
                           data_format, dilations)  # fmt: skip


def conv2d_backprop_filter_v2(input, filter, out_backprop, strides, padding, use_cudnn_on_gpu=True,
                              explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, 1],
                              name=None):  # fmt: skip
    """The gradient of `tf.nn.conv2d` with respect to its filter.

    Args:
      input: floating tensor of shape `[batch, height, width, in_channels]`.
      filter: tensor of the shape of the filter; its values do not matter.
      out_backprop: tensor of the shape of the result of the convolution, same dtype.
      strides: those of the convolution, a list of 4.
      padding: that of the convolution: "VALID", "SAME" or "EXPLICIT".
      use_cudnn_on_gpu: ignored; XLA chooses.
      explicit_paddings: for "EXPLICIT", 8 integers: two for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: those of the convolution, a list of 4.
      name: ignored.

    Returns:
      Tensor of the shape of `filter`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit.

    TF: `tf.conv2d_backprop_filter_v2`; every `data_format` works on a CPU.
    """
    return conv2d_to_filter(input, convert_to_tensor(filter).shape, out_backprop, strides, padding, explicit_paddings,
                            data_format, dilations)  # fmt: skip


@op("_general_conv", kernel="Conv", tensors=("input", "filter"), dtypes=FLOATING, gradient="missing")
def _general_conv(input, filter, strides, padding, data_format, dilations, batch_dims, groups):
    spatial = input.ndim - batch_dims - 1
    if spatial not in (2, 3) or filter.ndim != spatial + 2:
        raise invalid(f"the input must have 2 or 3 space axes, got {show_shape(input.shape)} and filter "
                      f"{show_shape(filter.shape)}")  # fmt: skip
    batch = input.shape[:batch_dims]
    images = input.reshape(-1, *input.shape[batch_dims:])
    first = data_format == "CHANNELS_FIRST"
    images = jnp.moveaxis(images, 1, -1) if first else images
    channels = images.shape[-1]
    if channels != filter.shape[-2] * groups:
        raise invalid(f"input depth must be evenly divisible by filter depth: {channels} vs {filter.shape[-2]}")
    result = _conv(images, filter, strides, padding, None, dilations or 1, spatial)
    result = jnp.moveaxis(result, -1, 1) if first else result
    return result.reshape(*batch, *result.shape[1:])


@takes_composites("tf.conv")
def conv(input, filter, strides, padding, explicit_paddings=[], data_format="CHANNELS_LAST", dilations=[],
         batch_dims=1, groups=1, name=None):  # fmt: skip
    """Convolution over 2 or 3 space axes, with any number of batch axes.

    Args:
      input: floating tensor of shape `[*batch, *space, channels]`, or with the channels before the space axes.
      filter: tensor of shape `[*window, channels / groups, out_channels]`, same dtype.
      strides: how far the window moves: a list with a number for each axis of input without batch axes but one.
      padding: "VALID", "SAME" or "EXPLICIT".
      explicit_paddings: for "EXPLICIT", two integers for each such axis.
      data_format: "CHANNELS_LAST" or "CHANNELS_FIRST".
      dilations: distance between elements of the window, likewise; 1 if empty.
      batch_dims: int, how many batch axes there are.
      groups: int, into how many groups the channels fall.
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or another `data_format`.

    TF: `tf.conv`; on a CPU TF needs one group.
    """
    if data_format not in ("CHANNELS_LAST", "CHANNELS_FIRST"):
        raise invalid(
            f'Value for attr \'data_format\' of "{data_format}" is not in the list of allowed values: '
            '"CHANNELS_FIRST", "CHANNELS_LAST"'
        )
    strides, dilations = list(static_value(strides)), list(static_value(dilations))
    padding = with_explicit(padding, explicit_paddings)
    if data_format == "CHANNELS_FIRST":
        strides, dilations = (each[:1] + each[2:] + each[1:2] for each in (strides, dilations))
        padding = padding if isinstance(padding, str) else padding[:1] + padding[2:] + padding[1:2]
    return _general_conv(input, filter, strides, padding, data_format, dilations, int(static_value(batch_dims)),
                         int(static_value(groups)))  # fmt: skip


@takes_composites("tf.nn.with_space_to_batch")
def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None, data_format=None):
    """What `op`, a function over windows, makes of every `dilation_rate`-th element: a dilated `op`.

    Args:
      input: tensor of rank at least 2 + the number of space axes.
      dilation_rate: a positive integer for each space axis.
      padding: "VALID" or "SAME".
      op: function `(input, num_spatial_dims, padding)` to a tensor; called with "VALID" where a rate is not 1.
      filter_shape: shape of the window, needed for "SAME".
      spatial_dims: which axes are the space axes; by default those after the first one.
      data_format: "N...C" (default) or "NC...".

    Returns:
      Tensor: the result of `op`.

    Raises:
      ValueError: arguments that do not fit.

    TF: `tf.nn.with_space_to_batch`; no known difference.
    """
    input = convert_to_tensor(input)
    rates = static_value(dilation_rate)
    if not isinstance(rates, tuple) or any(isinstance(one, tuple) for one in rates):
        raise ValueError(f"`dilation_rate.shape` must be rank 1. Received: dilation_rate={dilation_rate}")
    if any(one < 1 for one in rates):
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    count = len(rates)
    first = data_format is not None and data_format.startswith("NC")
    if spatial_dims is None:
        axes = list(range(2, count + 2) if first else range(1, count + 1))
    else:
        axes = sorted(int(axis) for axis in static_value(spatial_dims))
        if len(set(axes)) != len(axes) or any(axis <= 0 for axis in axes):
            raise ValueError(f"`spatial_dims` must be a sequence of different positive integers. Received: {axes}")
    if input.ndim < axes[-1] + 1:
        raise ValueError(f"`input.shape.rank` must be at least {axes[-1] + 1}. Received: {input.shape}")
    if len(axes) != count:
        raise ValueError(f"`spatial_dims` must have as many elements as `dilation_rate`. Received: {axes}, {rates}")
    if all(one == 1 for one in rates):
        return op(input, count, padding)
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be 'SAME' or 'VALID'. Received: padding={padding}")
    base = [[0, 0]] * count
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("`filter_shape` must be specified for `padding='SAME'`.")
        window = [int(one) for one in static_value(filter_shape)][:count]
        extra = [(one - 1) * rate for one, rate in zip(window, rates, strict=True)]
        base = [[one // 2, one - one // 2] for one in extra]
    # All axes from the second to the last space axis take part, the others in blocks of 1.
    last = axes[-1]
    blocks, around, cut = [1] * last, [[0, 0]] * last, [[0, 0]] * last
    sizes = [input.shape[axis] for axis in axes]
    paddings, crops = required_space_to_batch_paddings(sizes, rates, base)
    for axis, rate, pad, crop in zip(axes, rates, static_value(paddings), static_value(crops), strict=True):
        blocks[axis - 1], around[axis - 1], cut[axis - 1] = rate, list(pad), list(crop)
    result = op(space_to_batch_nd(input, blocks, around), count, "VALID")
    return batch_to_space(result, blocks, cut)
