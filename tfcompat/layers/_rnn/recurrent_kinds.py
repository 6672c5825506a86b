"""SimpleRNN, LSTM, GRU."""

import inspect
from typing import Any

from tfcompat.errors import UnimplementedError
from tfcompat.layers import activations, regularizers
from tfcompat.layers._layer.arguments import arguments_of
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.naming import snake_case
from tfcompat.layers._rnn.cells import DropoutMasks, GRUCell, LSTMCell, SimpleRNNCell
from tfcompat.layers._rnn.recurrent import RNN
from tfcompat.math import sigmoid, tanh

# Keywords that reach the cell through `**kwargs`.
_ONLY_OF_CELL = ("enable_caching_device", "implementation")


def _of_cell(name):
    return property(lambda self: getattr(self.cell, name), doc=f"`{name}` of the cell.")


class _WithCell(RNN):
    """A recurrent layer that makes its own cell."""

    units = _of_cell("units")
    activation = _of_cell("activation")
    use_bias = _of_cell("use_bias")
    kernel_initializer = _of_cell("kernel_initializer")
    recurrent_initializer = _of_cell("recurrent_initializer")
    bias_initializer = _of_cell("bias_initializer")
    kernel_regularizer = _of_cell("kernel_regularizer")
    recurrent_regularizer = _of_cell("recurrent_regularizer")
    bias_regularizer = _of_cell("bias_regularizer")
    kernel_constraint = _of_cell("kernel_constraint")
    recurrent_constraint = _of_cell("recurrent_constraint")
    bias_constraint = _of_cell("bias_constraint")
    dropout: Any = _of_cell("dropout")
    recurrent_dropout: Any = _of_cell("recurrent_dropout")

    def __init__(self, cell, options):
        activity_regularizer = options.pop("activity_regularizer")
        super().__init__(cell, **options)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.input_spec = [InputSpec(ndim=3)]

    def call(self, inputs, mask=None, training=None, initial_state=None):
        return self._run(inputs, mask, training, initial_state)

    def get_config(self):
        options = self.cell._options()
        config = {**self._own_config(), **options}
        config["activity_regularizer"] = regularizers.serialize(self.activity_regularizer)
        return config

    @classmethod
    def from_config(cls, config):
        """The layer that `config`, from `get_config`, describes, with new weights."""
        return cls(**config)


def _with_cell(cell_class, arguments):
    """The cell of a recurrent layer, and the arguments that are left for the layer.

    Args:
      cell_class: class of the cell. It gets the arguments that its constructor names.
      arguments: dict of those of the layer's constructor.
    """
    names = inspect.signature(cell_class).parameters
    of_cell = {name: value for name, value in arguments.items() if name in (*names, *_ONLY_OF_CELL)}
    of_layer = {name: value for name, value in arguments.items() if name not in of_cell}
    of_both = {"dtype": arguments.get("dtype"), "trainable": arguments.get("trainable", True)}
    return cell_class(**of_cell, **of_both, name=snake_case(cell_class.__name__)), of_layer


class SimpleRNN(_WithCell):
    """A fully connected recurrent layer.

    Args:
      units: int, size of the state and the outputs.
      activation: name, function, or None for none.
      use_bias: bool.
      kernel_initializer, recurrent_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, recurrent_regularizer, bias_regularizer: names or functions from the weight to a loss,
        or None.
      activity_regularizer: name or function from the outputs to a loss, or None.
      kernel_constraint, recurrent_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      dropout, recurrent_dropout: share of the inputs and of the states that is dropped in training, the same at all
        times.
      return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.
      **kwargs: those of `RNN`.

    Raises:
      ValueError: `units` is not positive; inputs of another rank than 3; what `RNN` raises.

    Inputs: floating tensor [batch, time, n]. Outputs: [batch, units], or [batch, time, units]; see `RNN`.
    Weights: those of `SimpleRNNCell`.
    Gradient: of any order and in both modes.
    TF: `tf.keras.layers.SimpleRNN`; no known difference.
    """

    def __init__(self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0,
                 return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False,
                 **kwargs):  # fmt: skip
        kwargs.pop("implementation", None)
        super().__init__(*_with_cell(SimpleRNNCell, arguments_of(locals())))


