"""`Sequential`."""

import inspect
import weakref
from typing import Any

from tfcompat import nest
from tfcompat._core.module import Module
from tfcompat._core.name_scope import name_scope
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat.array import cast, expand_dims, squeeze
from tfcompat.dtypes import as_dtype
from tfcompat.keras._models.model import Model
from tfcompat.keras._models.model_members import named_inputs, numbered_layers
from tfcompat.layers._input import InputLayer
from tfcompat.layers._layer import registry as _registry
from tfcompat.layers._layer.call_context import call_context
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer, default
from tfcompat.layers._layer.mask_propagation import mask_of
from tfcompat.layers._layer.random_layer import RandomLayer
from tfcompat.layers._layer.registry import register_keras_object
from tfcompat.layers._layer.shapes import Placeholder, as_shapes, as_tuples, relaxed
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.layers._symbolic.object_symbols import ObjectKerasTensor
from tfcompat.layers._symbolic.symbolic_call import inferred

_SINGLE_OUTPUT = (
    "All layers in a Sequential model should have a single output tensor. For multi-output layers, use the functional "
    "API, or subclass tf.keras.Model."
)


class ModuleWrapper(Layer):
    """A `tf.Module` that is no layer, as one.

    Args:
      module: has `__call__` or `call`, a function of the inputs and of `training`, if it has a parameter of that name.

    Raises:
      ValueError: it has neither.

    TF: the layer that `tf.keras.Sequential` makes of a module.
    """

    def __init__(self, module, **kwargs):
        super().__init__(**kwargs)
        method = next((name for name in ("__call__", "call") if hasattr(module, name)), None)
        if method is None:
            raise ValueError(f"{method} is not defined on object {module}: a module needs `__call__` or `call`")
        self._module = module
        self.__dict__["_method"] = method
        parameters = inspect.signature(getattr(module, method)).parameters
        kinds = {parameter.kind for parameter in parameters.values()}
        self.__dict__["_passes_training"] = "training" in parameters or inspect.Parameter.VAR_KEYWORD in kinds

    def call(self, inputs, training=None):
        """What the module returns."""
        method = getattr(self._module, self._method)
        return method(inputs, training=training) if self._passes_training else method(inputs)


