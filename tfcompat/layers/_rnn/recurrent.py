"""`RNN`: a cell as a layer, over the times of a sequence."""

from typing import Any

import numpy as np

from tfcompat import engine, nest
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor, is_symbolic, wrap
from tfcompat._core.variable import Variable
from tfcompat.array import cast, shape, where
from tfcompat.engine import Capture
from tfcompat.layers._layer import registry as _registry
from tfcompat.layers._layer.arguments import converted
from tfcompat.layers._layer.composite_inputs import run_over_rows
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.shapes import as_shapes, as_tuples
from tfcompat.layers._rnn.cells import (
    Cell,
    DropoutMasks,
    GRUCell,
    LSTMCell,
    SimpleRNNCell,
    StackedRNNCells,
    build_cell,
    check_cell,
    output_size,
    takes,
)
from tfcompat.layers._rnn.steps import is_multiple, run_steps, swapped, zero_state
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.math import count_nonzero
from tfcompat.ragged._tensor import RaggedTensor


def _as_tensor(x) -> Any:
    """`x` as a tensor; what belongs to a graph of TensorFlow 1 stays."""
    return x if isinstance(x, graphs.Recorded) else convert_to_tensor(x)


class RNN(Layer):
    """A cell, applied to one time of a sequence after another.

    Args:
      cell: object with `state_size` (int, shape, or list of these) and `call(inputs, states)`, which returns (output,
        next states); optionally with `output_size` and `get_initial_state(inputs, batch_size, dtype)`. Or list of
        such cells, which are stacked.
      return_sequences: whether the outputs of all times are returned, rather than the last.
      return_state: whether the last states are returned as well, after the output.
      go_backwards: whether to begin with the last time; outputs are in the order in which they are computed.
      stateful: whether the last states are the first ones of the next call. The batch size must not change then.
      unroll: whether to record every step, rather than a loop.
      time_major: whether time is the first axis of inputs and outputs, before that of the batch.
      **kwargs: those of `Layer`; `zero_output_for_mask`: whether outputs at masked times are zero.

    Raises:
      ValueError: the cell lacks `call` or `state_size`; the number or size of initial states does not fit; stateful
        without a batch size.

    Inputs: tensor [batch, time, ...], or structure of these. Called with `mask` [batch, time]: states stay as they
      were where it is False, and outputs are those of the time before. `initial_state`: list of tensors.
      `constants`: list of tensors, for a cell whose `call` takes `constants`.
    Outputs: [batch, ...] or [batch, time, ...]; with `return_state` a list of it and the states.
    Gradient: of any order and in both modes; the values at all times are kept.
    TF: `tf.keras.layers.RNN`. Outside of functions, too, a cell of your own is called for the first time and then
      once for all others, as inside a function: what is in it besides computations happens twice. Cells that draw
      random numbers, add losses, assign variables or look at values are called time by time, as all are with
      `unroll=True`.
    """

    # Set past `__setattr__`.
    _states: Any
    state_spec: Any
    constants_spec: Any
    _num_constants: int
    # Cells of exactly these classes run as one operation.
    _own_cells: tuple = (SimpleRNNCell, LSTMCell, GRUCell)

    def __init__(
        self,
        cell,
        return_sequences=False,
        return_state=False,
        go_backwards=False,
        stateful=False,
        unroll=False,
        time_major=False,
        **kwargs,
    ):
        if isinstance(cell, list | tuple):
            cell = StackedRNNCells(cell)
        check_cell(cell, "Argument `cell`", "The RNN cell")
        zero_output = kwargs.pop("zero_output_for_mask", False)
        if "input_shape" not in kwargs and ("input_dim" in kwargs or "input_length" in kwargs):
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim", None))
        super().__init__(**kwargs)
        self.zero_output_for_mask = zero_output
        self.cell: Any = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.time_major = time_major
        self.supports_masking = True
        attributes = self.__dict__
        attributes.update(state_spec=None, constants_spec=None, _states=None, _num_constants=0)

    # --- states --------------------------------------------------------------------------------------------

    @property
    def states(self) -> Any:
        """The states kept between calls, a list of variables; Nones before the first call, or if not stateful."""
        if self._states is None:
            state = nest.map_structure(lambda _: None, self.cell.state_size)
            return state if nest.is_nested(self.cell.state_size) else [state]
        return self._states

    @states.setter
    def states(self, states):
        self.__dict__["_states"] = states

    def get_initial_state(self, inputs):
        """The states before the first time, a list: those of the cell's `get_initial_state`, or zeros."""
        first: Any = nest.flatten(inputs)[0]
        axis = 1 if self.time_major else 0
        batch_size = first.shape[axis]
        if batch_size is None and (engine.state.graph.symbolic or isinstance(first, graphs.GraphTensor)):  # a symbol
            batch_size = shape(first)[axis]
        return self._first_states(batch_size, first.dtype)

    def _first_states(self, batch_size, dtype):
        get = getattr(self.cell, "get_initial_state", None)
        if get:
            state = get(inputs=None, batch_size=batch_size, dtype=dtype)
        else:
            state = zero_state(batch_size, self.cell.state_size, dtype)
        return list(state) if nest.is_nested(state) else [state]

    def reset_states(self, states=None):
        """Sets the states kept between calls.

        Args:
          states: list of NumPy arrays, or None for zeros.

        Raises:
          AttributeError: the layer is not stateful.
          ValueError: the batch size is not known; number or shape of the states does not fit.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        shape = None if self.input_spec is None else nest.flatten(self.input_spec[0])[0].shape
        batch_size = None if shape is None else shape[1 if self.time_major else 0]
        if not batch_size:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input tensors: "
                "in a Sequential model by passing a `batch_input_shape` argument to the first layer."
            )
        if nest.flatten(self.states)[0] is None:
            first = self._first_states(batch_size, self.variable_dtype)
            self.states = nest.map_structure(lambda v: Variable(v, trainable=False), first)
            return
        flat = nest.flatten(self.states)
        if states is None:
            values = [np.zeros(state.shape.as_list(), state.dtype.np) for state in flat]
        else:
            values = nest.flatten(states)
            if len(values) != len(flat):
                raise ValueError(
                    f"Layer {self.name} expects {len(flat)} states, but it received {len(values)} state values. "
                    f"States received: {states}"
                )
            for i, (value, state) in enumerate(zip(values, flat, strict=True)):
                if tuple(value.shape) != tuple(state.shape):
                    raise ValueError(
                        f"State {i} is incompatible with layer {self.name}: expected shape={tuple(state.shape)} but "
                        f"found shape={tuple(value.shape)}"
                    )
        for state, value in zip(flat, values, strict=True):
            state.assign(np.asarray(value, state.dtype.np))

    # --- building ------------------------------------------------------------------------------------------

    def build(self, input_shape):
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        batch, time = (1, 0) if self.time_major else (0, 1)

        def spec(shape):
            sizes = shape.as_list()
            sizes[time] = None
            if not self.stateful:
                sizes[batch] = None
            return InputSpec(shape=tuple(sizes))

        def of_one_time(shape):
            sizes = tuple(shape.as_list())
            return sizes[1:] if self.time_major else (sizes[0], *sizes[2:])

        input_shape = as_shapes(as_tuples(input_shape))
        specs = nest.map_structure(spec, input_shape)
        if self.input_spec is not None:
            self.__dict__["_input_spec"] = [specs, *self.input_spec[1:]]
        else:
            self.input_spec = specs if isinstance(specs, list) else [specs]
        self._build_cell(nest.map_structure(of_one_time, input_shape))
        self._check_states()
        if self.stateful:
            self.reset_states()
        super().build(input_shape)

    def _build_cell(self, input_shape):
        build_cell(self.cell, input_shape)

    def _check_states(self):
        """Notes the shapes of the states; ValueError if those passed do not fit."""
        sizes = self.cell.state_size
        sizes = list(sizes) if is_multiple(sizes) else [sizes]
        if self.state_spec is None:
            self.__dict__["state_spec"] = nest.map_structure(
                lambda size: InputSpec(shape=[None, *TensorShape(size).as_list()]), sizes
            )
        self._validate_state_spec(sizes, self.state_spec)

    @staticmethod
    def _validate_state_spec(cell_state_sizes, init_state_specs):
        specs, flat = nest.flatten(init_state_specs), nest.flatten(cell_state_sizes)
        if len(specs) != len(flat) or not all(
            TensorShape(spec.shape[1:]).is_compatible_with(TensorShape(size))
            for spec, size in zip(specs, flat, strict=True)
        ):
            raise ValueError(
                "An `initial_state` was passed that is not compatible with `cell.state_size`. Received "
                f"`state_spec`={init_state_specs}; however `cell.state_size` is {cell_state_sizes}"
            )

    # --- calling -------------------------------------------------------------------------------------------

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs) -> Any:
        """Computes the outputs; see `Layer.__call__`.

        Args:
          inputs: tensor or structure of tensors; or list of it, the initial states, and the constants.
          initial_state: list of tensors, or one.
          constants: list of tensors, or one.
          **kwargs: `mask`, `training`.
        """
        inputs, initial_state, constants = separated(inputs, initial_state, constants, self._num_constants)
        ragged = getattr(nest.flatten(inputs)[0], "ragged_rank", None)  # refused where the layer runs
        if self.unroll and not ragged and nest.flatten(inputs)[0].shape[0 if self.time_major else 1] is None:
            raise ValueError(
                "Cannot unroll a RNN if the time dimension is undefined. Give the time dimension in the `shape` of the "
                "Input, or in the `input_shape` of the first layer of a Sequential model."
            )
        attributes = self.__dict__
        if initial_state is not None:
            initial_state = converted(initial_state)
            attributes["state_spec"] = specs_of(initial_state)
            if self.built:
                self._check_states()
        if constants is not None:
            constants = converted(constants)
            attributes["constants_spec"] = specs_of(constants)
            attributes["_num_constants"] = len(constants)
        more = [*(initial_state or ()), *(constants or ())]
        if not more or not all_symbols(more):
            if initial_state is not None:
                kwargs["initial_state"] = initial_state
            if constants is not None:
                kwargs["constants"] = constants
            return super().__call__(inputs, **kwargs)
        return self._call_on_symbols([inputs, *more], kwargs)

    def _call_on_symbols(self, inputs, kwargs):
        """Calls the layer on a list of KerasTensors, each of which is checked where it is used."""
        attributes = self.__dict__
        own_spec, attributes["_input_spec"] = attributes.get("_input_spec"), None
        try:
            return super().__call__(inputs, **kwargs)
        finally:
            attributes["_input_spec"] = attributes["_input_spec"] or own_spec

    def call(self, inputs, mask=None, training=None, initial_state=None, constants=None):
        return self._run(inputs, mask, training, initial_state, constants)

    def _run(self, inputs, mask, training, initial_state, constants=None):
        first = inputs[0] if isinstance(inputs, list) else inputs
        if isinstance(first, RaggedTensor):

            def run(dense, mask):
                dense_inputs = [dense, *inputs[1:]] if isinstance(inputs, list) else dense
                return self._run(dense_inputs, mask, training, initial_state, constants)

            return run_over_rows(self, first, mask, run)
        inputs, states, constants = self._process_inputs(inputs, initial_state, constants)
        for each in (self.cell, *getattr(self.cell, "cells", ())):
            self._maybe_reset_cell_dropout_mask(each)
        mask = None if mask is None else nest.flatten(mask)[0]
        cell = self.cell
        if type(cell) in self._own_cells and not self.unroll and not constants and isinstance(inputs, Tensor):
            last, outputs, states = self._run_at_once(inputs, states, mask, training)
        else:
            last, outputs, states = run_steps(
                self._step(training, constants),
                inputs,
                states,
                mask=mask,
                go_backwards=self.go_backwards,
                unroll=self.unroll,
                time_major=self.time_major,
                zero_output=self.zero_output_for_mask,
                collected=self.return_sequences,
            )
        if self._stateful:
            for variable, state in zip(nest.flatten(self.states), nest.flatten(states), strict=True):
                variable.assign(cast(state, variable.dtype))
        output = outputs if self.return_sequences else last
        if not self.return_state:
            return output
        return [*(output if isinstance(output, list) else [output]), *states]

    def _process_inputs(self, inputs, initial_state: Any, constants) -> Any:
        """(inputs, list of states, constants) as they enter the loop."""
        if isinstance(inputs, list):
            number = self._num_constants
            initial_state = inputs[1 : len(inputs) - number] or None
            constants = inputs[len(inputs) - number :] if number else constants
            inputs = inputs[0]
        if self._stateful:
            states: Any = self.states
            if initial_state is not None:
                # Kept states count before those passed, unless they are all zero.
                # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/rnn/base_rnn.py
                used: Any = sum(count_nonzero(state) for state in nest.flatten(states))
                states = nest.map_structure(lambda old, new: where(used > 0, old, new), states, list(initial_state))
            states = nest.map_structure(lambda v: cast(v, self._compute_dtype_object), states)
            initial_state = list(states)
        elif initial_state is None:
            initial_state = self.get_initial_state(inputs)
        if len(initial_state) != len(self.states):
            raise ValueError(
                f"Layer has {len(self.states)} states but was passed {len(initial_state)} initial states. Received: "
                f"initial_state={initial_state}"
            )
        return inputs, nest.map_structure(_as_tensor, list(initial_state)), constants

    def _maybe_reset_cell_dropout_mask(self, cell):
        if isinstance(cell, DropoutMasks):
            cell.reset_dropout_mask()
            cell.reset_recurrent_dropout_mask()

    def _step(self, training, constants):
        cell, options = self.cell, {}
        if takes(cell.call, "training"):
            options["training"] = training
        if constants:
            if not takes(cell.call, "constants"):
                raise ValueError(f"RNN cell {cell} does not support constants. Received: constants={constants}")
            options["constants"] = constants
        function: Any = cell if callable(cell) else cell.call

        def step(inputs, states):
            output, new = function(inputs, states, **options)
            return output, new if nest.is_nested(new) else [new]

        return step

    # --- the cells of Keras, whose loop is one operation, found again by what it is made of -----------------

    def _dropped_inputs(self, inputs, states, training) -> Any:
        """(inputs, dropout masks of inputs, of states), see `Cell`."""
        if not self.cell.dropout and not self.cell.recurrent_dropout:
            return inputs, [], []
        first = inputs[0] if self.time_major else inputs[:, 0]
        return inputs, *self.cell.masks(first, states[0], training)

    def _run_at_once(self, inputs, states, mask, training):
        """(last output, outputs of all times or None, states) of a cell that comes with Keras."""
        cell: Cell = self.cell
        inputs, masks, recurrent_masks = self._dropped_inputs(inputs, states, training)
        if mask is not None:
            mask = _as_tensor(mask)
        parts = ([inputs], states, [] if mask is None else [mask], cell._weights(), masks, recurrent_masks)
        counts = tuple(map(len, parts))
        tensors = [x for part in parts for x in part]
        if graphs.current() is not None:
            results = graphs.record(self._computed, (counts, tensors), {}, kind="While")
        else:
            results = self._computed_at_once(counts, [to_node(x) for x in tensors])
        output, states = results[0], results[1:]
        return (None, output, states) if self.return_sequences else (output, None, states)

    def _computed_at_once(self, counts, nodes):
        """`_computed` of nodes, as one operation if it can be."""
        program = self._program(counts, nodes)
        if program is None:
            return self._computed(counts, [wrap(node) for node in nodes])
        operation, captures = program
        computed: Any = engine.apply(operation, (*nodes, *captures))
        return [wrap(node) for node in computed]

    def _computed(self, counts, tensors):
        """[output, *states] made of the flat tensors of `_run_at_once`; `counts` says how many belong to each."""
        rest = iter(tensors)
        [inputs], states, mask, weights, masks, recurrent_masks = (
            [next(rest) for _ in range(count)] for count in counts
        )
        cell: Any = self.cell
        inputs = inputs if self.time_major else swapped(inputs)
        projected = cell._project(inputs, weights, masks)

        def step(projected, states):
            new = cell._advance(projected, states, weights, recurrent_masks)
            return new[0], new

        mask = mask[0] if mask else None
        if mask is not None and not self.time_major:
            mask = swapped(mask)
        last, outputs, states = run_steps(
            step,
            projected,
            states,
            mask=mask,
            go_backwards=self.go_backwards,
            time_major=True,
            zero_output=self.zero_output_for_mask,
            collected=self.return_sequences,
            output=states[0],
        )
        if self.return_sequences:
            last = outputs if self.time_major else swapped(outputs)
        return [last, *states]

    def _program(self, counts, nodes):
        """(operation, captures) of `_computed`, or None where it is recorded as it stands."""
        if engine.state.graph.symbolic or any(is_symbolic(node) for node in nodes):
            return None
        cell = self.cell
        functions = (cell.activation, getattr(cell, "recurrent_activation", None))
        if not all(f is None or _is_known(f) for f in functions):
            return None
        options = (
            type(cell),
            cell.units,
            cell.use_bias,
            getattr(cell, "reset_after", None),
            *functions,
            self.return_sequences,
            self.go_backwards,
            self.time_major,
            self.zero_output_for_mask,
        )
        key = (options, counts, *[node.aval for node in nodes])
        program = _programs.get(key)
        if program is None:
            with Capture() as capture:
                placeholders = [wrap(capture.placeholder(node.aval)) for node in nodes]
                results = [to_node(x) for x in self._computed(counts, placeholders)]
            program = capture.operation(results, "RNN")
            if len(_programs) >= _MAX_PROGRAMS:
                _programs.clear()
            _programs[key] = program
        return program

    # --- shapes and configuration --------------------------------------------------------------------------

    def compute_output_shape(self, input_shape):
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        shape = nest.flatten(as_shapes(as_tuples(input_shape)))[0]
        batch, time = (shape[1], shape[0]) if self.time_major else (shape[0], shape[1])
        before = [batch]
        if self.return_sequences:
            before = [time, batch] if self.time_major else [batch, time]

        def of_output(size):
            return TensorShape([*before, *TensorShape(size).as_list()])

        outputs = [of_output(size) for size in nest.flatten(output_size(self.cell))]
        if self.return_state:
            sizes = nest.flatten(self.cell.state_size)
            return outputs + [TensorShape([batch, *TensorShape(size).as_list()]) for size in sizes]
        return outputs[0] if len(outputs) == 1 else outputs

    def compute_mask(self, inputs, mask=None):
        mask = nest.flatten(mask)[0]
        mask = mask if self.return_sequences else None
        return [mask, *(None for _ in self.states)] if self.return_state else mask

    def _own_config(self):
        config: dict[str, Any] = {
            **super().get_config(),
            "return_sequences": self.return_sequences,
            "return_state": self.return_state,
            "go_backwards": self.go_backwards,
            "stateful": self.stateful,
            "unroll": self.unroll,
            "time_major": self.time_major,
        }
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = self.zero_output_for_mask
        return config

    def get_config(self):
        return {**self._own_config(), "cell": _registry.serialize(self.cell)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The layer that `config`, from `get_config`, describes, with new weights."""
        config = dict(config)
        cell = _registry.deserialize(config.pop("cell"), custom_objects)
        number = config.pop("num_constants", 0)
        layer = cls(cell, **config)
        layer.__dict__["_num_constants"] = number
        return layer


