"""Convolution."""

import math

import jax
import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import FLOATING, op
from tfcompat.array._arguments import as_ints, as_sizes, invalid, show_shape
from tfcompat.nn._convolution import convolution as convolve
from tfcompat.nn._windows import channels_first, check_positive, pads, per_axis, refuses_in_graphs

_CONV = FLOATING | {dtypes.int32}
_LETTERS = {1: "W", 2: "HW", 3: "DHW"}


def _numbers(spatial, first):
    letters = _LETTERS[spatial]
    image = f"NC{letters}" if first else f"N{letters}C"
    return image, f"{letters}IO", image


def _convolved(input, filters, strides, padding, first, dilations, groups):
    """The convolution with everything decided; `padding` is pairs of numbers for the spatial axes."""
    return convolve(
        input,
        filters,
        window_strides=tuple(strides),
        padding=tuple(map(tuple, padding)),
        rhs_dilation=tuple(dilations),
        dimension_numbers=_numbers(len(strides), first),
        feature_group_count=groups,
    )


def _check_is_not_whole(input, spatial):
    if spatial == 3 and input.dtype == np.int32:
        raise invalid("Value for attr 'T' of int32 is not in the list of allowed values: bfloat16, double, float, half")


def _settings(shape, filters, strides, padding, data_format, dilations):
    """(strides, padding, channels first, dilations) of a convolution of an input of this shape."""
    spatial = filters.ndim - 2
    first = channels_first(data_format, spatial)
    error = invalid if spatial == 3 else ValueError  # TF's Python function looks at those of images and sequences
    strides = check_positive(per_axis(strides, spatial, first, "strides", error), "strides")
    dilations = check_positive(per_axis(dilations, spatial, first, "dilations", error), "dilations")
    sizes = shape[2:] if first else shape[1:-1]
    reach = tuple((size - 1) * one + 1 for size, one in zip(filters.shape, dilations, strict=False))
    return strides, pads(padding, sizes, reach, strides, first), first, dilations


def _check_ranks(input, filters, spatial):
    if 0 in filters.shape:
        raise when_run(
            f"filter must not have zero elements (i.e. all dimensions must be non-zero): {show_shape(filters.shape)}"
        )
    if filters.ndim != spatial + 2:
        raise invalid(f"filter must be {spatial + 2}-dimensional: {show_shape(filters.shape)}")
    if input.ndim < spatial + 2:
        raise invalid(f"input must be {spatial + 2}-dimensional: {show_shape(input.shape)}")


def _conv(input, filters, strides, padding, data_format, dilations, spatial):
    _check_ranks(input, filters, spatial)
    _check_is_not_whole(input, spatial)
    batch = input.shape[: input.ndim - spatial - 1]
    images = input.reshape(math.prod(batch), *input.shape[len(batch) :])
    strides, padding, first, dilations = _settings(
        images.shape, filters, strides, padding, data_format, dilations
    )
    channels, filter_channels, produced = images.shape[1 if first else -1], filters.shape[-2], filters.shape[-1]
    if not filter_channels or channels % filter_channels:
        if not filter_channels:
            raise when_run("filter must not have zero elements")
        raise invalid(f"input depth must be evenly divisible by filter depth: {channels} vs {filter_channels}")
    groups = channels // filter_channels
    if groups and produced % groups:
        raise invalid(f"output depth must be evenly divisible by number of groups: {produced} vs {groups}")
    result = _convolved(images, filters, strides, padding, first, dilations, max(groups, 1))
    return result.reshape(*batch, *result.shape[1:])


@refuses_in_graphs
@op("_convolution", kernel="Conv2D", tensors=("input", "filters"), dtypes=_CONV)
def _convolution(input, filters, strides, padding, data_format, dilations, spatial):
    return _conv(input, filters, strides, padding, data_format, dilations, spatial)


