"""Cells, one step of a recurrent layer each: SimpleRNNCell, LSTMCell, GRUCell, StackedRNNCells, AbstractRNNCell."""

import inspect
from typing import Any

from tfcompat import engine, nest, nn
from tfcompat._core.name_scope import name_scope
from tfcompat._core.shape import TensorShape
from tfcompat.array import concat, ones_like, split, unstack, where
from tfcompat.errors import UnimplementedError
from tfcompat.layers import activations, constraints, initializers, regularizers
from tfcompat.layers._layer import random_layer as _random_layer
from tfcompat.layers._layer import registry as _registry
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.overrides import overridden
from tfcompat.layers._layer.shapes import as_tuples
from tfcompat.layers._rnn.steps import is_multiple, zero_state
from tfcompat.linalg import matmul, tensordot

_WEIGHTS = ("kernel", "recurrent", "bias")


class AbstractRNNCell(Layer):
    """The base of cells of one's own: `call`, and the properties `state_size` and `output_size`.

    TF: `tf.keras.layers.AbstractRNNCell`; no known difference.
    """

    def call(self, inputs, states):
        """(output, next states) of the input of one time and the states before; for subclasses."""
        raise NotImplementedError

    @property
    def state_size(self):
        """int, shape, or list or tuple of these: the sizes of the states, without the batch axis."""
        raise NotImplementedError

    @property
    def output_size(self):
        """int or shape: the size of the outputs, without the batch axis."""
        raise NotImplementedError

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Zeros for each state, for the batch of `inputs`, or for `batch_size` and `dtype`."""
        return initial_state(self, inputs, batch_size, dtype)


def initial_state(cell, inputs, batch_size, dtype) -> Any:
    """Zeros for each state of a cell, for the batch of `inputs`, or for `batch_size` and `dtype`."""
    if inputs is not None:
        batch_size, dtype = inputs.shape[0], inputs.dtype
    return zero_state(batch_size, cell.state_size, dtype)


class _KeptMasks:
    """Dropout masks by the graph they were made in; copies are empty."""

    def __init__(self):
        self.of_graph = {}

    def __deepcopy__(self, memo):
        return _KeptMasks()

    def get(self, make):
        """The masks made in this graph or one around it; new ones if there are none."""
        graph: Any = engine.state.graph
        around = graph
        while around is not None:
            key = around if around.symbolic else None
            if key in self.of_graph:
                return self.of_graph[key]
            around = around.parent if key is not None else None
        made = self.of_graph[graph if graph.symbolic else None] = make()
        return made


class DropoutMasks:
    """Dropout of inputs and states with masks that are the same at all times.

    The masks stay until they are reset; recurrent layers reset them at each call.
    """

    _next_seed: Any
    dropout: float
    recurrent_dropout: float

    def _set_up_masks(self, kwargs, seed=None):
        for keyword in ("rng_type", "force_generator"):
            if kwargs.pop(keyword, None):
                raise UnimplementedError(
                    None,
                    None,
                    f"{type(self).__name__}: `{keyword}` is not available in tfcompat: use `seed` or "
                    "tf.random.set_seed",
                )
        self.__dict__.update(_next_seed=seed, _kept=_KeptMasks(), _kept_recurrent=_KeptMasks())

    def reset_dropout_mask(self):
        """Forgets the mask of the inputs, so that the next call makes another."""
        self.__dict__["_kept"] = _KeptMasks()

    def reset_recurrent_dropout_mask(self):
        """Forgets the mask of the states, so that the next call makes another."""
        self.__dict__["_kept_recurrent"] = _KeptMasks()

    def get_dropout_mask_for_cell(self, inputs, training, count=1) -> Any:
        """The mask, or list of `count` masks, for inputs like `inputs`; None without dropout."""
        if self.dropout == 0:
            return None
        return self.__dict__["_kept"].get(lambda: self._create_dropout_mask(inputs, training, count))

    def get_recurrent_dropout_mask_for_cell(self, inputs, training, count=1):
        """The mask, or list of `count` masks, for states like `inputs`; None without recurrent dropout."""
        if self.recurrent_dropout == 0:
            return None
        masks = self.__dict__["_kept_recurrent"]
        return masks.get(lambda: self._create_recurrent_dropout_mask(inputs, training, count))

    def _create_dropout_mask(self, inputs, training, count=1):
        return self._masks(inputs, self.dropout, training, count)

    def _create_recurrent_dropout_mask(self, inputs, training, count=1):
        return self._masks(inputs, self.recurrent_dropout, training, count)

    def _masks(self, inputs, rate, training, count):
        masks = [self._mask(ones_like(inputs), rate, training) for _ in range(count)]
        return masks if count > 1 else masks[0]

    def _mask(self, ones, rate, training):
        training = _settings.learning_phase() if training is None else training
        try:
            known = bool(training)
        except TypeError:
            return where(training, self._dropped(ones, rate), ones)
        return self._dropped(ones, rate) if known else ones

    def _dropped(self, ones, rate):
        return nn.dropout(ones, rate=rate, seed=_random_layer.taken_seed(self))


class Cell(DropoutMasks, Layer):
    """The base of the cells that come with Keras.

    A step is made of what depends on the input alone, which a recurrent layer computes for all times at once, and
    of what depends on the states: `_project` and `_advance`. Both are functions of the weights, and of the masks
    for dropout, a list of one for all gates, of one for each, or of none.
    """

    kernel: Any
    recurrent_kernel: Any
    bias: Any
    activation: Any
    kernel_initializer: Any
    recurrent_initializer: Any
    bias_initializer: Any
    _gates = 1

    def __init__(
        self,
        units,
        use_bias,
        initializers_by_weight,
        regularizers_by_weight,
        constraints_by_weight,
        dropout,
        recurrent_dropout,
        kwargs,
    ):
        if units <= 0:
            raise ValueError(
                "Received an invalid value for argument `units`, expected a positive integer, got "
                f"{units}."
            )
        caching = kwargs.pop("enable_caching_device", True)
        seed = kwargs.pop("seed", None)
        self._set_up_masks(kwargs, seed)
        Layer.__init__(self, **kwargs)
        self._enable_caching_device = caching
        self.units = units
        self.use_bias = use_bias
        for name, initializer in zip(_WEIGHTS, initializers_by_weight, strict=True):
            setattr(self, f"{name}_initializer", initializers.get(initializer))
        for name, regularizer in zip(_WEIGHTS, regularizers_by_weight, strict=True):
            setattr(self, f"{name}_regularizer", regularizers.get(regularizer))
        for name, constraint in zip(_WEIGHTS, constraints_by_weight, strict=True):
            setattr(self, f"{name}_constraint", constraints.get(constraint))
        # Keras clips shares instead of refusing them.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/rnn/simple_rnn.py
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        self.state_size: Any = units
        self.output_size = units

    def _bias_shape(self):
        return (self._gates * self.units,)

    def _first_bias(self):
        return self.bias_initializer

    def build(self, input_shape):
        super().build(input_shape)
        sizes: Any = input_shape if input_shape is None else TensorShape(input_shape).as_list()
        width = self._gates * self.units
        self.kernel = self._add("kernel", "kernel", (sizes[-1], width), self.kernel_initializer)
        self.recurrent_kernel = self._add(
            "recurrent_kernel", "recurrent", (self.units, width), self.recurrent_initializer
        )
        self.bias = None
        if self.use_bias:
            self.bias = self._add("bias", "bias", self._bias_shape(), self._first_bias())

    def _add(self, name, kind, shape, initializer):
        return self.add_weight(
            name,
            shape=shape,
            initializer=initializer,
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
        )

    def _weights(self):
        return [self.kernel, self.recurrent_kernel, *([self.bias] if self.use_bias else ())]

    def masks(self, inputs, state, training) -> Any:
        """The masks for inputs and states like these, two lists; those of weights that drop nothing are empty."""
        by_weight = (
            self.get_dropout_mask_for_cell(inputs, training, self._gates),
            self.get_recurrent_dropout_mask_for_cell(state, training, self._gates),
        )
        by_weight = [[] if m is None else list(m) if isinstance(m, list) else [m] for m in by_weight]
        rates = (self.dropout, self.recurrent_dropout)
        return [m if self._gates == 1 or rate < 1 else [] for m, rate in zip(by_weight, rates, strict=True)]

    def call(self, inputs, states, training=None):
        several = nest.is_nested(states)
        states = list(states) if several else [states]
        masks, recurrent_masks = self.masks(inputs, states[0], training)
        projected = self._project(inputs, self._weights(), masks)
        new = self._advance(projected, states, self._weights(), recurrent_masks)
        return new[0], new if several else new[0]

    def _project(self, inputs, weights, masks):
        raise NotImplementedError

    def _advance(self, projected, states, weights, masks):
        raise NotImplementedError

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Zeros for each state, for the batch of `inputs`, or for `batch_size` and `dtype`."""
        return initial_state(self, inputs, batch_size, dtype)

    def _options(self):
        """The constructor's arguments that a recurrent layer hands on to its cell, in Keras's order."""
        cell: Any = self
        config: dict[str, Any] = {"units": self.units, "activation": activations.serialize(self.activation)}
        if hasattr(self, "recurrent_activation"):
            config["recurrent_activation"] = activations.serialize(cell.recurrent_activation)
        config["use_bias"] = self.use_bias
        for name in _WEIGHTS:
            initializer = getattr(self, f"{name}_initializer")
            config[f"{name}_initializer"] = initializers.serialize(initializer)
        if hasattr(self, "unit_forget_bias"):
            config["unit_forget_bias"] = cell.unit_forget_bias
        for name in _WEIGHTS:
            regularizer = getattr(self, f"{name}_regularizer")
            config[f"{name}_regularizer"] = regularizers.serialize(regularizer)
        for name in _WEIGHTS:
            constraint = getattr(self, f"{name}_constraint")
            config[f"{name}_constraint"] = constraints.serialize(constraint)
        config.update(dropout=self.dropout, recurrent_dropout=self.recurrent_dropout)
        for name in ("implementation", "reset_after"):
            if hasattr(self, name):
                config[name] = getattr(self, name)
        if not self._enable_caching_device:
            config["enable_caching_device"] = False
        return config

    def get_config(self):
        return {**super().get_config(), **self._options()}


