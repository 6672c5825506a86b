"""Convolutions, plain and transposed."""

from typing import Any

from tfcompat import nn
from tfcompat._core.shape import TensorShape
from tfcompat.array import pad, reshape, shape
from tfcompat.layers import activations, constraints, initializers, regularizers
from tfcompat.layers._layer.arguments import arguments_of
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.settings import normalize_data_format
from tfcompat.layers._layer.windows import (
    joined,
    normalize_padding,
    normalize_tuple,
    output_length,
    split,
    tf_data_format,
    transposed_length,
)
from tfcompat.math import add


class Conv(Layer):
    """What all convolutions share: options, bias, activation."""

    _rank: int
    _causal_allowed = False
    kernel: Any
    bias: Any

    def __init__(
        self,
        rank,
        filters,
        kernel_size,
        strides=1,
        padding="valid",
        data_format=None,
        dilation_rate=1,
        groups=1,
        activation=None,
        use_bias=True,
        kernel_initializer="glorot_uniform",
        bias_initializer="zeros",
        kernel_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        kernel_constraint=None,
        bias_constraint=None,
        **kwargs,
    ):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.rank = rank
        filters = int(filters) if isinstance(filters, float) else filters
        if filters is not None and filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. Received "
                f"filters={filters}."
            )
        self.filters = filters
        self.groups = groups or 1
        self.kernel_size = normalize_tuple(kernel_size, rank, "kernel_size")
        self.strides = normalize_tuple(strides, rank, "strides", allow_zero=True)
        self.padding = normalize_padding(padding)
        self.data_format = normalize_data_format(data_format)
        self.dilation_rate = normalize_tuple(dilation_rate, rank, "dilation_rate")
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=rank + 2)
        self._validate_init()
        self._tf_data_format = tf_data_format(self.data_format, rank)

    def _validate_init(self):
        if self.filters is not None and self.filters % self.groups != 0:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. Received: "
                f"groups={self.groups}, filters={self.filters}"
            )
        if not all(self.strides):
            raise ValueError(f"The argument `strides` cannot contains 0(s). Received: {self.strides}")
        if self.padding == "causal" and not self._causal_allowed:
            raise ValueError("Causal padding is only supported for `Conv1D`and `SeparableConv1D`.")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    # --- weights -------------------------------------------------------------------------------------------

    def _get_channel_axis(self):
        return -1 - self.rank if self.data_format == "channels_first" else -1

    def _get_input_channel(self, input_shape):
        return self._channels_of(input_shape)

    def _channels_of(self, input_shape, to=""):
        axis = self._get_channel_axis()
        channels: Any = TensorShape(input_shape)[axis]
        if channels is None:
            raise ValueError(
                f"The channel dimension of the inputs {to}should be defined. The input_shape received is "
                f"{input_shape}, where axis {axis} (0-based) is the channel dimension, which "
                "found to be `None`."
            )
        return int(channels)

    def _add(self, name, shape, kind):
        return self.add_weight(
            name,
            shape,
            initializer=getattr(self, f"{kind}_initializer"),
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
        )

    def build(self, input_shape):
        input_shape = TensorShape(input_shape)
        channels = self._get_input_channel(input_shape)
        if channels % self.groups != 0:
            raise ValueError(
                "The number of input channels must be evenly divisible by the number of groups. Received "
                f"groups={self.groups}, but the input has {channels} channels (full input shape is "
                f"{input_shape})."
            )
        self.compute_output_shape(input_shape)
        self.kernel = self._add(
            "kernel", (*self.kernel_size, channels // self.groups, self.filters), "kernel"
        )
        self.bias = self._add("bias", (self.filters,), "bias") if self.use_bias else None
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._get_channel_axis(): channels})
        super().build(input_shape)

    # --- the computation -----------------------------------------------------------------------------------

    def convolution_op(self, inputs, kernel):
        """The convolution itself, which a subclass may replace."""
        padding = self.padding
        if isinstance(padding, str):
            padding = "VALID" if padding == "causal" else padding.upper()
        return nn.convolution(
            inputs,
            kernel,
            strides=list(self.strides),
            padding=padding,
            dilations=list(self.dilation_rate),
            data_format=self._tf_data_format,
        )

    def call(self, inputs: Any):
        if self.padding == "causal":
            inputs = pad(inputs, self._compute_causal_padding(inputs))
        convolve = self._jit_compiled_convolution_op if self.groups > 1 else self.convolution_op
        return self._finished(convolve(inputs, self.kernel))

    # A method of its own, since subclasses override it: Keras compiles grouped convolutions, for which TF has no CPU
    # kernel.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/convolutional/base_conv.py
    def _jit_compiled_convolution_op(self, inputs, kernel):
        return self.convolution_op(inputs, kernel)

    def _finished(self, outputs):
        """With bias and activation."""
        if self.use_bias:
            bias = self.bias
            if self.data_format == "channels_first":
                bias = reshape(bias, (-1, *[1] * self.rank))
            outputs = add(outputs, bias)
        return outputs if self.activation is None else self.activation(outputs)

    def _compute_causal_padding(self, inputs):
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        batch = [[0, 0]] * (inputs.shape.rank - 2)
        if self.data_format == "channels_first":
            return [*batch, [0, 0], [before, 0]]
        return [*batch, [before, 0], [0, 0]]

    def _spatial(self, sizes):
        return self._spatial_output_shape(sizes)

    def _spatial_output_shape(self, spatial_input_shape):
        # Programs that build layers by hand may give fewer axes, or only the number of channels.
        return [
            output_length(size, window, self.padding, stride, dilation)
            for size, window, stride, dilation in zip(
                spatial_input_shape, self.kernel_size, self.strides, self.dilation_rate, strict=False
            )
        ]

    def _channels_out(self, channels):
        return self.filters

    def compute_output_shape(self, input_shape):
        batch, spatial, channels = split(input_shape, self.rank, self.data_format)
        try:
            return joined(batch, self._spatial(spatial), self._channels_out(channels), self.data_format)
        except ValueError:
            raise ValueError(
                f"One of the dimensions in the output is <= 0 due to downsampling in {self.name}. Consider "
                f"increasing the input size. Received input shape {TensorShape(input_shape).as_list()} which "
                "would produce output shape with a zero or negative value in a dimension."
            ) from None

    def get_config(self):
        return {
            **super().get_config(),
            "filters": self.filters,
            "kernel_size": self.kernel_size,
            "strides": self.strides,
            "padding": self.padding,
            "data_format": self.data_format,
            "dilation_rate": self.dilation_rate,
            "groups": self.groups,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            **self._config_of("kernel", "bias"),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
        }

    def _config_of(self, *kinds):
        config = {}
        for kind in kinds:
            config[f"{kind}_initializer"] = initializers.serialize(getattr(self, f"{kind}_initializer"))
            config[f"{kind}_regularizer"] = regularizers.serialize(getattr(self, f"{kind}_regularizer"))
            config[f"{kind}_constraint"] = constraints.serialize(getattr(self, f"{kind}_constraint"))
        return config