@takes_composites("tf.nn.convolution")
def convolution(input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    """Convolution (cross-correlation) over 1, 2 or 3 space axes.

    Args:
      input: floating tensor of shape `[batch, *space, in_channels]`, or with the channels second; it may have
        several batch axes.
      filters: tensor of shape `[*window, in_channels / groups, out_channels]`, same dtype.
      strides: how far the window moves: an integer, or one for each space axis; 1 if None.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NWC", "NHWC", "NDHWC" (default) or "NCW", "NCHW", "NCDHW".
      dilations: distance between elements of the window, likewise; 1 if None.
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    Raises:
      ValueError: ranks or numbers that do not fit.
      tf.errors.InvalidArgumentError: channels or windows that do not fit, unknown padding, dtypes differ.

    TF: `tf.nn.convolution`; every `data_format` works on a CPU.
    """
    filters = convert_to_tensor(filters, dtype_hint=getattr(input, "dtype", None))
    spatial = len(filters.shape) - 2
    if spatial not in (1, 2, 3):
        raise ValueError(f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={spatial}.")
    return _convolution(input, filters, strides, padding, data_format, dilations, spatial)


@takes_composites("tf.nn.conv1d")
def conv1d(input, filters, stride, padding, data_format="NWC", dilations=None, name=None):
    """Convolution of sequences; see `convolution`.

    Args:
      input: floating tensor of shape `[batch, width, in_channels]`.
      filters: tensor of shape `[width, in_channels / groups, out_channels]`, same dtype.
      stride: how far the window moves.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NWC" or "NCW".
      dilations: distance between elements of the window; 1 if None.
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    TF: `tf.nn.conv1d`; as `convolution`.
    """
    input, filters = convert_to_tensor(input), convert_to_tensor(filters)
    return _convolution(input, filters, stride, padding, data_format, dilations, 1)


@takes_composites("tf.nn.conv2d")
def conv2d(input, filters, strides, padding, data_format="NHWC", dilations=None, name=None):
    """Convolution of images; see `convolution`.

    Args:
      input: floating tensor of shape `[batch, height, width, in_channels]`.
      filters: tensor of shape `[height, width, in_channels / groups, out_channels]`, same dtype.
      strides: how far the window moves: an integer, or a list of 1, 2 or 4.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: distance between elements of the window, likewise; 1 if None.
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    TF: `tf.nn.conv2d`; as `convolution`.
    """
    return _convolution(input, filters, strides, padding, data_format, dilations, 2)


@takes_composites("tf.nn.conv3d")
def conv3d(input, filters, strides, padding, data_format="NDHWC", dilations=None, name=None):
    """Convolution of volumes; see `convolution`.

    Args:
      input: floating tensor of shape `[batch, depth, height, width, in_channels]`.
      filters: tensor of shape `[depth, height, width, in_channels / groups, out_channels]`, same dtype.
      strides: how far the window moves, a list of 5 (or 1, or 3).
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      dilations: distance between elements of the window, likewise; 1 if None.
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    TF: `tf.nn.conv3d`; as `convolution`.
    """
    return _convolution(input, filters, strides, padding, data_format, dilations, 3)


@takes_composites("tf.nn.atrous_conv2d")
def atrous_conv2d(value, filters, rate, padding, name=None):
    """Convolution of images with a dilated window; see `convolution`.

    Args:
      value: floating tensor of shape `[batch, height, width, in_channels]`.
      filters: tensor of shape `[height, width, in_channels, out_channels]`, same dtype.
      rate: distance between elements of the window.
      padding: "VALID" or "SAME".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `value`.

    TF: `tf.nn.atrous_conv2d`; as `convolution`.
    """
    _check_atrous(value, filters, rate, padding)
    return _convolution(value, filters, 1, padding, "NHWC", rate, 2)


def _check_atrous(value, filters, rate, padding):
    """Raises for what TF's Python function refuses, before there is a kernel."""
    if rate is None:
        raise TypeError("`rate` must be a number, got None")
    if any(one < 1 for one in as_ints(static_value(rate), "rate")):
        raise ValueError(f"`rate` must be positive. Received: rate={rate}")
    if str(padding).upper() not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    if len(value.shape) < 4 or len(filters.shape) != 4:
        raise ValueError(f"`value` and `filters` must have rank 4. Received shapes: {value.shape} and {filters.shape}")


# Transposed -------------------------------------------------------------------------------------------------


@op("_conv_transpose", kernel="Conv2DBackpropInput", tensors=("input", "filters"), dtypes=_CONV)
def _conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations, spatial):
    _check_ranks(input, filters, spatial)
    first = channels_first(data_format, spatial)
    channel = 1 if first else spatial + 1
    if input.shape[channel] != filters.shape[-1]:
        raise (when_run if spatial == 3 else invalid)(
            "input channels does not match filter's input channels, "
            f"{input.shape[channel]} != {filters.shape[-1]}"
        )
    target = target_shape(input, filters, output_shape, strides, padding, first, spatial)
    if target[channel] != filters.shape[-2]:
        raise (when_run if spatial == 3 else invalid)(
            f"output_shape does not match filter's output channels, {target[channel]} != {filters.shape[-2]}"
        )

    def forward(images):
        return _conv(images, filters, strides, padding, data_format, dilations, spatial)

    expected = jax.eval_shape(forward, jax.ShapeDtypeStruct(target, input.dtype)).shape
    if expected != input.shape:
        raise invalid(
            "Conv2DSlowBackpropInput: Size of out_backprop doesn't match computed: "
            f"actual = {show_shape(input.shape)}, computed = {show_shape(expected)}"
        )
    if input.dtype == np.int32:  # JAX transposes floating functions only; sums up to 2**53 are exact
        filters = filters.astype(np.float64)
        (result,) = jax.linear_transpose(forward, jax.ShapeDtypeStruct(target, np.float64))(input.astype(np.float64))
        return result.astype(np.int64).astype(np.int32)
    (result,) = jax.linear_transpose(forward, jax.ShapeDtypeStruct(target, input.dtype))(input)
    return result


def target_shape(input, filters, output_shape, strides, padding, first, spatial):
    """The whole shape of what a transposed convolution gives."""
    sizes = as_sizes(output_shape, "output_shape")
    if len(sizes) == 1 or len(sizes) == spatial:
        sizes = sizes * spatial if len(sizes) == 1 else sizes
        depth = (filters.shape[-2],)
        return (input.shape[0], *depth, *sizes) if first else (input.shape[0], *sizes, *depth)
    if len(sizes) != spatial + 2:
        raise invalid(
            f"output_shape must have shape (1,), ({spatial},) or ({spatial + 2},), got {output_shape}"
        )
    return sizes


@takes_composites("tf.nn.conv_transpose")
def conv_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None
):
    """The transpose (the derivative) of `convolution`: spreads each element of `input` over a window.

    Args:
      input: floating tensor of shape `[batch, *space, in_channels]`, or with the channels second.
      filters: tensor of shape `[*window, out_channels, in_channels]`, same dtype.
      output_shape: shape of the result, since several fit; or its space sizes.
      strides: those of the convolution: an integer, or one for each space axis.
      padding: that of the convolution: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NWC", "NHWC", "NDHWC" (default) or "NCW", "NCHW", "NCDHW".
      dilations: those of the convolution; 1 if None.
      name: ignored.

    Returns:
      Tensor of shape `output_shape` and the dtype of `input`.

    Raises:
      ValueError: ranks or channels that do not fit.
      tf.errors.InvalidArgumentError: `output_shape` is not one that the convolution takes to the shape of
        `input`.

    TF: `tf.nn.conv_transpose`; every `data_format` works on a CPU.
    """
    filters = convert_to_tensor(filters, dtype_hint=getattr(input, "dtype", None))
    spatial = len(filters.shape) - 2
    if spatial not in (1, 2, 3):
        raise ValueError(f"`output_shape` must be of length 3, 4 or 5, got filters of shape {filters.shape}")
    return _conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations, spatial)