def _product(inputs, kernel):
    rank = len(inputs.shape)
    return matmul(inputs, kernel) if rank == 2 else tensordot(inputs, kernel, [[rank - 1], [0]])


def _by_gate(x, kernel, masks, gates):
    """`x @ kernel`; of `x` times a mask, if there is one, or times one for each gate."""
    if len(masks) < 2:
        return _product(x * masks[0] if masks else x, kernel)
    parts = split(kernel, gates, axis=1)
    return concat([_product(x * m, part) for m, part in zip(masks, parts, strict=True)], axis=-1)


class SimpleRNNCell(Cell):
    """One step of a SimpleRNN: `activation(inputs @ kernel + bias + state @ recurrent_kernel)`.

    Args:
      units: int, size of state and output.
      activation: name, function, or None for none.
      use_bias: bool.
      kernel_initializer, recurrent_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, recurrent_regularizer, bias_regularizer: names or functions from the weight to a loss,
        or None.
      kernel_constraint, recurrent_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      dropout, recurrent_dropout: share of the inputs and of the states that is dropped in training.
      **kwargs: those of `Layer`; `seed`: int, for dropout.

    Raises:
      ValueError: `units` is not positive.

    Called on inputs [batch, n] and a list of one state, or the state; returns (output, states).
    Weights: `kernel` [n, units], `recurrent_kernel` [units, units], `bias` [units].
    TF: `tf.keras.layers.SimpleRNNCell`; no known difference.
    """

    def __init__(self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, **kwargs):  # fmt: skip
        super().__init__(
            units, use_bias, (kernel_initializer, recurrent_initializer, bias_initializer),
            (kernel_regularizer, recurrent_regularizer, bias_regularizer),
            (kernel_constraint, recurrent_constraint, bias_constraint),
            dropout, recurrent_dropout, kwargs,
        )  # fmt: skip
        self.activation = activations.get(activation)

    def _project(self, inputs, weights, masks):
        projected = _by_gate(inputs, weights[0], masks, 1)
        return projected + weights[2] if self.use_bias else projected

    def _advance(self, projected, states, weights, masks):
        return [self.activation(projected + _by_gate(states[0], weights[1], masks, 1))]