@register_keras_object("keras")
class Sequential(Model):
    """A stack of layers, each called on the output of the one before.

    Args:
      layers: list of layers; the first may be `tf.keras.Input(shape)` or a layer with `input_shape`, then the
        weights are made at once. Otherwise the first call makes them, or `build`.
      name: str.

    Raises:
      TypeError: an entry is no layer.
      ValueError: two layers have the same name.

    Inputs are cast to the dtype of the Input, or to that of the first call.
    TF: `tf.keras.Sequential` of Keras 2. Each layer is called once in a call, also in the first.
    """

    _compute_output_and_mask_jointly = True
    _unsaved_attributes = Model._unsaved_attributes | {
        "inputs", "outputs", "_stack", "_chain", "_symbols", "_implicit_source",
    }  # fmt: skip

    @property
    def _own_nodes(self):
        return int(self._known_shape is not None or not self.layers)

    # Set by the constructor, past `__setattr__`.
    _stack: list
    _ready: bool
    _has_explicit_input_shape: bool
    _known_shape: Any
    _input_dtype: Any
    _chain: Any
    _symbols: list
    _implicit_source: Any

    def __init__(self, layers=None, name=None):
        super().__init__(name=name, autocast=False)
        attributes = self.__dict__
        attributes.update(_supports_masking=True, _auto_track_sub_layers=False)
        attributes["_symbols"] = []
        self._forget_input()
        for layer in layers if isinstance(layers, list | tuple) else [layers] if layers else []:
            self.add(layer)

    def _forget_input(self):
        self.__dict__.update(
            _has_explicit_input_shape=False,
            _known_shape=None,
            _input_dtype=None,
            _seen_shape=None,
            _chain=None,
            _explicit_spec=None,
            _stack=[],
            _ready=False,
            _implicit_source=None,
            built=False,
        )
        self._disconnect()

    @property
    def layers(self):
        """The layers added, without the Input."""
        tracked = self._self_tracked_trackables
        return list(tracked[1:] if tracked and isinstance(tracked[0], InputLayer) else tracked)

    def add(self, layer):
        """Puts a layer on top. It is built at once if the shape of its inputs is known.

        A layer that is in the stack already is called once more then, and otherwise not, as in Keras 2.

        Raises:
          TypeError: `layer` is no layer.
          ValueError: a layer of that name is there already.
        """
        if isinstance(layer, KerasTensor):
            layer = layer._keras_history[0]
        if isinstance(layer, Module) and not isinstance(layer, Layer):
            layer = ModuleWrapper(layer)
        if not isinstance(layer, Layer):
            raise TypeError(
                f"The added layer must be an instance of class Layer. Received: layer={layer} of type "
                f"{type(layer)}."
            )
        if any(other.name == layer.name and other is not layer for other in self.layers):
            raise ValueError(
                f'All layers added to a Sequential model should have unique names. Name "{layer.name}" is '
                "already the name of a layer in this model. Update the `name` argument to pass a unique name."
            )
        tracked = self._self_tracked_trackables
        repeated = any(layer is other for other in self.layers)
        if repeated and self._known_shape is None:
            return
        self.__dict__.update(built=False, _ready=False, _chain=None)
        if not tracked:
            source = layer if isinstance(layer, InputLayer) else _input_of(layer)
            if source is not None:
                self._take_input(source)
        if not isinstance(layer, InputLayer) or tracked and tracked[0] is not layer:
            self._stack.append(layer)
            if not repeated:
                tracked.append(layer)
        if self._known_shape is not None:
            self._connect()
            self.built = True

    def _take_input(self, layer):
        self._self_tracked_trackables.append(layer)
        shape = TensorShape(layer._batch_input_shape)
        spec = InputSpec(shape=[None, *shape.as_list()[1:]], allow_last_axis_squeeze=True, name=layer.name)
        self.__dict__.update(
            _has_explicit_input_shape=True,
            _known_shape=shape,
            _input_dtype=layer._compute_dtype_object,
            _explicit_spec=[spec],
        )

    def pop(self):
        """Takes the last layer off.

        Raises:
          TypeError: there is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        if len(self._symbols) > len(self._stack):
            self._forget_call(self._symbols.pop())
        last = self._stack.pop()
        if not any(layer is last for layer in self._stack):
            self._self_tracked_trackables.pop()
        self.__dict__["_chain"] = None
        if not self._stack:
            self._self_tracked_trackables.clear()
            self._forget_input()

    @default
    def build(self, input_shape=None):
        """Makes the weights for inputs of a shape.

        Args:
          input_shape: shape with None for the batch axis; not needed where an Input is given.

        Raises:
          ValueError: no shape.
        """
        if not self._has_explicit_input_shape:
            if input_shape is None:
                raise ValueError("You must provide an `input_shape` argument.")
            shape = as_shapes(input_shape)
            if isinstance(shape, dict | list):
                self.__dict__["_ready"] = False
                return super().build(input_shape)
            if not shape or shape == TensorShape([]):
                return Layer.build(self, input_shape)  # as for a Model
            self.__dict__.update(
                _known_shape=shape, _input_dtype=None, _seen_shape=None, _implicit_source=None
            )
            self._disconnect()
            self._connect()
        Layer.build(self, self._known_shape)

    def _connect(self):
        """Builds the layers for inputs of the known shape."""
        self.__dict__["_chain"] = None
        shape, dtype = self._known_shape, self._input_dtype or self._compute_dtype_object
        try:
            with name_scope(""):  # weights are named after their layer alone
                for layer in self._stack:
                    shape, dtype = _after(layer, shape, dtype)
                    if sum(isinstance(each, TensorShape) for each in nest.flatten(shape)) > 1:
                        raise ValueError(_SINGLE_OUTPUT)
        except Exception as error:
            self.__dict__["_chain"] = self._shapes_of_objects(error)
        for layer in self._stack:
            layer.__dict__["_sequential"] = weakref.ref(self)
        self.__dict__["_ready"] = True

    def _shapes_of_objects(self, error):
        """The shapes between the layers where some take an object, such as a distribution; else raises `error`."""
        self._disconnect()
        try:
            tensors = self._tensors()
        except Exception:
            raise error from None
        if not any(isinstance(x, ObjectKerasTensor) for x in tensors):
            self._disconnect()
            raise error
        return [x.shape for x in tensors]

    def call(self, inputs, training=None, mask=None):
        """Calls the layers, one after another; they inherit `training`, and each takes the mask of the one before."""
        stack = self._stack
        if not stack and not self._ready:
            return inputs
        is_tensor = isinstance(inputs, Tensor)
        if self._ready and isinstance(inputs, dict):
            known = self._known_shape is not None
            inputs = [named_inputs(inputs, [self._source.name])[0]] if known else inputs
        if self._ready and isinstance(inputs, list | tuple) and len(inputs) == 1:
            (inputs,) = inputs
        if isinstance(inputs, Tensor):
            inputs = self._conformed(inputs, training)
            if mask is not None:
                inputs._keras_mask = mask
        if self._ready:
            for layer in stack:
                inputs = layer(inputs)
            return inputs
        with name_scope(""):
            for layer in stack:
                inputs = layer(inputs)
                layer.__dict__["_sequential"] = weakref.ref(self)
                if is_tensor and not isinstance(inputs, Tensor) and len(nest.flatten(inputs)) != 1:
                    raise ValueError(_SINGLE_OUTPUT)
        self.__dict__["_ready"] = True
        if is_tensor:
            self.built = True  # also where `call` is called by itself: TensorFlow makes a network of the layers then
        return inputs

    def _conformed(self, inputs, training):
        """`inputs` in the dtype and rank of those the model was built for."""
        attributes, shape = self.__dict__, inputs.shape
        if attributes["_seen_shape"] is not shape:
            attributes["_seen_shape"] = shape
            if not attributes["_has_explicit_input_shape"]:
                known = attributes["_known_shape"]
                any_batch = shape.rank and call_context.batch_size_is_unknown
                batch_shape = TensorShape([None, *shape[1:]]) if any_batch else shape
                wider = batch_shape if known is None else relaxed(known, batch_shape)
                # Keras builds its graph anew where it has to widen the shape, with the dtype it then meets.
                # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/sequential.py
                if wider.rank is not None and (known is None or wider.as_list() != known.as_list()):
                    attributes.update(_known_shape=wider, _input_dtype=inputs.dtype, _chain=None, _implicit_source=None)
                    self._disconnect()
                    if training is True:
                        self._draw_as_traced()
        known, dtype = attributes["_known_shape"], attributes["_input_dtype"]
        if shape.rank != known.rank and known.rank:  # Keras knows nothing of the shape where a scalar came first
            if shape.rank == known.rank + 1 and shape[-1] == 1:
                inputs = squeeze(inputs, axis=-1)
            elif shape.rank == known.rank - 1 and known[-1] == 1:
                inputs = expand_dims(inputs, axis=-1)
        if dtype is None:
            dtype = attributes["_input_dtype"] = self._compute_dtype_object
        return inputs if inputs.dtype == dtype else cast(inputs, dtype)

    def _draw_as_traced(self):
        """Advances seeds as Keras does where it builds its graph, which calls each layer once more."""
        for layer in self._flatten_layers(include_self=False):
            if isinstance(layer, RandomLayer) and layer._next_seed is not None:
                layer._next_seed += 1

    # --- shapes --------------------------------------------------------------------------------------------

    def compute_output_shape(self, input_shape):
        """The shape of the outputs for inputs of a shape."""
        for layer in self._stack:
            input_shape = layer.compute_output_shape(input_shape)
        return input_shape

    def compute_mask(self, inputs, mask):
        """The mask of the outputs for inputs with a mask."""
        return mask_of(self.call(inputs, mask=mask))

    def _shapes(self):
        """The shape before each layer and after the last; None while the input's is unknown."""
        if self._chain is None and self._known_shape is not None:
            chain, dtype = [self._known_shape], self._input_type
            for layer in self._stack:
                if _is_told_by_call(layer, chain[-1], dtype):
                    shape, dtype = _called(layer, chain[-1], dtype)
                else:
                    shape, dtype = layer.compute_output_shape(chain[-1]), layer._compute_dtype_object
                chain.append(shape)
            self.__dict__["_chain"] = chain
        return self._chain

    def _prepare(self, inputs):
        """Takes the shape of KerasTensors as that of the inputs."""
        if self._has_explicit_input_shape or not isinstance(inputs, KerasTensor) or not self.layers:
            return
        known = self._known_shape
        wider = inputs.shape if known is None else relaxed(known, inputs.shape)
        if known is None or wider.as_list() != known.as_list():
            self._disconnect()
            self.__dict__.update(_known_shape=wider, _input_dtype=inputs.dtype, _implicit_source=None)
            self._connect()
            Layer.build(self, wider)

    def _tensors(self):
        """KerasTensors: the input and the output of each layer; None while the shape is unknown."""
        symbols = self._symbols
        if self._known_shape is None:
            return None
        if len(symbols) <= len(self._stack) and not self.__dict__.get("_connecting"):
            self.__dict__["_connecting"] = True
            outer, call_context.keep_seeds = call_context.keep_seeds, True
            try:
                if not symbols:
                    symbols.append(self._source._inbound_nodes[0].outputs)
                with name_scope(""):
                    for layer in self._stack[len(symbols) - 1 :]:
                        symbols.append(layer(symbols[-1]))
            finally:
                call_context.keep_seeds = outer
                self.__dict__["_connecting"] = False
        return symbols

    def _disconnect(self):
        """Forgets the calls that `_tensors` made."""
        while len(self._symbols) > 1:
            self._forget_call(self._symbols.pop())
        self._symbols.clear()

    def _forget_call(self, output):
        layer, index, _ = nest.flatten(output)[0]._keras_history
        layer.__dict__["_nodes_in"][index].remove()

    @property
    def input(self):
        """The KerasTensor that stands for the input."""
        tensors = self._tensors()
        return super().input if tensors is None else tensors[0]

    @property
    def output(self):
        """The KerasTensor that stands for the output."""
        tensors = self._tensors()
        return super().output if tensors is None else tensors[-1]

    def _shape_at(self, index, which):
        chain = self._shapes()
        if chain is None:
            raise AttributeError(
                f'The model "{self.name}" has no `{which}` before it is built: call it, or build it'
            )
        return as_tuples(chain[index])

    @property
    def input_shape(self):
        """Shape of the inputs as a tuple, None where it varies; AttributeError before the model is built."""
        return self._shape_at(0, "input_shape")

    @property
    def output_shape(self):
        """Shape of the outputs as a tuple, None where it varies; AttributeError before the model is built."""
        return self._shape_at(-1, "output_shape")

    @property
    def inputs(self):
        """List of one KerasTensor, or None before the model is built."""
        tensors = self._tensors()
        return None if tensors is None else [tensors[0]]

    @property
    def outputs(self):
        """List of one KerasTensor, or None before the model is built."""
        tensors = self._tensors()
        return None if tensors is None else [tensors[-1]]

    @property
    def _is_graph_network(self):
        return self._known_shape is not None and bool(self._stack)

    @property
    def input_names(self):
        """List of the name of the layer that the inputs come from, or None before the model is built."""
        return None if self._known_shape is None or not self._stack else [self._source.name]

    @property
    def output_names(self):
        """List of the name of the last layer, or None before the model is built."""
        return None if self._known_shape is None or not self._stack else [self._stack[-1].name]

    @property
    def _input_layers(self):
        self._assert_connected("_input_layers")
        return [self._source]

    @property
    def _output_layers(self):
        self._assert_connected("_output_layers")
        return [self._stack[-1]]

    def _assert_connected(self, name):
        if self._known_shape is None or not self._stack:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        self._tensors()  # the calls that its nodes stand for

    def _get_save_spec(self, dynamic_batch=True, inputs_only=True):
        if self._known_shape is None or not self._stack:
            return super()._get_save_spec(dynamic_batch, inputs_only)
        known = self._known_shape
        if dynamic_batch and not self._has_explicit_input_shape:
            known = TensorShape([None, *known[1:]])
        spec = TensorSpec(known, self._input_type, self._source.name)
        return spec if inputs_only else ([spec], {})

    @property
    def _input_type(self):
        return self._input_dtype or self._compute_dtype_object

    @property
    def _source(self) -> Any:
        """The layer that the inputs come from."""
        first = self._self_tracked_trackables[0]
        if isinstance(first, InputLayer):
            return first
        if self._implicit_source is None:
            self.__dict__["_implicit_source"] = InputLayer(
                batch_input_shape=as_tuples(self._known_shape), dtype=self._input_type, name=f"{first.name}_input"
            )
        return self._implicit_source

    @property
    def input_spec(self):
        """The spec of the Input, or the one that was set; None without either."""
        attributes = self.__dict__
        return attributes["_manual_input_spec"] if "_manual_input_spec" in attributes else attributes["_explicit_spec"]

    @input_spec.setter
    def input_spec(self, value):
        self.__dict__["_manual_input_spec"] = value

    # --- configuration -------------------------------------------------------------------------------------

    def _checkpoint_children(self):
        return numbered_layers(self, Sequential)

    def get_build_config(self):
        """What `build_from_config` needs, or None before the model is built."""
        return None if self._known_shape is None else {"input_shape": as_tuples(self._known_shape)}

    def get_config(self):
        """The name and the configurations of the layers, as a dict that `from_config` takes."""
        knows_its_input = self._known_shape is not None and self._self_tracked_trackables
        layers = [self._source, *self.layers] if knows_its_input else self.layers
        legacy = self.__dict__.get("use_legacy_config", False)
        return {"name": self.name, "layers": [_registry.serialize(layer, legacy) for layer in layers]}

    def build_from_config(self, config):
        """Builds the layers as `get_build_config` says, unless they are."""
        if not self.built and config["input_shape"] is not None:
            self.build(as_shapes(config["input_shape"]))

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model that `config`, from `get_config`, describes, with new weights."""
        model = cls(name=config["name"])
        for layer in config["layers"]:
            model.add(_registry.deserialize(layer, custom_objects))
        return model


def _input_of(layer):
    """The InputLayer that a first layer asks for with `input_shape`, or None."""
    first = layer
    while isinstance(first, Model) and first.layers:
        first = first._self_tracked_trackables[0] if isinstance(first, Sequential) else first.layers[0]
    shape = first.__dict__.get("_batch_input_shape")
    if not shape:
        return None
    return InputLayer(batch_input_shape=shape, dtype=first._compute_dtype_object, name=f"{layer.name}_input")


def _after(layer, shape, dtype):
    """Builds a layer for inputs of a shape and a dtype; returns those of its outputs."""
    if isinstance(layer, Sequential):
        if not layer.built:
            layer.build(shape)
        return layer.compute_output_shape(shape), layer._compute_dtype_object
    with name_scope(layer._name_scope()):
        layer._maybe_build(Placeholder(shape, dtype))
    if _is_told_by_call(layer, shape, dtype):
        return _called(layer, shape, dtype)  # which also builds what is built in `call`
    try:
        after = layer.compute_output_shape(shape)
    except Exception:
        if _is_ours(type(layer).compute_output_shape):
            raise
        return _called(layer, shape, dtype)  # Keras does not ask the user's method here
    _refuse_large_windows(layer, TensorShape(shape), after)
    return after, layer._compute_dtype_object


def _called(layer, shape, dtype):
    """The shape and the dtype of what a layer makes of inputs, by a call.

    Raises:
      ValueError: it makes several tensors.
      TypeError: it makes an object of the program's.
    """
    output = inferred(layer, KerasTensor(shape, dtype))
    if len(nest.flatten(output)) != 1:
        raise ValueError(_SINGLE_OUTPUT)
    if isinstance(output, ObjectKerasTensor):
        raise TypeError(f"{layer} makes no tensor, but an object")
    return output.shape, output.dtype


def _is_told_by_call(layer, shape, dtype):
    """Whether only a call tells what a layer makes: its code is the program's, or its inputs are no floating numbers.

    Keras finds all shapes by calls.
    """
    cls = type(layer)
    told = not _is_ours(cls.call) and _is_ours(cls.__call__) or not as_dtype(dtype).is_floating
    return told and isinstance(shape, TensorShape)


def _is_ours(method):
    return getattr(method, "__module__", "").partition(".")[0] == "tfcompat"


def _refuse_large_windows(layer, before, after):
    """Raises where a window is larger than the image, which ops refuse in a function; here only shapes are computed.

    Args:
      layer: Layer.
      before, after: shapes of its inputs and outputs; nests of others than one tensor are not looked at.
    """
    window = getattr(layer, "pool_size", None) or getattr(layer, "kernel_size", None)
    if window is None or not isinstance(before, TensorShape) or not isinstance(after, TensorShape):
        return
    if before.rank is not None and after.rank is not None and 0 in after.as_list() and 0 not in before.as_list():
        raise ValueError(
            f'Exception encountered when calling layer "{layer.name}" (type {type(layer).__name__}).\n\n'
            f"Negative dimension size: a window of {window} does not fit inputs of shape {before}"
        )