@takes_composites("tf.nn.conv1d_transpose")
def conv1d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None
):
    """Transposed convolution of sequences; see `conv_transpose`.

    Args:
      input: floating tensor of shape `[batch, width, in_channels]`.
      filters: tensor of shape `[width, out_channels, in_channels]`, same dtype.
      output_shape: shape of the result.
      strides: those of the convolution.
      padding: "VALID" or "SAME".
      data_format: "NWC" or "NCW".
      dilations: those of the convolution; 1 if None.
      name: ignored.

    Returns:
      Tensor of shape `output_shape` and the dtype of `input`.

    TF: `tf.nn.conv1d_transpose`; as `conv_transpose`.
    """
    return _conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations, 1)


@takes_composites("tf.nn.conv2d_transpose")
def conv2d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NHWC", dilations=None, name=None
):
    """Transposed convolution of images; see `conv_transpose`.

    Args:
      input: floating tensor of shape `[batch, height, width, in_channels]`.
      filters: tensor of shape `[height, width, out_channels, in_channels]`, same dtype.
      output_shape: shape of the result.
      strides: those of the convolution.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: those of the convolution; 1 if None.
      name: ignored.

    Returns:
      Tensor of shape `output_shape` and the dtype of `input`.

    TF: `tf.nn.conv2d_transpose`; as `conv_transpose`.
    """
    return _conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations, 2)


@takes_composites("tf.nn.conv3d_transpose")
def conv3d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NDHWC", dilations=None, name=None
):
    """Transposed convolution of volumes; see `conv_transpose`.

    Args:
      input: floating tensor of shape `[batch, depth, height, width, in_channels]`.
      filters: tensor of shape `[depth, height, width, out_channels, in_channels]`, same dtype.
      output_shape: shape of the result.
      strides: those of the convolution.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      dilations: those of the convolution; 1 if None.
      name: ignored.

    Returns:
      Tensor of shape `output_shape` and the dtype of `input`.

    TF: `tf.nn.conv3d_transpose`; as `conv_transpose`.
    """
    return _conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations, 3)