class _GatedCell(Cell):
    """A cell with gates, which has a second activation and two implementations."""

    recurrent_activation: Any

    def _choose(self, activation, recurrent_activation, implementation):
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.implementation = 1 if self.recurrent_dropout != 0 else implementation

    def masks(self, inputs, state, training) -> Any:
        masks, recurrent_masks = super().masks(inputs, state, training)
        if self.implementation != 1:
            return masks[:1], []
        return masks, recurrent_masks


class LSTMCell(_GatedCell):
    """One step of an LSTM.

    Args:
      units: int, size of the two states and of the output.
      activation, recurrent_activation: names or functions, of the new values and of the gates.
      use_bias: bool.
      kernel_initializer, recurrent_initializer, bias_initializer: names or functions of (shape, dtype).
      unit_forget_bias: whether the bias of the forget gate starts with ones.
      kernel_regularizer, recurrent_regularizer, bias_regularizer: names or functions from the weight to a loss,
        or None.
      kernel_constraint, recurrent_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      dropout, recurrent_dropout: share of the inputs and of the states that is dropped in training.
      **kwargs: those of `Layer`; `implementation`: 1, where each gate has a dropout mask of its own, or 2, the
        default; `seed`: int, for dropout.

    Raises:
      ValueError: `units` is not positive.

    Called on inputs [batch, n] and the list of the output and the memory before; returns (output, states).
    Weights: `kernel` [n, 4 * units], `recurrent_kernel` [units, 4 * units], `bias` [4 * units]; the gates are
      input, forget, new memory, output.
    TF: `tf.keras.layers.LSTMCell`; no known difference.
    """

    _gates = 4

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0,
                 recurrent_dropout=0.0, **kwargs):  # fmt: skip
        super().__init__(
            units, use_bias, (kernel_initializer, recurrent_initializer, bias_initializer),
            (kernel_regularizer, recurrent_regularizer, bias_regularizer),
            (kernel_constraint, recurrent_constraint, bias_constraint),
            dropout, recurrent_dropout, kwargs,
        )  # fmt: skip
        self._choose(activation, recurrent_activation, kwargs.get("implementation", 2))
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [units, units]

    def _first_bias(self):
        if not self.unit_forget_bias:
            return self.bias_initializer
        ones: Any = initializers.get("ones")

        def initializer(shape, dtype=None, **kwargs):
            units = self.units
            first = self.bias_initializer((units,), dtype=dtype, **kwargs)
            rest = self.bias_initializer((2 * units,), dtype=dtype, **kwargs)
            return concat([first, ones((units,), dtype=dtype), rest], axis=0)

        return initializer

    def _project(self, inputs, weights, masks):
        projected = _by_gate(inputs, weights[0], masks, 4)
        return projected + weights[2] if self.use_bias else projected

    def _advance(self, projected, states, weights, masks: Any):
        if overridden(self, LSTMCell, "_compute_carry_and_output", "_compute_carry_and_output_fused"):
            return self._advance_by_hooks(projected, states, weights, masks)
        gate, activation = self.recurrent_activation, self.activation
        z = projected + _by_gate(states[0], weights[1], masks, 4)
        take, keep, new, show = split(z, 4, axis=1)
        memory = gate(keep) * states[1] + gate(take) * activation(new)
        return [gate(show) * activation(memory), memory]

    def _advance_by_hooks(self, projected, states, weights, masks):
        if self.implementation == 1:
            hidden = [states[0] * m for m in masks] if masks else [states[0]] * 4
            memory, show = self._compute_carry_and_output(split(projected, 4, axis=1), hidden, states[1])
        else:
            z = projected + _product(states[0], weights[1])
            memory, show = self._compute_carry_and_output_fused(split(z, 4, axis=1), states[1])
        return [show * self.activation(memory), memory]

    def _compute_carry_and_output(self, x, h_tm1, c_tm1):
        kernels = split(self.recurrent_kernel, 4, axis=1)
        parts = zip(x, h_tm1, kernels, strict=True)
        return LSTMCell._compute_carry_and_output_fused(self, [a + _product(h, k) for a, h, k in parts], c_tm1)

    def _compute_carry_and_output_fused(self, z, c_tm1):
        gate = self.recurrent_activation
        take, keep, new, show = z
        return gate(keep) * c_tm1 + gate(take) * self.activation(new), gate(show)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """A list of two tensors of zeros, for the batch of `inputs`, or for `batch_size` and `dtype`."""
        return list(initial_state(self, inputs, batch_size, dtype))


