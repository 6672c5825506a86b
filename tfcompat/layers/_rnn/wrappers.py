"""Layers around another layer: Bidirectional, TimeDistributed."""

import copy
from typing import Any

from tfcompat import nest
from tfcompat._core.name_scope import name_scope
from tfcompat._core.shape import TensorShape
from tfcompat.array import concat, reshape, reverse
from tfcompat.layers._layer import registry as _registry
from tfcompat.layers._layer.arguments import converted
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.shapes import as_shapes, as_tuples
from tfcompat.layers._layer.wrapper import Wrapper
from tfcompat.layers._rnn.cells import takes
from tfcompat.layers._rnn.recurrent import all_symbols, separated, specs_of
from tfcompat.layers._rnn.steps import run_steps
from tfcompat.layers._sizes import sizes_of
from tfcompat.math import reduce_any
from tfcompat.ragged._tensor import RaggedTensor

_MERGE_MODES = ("sum", "mul", "ave", "concat", None)


class Bidirectional(Wrapper):
    """A recurrent layer over a sequence in both directions.

    Args:
      layer: RNN, or another layer with `go_backwards`, `return_sequences`, `return_state` and `stateful`. It serves as
        a model: two layers are made of its configuration.
      merge_mode: "concat", "sum", "mul" or "ave" of the outputs of both; None for a list of them.
      weights: list of arrays, first those of the layer forwards.
      backward_layer: the layer for the other direction; by default one like `layer`.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `layer` or `backward_layer` is no layer; unknown `merge_mode`; the layers differ in an option, or not
        in `go_backwards`; the number of initial states is odd.

    Inputs as those of `layer`. Outputs: the merged ones; with `return_state` a list of these and the states, forwards
      and backwards. Outputs of all times are in the order of the inputs, and zero where these are masked.
    TF: `tf.keras.layers.Bidirectional`; no known difference.
    """

    # Set past `__setattr__`.
    backward_layer: Any
    _num_constants: int
    _backward_given: bool
    _backward_config: Any

    def __init__(self, layer: Any, merge_mode="concat", weights=None, backward_layer=None, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `Bidirectional` layer with a `tf.keras.layers.Layer` instance. Received: "
                f"{layer}"
            )
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(
                f"`backward_layer` need to be a `tf.keras.layers.Layer` instance. Received: {backward_layer}"
            )
        if merge_mode not in _MERGE_MODES:
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}'
            )
        super().__init__(layer, **kwargs)
        self._release("layer", layer)  # its weights are not this layer's
        attributes = self.__dict__
        attributes["_backward_given"] = backward_layer is not None
        self.forward_layer: Any = self._recreate_layer_from_config(layer)
        if backward_layer is None:
            self.backward_layer = self._recreate_layer_from_config(layer, go_backwards=True)
        else:
            self.backward_layer = backward_layer
        if backward_layer is not None:
            attributes["_backward_config"] = _registry.serialize(backward_layer)
        for inner, prefix in ((self.forward_layer, "forward_"), (self.backward_layer, "backward_")):
            inner.__dict__.update(_name=prefix + inner.name, _prefix=f"{prefix}{inner.name}/")
        self._verify_layer_config()
        for inner in (self.forward_layer, self.backward_layer):
            # In sequences, outputs at masked times are zero whatever the layer says.
            # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/rnn/bidirectional.py
            if getattr(inner, "zero_output_for_mask", None) is not None:
                inner.zero_output_for_mask = inner.return_sequences
        self.merge_mode = merge_mode
        if weights:
            half = len(weights) // 2
            self.forward_layer.__dict__["_initial_weights"] = weights[:half]
            self.backward_layer.__dict__["_initial_weights"] = weights[half:]
        model: Any = layer
        self.stateful = model.stateful
        self.return_sequences = model.return_sequences
        self.return_state = model.return_state
        self.supports_masking = True
        attributes["_trainable"] = kwargs.get("trainable", layer.trainable)
        attributes["_num_constants"] = 0
        attributes["_input_spec"] = layer.input_spec

    def _verify_layer_config(self):
        forward, backward = self.forward_layer, self.backward_layer
        if forward.go_backwards == backward.go_backwards:
            raise ValueError(
                "Forward layer and backward layer should have different `go_backwards` value.forward_layer."
                f"go_backwards = {forward.go_backwards},backward_layer.go_backwards = {backward.go_backwards}"
            )
        for name in ("stateful", "return_sequences", "return_state"):
            one, other = getattr(forward, name), getattr(backward, name)
            if one != other:
                raise ValueError(
                    "Forward layer and backward layer are expected to have the same value for attribute "
                    f'"{name}", got "{one}" for forward layer and "{other}" for backward layer'
                )

    def _recreate_layer_from_config(self, layer, go_backwards=False):
        """A layer of the same configuration, or of that in the other direction."""
        config = layer.get_config()
        if go_backwards:
            # The wrapped layer serves as a model only: both directions are made from its configuration.
            # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/rnn/bidirectional.py
            config["go_backwards"] = not config["go_backwards"]
        if not takes(type(layer).from_config, "custom_objects"):
            return type(layer).from_config(config)
        cell = getattr(layer, "cell", None)
        cells = [] if cell is None else [cell, *getattr(cell, "cells", ())]
        return type(layer).from_config(config, custom_objects={type(c).__name__: type(c) for c in cells})

    def build(self, input_shape):
        for inner in (self.forward_layer, self.backward_layer):
            with name_scope(inner._name_scope()):
                inner.build(input_shape)
        Layer.build(self, input_shape)

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs) -> Any:
        """Computes the outputs; see `Layer.__call__`.

        Args:
          inputs: as for the layer inside; or list of it, the initial states, and the constants.
          initial_state: list of tensors: first the states forwards, then as many backwards.
          constants: list of tensors, for both.
          **kwargs: `mask`, `training`.
        """
        inputs, initial_state, constants = separated(inputs, initial_state, constants, self._num_constants)
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        attributes = self.__dict__
        layers = (self.forward_layer, self.backward_layer)
        if initial_state is not None:
            initial_state = kwargs["initial_state"] = converted(initial_state)
            if len(initial_state) % 2:
                raise ValueError(
                    "When passing `initial_state` to a Bidirectional RNN, the state should be a list containing the "
                    f"states of the underlying RNNs. Received: {initial_state}"
                )
        if constants is not None:
            constants = kwargs["constants"] = converted(constants)
            attributes["_num_constants"] = len(constants)
            for inner in layers:
                inner.__dict__.update(constants_spec=specs_of(constants), _num_constants=len(constants))
        more = [*(initial_state or ()), *(constants or ())]
        if not all_symbols(more):
            return super().__call__(inputs, **kwargs)
        kwargs = {name: value for name, value in kwargs.items() if name not in ("initial_state", "constants")}
        own_spec, attributes["_input_spec"] = attributes["_input_spec"], None
        try:
            return super().__call__([inputs, *more], **kwargs)
        finally:
            attributes["_input_spec"] = attributes["_input_spec"] or own_spec

    def call(self, inputs, training=None, mask=None, initial_state=None, constants=None):
        options = {"training": training, "mask": mask, "constants": constants}
        options = {name: value for name, value in options.items() if takes(self.layer.call, name)}
        forwards = backwards = {}
        if takes(self.layer.call, "initial_state"):
            if isinstance(inputs, list) and len(inputs) > 1:
                number = self._num_constants
                constants = inputs[len(inputs) - number :] if number else constants
                initial_state, inputs = inputs[1 : len(inputs) - number] or None, inputs[0]
                if "constants" in options:
                    options["constants"] = constants
            if initial_state is not None:
                half = len(initial_state) // 2
                forwards = {"initial_state": initial_state[:half]}
                backwards = {"initial_state": initial_state[half:]}
        y = self.forward_layer(inputs, **forwards, **options)
        z = self.backward_layer(inputs, **backwards, **options)
        states = []
        if self.return_state:
            states = y[1:] + z[1:]
            y, z = y[0], z[0]
        if self.return_sequences:
            z = reverse(z, [0 if getattr(self.forward_layer, "time_major", False) else 1])
        outputs = self._merged(y, z)
        if not self.return_state:
            return outputs
        return [*(outputs if isinstance(outputs, list) else [outputs]), *states]

    def _merged(self, y, z):
        if self.merge_mode == "concat":
            return concat([y, z], axis=-1)
        if self.merge_mode == "sum":
            return y + z
        if self.merge_mode == "ave":
            return (y + z) / 2
        return [y, z] if self.merge_mode is None else y * z

    def reset_states(self, states=None):
        """Sets the states of both layers; see `RNN.reset_states`.

        Args:
          states: list of arrays, first those of the layer forwards; or None for zeros.

        Raises:
          AttributeError: the layers are not stateful.
          ValueError: `states` is no list.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if states is None:
            self.forward_layer.reset_states()
            self.backward_layer.reset_states()
            return
        if not isinstance(states, list | tuple):
            raise ValueError(
                f"Unrecognized value for `states`. Expected `states` to be list or tuple. Received: {states}"
            )
        half = len(states) // 2
        self.forward_layer.reset_states(states[:half])
        self.backward_layer.reset_states(states[half:])

    def compute_output_shape(self, input_shape):
        shapes = self.forward_layer.compute_output_shape(input_shape)
        states = []
        if self.return_state:
            shapes, states = shapes[0], list(shapes[1:])
        shape: Any = TensorShape(shapes)
        if self.merge_mode == "concat":
            sizes = shape.as_list()
            shape = TensorShape([*sizes[:-1], 2 * sizes[-1]])
        outputs = [shape, shape] if self.merge_mode is None else shape
        if not self.return_state:
            return outputs
        return [*(outputs if self.merge_mode is None else [outputs]), *states, *states]

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, list) else mask
        mask = mask if self.return_sequences else None
        outputs = mask if self.merge_mode else [mask, mask]
        if not self.return_state:
            return outputs
        states = [None for _ in self.forward_layer.states] * 2
        return [*(outputs if isinstance(outputs, list) else [outputs]), *states]

    def get_config(self):
        config = {**super().get_config(), "merge_mode": self.merge_mode}
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self._backward_given:
            config["backward_layer"] = self._backward_config
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The layer that `config`, from `get_config`, describes, with new weights."""
        config = copy.deepcopy(config)
        number = config.pop("num_constants", 0)
        for name in ("layer", "backward_layer"):
            if name in config:
                config[name] = _registry.deserialize(config[name], custom_objects)
        layer = cls(**config)
        layer.__dict__["_num_constants"] = number
        return layer


