"""Functional models as dicts, and back: the layers, and where the arguments of each call come from."""

import collections
import contextlib
import functools
import inspect
import json
from typing import Any

import numpy as np

from tfcompat import dtypes, nest
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.keras._models.added_outputs import AddLoss, AddMetric
from tfcompat.layers._input import InputLayer
from tfcompat.layers._layer import registry as _registry
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._symbolic.attribute_layers import InstanceMethod
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.layers._symbolic.op_layers import TFOpLambda

# In place of the name of a layer, before a constant.
# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/node.py
_CONSTANT = "_CONSTANT_VALUE"


# --- to a dict ---------------------------------------------------------------------------------------------


def network_config(model, config, serialize=None):
    """The dict that describes a functional model.

    Args:
      model: Functional.
      config: dict that begins it.
      serialize: function of a layer that gives the dict of it.

    Raises:
      TypeError: an argument of a layer's call cannot be serialized.
    """
    legacy = model.__dict__.get("use_legacy_config", False)
    serialize = serialize or functools.partial(_registry.serialize, use_legacy_format=legacy)
    relevant = {id(node) for nodes in model._nodes_by_depth.values() for node in nodes}
    numbers = {}  # id of a node -> its number in the dict
    for layer in model.layers:
        number = layer._own_nodes
        for node in layer._inbound_nodes:
            if id(node) in relevant:
                numbers[id(node)] = number
                number += 1
    layers = []
    for layer in model.layers:
        nodes = [
            _node_config(node, numbers)
            for node in layer._inbound_nodes
            if id(node) in relevant and not node.is_input
        ]
        with _serialization.legacy_config(layer) if legacy else contextlib.nullcontext():
            entry: Any = serialize(layer)
        entry.update(name=layer.name, inbound_nodes=nodes)
        layers.append(entry)
    return {
        **config,
        "layers": layers,
        "input_layers": _listed(model._nested_inputs, numbers),
        "output_layers": _listed(model._nested_outputs, numbers),
    }


def _reference(x, numbers):
    history = x._keras_history
    return [history.layer.name, numbers.get(id(x.node), 0), history.tensor_index]


def _listed(structure, numbers):
    places = nest.map_structure(lambda x: _reference(x, numbers), structure)
    return places if nest.is_nested(structure) else [places]


def _node_config(node, numbers):
    layer = node.layer
    first, *others = node.call_args or (None,)
    names = _parameters(layer)
    if len(others) > len(names):
        raise TypeError(
            f"Layer {layer.name} was passed {len(others) + 1} arguments by position, of which only {len(names) + 1} "
            "have names: such a call cannot be written down"
        )
    keywords = {**dict(zip(names, others, strict=False)), **node.call_kwargs}

    def plain(x) -> Any:
        if isinstance(x, KerasTensor):
            return _reference(x, numbers)
        if isinstance(x, Tensor | Variable | np.ndarray | np.generic):
            return np.asarray(x).tolist()
        if isinstance(x, dtypes.DType):
            return x.name
        return x.as_list() if isinstance(x, TensorShape) else x

    keywords = nest.map_structure(plain, keywords)
    try:
        json.dumps(keywords, default=json_type)
    except TypeError:
        kinds = nest.map_structure(type, keywords)
        raise TypeError(
            f"Layer {layer.name} was passed non-JSON-serializable arguments. Arguments had types: {kinds}. They cannot "
            "be serialized out when saving the model."
        ) from None

    def described(x):
        return [*(plain(x) if isinstance(x, KerasTensor) else [_CONSTANT, -1, plain(x)]), keywords]

    data = nest.map_structure(described, first)
    return data if nest.is_nested(first) or _keeps_structure(layer) else [data]


def json_type(x):
    """The JSON form of a value that JSON does not know."""
    if x is Ellipsis:
        return {"class_name": "__ellipsis__"}
    if isinstance(x, np.ndarray | np.generic):
        return x.tolist()
    if isinstance(x, dict):  # one in an attribute, which passes for a dict
        return dict(x)
    raise TypeError(f"{type(x)} cannot be written as JSON")


def as_json(config):
    """A configuration as text."""
    return json.dumps(config, default=json_type)