class GRUCell(_GatedCell):
    """One step of a GRU.

    Args:
      units: int, size of state and output.
      activation, recurrent_activation: names or functions, of the new values and of the gates.
      use_bias: bool.
      kernel_initializer, recurrent_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, recurrent_regularizer, bias_regularizer: names or functions from the weight to a loss,
        or None.
      kernel_constraint, recurrent_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      dropout, recurrent_dropout: share of the inputs and of the states that is dropped in training.
      reset_after: whether the reset gate applies after the product with the recurrent kernel; then there are two
        rows of biases.
      **kwargs: those of `Layer`; `implementation`: 1, where each gate has a dropout mask of its own, or 2, the
        default; `seed`: int, for dropout.

    Raises:
      ValueError: `units` is not positive.

    Called on inputs [batch, n] and a list of one state, or the state; returns (output, states).
    Weights: `kernel` [n, 3 * units], `recurrent_kernel` [units, 3 * units], `bias` [2, 3 * units], or
      [3 * units] without `reset_after`; the gates are update, reset, new values.
    TF: `tf.keras.layers.GRUCell`; no known difference.
    """

    _gates = 3

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
                 kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, reset_after=True,
                 **kwargs):  # fmt: skip
        super().__init__(
            units, use_bias, (kernel_initializer, recurrent_initializer, bias_initializer),
            (kernel_regularizer, recurrent_regularizer, bias_regularizer),
            (kernel_constraint, recurrent_constraint, bias_constraint),
            dropout, recurrent_dropout, kwargs,
        )  # fmt: skip
        self._choose(activation, recurrent_activation, kwargs.get("implementation", 2))
        self.reset_after = reset_after

    def _bias_shape(self):
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def _project(self, inputs, weights, masks):
        projected = _by_gate(inputs, weights[0], masks, 3)
        if not self.use_bias:
            return projected
        return projected + (unstack(weights[2])[0] if self.reset_after else weights[2])

    def _advance(self, projected, states, weights, masks):
        gate, units, state = self.recurrent_activation, self.units, states[0]
        x_update, x_reset, x_new = split(projected, 3, axis=-1)
        if self.reset_after:
            recurrent = _by_gate(state, weights[1], masks, 3)
            if self.use_bias:
                recurrent = recurrent + unstack(weights[2])[1]
            update, reset, new = split(recurrent, 3, axis=-1)
            update, reset = gate(x_update + update), gate(x_reset + reset)
            new = reset * new
        else:
            gates, rest = split(weights[1], [2 * units, units], axis=1)
            update, reset = split(_by_gate(state, gates, masks[:2], 2), 2, axis=-1)
            update, reset = gate(x_update + update), gate(x_reset + reset)
            new = _product(reset * (state * masks[2] if masks else state), rest)
        new = self.activation(x_new + new)
        return [update * state + (1 - update) * new]


