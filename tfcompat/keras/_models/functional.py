"""`Functional`: the model that `tf.keras.Model(inputs, outputs)` makes of layers called on KerasTensors."""

import copy
import inspect
from typing import Any

from tfcompat import nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.tensor import Tensor
from tfcompat.array import cast, expand_dims, squeeze
from tfcompat.keras._models.added_outputs import AddLoss, AddMetric
from tfcompat.keras._models.graph_config import insert_added, model_from_network_config, network_config, rebuilt
from tfcompat.keras._models.graph_network import from_new_inputs, map_network
from tfcompat.keras._models.model import Model
from tfcompat.keras._models.model_members import named_inputs, numbered_layers, spec_of
from tfcompat.layers._input import InputLayer
from tfcompat.layers._layer import naming as _naming
from tfcompat.layers._layer.inbound_nodes import shapes_of
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import checked_metric
from tfcompat.layers._layer.registry import register_keras_object
from tfcompat.layers._layer.shapes import as_shapes
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.layers._symbolic.symbolic_call import inferred


@register_keras_object("tf_keras.src.engine.functional")
class Functional(Model):
    """A model that repeats the calls of layers on KerasTensors which lead from its inputs to its outputs.

    Args:
      inputs: KerasTensor, or structure of these. Those that come from a layer other than an Input are the places where
        values are fed in.
      outputs: KerasTensor, or structure of these.
      name: str; `model`, `model_1`... by default.
      trainable: bool.

    Raises:
      ValueError: something is no KerasTensor; the outputs depend on other inputs; two layers have one name.

    Inputs may be given in a dict by the names of the Inputs. They are cast to the dtypes of these.
    TF: what `tf.keras.Model(inputs, outputs)` is in Keras 2.
    """

    # Set past `__setattr__`.
    _nested_inputs: Any
    _nested_outputs: Any
    _nodes_by_depth: dict
    _steps: list
    _input_layers: list
    _output_layers: list
    _compute_output_and_mask_jointly = True
    _unsaved_attributes = Model._unsaved_attributes | {
        "inputs", "outputs", "_input_layers", "_output_layers", "_nodes_by_depth", "_steps", "_nested_inputs",
        "_nested_outputs",
    }  # fmt: skip
    _own_nodes = 1

    def __init__(self, inputs, outputs, name=None, trainable=True):
        if name is None and type(self) is Functional:
            name = _naming.unique_name("model")
        super().__init__(name=name, trainable=trainable)
        for x in nest.flatten(inputs):
            if not isinstance(x, KerasTensor):
                raise ValueError(
                    "Found unexpected instance while processing input tensors for keras functional model. Expecting "
                    f"KerasTensor which is from tf.keras.Input() or output from keras layer call(). Got: {x}"
                )
        for x in nest.flatten(outputs):
            if not isinstance(x, KerasTensor):
                raise ValueError(
                    "Output tensors of a Functional model must be the output of a TensorFlow `Layer` (thus holding "
                    f"past layer metadata). Found: {x}"
                )
        flat = nest.flatten(inputs)
        if len({id(x) for x in flat}) != len(flat):
            raise ValueError(
                "The list of inputs passed to the model contains the same input multiple times. All inputs should "
                f"only appear once.Received inputs={inputs}"
            )
        if not all(x.node.is_input for x in flat):
            inputs, outputs = from_new_inputs(inputs, outputs)
        self._set_network(inputs, outputs)

    def _set_network(self, inputs, outputs):
        inputs, outputs = _unwrapped(_plain(inputs)), _unwrapped(_plain(outputs))
        flat_inputs, flat_outputs = nest.flatten(inputs), nest.flatten(outputs)
        nodes_by_depth, layers = map_network(flat_inputs, flat_outputs)
        attributes = self.__dict__
        attributes.update(
            inputs=flat_inputs,
            outputs=flat_outputs,
            _nested_inputs=inputs,
            _nested_outputs=outputs,
            _is_graph_network=True,
            _autocast=False,
            _supports_masking=True,
            built=True,
            _build_input_shape=nest.map_structure(lambda x: x.shape, inputs),
            _nodes_by_depth=nodes_by_depth,
            _input_layers=[x._keras_history.layer for x in flat_inputs],
            _output_layers=[x._keras_history.layer for x in flat_outputs],
            input_names=[x.name for x in flat_inputs],
            output_names=_unique_names([x.name for x in flat_outputs]),
            _self_tracked_trackables=layers,
            _flat_inputs=not nest.is_nested(inputs)
            or not any(nest.is_nested(x) for x in (inputs.values() if isinstance(inputs, dict) else inputs)),
        )
        attributes["_steps"] = self._planned()
        attributes["_saved_model_inputs_spec"] = nest.map_structure(spec_of, inputs)
        attributes["_saved_model_arg_spec"] = [attributes["_saved_model_inputs_spec"]], {}

    def _get_save_spec(self, dynamic_batch=True, inputs_only=True):
        return super()._get_save_spec(False, inputs_only)  # sizes of batches are those of the Inputs

    def _planned(self):
        """The calls in order, each with the KerasTensors that no later one needs."""
        nodes = [
            node
            for depth in sorted(self._nodes_by_depth, reverse=True)
            for node in self._nodes_by_depth[depth]
            if not node.is_input
        ]
        needed_later = {id(x) for x in self.outputs}  # pyright: ignore
        steps = []
        for node in reversed(nodes):
            over = {id(x) for x in node.keras_inputs} - needed_later
            needed_later |= over
            outputs = [id(x) for x in nest.flatten(node.outputs)]
            alone = len(node.call_args) == 1 and not node.call_kwargs and isinstance(node.call_args[0], KerasTensor)
            steps.append((node, id(node.call_args[0]) if alone else None, outputs, tuple(over)))
        return steps[::-1]

    # --- calling -------------------------------------------------------------------------------------------

    def call(self, inputs, training=None, mask=None):
        """Calls the layers, each on what the ones before made; they inherit `training`.

        Args:
          inputs: structure of tensors like that of the Inputs, or dict from names of Inputs to tensors.
          training: bool, bool tensor or None.
          mask: structure of masks like that of the inputs, or None.
        """
        values = {}
        tensors = self._in_order(inputs)
        masks = [None] * len(tensors) if mask is None else self._in_order(mask)
        for symbol, x, each in zip(self.inputs, tensors, masks, strict=True):  # pyright: ignore
            if each is not None and isinstance(x, Tensor):
                x._keras_mask = each
            values[id(symbol)] = _conformed(x, symbol)
        for node, alone, outputs, over in self._steps:
            if alone is not None:
                result = node.layer(values[alone])
            else:
                filled: Any = _filled(node, values)
                result = node.layer(*filled[0], **filled[1])
            if len(outputs) == 1 and not nest.is_nested(result):
                values[outputs[0]] = result
            else:
                values.update(zip(outputs, nest.flatten(result), strict=False))  # `__call__` may give only the first
            for key in over:
                values.pop(key, None)
        outputs_in_order = [values[id(x)] for x in self.outputs]  # pyright: ignore
        return nest.pack_sequence_as(self._nested_outputs, outputs_in_order)

    def _in_order(self, tensors):
        """The tensors in the order of `inputs`."""
        if self.__dict__["_flat_inputs"] and isinstance(tensors, dict):
            nested = self._nested_inputs
            names = sorted(nested) if isinstance(nested, dict) else [x.name for x in nest.flatten(nested)]
            return named_inputs(tensors, names)
        return nest.flatten(tensors)

    def compute_mask(self, inputs, mask=None):
        """The masks of the outputs for inputs with masks."""
        outputs = self.call(inputs, mask=mask)
        return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), outputs)

    def compute_output_shape(self, input_shape):
        """The shapes of the outputs for inputs of a shape, or structure of shapes."""
        shapes = nest.flatten(as_shapes(input_shape))
        if len(shapes) != len(self._input_layers):
            raise ValueError(
                f"Invalid `input_shape` argument {input_shape}: the model expects {len(self._input_layers)} input "
                "tensors."
            )
        symbols = [KerasTensor(shape, x.dtype) for shape, x in zip(shapes, self.inputs, strict=True)]  # pyright: ignore
        outputs = inferred(self, nest.pack_sequence_as(self._nested_inputs, symbols))
        return nest.map_structure(lambda x: x.shape, outputs)

    def add_loss(self, losses, **kwargs):
        """Adds to `losses`; see `Layer.add_loss`. A KerasTensor made of the model's own is computed with each call.

        Raises:
          ValueError: a KerasTensor depends on other inputs.
        """
        flat = nest.flatten(losses)
        others = [loss for loss in flat if not isinstance(loss, KerasTensor)]
        if others:
            super().add_loss(others, **kwargs)
        for loss in flat:
            if isinstance(loss, KerasTensor):
                self._insert(AddLoss(dtype=loss.dtype.name)(loss))

    def add_metric(self, value, name=None, **kwargs):
        """Adds to `metrics`; see `Layer.add_metric`. A KerasTensor made of the model's own is computed with each call.

        Raises:
          ValueError: no name, or a KerasTensor that depends on other inputs.
        """
        if not isinstance(value, KerasTensor):
            super().add_metric(value, name, **kwargs)
            return
        checked_metric(name, kwargs)
        self._insert(AddMetric("mean", name, dtype=value.dtype.name)(value))

    def _insert(self, output):
        """Adds the calls that lead to a KerasTensor that is no output of the model."""
        by_depth, layers = map_network(self.inputs, [output])
        depth_of = {id(node): depth for depth, nodes in self._nodes_by_depth.items() for node in nodes}
        for depth in sorted(by_depth, reverse=True):
            for node in by_depth[depth]:
                if id(node) not in depth_of:
                    new_depth = min([0, *[depth_of[id(parent)] for parent in node.parent_nodes]]) - 1
                    depth_of[id(node)] = new_depth
                    self._nodes_by_depth.setdefault(new_depth, []).append(node)
        tracked = self._self_tracked_trackables
        tracked += [layer for layer in layers if not any(layer is other for other in tracked)]
        self.__dict__["_steps"] = self._planned()

    # --- inputs and outputs --------------------------------------------------------------------------------

    @property
    def input(self) -> Any:
        """The inputs, as they were given."""
        return self._nested_inputs

    @property
    def output(self) -> Any:
        """The outputs, as they were given."""
        return self._nested_outputs

    @property
    def input_shape(self) -> Any:
        """The shapes of `input`, as tuples."""
        return shapes_of(self._nested_inputs)

    @property
    def output_shape(self) -> Any:
        """The shapes of `output`, as tuples."""
        return shapes_of(self._nested_outputs)

    @property
    def input_spec(self) -> Any:
        """The specs of the Inputs, or those that were set; None where inputs are nested more than once."""
        attributes = self.__dict__
        if "_manual_input_spec" in attributes:
            return attributes["_manual_input_spec"]
        if "_specs" not in attributes:
            attributes["_specs"] = self._made_specs()
        return attributes["_specs"]

    @input_spec.setter
    def input_spec(self, value):
        self.__dict__["_manual_input_spec"] = value

    def _made_specs(self):
        nested = self._nested_inputs
        if not self.__dict__["_flat_inputs"]:
            return None
        if isinstance(nested, dict):
            named = [(key, nested[key]) for key in sorted(nested)]
        else:
            named = [(x.name, x) for x in self.inputs]  # pyright: ignore
        return [
            InputSpec(shape=_without_batch_size(x), allow_last_axis_squeeze=True, name=name) for name, x in named
        ]

    def build(self, input_shape=None):
        """Nothing: the layers were built as they were called."""

    build._is_default = True  # pyright: ignore

    def build_from_config(self, config):
        """Nothing, as `build`."""

    def _assert_weights_created(self):
        pass

    # --- configuration -------------------------------------------------------------------------------------

    def _checkpoint_children(self):
        return numbered_layers(self, Functional)

    def get_config(self):
        """The layers, their configurations and their connections, as a dict that `from_config` takes.

        For a subclass with a constructor of its own these are the constructor's arguments, without those that are no
        numbers, strings, bools or None.
        """
        config = {"name": self.name, "trainable": self.trainable}
        specification = inspect.getfullargspec(type(self).__init__)
        if _is_functional(specification):
            return network_config(self, config)
        if specification.varkw != "kwargs":
            config = {key: value for key, value in config.items() if key in specification.args}
        return config | (self._plain_arguments or {})

    get_config._is_default = True  # pyright: ignore

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model that `config`, from `get_config`, describes, with new weights.

        Raises:
          ValueError: a class or op is not known; the configuration is not one of a model.
          TypeError: the constructor does not take the configuration.
        """
        specification = inspect.getfullargspec(cls.__init__)
        takes_anything = specification.varargs == "args" and specification.varkw == "kwargs"
        if _is_functional(specification) or takes_anything and {"layers", "input_layers"} <= config.keys():
            return model_from_network_config(cls, config, custom_objects)
        try:
            return cls(**config)
        except TypeError as error:
            raise TypeError(
                "Unable to revive model from config. When overriding the `get_config()` method, make sure that the "
                f"returned config contains all items used as arguments in the constructor to {cls}, or override "
                f"`from_config(cls, config)`.\n\nReceived config={config}\n\nError encountered during deserialization: "
                f"{error}"
            ) from error

    def __deepcopy__(self, memo):
        return copied_network(self, lambda layer: copy.deepcopy(layer, memo))


def _is_functional(specification):
    """Whether a constructor takes what the one of `Functional` takes."""
    return specification.args == inspect.getfullargspec(Functional.__init__).args


Model._functional_class = Functional


def _plain(structure):
    """A copy of the structure."""
    return nest.map_structure(lambda x: x, structure)


def _unwrapped(structure) -> Any:
    """The one tensor of a list of one."""
    flat = nest.flatten(structure)
    return flat[0] if isinstance(structure, list) and len(flat) == 1 else structure


def _unique_names(names):
    taken, counts, unique = set(), {}, []
    for name in names:
        proposal = name
        while proposal in taken:
            counts[name] = counts.get(name, 0) + 1
            proposal = f"{name}_{counts[name]}"
        taken.add(proposal)
        unique.append(proposal)
    return unique


def _without_batch_size(x):
    shape = x.shape.as_list()
    return [None, *shape[1:]] if shape else shape


def _filled(node, values):
    """The arguments of a call, with values in place of KerasTensors."""
    structure = (node.call_args, node.call_kwargs)
    flat = [values[id(x)] if isinstance(x, KerasTensor) else x for x in nest.flatten(structure)]
    return nest.pack_sequence_as(structure, flat)


def _conformed(x: Any, symbol) -> Any:
    """An input in the dtype and rank of its Input."""
    if isinstance(x, CompositeTensor):
        return x if x.dtype == symbol.dtype else cast(x, symbol.dtype)  # pyright: ignore
    if not isinstance(x, Tensor):
        return x
    rank, target = x.shape.rank, symbol.shape
    if rank is not None and target.rank is not None and rank != target.rank:
        mask = getattr(x, "_keras_mask", None)
        # A last axis of size 1 may be there or not.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/functional.py
        if rank == target.rank + 1 and x.shape[-1] == 1:
            x = squeeze(x, axis=-1)
        elif rank == target.rank - 1 and target[-1] == 1:
            x = expand_dims(x, axis=-1)
        if mask is not None:
            x._keras_mask = mask
    if x.dtype == symbol.dtype:
        return x
    mask = getattr(x, "_keras_mask", None)
    x = cast(x, symbol.dtype)
    if mask is not None:
        x._keras_mask = mask
    return x


def copied_network(model, copied, symbols=()):
    """A functional model like another, of the layers that `copied` returns for its layers."""
    created = {}
    sources = {id(layer): i for i, layer in enumerate(model._input_layers)}

    def serialized(layer):
        place = sources.get(id(layer))
        if place is None:
            created[layer.name] = copied(layer)
        elif symbols:
            created[layer.name] = symbols[place]._keras_history.layer
        else:
            created[layer.name] = InputLayer(**layer.get_config())
        return {}

    config = network_config(model, {}, serialized)
    inputs, outputs, _ = rebuilt(config, created=created)
    new = Functional(inputs, outputs, name=model.name, trainable=model.trainable)
    insert_added(new, created)
    return new