_programs: dict = {}
_MAX_PROGRAMS = 256


def _is_known(function):
    """Whether a function is one of ours, which uses nothing but its argument."""
    return getattr(function, "__module__", "").startswith("tfcompat.") and not isinstance(function, Layer)


def separated(inputs, initial_state, constants, number) -> Any:
    """(inputs, initial states, constants), the last two as lists or None; all may come in one list."""
    if isinstance(inputs, list):
        assert initial_state is None and constants is None
        if number:
            constants, inputs = inputs[-number:], inputs[:-number]
        if len(inputs) > 1:
            initial_state, inputs = inputs[1:], inputs[:1]
        inputs = inputs[0]

    def listed(x):
        return x if x is None or isinstance(x, list) else list(x) if isinstance(x, tuple) else [x]

    return inputs, listed(initial_state), listed(constants)


def specs_of(tensors):
    """An InputSpec for each of a structure of tensors."""
    return nest.map_structure(lambda x: InputSpec(shape=x.shape), tensors)


def all_symbols(tensors):
    """Whether tensors are those that stand for inputs of a model.

    Raises:
      ValueError: some are and some are not.
    """
    are_symbols = {isinstance(x, KerasTensor) for x in nest.flatten(tensors)}
    if len(are_symbols) > 1:
        raise ValueError(
            "The initial state or constants of an RNN layer cannot be specified via a mix of TF-Keras tensors and "
            f"non-Keras tensors. Received: {tensors}"
        )
    return are_symbols == {True}