class Conv1D(Conv):
    """A convolution over 1 spatial axis.

    Args:
      filters: int, channels of the outputs.
      kernel_size: int or ints, size of the window.
      strides: int or ints, steps of the window.
      padding: "valid" or "same", or "causal": no output sees later inputs.
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      groups: int, parts that the channels are divided into, each with filters of its own.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `kernel` [*kernel_size, channels / groups, filters], `bias` [filters].

    TF: `tf.keras.layers.Conv1D`; no known difference.
    """

    _causal_allowed = True

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1,
                 groups=1, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(1, **arguments_of(locals()))


class Conv2D(Conv):
    """A convolution over 2 spatial axes.

    Args:
      filters: int, channels of the outputs.
      kernel_size: int or ints, size of the window.
      strides: int or ints, steps of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      groups: int, parts that the channels are divided into, each with filters of its own.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `kernel` [*kernel_size, channels / groups, filters], `bias` [filters].

    TF: `tf.keras.layers.Conv2D`; no known difference.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1),
                 groups=1, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(2, **arguments_of(locals()))


class Conv3D(Conv):
    """A convolution over 3 spatial axes.

    Args:
      filters: int, channels of the outputs.
      kernel_size: int or ints, size of the window.
      strides: int or ints, steps of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      groups: int, parts that the channels are divided into, each with filters of its own.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `kernel` [*kernel_size, channels / groups, filters], `bias` [filters].

    TF: `tf.keras.layers.Conv3D`; no known difference.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1,
                 1), groups=1, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(3, **arguments_of(locals()))


