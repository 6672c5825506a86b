"""Convolutions of each channel by itself: depthwise, and separable."""

from typing import Any

from tfcompat import nn
from tfcompat.array import expand_dims, pad, squeeze
from tfcompat.layers import constraints, initializers, regularizers
from tfcompat.layers._convolutional.convolution import Conv
from tfcompat.layers._layer.arguments import arguments_of
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.windows import tf_data_format


class _Depthwise(Conv):
    """A convolution of each channel by itself."""

    depthwise_kernel: Any

    def __init__(
        self,
        rank,
        kernel_size,
        depth_multiplier=1,
        depthwise_initializer="glorot_uniform",
        depthwise_regularizer=None,
        depthwise_constraint=None,
        **kwargs,
    ):
        super().__init__(rank, None, kernel_size, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)

    def build(self, input_shape):
        if len(input_shape) != self.rank + 2:
            raise ValueError(
                f"Inputs to `DepthwiseConv` should have rank {self.rank + 2}. Received "
                f"input_shape={input_shape}."
            )
        channels = self._channels_of(input_shape, "to `DepthwiseConv` ")
        multiplier = self.depth_multiplier
        self.depthwise_kernel = self._add(
            "depthwise_kernel", (*self.kernel_size, channels, multiplier), "depthwise"
        )
        self.bias = self._add("bias", (channels * multiplier,), "bias") if self.use_bias else None
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._get_channel_axis(): channels})
        Layer.build(self, input_shape)

    def call(self, inputs: Any):
        if self.rank == 1:
            return self._finished(_along_one_axis(self, inputs, self._depthwise, self.depthwise_kernel))
        strides, dilations = self.strides, self.dilation_rate
        return self._finished(self._depthwise(inputs, strides, dilations, self.depthwise_kernel))

    def _depthwise(self, inputs, strides, dilations, kernel):
        return nn.depthwise_conv2d(
            inputs,
            kernel,
            strides=_strides(strides, self.data_format),
            padding=self.padding.upper(),
            dilations=dilations,
            data_format=tf_data_format(self.data_format, 2),
        )

    def _channels_out(self, channels):
        return channels * self.depth_multiplier

    def get_config(self):
        config = {**super().get_config(), **self._config_of("depthwise")}
        for name in ("filters", "kernel_initializer", "kernel_regularizer", "kernel_constraint"):
            config.pop(name)
        return {**config, "depth_multiplier": self.depth_multiplier}


def _strides(strides, data_format):
    return (1, 1, *strides) if data_format == "channels_first" else (1, *strides, 1)


def _along_one_axis(layer, inputs, convolve, *kernels):
    """`convolve` in two dimensions, the first of size 1."""
    axis = 2 if layer.data_format == "channels_first" else 1
    kernels = [expand_dims(kernel, 0) for kernel in kernels]
    outputs = convolve(expand_dims(inputs, axis), layer.strides * 2, (1, *layer.dilation_rate), *kernels)
    return squeeze(outputs, [axis])