class _Gated(DropoutMasks, _WithCell):
    """A recurrent layer with gates.

    Where TensorFlow has a fused kernel, the layer rather than the cell drops inputs, for each time separately.
    """

    recurrent_activation = _of_cell("recurrent_activation")
    implementation = _of_cell("implementation")
    _fused: bool

    def __init__(self, cell, options):
        if options.pop("return_runtime", False):
            raise UnimplementedError(
                None,
                None,
                f"{type(self).__name__}: `return_runtime` is not available in tfcompat: use a layer without it, there "
                "is one runtime",
            )
        self._set_up_masks(options, options.pop("seed", None))
        super().__init__(cell, options)
        # The conditions of Keras's fused kernel, `_could_use_gpu_kernel`.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/rnn/lstm.py
        self.__dict__["_fused"] = (
            cell.activation in (activations.tanh, tanh)
            and cell.recurrent_activation in (activations.sigmoid, sigmoid)
            and cell.recurrent_dropout == 0
            and not self.unroll
            and cell.use_bias
            and getattr(cell, "reset_after", True)
        )

    def _dropped_inputs(self, inputs, states, training):
        if not self._fused:
            return super()._dropped_inputs(inputs, states, training)
        self.reset_dropout_mask()
        masks = self.get_dropout_mask_for_cell(inputs, training, self.cell._gates)
        return (inputs if masks is None else inputs * masks[0]), [], []


class LSTM(_Gated):
    """Long short-term memory.

    Args:
      units: int, size of the two states and of the outputs.
      activation, recurrent_activation: names or functions, of the new values and of the gates.
      use_bias: bool.
      kernel_initializer, recurrent_initializer, bias_initializer: names or functions of (shape, dtype).
      unit_forget_bias: whether the bias of the forget gate starts with ones.
      kernel_regularizer, recurrent_regularizer, bias_regularizer: names or functions from the weight to a loss,
        or None.
      activity_regularizer: name or function from the outputs to a loss, or None.
      kernel_constraint, recurrent_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      dropout, recurrent_dropout: share of the inputs and of the states that is dropped in training.
      return_sequences, return_state, go_backwards, stateful, time_major, unroll: see `RNN`.
      **kwargs: those of `RNN`; `implementation`: see `LSTMCell`; `seed`: int, for dropout.

    Raises:
      ValueError: `units` is not positive; inputs of another rank than 3; what `RNN` raises.

    Inputs: floating tensor [batch, time, n]. Outputs: [batch, units], or [batch, time, units]; see `RNN`. The states
      are the last output and the memory.
    Weights: those of `LSTMCell`.
    Gradient: of any order and in both modes.
    TF: `tf.keras.layers.LSTM`; `return_runtime` is not available.
    """

    unit_forget_bias = _of_cell("unit_forget_bias")

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
                 dropout=0.0, recurrent_dropout=0.0, return_sequences=False, return_state=False, go_backwards=False,
                 stateful=False, time_major=False, unroll=False, **kwargs):  # fmt: skip
        super().__init__(*_with_cell(LSTMCell, arguments_of(locals())))
        self.__dict__["state_spec"] = [InputSpec(shape=(None, size)) for size in self.cell.state_size]


class GRU(_Gated):
    """Gated recurrent unit.

    Args:
      units: int, size of the state and the outputs.
      activation, recurrent_activation: names or functions, of the new values and of the gates.
      use_bias: bool.
      kernel_initializer, recurrent_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, recurrent_regularizer, bias_regularizer: names or functions from the weight to a loss,
        or None.
      activity_regularizer: name or function from the outputs to a loss, or None.
      kernel_constraint, recurrent_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      dropout, recurrent_dropout: share of the inputs and of the states that is dropped in training.
      return_sequences, return_state, go_backwards, stateful, unroll, time_major: see `RNN`.
      reset_after: see `GRUCell`.
      **kwargs: those of `RNN`; `implementation`: see `GRUCell`; `seed`: int, for dropout.

    Raises:
      ValueError: `units` is not positive; inputs of another rank than 3; what `RNN` raises.

    Inputs: floating tensor [batch, time, n]. Outputs: [batch, units], or [batch, time, units]; see `RNN`.
    Weights: those of `GRUCell`.
    Gradient: of any order and in both modes.
    TF: `tf.keras.layers.GRU`; `return_runtime` is not available.
    """

    reset_after = _of_cell("reset_after")

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0,
                 recurrent_dropout=0.0, return_sequences=False, return_state=False, go_backwards=False, stateful=False,
                 unroll=False, time_major=False, reset_after=True, **kwargs):  # fmt: skip
        super().__init__(*_with_cell(GRUCell, arguments_of(locals())))
