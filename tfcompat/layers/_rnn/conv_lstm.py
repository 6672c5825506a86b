"""ConvLSTM1D, 2D, 3D: long short-term memory whose products are convolutions."""

import inspect
from typing import Any

from tfcompat import nn
from tfcompat._core.shape import TensorShape
from tfcompat.array import concat, reshape, shape, split, zeros
from tfcompat.layers._layer.arguments import arguments_of
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.settings import normalize_data_format
from tfcompat.layers._layer.windows import (
    joined,
    normalize_padding,
    normalize_tuple,
    output_length,
    tf_data_format,
)
from tfcompat.layers._rnn.cells import LSTMCell
from tfcompat.layers._rnn.recurrent_kinds import _of_cell, _WithCell


class _ConvLSTMCell(LSTMCell):
    """One step: an LSTM's, with a convolution in place of each product with a matrix."""

    def __init__(self, rank, filters, kernel_size, strides, padding, data_format, dilation_rate, **options):
        options.update(implementation=1, name="conv_lstm_cell")
        super().__init__(filters, **options)
        self.rank = rank
        self.filters = filters
        self.kernel_size = normalize_tuple(kernel_size, rank, "kernel_size")
        self.strides = normalize_tuple(strides, rank, "strides", allow_zero=True)
        self.padding: Any = normalize_padding(padding)
        self.data_format = normalize_data_format(data_format)
        self.dilation_rate = normalize_tuple(dilation_rate, rank, "dilation_rate")
        self.state_size = (filters, filters)

    @property
    def _channel_axis(self):
        return -1 - self.rank if self.data_format == "channels_first" else -1

    def build(self, input_shape):
        channels: Any = input_shape[self._channel_axis]
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs (last axis) should be defined. Found None. Full input shape "
                f"received: input_shape={input_shape}"
            )
        width = 4 * self.filters
        self.kernel = self._add("kernel", "kernel", (*self.kernel_size, channels, width), self.kernel_initializer)
        self.recurrent_kernel = self._add(
            "recurrent_kernel", "recurrent", (*self.kernel_size, self.filters, width), self.recurrent_initializer
        )
        self.bias = self._add("bias", "bias", (width,), self._first_bias()) if self.use_bias else None
        self.built = True

    def _convolved(self, inputs, kernel, masks, **options):
        """The convolution of inputs, with any axes before that of the batch; of a mask for each gate, if there are."""
        if masks:
            kernels = split(kernel, 4, axis=self.rank + 1)
            results = [self._convolved(inputs * m, k, (), **options) for m, k in zip(masks, kernels, strict=True)]
            return concat(results, self._channel_axis)
        options["data_format"] = tf_data_format(self.data_format, self.rank)
        before = len(inputs.shape) - self.rank - 1
        if before == 1:
            return nn.convolution(inputs, kernel, **options)
        sizes: Any = shape(inputs)
        results: Any = nn.convolution(reshape(inputs, concat([[-1], sizes[before:]], 0)), kernel, **options)
        sizes_of_found: Any = shape(results)
        return reshape(results, concat([sizes[:before], sizes_of_found[1:]], 0))

    def _project(self, inputs, weights, masks):
        projected = self._convolved(
            inputs, weights[0], masks, strides=self.strides, padding=self.padding.upper(), dilations=self.dilation_rate
        )
        if not self.use_bias:
            return projected
        bias = weights[2]
        return projected + (reshape(bias, (-1, *[1] * self.rank)) if self.data_format == "channels_first" else bias)

    def _advance(self, projected, states, weights, masks: Any):
        gate, activation = self.recurrent_activation, self.activation
        z = projected + self._convolved(states[0], weights[1], masks, padding="SAME")
        take, keep, new, show = split(z, 4, axis=self._channel_axis)
        memory = gate(keep) * states[1] + gate(take) * activation(new)
        return [gate(show) * activation(memory), memory]

    def _sizes(self, sizes):
        """Spatial sizes, ints or tensors, after the convolution of the inputs."""
        return [
            output_length(size, window, self.padding, stride, dilation)
            for size, window, stride, dilation in zip(
                sizes, self.kernel_size, self.strides, self.dilation_rate, strict=True
            )
        ]

    def _options(self):
        options = super()._options()
        del options["units"], options["implementation"]
        first = {
            name: getattr(self, name)
            for name in ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")
        }
        return {**first, **options}