class DepthwiseConv1D(_Depthwise):
    """A convolution of each channel by itself.

    Args:
      kernel_size: int or ints, size of the window.
      strides: int or equal ints, steps of the window.
      padding: "valid" or "same".
      depth_multiplier: int, channels of the outputs for each of the inputs.
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `depthwise_kernel` [*kernel_size, channels, depth_multiplier], `bias`.

    TF: `tf.keras.layers.DepthwiseConv1D`; no known difference.
    """

    def __init__(self, kernel_size, strides=1, padding="valid", depth_multiplier=1, data_format=None, dilation_rate=1,
                 activation=None, use_bias=True, depthwise_initializer="glorot_uniform", bias_initializer="zeros",
                 depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(1, **arguments_of(locals()))


class DepthwiseConv2D(_Depthwise):
    """A convolution of each channel by itself.

    Args:
      kernel_size: int or ints, size of the window.
      strides: int or equal ints, steps of the window.
      padding: "valid" or "same".
      depth_multiplier: int, channels of the outputs for each of the inputs.
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `depthwise_kernel` [*kernel_size, channels, depth_multiplier], `bias`.

    TF: `tf.keras.layers.DepthwiseConv2D`; no known difference.
    """

    def __init__(self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1, data_format=None,
                 dilation_rate=(1, 1), activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
                 bias_initializer="zeros", depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(2, **arguments_of(locals()))


class _Separable(Conv):
    """A convolution of each channel by itself, then one of all channels at a point."""

    depthwise_kernel: Any
    pointwise_kernel: Any

    def __init__(
        self,
        rank,
        depth_multiplier=1,
        depthwise_initializer="glorot_uniform",
        pointwise_initializer="glorot_uniform",
        depthwise_regularizer=None,
        pointwise_regularizer=None,
        depthwise_constraint=None,
        pointwise_constraint=None,
        **kwargs,
    ):
        super().__init__(rank, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)
        self.pointwise_constraint = constraints.get(pointwise_constraint)

    def build(self, input_shape):
        channels, multiplier = self._channels_of(input_shape), self.depth_multiplier
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._get_channel_axis(): channels})
        self.depthwise_kernel = self._add(
            "depthwise_kernel", (*self.kernel_size, channels, multiplier), "depthwise"
        )
        self.pointwise_kernel = self._add(
            "pointwise_kernel", (*[1] * self.rank, multiplier * channels, self.filters), "pointwise"
        )
        self.bias = self._add("bias", (self.filters,), "bias") if self.use_bias else None
        Layer.build(self, input_shape)

    def call(self, inputs: Any):
        kernels = self.depthwise_kernel, self.pointwise_kernel
        if self.padding == "causal":
            inputs = pad(inputs, self._compute_causal_padding(inputs))
        if self.rank == 1:
            return self._finished(_along_one_axis(self, inputs, self._separable, *kernels))
        return self._finished(self._separable(inputs, self.strides, self.dilation_rate, *kernels))

    def _separable(self, inputs, strides, dilations, depthwise, pointwise):
        return nn.separable_conv2d(
            inputs,
            depthwise,
            pointwise,
            strides=_strides(strides, self.data_format),
            padding="VALID" if self.padding == "causal" else self.padding.upper(),
            dilations=dilations,
            data_format=tf_data_format(self.data_format, 2),
        )

    def get_config(self):
        of_kernels = self._config_of("depthwise", "pointwise")
        return {**super().get_config(), "depth_multiplier": self.depth_multiplier, **of_kernels}


class SeparableConv1D(_Separable):
    """A convolution of each channel by itself, then one of all channels at a point.

    Args:
      filters: int, channels of the outputs.
      kernel_size: int or ints, size of the window.
      strides: int or ints, steps of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      depth_multiplier: int, channels between the two for each of the inputs.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `depthwise_kernel` [*kernel_size, channels, depth_multiplier], `pointwise_kernel`, `bias` [filters].

    TF: `tf.keras.layers.SeparableConv1D`; no known difference.
    """

    _causal_allowed = True

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
                 depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
                 pointwise_initializer="glorot_uniform", bias_initializer="zeros", depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(1, **arguments_of(locals()))


class SeparableConv2D(_Separable):
    """A convolution of each channel by itself, then one of all channels at a point.

    Args:
      filters: int, channels of the outputs.
      kernel_size: int or ints, size of the window.
      strides: int or ints, steps of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      depth_multiplier: int, channels between the two for each of the inputs.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `depthwise_kernel` [*kernel_size, channels, depth_multiplier], `pointwise_kernel`, `bias` [filters].

    TF: `tf.keras.layers.SeparableConv2D`; no known difference.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1),
                 depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
                 pointwise_initializer="glorot_uniform", bias_initializer="zeros", depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(2, **arguments_of(locals()))