@takes_composites("tf.nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """Transposed convolution of images with a dilated window; see `conv_transpose`.

    Args:
      value: floating tensor of shape `[batch, height, width, in_channels]`.
      filters: tensor of shape `[height, width, out_channels, in_channels]`, same dtype.
      output_shape: shape of the result.
      rate: distance between elements of the window.
      padding: "VALID" or "SAME".
      name: ignored.

    Returns:
      Tensor of shape `output_shape` and the dtype of `value`.

    TF: `tf.nn.atrous_conv2d_transpose`; as `conv_transpose`.
    """
    _check_atrous(value, filters, rate, padding)
    sizes = static_value(output_shape)
    if not isinstance(sizes, tuple) or len(sizes) != 4 or any(isinstance(one, int) and one < 0 for one in sizes):
        raise ValueError(f"`output_shape` must be four sizes. Received: output_shape={output_shape}")
    for kind, channels, wanted in (("in", value.shape[3], filters.shape[3]), ("out", sizes[3], filters.shape[2])):
        if channels != wanted:
            raise ValueError(f"`filters` of shape {filters.shape} have other {kind} channels, {channels} != {wanted}")
    return _conv_transpose(value, filters, output_shape, 1, padding, "NHWC", rate, 2)


# Depthwise --------------------------------------------------------------------------------------------------


def _depthwise(input, filter, strides, padding, data_format, dilations):
    if input.ndim != 4 or filter.ndim != 4:
        raise invalid(f"input and filter must be 4-dimensional: {input.shape} and {filter.shape}")
    first = channels_first(data_format, 2)
    steps = per_axis(strides, 2, first, "strides", invalid)
    rates = per_axis(dilations, 2, first, "dilations")
    if any(one > 1 for one in rates) and any(one > 1 for one in steps):
        raise ValueError("`strides > 1` not supported in conjunction with `dilation_rate > 1`")
    height, width, channels, multiplier = filter.shape
    if input.shape[1 if first else -1] != channels:
        raise invalid(
            f"input and filter must have the same depth: {input.shape[1 if first else -1]} vs {channels}"
        )
    grouped = filter.reshape(height, width, 1, channels * multiplier)
    strides, padding, first, dilations = _settings(input.shape, grouped, steps, padding, data_format, rates)
    return _convolved(input, grouped, strides, padding, first, dilations, max(channels, 1))


@refuses_in_graphs
@op(
    "tf.nn.depthwise_conv2d",
    kernel="DepthwiseConv2dNative",
    tensors=("input", "filter"),
    dtypes=FLOATING,
)
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None):
    """Convolution of each channel by filters of its own.

    Args:
      input: floating tensor of shape `[batch, height, width, channels]`.
      filter: tensor of shape `[height, width, channels, multiplier]`, same dtype.
      strides: how far the window moves, a list of 4.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NHWC" (default) or "NCHW".
      dilations: distance between elements of the window, a list of 2; 1 if None.

    Returns:
      Tensor of shape `[batch, height, width, channels * multiplier]`.

    Raises:
      ValueError: both strides and dilations above 1.
      tf.errors.InvalidArgumentError: shapes or windows that do not fit.

    TF: `tf.nn.depthwise_conv2d`; every `data_format` works on a CPU.
    """
    return _depthwise(input, filter, strides, padding, data_format, dilations)


@refuses_in_graphs
@op(
    "tf.nn.separable_conv2d",
    kernel="DepthwiseConv2dNative",
    tensors=("input", "depthwise_filter", "pointwise_filter"),
    dtypes=FLOATING,
)
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None
):
    """Convolution of each channel by filters of its own, then of all channels point by point.

    Args:
      input: floating tensor of shape `[batch, height, width, channels]`.
      depthwise_filter: tensor of shape `[height, width, channels, multiplier]`, same dtype.
      pointwise_filter: tensor of shape `[1, 1, channels * multiplier, out_channels]`, same dtype.
      strides: how far the window moves, a list of 4.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NHWC" (default) or "NCHW".
      dilations: distance between elements of the window, a list of 2; 1 if None.

    Returns:
      Tensor of shape `[batch, height, width, out_channels]`.

    Raises:
      ValueError: a `pointwise_filter` of another shape; both strides and dilations above 1.
      tf.errors.InvalidArgumentError: shapes or windows that do not fit.

    TF: `tf.nn.separable_conv2d`; every `data_format` works on a CPU.
    """
    if pointwise_filter.ndim != 4 or pointwise_filter.shape[:2] != (1, 1):
        raise ValueError(f"`pointwise_filter` must have shape [1, 1, n, m], got {pointwise_filter.shape}")
    between = _depthwise(input, depthwise_filter, strides, padding, data_format, dilations)
    return _conv(between, pointwise_filter, 1, "VALID", data_format, None, 2)