def _parameters(layer):
    """The names of the positional parameters of `call` after the inputs."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(layer.call).parameters.values()
    return [p.name for p in parameters if p.kind in positional][1:]


def _keeps_structure(layer):
    """Whether a lone input of the layer is not put into a list."""
    return isinstance(layer, TFOpLambda | InstanceMethod)


# --- from a dict -------------------------------------------------------------------------------------------


class _Waiting(Exception):
    """A tensor is not there yet."""


def model_from_network_config(cls, config, custom_objects):
    """The model of a class with functional constructor that a dict describes."""
    inputs, outputs, created = rebuilt(config, custom_objects)
    keywords = {"trainable": config["trainable"]} if "trainable" in config else {}
    model = cls(inputs=inputs, outputs=outputs, name=config.get("name"), **keywords)
    insert_added(model, created)
    return model


def insert_added(model, created):
    """Adds the layers that only lead to losses and metrics of a model."""
    for layer in created.values():
        if isinstance(layer, AddLoss | AddMetric) and not any(layer is other for other in model.layers):
            model._insert(layer._inbound_nodes[-1].outputs)


def rebuilt(config, custom_objects=None, created=None):
    """The network that a dict describes, made by calling its layers anew.

    Args:
      config: dict from `network_config`.
      custom_objects: dict from names to classes and functions.
      created: dict from names to layers to take; all others are made and entered there.

    Returns:
      (inputs, outputs, created).

    Raises:
      ValueError: a name is not known; the dict is not that of a network.
    """
    if not isinstance(config, dict) or not {"layers", "input_layers", "output_layers"} <= config.keys():
        raise ValueError(f"Improperly formatted model config: {str(config)[:200]}")
    return _Rebuilding(config, custom_objects, {} if created is None else created).run()


class _Rebuilding:
    def __init__(self, config, custom_objects, created):
        self.config, self.layers = config, created
        self.numbers = {}  # (name of a layer, number of a call in the dict) -> number of the call
        self.waiting = collections.deque()
        for entry in config["layers"]:
            if not isinstance(entry, dict) or not {"name", "inbound_nodes"} <= entry.keys():
                raise ValueError(f"Improperly formatted model config: {str(entry)[:200]} is no layer")
            name = entry["name"]
            if name not in created:
                created[name] = _registry.deserialize(entry, custom_objects)
            self.waiting.append((created[name], collections.deque(entry["inbound_nodes"]), name))

    def run(self):
        counts = {name: layer._own_nodes for layer, _, name in self.waiting}
        idle = 0
        while self.waiting:
            layer, nodes, name = self.waiting.popleft()
            before = len(nodes)
            while nodes:
                try:
                    args, kwargs = self.arguments(layer, nodes[0])
                except _Waiting:
                    break
                outputs = nest.flatten(layer(*args, **kwargs))
                made = next(x for x in outputs if isinstance(x, KerasTensor))
                self.numbers[name, counts[name]] = made._keras_history.node_index
                counts[name] += 1
                nodes.popleft()
            idle = idle + 1 if nodes and len(nodes) == before else 0
            if nodes:
                if idle > len(self.waiting):
                    raise ValueError(
                        f'Improperly formatted model config: an input of the layer "{name}" is not there'
                    )
                self.waiting.append((layer, nodes, name))
        try:
            inputs, outputs = (self.decoded(self.config[key]) for key in ("input_layers", "output_layers"))
        except _Waiting:
            raise ValueError("Improperly formatted model config: an input or output is not there") from None
        return inputs, outputs, self.layers

    def arguments(self, layer, data):
        """The arguments of a call: (inputs first, keywords)."""
        keywords: dict = {}

        def first(entry):
            if len(entry) == 4:
                if not isinstance(entry[3], dict):
                    raise ValueError(f"Improperly formatted model config: {str(entry)[:200]}")
                keywords.update(entry[3])
            return entry[2] if entry[0] == _CONSTANT else self.tensor(entry)

        inputs = _mapped(first, data)
        if isinstance(inputs, list) and len(inputs) == 1 and not _keeps_structure(layer):
            inputs = inputs[0]
        return (inputs,), {key: self.decoded(value) for key, value in keywords.items()}

    def decoded(self, value):
        return _mapped(lambda entry: self.tensor(entry) if entry[0] in self.layers else entry, value)

    def tensor(self, entry):
        """The tensor that [name of a layer, number of its call, number of the output] means."""
        name, number, index = entry[:3]
        layer = self.layers.get(name)
        if layer is None:
            raise ValueError(f'Improperly formatted model config: there is no layer "{name}"')
        number = 0 if isinstance(layer, InputLayer) else self.numbers.get((name, number))
        if number is None:
            raise _Waiting
        outputs = nest.flatten(layer._inbound_nodes[number].outputs)
        if not 0 <= index < len(outputs):
            raise ValueError(f'Improperly formatted model config: the layer "{name}" has no output {index}')
        return outputs[index]


def _mapped(function, value):
    """`value` with the results of a function in place of the entries [str, int, anything, ...] in it."""
    if isinstance(value, dict):
        if value == {"class_name": "__ellipsis__"}:
            return Ellipsis
        return {key: _mapped(function, each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        if len(value) in (3, 4) and isinstance(value[0], str) and isinstance(value[1], int):
            if isinstance(value[2], int) or value[0] == _CONSTANT:
                return function(list(value))
        return type(value)([_mapped(function, each) for each in value])
    return value