class _Transposed(Conv):
    """The transpose of a convolution: what a convolution with the same options shrinks grows again."""

    def __init__(self, rank, output_padding=None, **kwargs):
        super().__init__(rank, **kwargs)
        self.output_padding: Any = output_padding
        if output_padding is not None:
            self.output_padding = normalize_tuple(output_padding, rank, "output_padding", allow_zero=True)
            if any(more >= stride for more, stride in zip(self.output_padding, self.strides, strict=True)):
                raise ValueError(
                    f"Strides must be greater than output padding. Received strides={self.strides}, "
                    f"output_padding={self.output_padding}."
                )

    def build(self, input_shape):
        input_shape = TensorShape(input_shape)
        if input_shape.rank != self.rank + 2:
            raise ValueError(f"Inputs should have rank {self.rank + 2}. Received input_shape={input_shape}.")
        channels = self._channels_of(input_shape, f"to `{type(self).__name__}` ")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._get_channel_axis(): channels})
        self.kernel = self._add("kernel", (*self.kernel_size, self.filters, channels), "kernel")
        self.bias = self._add("bias", (self.filters,), "bias") if self.use_bias else None
        Layer.build(self, input_shape)

    def call(self, inputs: Any):
        known = self.compute_output_shape(inputs.shape).as_list()
        sizes: Any = shape(inputs) if None in inputs.shape.as_list() else None
        target = [size if size is not None else sizes[i] for i, size in enumerate(known)]
        outputs = nn.conv_transpose(
            inputs,
            self.kernel,
            target,
            strides=list(self.strides),
            padding=self.padding.upper(),
            data_format=self._tf_data_format,
            dilations=list(self.dilation_rate),
        )
        return self._finished(outputs)

    def _spatial(self, sizes):
        more = self.output_padding or (None,) * self.rank
        return [
            transposed_length(size, window, self.padding, extra, stride, dilation)
            for size, window, extra, stride, dilation in zip(
                sizes, self.kernel_size, more, self.strides, self.dilation_rate, strict=True
            )
        ]

    def get_config(self):
        return {**super().get_config(), "output_padding": self.output_padding}


class Conv1DTranspose(_Transposed):
    """The transpose of `Conv1D`.

    Args:
      filters: int, channels of the outputs.
      kernel_size: int or ints, size of the window.
      strides: int or ints, steps of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      output_padding: int or ints, less than the strides, added to the sizes of the outputs; or None.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `kernel` [*kernel_size, filters, channels], `bias` [filters].

    TF: `tf.keras.layers.Conv1DTranspose`; no known difference.
    """

    def __init__(self, filters, kernel_size, strides=1, padding="valid", output_padding=None, data_format=None,
                 dilation_rate=1, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(1, **arguments_of(locals()))


class Conv2DTranspose(_Transposed):
    """The transpose of `Conv2D`.

    Args:
      filters: int, channels of the outputs.
      kernel_size: int or ints, size of the window.
      strides: int or ints, steps of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      output_padding: int or ints, less than the strides, added to the sizes of the outputs; or None.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `kernel` [*kernel_size, filters, channels], `bias` [filters].

    TF: `tf.keras.layers.Conv2DTranspose`; no known difference.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", output_padding=None, data_format=None,
                 dilation_rate=(1, 1), activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(2, **arguments_of(locals()))


class Conv3DTranspose(_Transposed):
    """The transpose of `Conv3D`.

    Args:
      filters: int, channels of the outputs.
      kernel_size: int or ints, size of the window.
      strides: int or ints, steps of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      dilation_rate: int or ints, distance of the window's elements; not together with strides.
      output_padding: int or ints, less than the strides, added to the sizes of the outputs; or None.
      activation, use_bias, ...: as for `Dense`.

    Raises:
      ValueError: an option out of range; inputs without a known number of channels.

    Weights: `kernel` [*kernel_size, filters, channels], `bias` [filters].

    TF: `tf.keras.layers.Conv3DTranspose`; no known difference.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", output_padding=None, data_format=None,
                 dilation_rate=(1, 1, 1), activation=None, use_bias=True, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):  # fmt: skip
        super().__init__(3, **arguments_of(locals()))