class StackedRNNCells(Layer):
    """Cells one on top of the other, as one cell.

    Args:
      cells: list of cells.
      **kwargs: those of `Layer`; `reverse_state_order`: whether states are listed from the last cell to the first.

    Raises:
      ValueError: one has no `call` or no `state_size`.

    TF: `tf.keras.layers.StackedRNNCells`; no known difference.
    """

    def __init__(self, cells, **kwargs):
        for cell in cells:
            check_cell(cell, "All cells")
        reverse = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)
        self.cells = cells
        self.reverse_state_order = reverse

    def _in_order_of_states(self):
        return self.cells[::-1] if self.reverse_state_order else self.cells

    @property
    def state_size(self):
        """The sizes of the states of each cell, a tuple."""
        return tuple(cell.state_size for cell in self._in_order_of_states())

    @property
    def output_size(self):
        """The size of the outputs of the last cell."""
        return output_size(self.cells[-1])

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """The first states of each cell, a tuple."""
        states = []
        for cell in self._in_order_of_states():
            get = getattr(cell, "get_initial_state", None)
            if get:
                states.append(get(inputs=inputs, batch_size=batch_size, dtype=dtype))
            else:
                states.append(initial_state(cell, inputs, batch_size, dtype))
        return tuple(states)

    def call(self, inputs, states, constants=None, training=None, **kwargs):
        sizes: Any = self.state_size[::-1] if self.reverse_state_order else self.state_size
        new_states = []
        packed: Any = nest.pack_sequence_as(sizes, nest.flatten(states))
        for cell, before in zip(self.cells, packed, strict=True):
            before = before if nest.is_nested(before) else [before]
            options = dict(kwargs)
            if takes(cell.call, "training"):
                options["training"] = training
            if takes(cell.call, "constants"):
                options["constants"] = constants
            function: Any = cell if callable(cell) else cell.call
            inputs, after = function(inputs, before, **options)
            new_states.append(after)
        return inputs, nest.pack_sequence_as(sizes, nest.flatten(new_states))

    def build(self, input_shape):
        super().build(input_shape)
        shape = as_tuples(input_shape[0] if isinstance(input_shape, list) else input_shape)
        for cell in self.cells:
            build_cell(cell, shape)
            batch, size = nest.flatten(shape)[0], output_size(cell)
            if nest.is_nested(size):
                shape = tuple((batch, *TensorShape(s).as_list()) for s in nest.flatten(size))
            else:
                shape = (batch, *TensorShape(size).as_list())

    def get_config(self):
        return {**super().get_config(), "cells": [_registry.serialize(cell) for cell in self.cells]}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The cells that `config`, from `get_config`, describes, with new weights."""
        config = dict(config)
        return cls([_registry.deserialize(cell, custom_objects) for cell in config.pop("cells")], **config)


def output_size(cell) -> Any:
    """The size of a cell's outputs, by default that of its first state."""
    try:
        size = getattr(cell, "output_size", None)
    except NotImplementedError:  # of a subclass of AbstractRNNCell
        size = None
    if size is not None:
        return size
    return cell.state_size[0] if is_multiple(cell.state_size) else cell.state_size


def build_cell(cell, shape):
    """Makes the weights of a cell for inputs of a shape, in a name scope of its own."""
    if isinstance(cell, Layer) and not cell.built:
        with name_scope(cell._name_scope()):
            cell.build(shape)
        cell.built = True


def check_cell(cell, owner, which=None):
    """Raises ValueError unless `cell` has `call` and `state_size`; the message begins with `owner`, or `which`."""
    known = dir(cell)
    if "call" not in known:
        raise ValueError(f"{owner} should have a `call` method. Received: cell={cell}")
    if "state_size" not in known:
        raise ValueError(
            f"{which or owner} should have a `state_size` attribute (tuple of integers, one integer per RNN state). "
            f"Received: cell={cell}"
        )


def takes(function, name):
    """Whether a function has a parameter of that name."""
    parameters = inspect.signature(function).parameters
    return name in parameters and parameters[name].kind in (
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    )