class ConvLSTM(_WithCell):
    """What ConvLSTM1D, 2D and 3D share."""

    _rank: int
    _own_cells = (_ConvLSTMCell,)
    filters = _of_cell("filters")
    kernel_size = _of_cell("kernel_size")
    strides = _of_cell("strides")
    padding = _of_cell("padding")
    data_format = _of_cell("data_format")
    dilation_rate = _of_cell("dilation_rate")
    recurrent_activation = _of_cell("recurrent_activation")
    unit_forget_bias = _of_cell("unit_forget_bias")

    def __init__(self, **options):
        if options.pop("unroll", False):
            raise TypeError("Unrolling is not possible with convolutional RNNs. Received: unroll=True")
        names = inspect.signature(_ConvLSTMCell).parameters.keys() | inspect.signature(LSTMCell).parameters.keys()
        of_cell = {name: options.pop(name) for name in names & options.keys()}
        super().__init__(_ConvLSTMCell(self._rank, **of_cell, dtype=options.get("dtype")), options)
        self.rank = self._rank
        self.input_spec = [InputSpec(ndim=self._rank + 3)]

    # --- states are pictures ------------------------------------------------------------------------------------

    def get_initial_state(self, inputs):
        """Zeros for both states, a list."""
        known, sizes = inputs.shape.as_list(), shape(inputs)
        sizes = [sizes[i] if size is None else size for i, size in enumerate(known)]
        return [zeros(self._state_shape(sizes), inputs.dtype) for _ in range(2)]

    def _state_shape(self, sizes):
        """The sizes of a state, a list, for the sizes of inputs."""
        cell: Any = self.cell
        spatial = sizes[3:] if cell.data_format == "channels_first" else sizes[2:-1]
        spatial = cell._sizes(spatial)
        if cell.data_format == "channels_first":
            return [sizes[0], cell.filters, *spatial]
        return [sizes[0], *spatial, cell.filters]

    def _first_states(self, batch_size, dtype):
        sizes: Any = self.input_spec[0].shape
        sizes_of_state = self._state_shape([batch_size, *sizes[1:]])
        if None in sizes_of_state:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size, and the sizes of pictures. Specify them in "
                f"`batch_input_shape` or `batch_shape`. Received inputs of shape {sizes}"
            )
        return [zeros(sizes_of_state, dtype) for _ in range(2)]

    def _build_cell(self, input_shape):
        self.cell.build(input_shape)  # its weights are named as if they were the layer's

    def _check_states(self):
        cell: Any = self.cell
        channels = list(cell.state_size)
        axis = 1 if cell.data_format == "channels_first" else self._rank + 1
        if self.state_spec is None:
            spatial = [None] * self._rank
            self.__dict__["state_spec"] = [
                InputSpec(shape=tuple(joined([None], spatial, size, cell.data_format).as_list())) for size in channels
            ]
        elif [spec.shape[axis] for spec in self.state_spec] != channels:
            raise ValueError(
                "An `initial_state` was passed that is not compatible with `cell.state_size`. Received state shapes "
                f"{[spec.shape for spec in self.state_spec]}. However `cell.state_size` is {cell.state_size}"
            )

    def _program(self, counts, nodes):
        return None

    def compute_output_shape(self, input_shape):
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        sizes = TensorShape(input_shape).as_list()
        state = self._state_shape(sizes)
        output = TensorShape([sizes[0], sizes[1], *state[1:]] if self.return_sequences else state)
        return [output, *[TensorShape(state)] * 2] if self.return_state else output


_DOC = """Long short-term memory whose products with matrices are convolutions of rank {rank}.

    Args:
      filters: int, number of channels of the states and of the outputs.
      kernel_size: int or {rank} ints, the window of both convolutions.
      strides, padding, dilation_rate: of the convolution of the inputs; that of the states is "same".
      data_format: "channels_last" or "channels_first".
      activation, recurrent_activation: names or functions, of the new values and of the gates.
      use_bias: bool.
      kernel_initializer, recurrent_initializer, bias_initializer: names or functions of (shape, dtype).
      unit_forget_bias: whether the bias of the forget gate starts with ones.
      kernel_regularizer, recurrent_regularizer, bias_regularizer, activity_regularizer: names or functions to a loss,
        or None.
      kernel_constraint, recurrent_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      return_sequences, return_state, go_backwards, stateful: see `RNN`.
      dropout, recurrent_dropout: share of the inputs and of the states that is dropped in training.
      **kwargs: those of `RNN`, but for `unroll`.

    Raises:
      ValueError: inputs of another rank than {inputs}; their channels are not known.
      TypeError: `unroll`.

    Inputs: floating tensor [batch, time, {sizes}, channels]. Outputs: [batch, {new}, filters], or those of all times;
      see `RNN`. The states are the last output and the memory.
    Weights: `kernel` [*kernel_size, channels, 4 * filters], `recurrent_kernel` [*kernel_size, filters, 4 * filters],
      `bias` [4 * filters].
    Gradient: of any order and in both modes.
    TF: `tf.keras.layers.ConvLSTM{rank}D`; no known difference.
    """


class ConvLSTM1D(ConvLSTM):
    __doc__ = _DOC.format(rank=1, inputs=4, sizes="steps", new="new steps")
    _rank = 1

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
                 activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
                 return_sequences=False, return_state=False, go_backwards=False, stateful=False, dropout=0.0,
                 recurrent_dropout=0.0, **kwargs):  # fmt: skip
        super().__init__(**arguments_of(locals()))


class ConvLSTM2D(ConvLSTM):
    __doc__ = _DOC.format(rank=2, inputs=5, sizes="height, width", new="new height, new width")
    _rank = 2

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1),
                 activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
                 return_sequences=False, return_state=False, go_backwards=False, stateful=False, dropout=0.0,
                 recurrent_dropout=0.0, **kwargs):  # fmt: skip
        super().__init__(**arguments_of(locals()))


class ConvLSTM3D(ConvLSTM):
    __doc__ = _DOC.format(rank=3, inputs=6, sizes="depth, height, width", new="new depth, height, width")
    _rank = 3

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format=None,
                 dilation_rate=(1, 1, 1), activation="tanh", recurrent_activation="hard_sigmoid",
                 use_bias=True, kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros",
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
                 return_sequences=False, return_state=False, go_backwards=False, stateful=False, dropout=0.0,
                 recurrent_dropout=0.0, **kwargs):  # fmt: skip
        super().__init__(**arguments_of(locals()))
