"""LocallyConnected1D, 2D: convolutions with a kernel of its own for each place."""

from typing import Any

import numpy as np

from tfcompat._core.shape import TensorShape
from tfcompat.array import gather, reshape, scatter_nd, shape, transpose
from tfcompat.layers import activations, constraints, initializers, regularizers
from tfcompat.layers._layer.arguments import arguments_of
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.settings import normalize_data_format
from tfcompat.layers._layer.windows import joined, normalize_padding, normalize_tuple, output_length, split
from tfcompat.linalg import einsum, matmul

_KINDS = {"initializer": initializers, "regularizer": regularizers, "constraint": constraints}
_OF_WEIGHTS = {f"{name}_{kind}": module for kind, module in _KINDS.items() for name in ("kernel", "bias")}


class LocallyConnected(Layer):
    """What LocallyConnected1D and 2D share."""

    _rank: int
    kernel: Any
    bias: Any

    def __init__(
        self,
        filters,
        kernel_size,
        strides,
        padding,
        data_format,
        activation,
        use_bias,
        activity_regularizer,
        implementation,
        **kwargs,
    ):
        of_weights = {name: kwargs.pop(name) for name in _OF_WEIGHTS}
        super().__init__(**kwargs)
        self.filters = filters
        self.kernel_size = normalize_tuple(kernel_size, self._rank, "kernel_size")
        self.strides = normalize_tuple(strides, self._rank, "strides", allow_zero=True)
        self.padding = normalize_padding(padding)
        if self.padding != "valid" and implementation == 1:
            raise ValueError(
                f"Invalid border mode for {type(self).__name__} (only \"valid\" is supported if implementation is 1): "
                f"{padding}"
            )
        self.data_format = normalize_data_format(data_format)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        for name, value in of_weights.items():
            setattr(self, name, _OF_WEIGHTS[name].get(value))
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.implementation = implementation
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def build(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        _, spatial, channels = split(sizes, self._rank, self.data_format)
        if None in (*spatial, channels):
            raise ValueError(
                f"The spatial dimensions and channels of the inputs to a {type(self).__name__} layer should be "
                f"fully-defined, but layer received the inputs shape {tuple(sizes)}"
            )
        places = self._places(spatial)
        if min(places) <= 0:
            raise ValueError(
                f"One of the dimensions in the output is <= 0 due to downsampling in {self.name}. Consider increasing "
                f"the input size. Received input shape {tuple(sizes)} which would produce output shape with a zero or "
                "negative value in a dimension."
            )
        self.kernel_shape, connections = self._connections(spatial, places, channels)
        self.__dict__["_connected"] = connections
        self.kernel = self._add("kernel", self.kernel_shape)
        self.bias = self._add("bias", (*places, self.filters)) if self.use_bias else None
        axis = 1 if self.data_format == "channels_first" else -1
        self.input_spec = InputSpec(ndim=self._rank + 2, axes={axis: channels})
        super().build(input_shape)

    def _add(self, name, shape):
        return self.add_weight(name, shape=shape, **{kind: getattr(self, f"{name}_{kind}") for kind in _KINDS})

    def _places(self, spatial) -> Any:
        return [
            output_length(size, window, self.padding, stride)
            for size, window, stride in zip(spatial, self.kernel_size, self.strides, strict=True)
        ]

    def _connections(self, spatial, places, channels):
        """(shape of the kernel, what else the computation needs: host arrays)."""
        last = self.data_format == "channels_last"
        sizes = [*spatial, channels] if last else [channels, *spatial]
        if self.implementation == 1:
            numbers = np.arange(np.prod(sizes)).reshape(sizes)
            rows = []
            for place in np.ndindex(*places):
                window = [
                    slice(p * stride, p * stride + width)
                    for p, stride, width in zip(place, self.strides, self.kernel_size, strict=True)
                ]
                rows.append(numbers[(*window,) if last else (slice(None), *window)].ravel())
            taken = np.stack(rows)
            return (*taken.shape, self.filters), taken
        whole = [*places, self.filters] if last else [self.filters, *places]
        connected = np.zeros([*spatial, *places], bool)
        for place in np.ndindex(*places):
            connected[(*(slice(*pair) for pair in self._window_at(place, spatial)), *place)] = True
        connected = np.expand_dims(connected, (self._rank, -1) if last else (0, self._rank + 1))
        if self.implementation == 2:
            return (*sizes, *whole), connected.astype("float32")
        if self.implementation == 3:
            all_of_them = np.broadcast_to(connected, (*sizes, *whole)).reshape(np.prod(sizes), -1)
            pairs = np.argwhere(all_of_them.T)  # in the order of outputs, then of inputs
            return (len(pairs),), (pairs, [int(np.prod(whole)), int(np.prod(sizes))])
        raise ValueError(f"Unrecognized implementation mode: {self.implementation}.")

    def _window_at(self, place, spatial):
        """(first, end) along each axis of the inputs that an output is connected with."""
        for p, stride, width, size in zip(place, self.strides, self.kernel_size, spatial, strict=True):
            before = width // 2
            center = p * stride + (before if self.padding == "valid" else 0)
            yield max(0, center - before), min(size, center + width - before)

    def call(self, inputs):
        _, spatial, _ = split(inputs.shape, self._rank, self.data_format)
        places = self._places(spatial)
        flat = reshape(inputs, (shape(inputs)[0], -1))
        last = self.data_format == "channels_last"
        whole = [*places, self.filters] if last else [self.filters, *places]
        connections: Any = self.__dict__["_connected"]
        if self.implementation == 1:
            outputs = einsum("npk,pkf->npf", gather(flat, connections, axis=1), self.kernel)
            outputs = outputs if last else transpose(outputs, [0, 2, 1])
        elif self.implementation == 2:
            outputs = matmul(flat, reshape(connections.astype(self.kernel.dtype.np) * self.kernel, (flat.shape[1], -1)))
        else:
            pairs, sizes = connections
            outputs = matmul(flat, scatter_nd(pairs, self.kernel, sizes), transpose_b=True)
        outputs = reshape(outputs, (-1, *whole))
        if self.use_bias:
            order = [self._rank, *range(self._rank)]
            outputs = outputs + (self.bias if last else transpose(self.bias, order))
        return self.activation(outputs)

    def compute_output_shape(self, input_shape):
        batch, spatial, _ = split(input_shape, self._rank, self.data_format)
        return joined(batch, self._places(spatial), self.filters, self.data_format)

    def get_config(self):
        return {
            **super().get_config(),
            "filters": self.filters,
            "kernel_size": self.kernel_size,
            "strides": self.strides,
            "padding": self.padding,
            "data_format": self.data_format,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            **{name: module.serialize(getattr(self, name)) for name, module in _OF_WEIGHTS.items()},
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "implementation": self.implementation,
        }


class LocallyConnected1D(LocallyConnected):
    """A convolution of rank 1 with a kernel of its own for each place.

    Args:
      filters: int, number of channels of the outputs.
      kernel_size: int or 1 ints.
      strides: int or 1 ints.
      padding: "valid"; "same", too, with `implementation` 2 or 3.
      data_format: "channels_last" or "channels_first".
      activation: name, function, or None for none.
      use_bias: bool.
      kernel_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, bias_regularizer, activity_regularizer: names or functions to a loss, or None.
      kernel_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      implementation: 1, the kernel is [places, kernel_size * channels, filters]; 2, it is that of a dense layer, most
        of which is not used; 3, it is a vector of what 2 uses.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: "same" with `implementation` 1; sizes of the inputs that are not known, or too small.

    Inputs: floating tensor [batch, steps, channels]. Outputs: [batch, new steps, filters].
    Weights: `kernel`, `bias` [places, filters].
    Gradient: of any order and in both modes.
    TF: `tf.keras.layers.LocallyConnected1D`; no known difference.
    """

    _rank = 1

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, activation=None,
                 use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 implementation=1, **kwargs):  # fmt: skip
        super().__init__(**arguments_of(locals()))


class LocallyConnected2D(LocallyConnected):
    """A convolution of rank 2 with a kernel of its own for each place.

    Args:
      filters: int, number of channels of the outputs.
      kernel_size: int or 2 ints.
      strides: int or 2 ints.
      padding: "valid"; "same", too, with `implementation` 2 or 3.
      data_format: "channels_last" or "channels_first".
      activation: name, function, or None for none.
      use_bias: bool.
      kernel_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, bias_regularizer, activity_regularizer: names or functions to a loss, or None.
      kernel_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      implementation: 1, the kernel is [places, kernel_size * channels, filters]; 2, it is that of a dense layer, most
        of which is not used; 3, it is a vector of what 2 uses.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: "same" with `implementation` 1; sizes of the inputs that are not known, or too small.

    Inputs: floating tensor [batch, height, width, channels]. Outputs: [batch, new height, new width, filters].
    Weights: `kernel`, `bias` [new height, new width, filters].
    Gradient: of any order and in both modes.
    TF: `tf.keras.layers.LocallyConnected2D`; no known difference.
    """

    _rank = 2

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, activation=None,
                 use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 implementation=1, **kwargs):  # fmt: skip
        super().__init__(**arguments_of(locals()))