class TimeDistributed(Wrapper):
    """A layer, applied to each time of a sequence by itself.

    Args:
      layer: Layer.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `layer` is no layer; inputs of rank below 3.

    Inputs: tensor [batch, time, ...], or structure of these. Outputs: [batch, time, ...].
    Layers that come with Keras are applied to the examples of all times as one batch; others to one time after
    another, see `RNN`.
    TF: `tf.keras.layers.TimeDistributed`; no known difference.
    """

    _always_use_reshape: bool

    def __init__(self, layer, **kwargs):
        super().__init__(layer, **kwargs)
        self.supports_masking = True
        self.__dict__["_always_use_reshape"] = _comes_with_keras(layer) and not getattr(layer, "stateful", False)

    def build(self, input_shape):
        input_shape = as_shapes(as_tuples(input_shape))
        if any(shape.rank < 3 for shape in nest.flatten(input_shape)):
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 dimensions, received: "
                f"{input_shape}"
            )
        self.input_spec = nest.map_structure(
            lambda shape: InputSpec(shape=[None, None, *shape.as_list()[2:]]), input_shape
        )
        super().build(nest.map_structure(self._remove_timesteps, input_shape))

    def call(self, inputs, training=None, mask=None):
        options = {"training": training} if takes(self.layer.call, "training") else {}
        if isinstance(inputs, RaggedTensor):
            return inputs.with_values(self.layer(inputs.values, **options))
        batch, time = sizes_of(nest.flatten(inputs)[0])[:2]
        if not self._always_use_reshape:
            return run_steps(lambda x, _: (self.layer(x, **options), []), inputs, [], mask=mask)[1]
        if mask is not None and takes(self.layer.call, "mask"):
            options["mask"] = self._as_one_batch(mask)
        outputs = self.layer(nest.map_structure(self._as_one_batch, inputs), **options)
        return nest.map_structure(lambda y: reshape(y, self._get_shape_tuple((batch, time), y, 1)), outputs)

    def _remove_timesteps(self, dims):
        sizes = dims.as_list()
        return TensorShape([sizes[0], *sizes[2:]])

    def _get_shape_tuple(self, init_tuple, tensor, start_idx):
        return (*init_tuple, *sizes_of(tensor)[start_idx:])

    def _as_one_batch(self, x):
        """A tensor [batch, time, ...] as [batch * time, ...]."""
        return reshape(x, self._get_shape_tuple((-1,), x, 2))

    def compute_output_shape(self, input_shape):
        input_shape = as_shapes(as_tuples(input_shape))
        time = nest.flatten(input_shape)[0][1]
        shapes = self.layer.compute_output_shape(nest.map_structure(self._remove_timesteps, input_shape))
        return nest.map_structure(
            lambda shape: TensorShape([shape[0], time, *TensorShape(shape).as_list()[1:]]),
            as_shapes(as_tuples(shapes)),
        )

    def compute_mask(self, inputs, mask=None):
        if not self._always_use_reshape or isinstance(inputs, RaggedTensor):
            return mask
        batch, time = sizes_of(nest.flatten(inputs)[0])[:2]
        inner = None if mask is None else self._as_one_batch(mask)
        masks = self.layer.compute_mask(nest.map_structure(self._as_one_batch, inputs), inner)
        if masks is not None:
            return reshape(masks, [batch, time, *sizes_of(masks)[1:]])
        while mask is not None and len(mask.shape) > 2:
            mask = reduce_any(mask, axis=-1)
        return mask


def _comes_with_keras(layer):
    """Whether a layer's class, or the nearest one it derives from that is ours, is one of Keras's layers."""
    cls = next(c for c in type(layer).__mro__ if c.__module__.startswith("tfcompat."))
    return cls.__name__ not in ("Layer", "Model")
