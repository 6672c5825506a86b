"""`Layer`: options at construction, variables made once by `build`, the computation in `call`."""

import copy
import inspect
import threading
from typing import Any

from tfcompat import nest
from tfcompat._core import restoring as _restoring
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.module import Module
from tfcompat._core.name_scope import _names as names
from tfcompat._core.name_scope import enter_scope, name_scope
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat._tracing import status as autograph
from tfcompat.array import cast, shape
from tfcompat.errors import UnimplementedError
from tfcompat.function import executing_eagerly, init_scope
from tfcompat.layers import regularizers
from tfcompat.layers._layer import dtype_policy as _dtype_policy
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer import tracking as _tracking
from tfcompat.layers._layer.arguments import (
    batch_input_shape,
    check_keywords,
    checked_name,
    converted,
    plain_arguments,
    resolve_training,
)
from tfcompat.layers._layer.call_context import call_context
from tfcompat.layers._layer.call_signature import CallSignature, with_call_information
from tfcompat.layers._layer.inbound_nodes import InboundNodes
from tfcompat.layers._layer.input_spec import InputSpec, assert_input_compatibility
from tfcompat.layers._layer.layer_members import LayerMembers
from tfcompat.layers._layer.mask_propagation import put_masks, taken_masks
from tfcompat.layers._layer.overrides import ignored_hooks, warn_of
from tfcompat.layers._layer.own_variables import OwnVariables
from tfcompat.layers._layer.registry import keras_objects
from tfcompat.layers._layer.shapes import Placeholder, as_shapes, as_tuples, inferred_shapes
from tfcompat.layers._layer.uncalled_methods import UNUSED
from tfcompat.layers._layer.weights import Weights
from tfcompat.layers._symbolic.keras_tensor import holds_symbols
from tfcompat.layers._symbolic.symbolic_call import call_symbolically
from tfcompat.math import divide_no_nan
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse._tensor import SparseTensor

_CAST = Tensor, RaggedTensor, SparseTensor  # what inputs are that are cast to the dtype of a layer


def default(method):
    """Marks a default method, so that overriding it can be noticed."""
    method._is_default = True
    return method


class Layer(Weights, InboundNodes, OwnVariables, LayerMembers, Module):
    """A computation together with the variables it uses.

    Args:
      trainable: bool, whether the layer's weights train.
      name: str; by default the name of the class in snake case, numbered from the second layer on.
      dtype: dtype of weights and computations: DType, its name, or a `tf.keras.mixed_precision.Policy`;
        `tf.keras.backend.floatx()` by default.
      dynamic: bool, whether models with the layer run eagerly, since it needs values.
      **kwargs: `input_shape` (without batch axis) or `batch_input_shape` or `input_dim`, for the first layer
        of a Sequential; `batch_size`; `weights`: initial values for `set_weights`; `activity_regularizer`;
        `autocast`: whether floating inputs are cast to `dtype`.

    Raises:
      TypeError: unknown keyword, or an argument of the wrong type.

    A subclass overrides `__init__`, `build(input_shape)` and `call(inputs, ...)`. Layers, modules and
    variables in its attributes, and in lists, tuples and dicts there, are tracked.

    Inputs may carry masks. `call` gets them if it takes a `mask`, and `compute_mask` makes masks of the outputs from
    them.
    TF: `tf.keras.layers.Layer` of Keras 2.
    """

    _input_spec: Any = None
    _eager_losses_of_thread: Any = None

    # Set by the constructor, past `__setattr__`.
    _trainable: Any
    _name: str
    _prefix: str
    _call_signature: CallSignature
    _dtype_policy: _dtype_policy.Policy
    _compute_dtype_object: Any
    _autocast: bool
    _dynamic: bool
    _stateful: bool
    _supports_masking: bool
    _computes_masks: bool
    _compute_output_and_mask_jointly = False
    built: bool
    _build_input_shape: Any
    _batch_input_shape: Any
    _initial_weights: Any
    _activity_regularizer: Any
    _plain_arguments: Any
    _trainable_weights: list
    _non_trainable_weights: list
    _self_tracked_trackables: list
    _loss_functions: list

    # Methods that a class overrides without effect; emptied once they have been reported.
    _ignored_hooks = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__module__.partition(".")[0] != "tfcompat":
            cls._ignored_hooks = ignored_hooks(cls, UNUSED)

    def __new__(cls, *args, **kwargs):
        if cls._ignored_hooks:
            warn_of(cls, cls._ignored_hooks)
            cls._ignored_hooks = ()
        layer = super().__new__(cls)
        object.__setattr__(layer, "_plain_arguments", plain_arguments(cls, args, kwargs))
        return layer

    def __init__(self, trainable=True, name=None, dtype=None, dynamic=False, **kwargs):
        check_keywords(kwargs)
        if not isinstance(trainable, bool | Tensor | Variable):
            raise TypeError(f"Expected `trainable` argument to be a boolean, but got: {trainable}")
        if not isinstance(dynamic, bool):
            raise TypeError(f"Expected `dynamic` argument to be a boolean, but got: {dynamic}")
        attributes = self.__dict__
        attributes["_trainable"] = trainable
        attributes["_dynamic"] = dynamic
        attributes["_stateful"] = False
        # A class that overrides `compute_mask` supports masks.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/base_layer.py
        attributes["_computes_masks"] = attributes["_supports_masking"] = not hasattr(self.compute_mask, "_is_default")
        attributes["built"] = False
        attributes["_build_input_shape"] = None
        attributes["_name"] = checked_name(self, name)
        attributes["_prefix"] = attributes["_name"] + "/"
        attributes["_activity_regularizer"] = regularizers.get(kwargs.get("activity_regularizer"))
        for attribute in ("_trainable_weights", "_non_trainable_weights", "_self_tracked_trackables"):
            attributes.setdefault(attribute, [])
        attributes["_loss_functions"] = []
        attributes["_updates"] = []
        self._set_dtype_policy(_dtype_policy.policy_of(dtype))
        attributes["_autocast"] = kwargs.get("autocast", True)
        attributes["_call_signature"] = CallSignature(self.call)
        shape = batch_input_shape(kwargs)
        if shape is not None:
            attributes["_batch_input_shape"] = shape
        attributes["_initial_weights"] = kwargs.get("weights")
        attributes["_accepted_spec"] = attributes["_accepted_shape"] = None

    # --- options -------------------------------------------------------------------------------------------

    def _flatten_layers(self, recursive=True, include_self=True):
        for module in self._flatten_modules(recursive, include_self):
            if isinstance(module, Layer):
                yield module

    def _set_dtype_policy(self, policy):
        attributes = self.__dict__
        attributes["_dtype_policy"] = policy
        attributes["_compute_dtype_object"] = policy._compute

    @property
    def name(self):
        """The layer's name."""
        return self._name

    @property
    def dtype_policy(self):
        """The `tf.keras.mixed_precision.Policy` of the layer."""
        return self._dtype_policy

    @property
    def dtype(self):
        """Name of the dtype of the weights."""
        return self._dtype_policy.variable_dtype

    @property
    def variable_dtype(self):
        """Name of the dtype of the weights."""
        return self._dtype_policy.variable_dtype

    @property
    def compute_dtype(self):
        """Name of the dtype of the computations, to which floating inputs are cast."""
        return self._dtype_policy.compute_dtype

    @property
    def dynamic(self):
        """Whether the layer or one inside it was made with `dynamic=True`."""
        return any(layer._dynamic for layer in self._flatten_layers())

    @property
    def stateful(self):
        """Whether the layer or one inside it keeps state between calls, as recurrent layers may."""
        return any(layer._stateful for layer in self._flatten_layers())

    @stateful.setter
    def stateful(self, value):
        self.__dict__["_stateful"] = value

    @property
    def supports_masking(self):
        """Whether outputs get masks, which `compute_mask` makes: True if a subclass overrides that."""
        return self._supports_masking

    @supports_masking.setter
    def supports_masking(self, value):
        self.__dict__["_supports_masking"] = value

    @property
    def trainable(self):
        """Whether the layer's weights train. Setting it sets it for every layer inside as well."""
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        for layer in self._flatten_layers():
            layer.__dict__["_trainable"] = value

    @property
    def activity_regularizer(self):
        """Function from an output to a loss, or None."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer):
        self.__dict__["_activity_regularizer"] = regularizer

    @property
    def input_spec(self):
        """`InputSpec`, structure of these, or None: what the inputs are checked against."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value):
        for spec in nest.flatten(value):
            if spec is not None and not isinstance(spec, InputSpec):
                raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {spec}")
        self.__dict__["_input_spec"] = value

    # --- losses --------------------------------------------------------------------------------------------

    @property
    def _eager_losses(self):
        of_thread = self.__dict__.setdefault("_eager_losses_of_thread", threading.local())
        if not hasattr(of_thread, "losses"):
            of_thread.losses = []
        return of_thread.losses

    def _clear_losses(self):
        for layer in self._flatten_layers():
            if layer._eager_losses_of_thread is not None:
                layer._eager_losses.clear()
            layer.__dict__.pop("_symbolic_losses", None)

    def _keep_symbolic_losses(self):
        """Keeps the losses of a call on KerasTensors, which `losses` lists until the next call."""
        for layer in self._flatten_layers():
            if layer._eager_losses_of_thread is not None and layer._eager_losses:
                layer.__dict__.setdefault("_symbolic_losses", []).extend(layer._eager_losses)
                layer._eager_losses.clear()

    @property
    def losses(self):
        """The losses of the last call and of the regularizers of weights, also of layers inside this one.

        Losses of a call on KerasTensors have no values. Losses of regularizers are computed when this is read, so read
        it under the tape.
        """
        result, layers = [], list(self._flatten_layers())
        called = not executing_eagerly() or call_context.current[0] is not None
        called = called or any(layer._eager_losses_of_thread is not None and layer._eager_losses for layer in layers)
        for layer in layers:
            if called and layer._eager_losses_of_thread is not None:
                result += layer._eager_losses
            elif not called:
                result += layer.__dict__.get("_symbolic_losses", ())
            for function in layer._loss_functions:
                loss = function()
                if loss is not None:
                    result.append(_as_loss(loss))
        return result

    def add_loss(self, losses, **kwargs):
        """Adds to `losses`.

        Args:
          losses: tensor, in `call` only, where it counts until the next call; or function without arguments,
            evaluated whenever `losses` is read; or list of these. None is passed over.
          **kwargs: `inputs`, ignored as in Keras.

        Raises:
          ValueError: a tensor outside of `call`.
        """
        kwargs.pop("inputs", None)
        if kwargs:
            raise TypeError(f"Unknown keyword arguments: {kwargs.keys()}")
        tensors = []
        for loss in nest.flatten(losses):
            if callable(loss):
                self._loss_functions.append(loss)
            elif loss is not None:
                tensors.append(_as_loss(loss))
        if tensors and call_context.current[0] is None:
            raise ValueError(
                "Expected a symbolic Tensors or a callable for the loss value. Please wrap your loss "
                "computation in a zero argument `lambda`."
            )
        if tensors:
            call_context.losses_added = True
            self._eager_losses.extend(tensors)

    def _add_activity_loss(self, outputs):
        for output in nest.flatten(outputs):
            loss = convert_to_tensor(self._activity_regularizer(output))
            # Divided by the size of the batch, so that the strength of a regularizer does not depend on it.
            # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/base_layer.py
            self.add_loss(divide_no_nan(loss, cast(shape(output)[0], loss.dtype)))

    @property
    def metrics(self):
        """The metrics in the attributes of the layer and of those inside."""
        metrics = [metric for layer in self._flatten_layers() for metric in layer.__dict__.get("_metrics", ())]
        return _tracking.unique(metrics)

    def add_metric(self, value, name: Any = None, **kwargs):
        """Adds the mean of a value over batches to `metrics`; in `call`.

        Args:
          value: tensor, or what a call of a metric returned: then that metric counts.
          name: str, the name of the mean; not needed for the value of a metric.
          **kwargs: `aggregation`, None or "mean".

        Raises:
          ValueError: no name.
          TypeError: unknown keyword.
          tf.errors.UnimplementedError: a KerasTensor.
        """
        metric = getattr(value, "_metric_obj", None)
        checked_metric(metric or name, kwargs)
        if holds_symbols((value,)):
            raise UnimplementedError(
                None, None,
                "Layer.add_metric of a KerasTensor is not available in tfcompat: call it in `call` of a layer",
            )  # fmt: skip
        metrics = self.__dict__.setdefault("_metrics", [])
        if metric is not None:
            if all(other is not metric for other in self.metrics):
                metrics.append(metric)
            return
        metric = next((other for other in metrics if other.name == name), None)
        if metric is None:
            with init_scope():
                metric = keras_objects("metric")["Mean"](name=name)
            metrics.append(metric)
        metric.update_state(value)

    @property
    def updates(self):
        """Updates happen as layers are called: an empty list."""
        return []

    def add_update(self, updates):
        """Runs each function in `updates` at once, unless the layer being called is not trainable."""
        layer = call_context.current[0]
        if layer is None or layer.trainable:
            for update in nest.flatten(updates):
                if callable(update):
                    update()

    # --- building and calling ------------------------------------------------------------------------------

    @default
    def build(self, input_shape):
        """Makes the variables; for subclasses. Called once, by the first call, in the layer's name scope.

        Args:
          input_shape: TensorShape of the inputs, or the same structure of them.
        """
        self.__dict__["_build_input_shape"] = input_shape
        self.__dict__["built"] = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; for subclasses. `inputs` by default."""
        return inputs

    def _name_scope(self):
        """The full prefix of the layer's variables; an absolute name, which keeps it when entered again."""
        return names.scope + self._prefix

    def _maybe_build(self, inputs):
        if not self.built:
            assert_input_compatibility(self.input_spec, inputs, self.name)
            shapes = nest.map_structure(lambda x: getattr(x, "shape", None), inputs)
            if not hasattr(self.build, "_is_default"):
                with init_scope():
                    self.build(shapes)
            Layer.build(self, shapes)
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self.__dict__["_initial_weights"] = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs of `call`.

        Args:
          *args, **kwargs: those of `call`. NumPy arrays and Python numbers among the first are converted,
            floating ones cast to the layer's dtype. Without `training`, the value given to the layer around
            this one counts, then the default in `call`.

        Raises:
          ValueError: the inputs do not fit `input_spec`.
          RuntimeError: the constructor did not call that of Layer.
        """
        fields = self.__dict__
        signature = fields.get("_call_signature")
        if signature is None:
            raise RuntimeError("You must call `super().__init__()` in the layer constructor.")
        if args:
            inputs, args = args[0], args[1:]
        elif signature.first is not None and signature.first in kwargs:
            inputs = kwargs.pop(signature.first)
        else:
            raise ValueError("The first argument to `Layer.call` must always be passed.")
        is_tensor = isinstance(inputs, Tensor)
        if not is_tensor:
            inputs = converted(inputs)
            is_tensor = isinstance(inputs, Tensor)
            if holds_symbols((inputs,)):
                return call_symbolically(self, inputs, args, kwargs)
        if (args or kwargs) and holds_symbols((*args, *kwargs.values())):
            return call_symbolically(self, inputs, args, kwargs)
        masks = None
        if fields["_supports_masking"] or signature.takes_mask:
            masks = taken_masks(signature, inputs, args, kwargs)
        context = call_context
        outer = context.current
        if signature.takes_training:
            args, training = resolve_training(signature, args, kwargs, outer[1])
        else:
            training = kwargs.pop("training") if "training" in kwargs else outer[1]
        if outer[0] is None and context.losses_added:
            self._clear_losses()
        outer_scope = names.scope
        context.current = (self, training)
        enter_scope(outer_scope + fields["_prefix"])
        try:
            spec = self.input_spec
            if spec is not None:
                # Tensors of one shape share one TensorShape, so the usual call compares two references.
                shape = inputs.shape if is_tensor else None
                if fields["_accepted_shape"] is not shape or shape is None or fields["_accepted_spec"] is not spec:
                    assert_input_compatibility(spec, inputs, self._name)
                    fields["_accepted_spec"], fields["_accepted_shape"] = spec, shape
            if not fields["built"] or fields["_initial_weights"] is not None:
                self._maybe_build(inputs)
                if _restoring.waiting:
                    _restoring.resume()
            if fields["_autocast"] and not (is_tensor and inputs.dtype is fields["_compute_dtype_object"]):
                inputs = self._cast_inputs(inputs)
            try:
                outputs = autograph.converted(self.call)(inputs, *args, **kwargs)
            except Exception as error:
                raise with_call_information(error, self, (inputs, *args), kwargs) from None
            if fields["_activity_regularizer"] is not None:
                self._add_activity_loss(outputs)
            if fields["_supports_masking"] and (masks is not None or fields["_computes_masks"]):
                if not self._compute_output_and_mask_jointly:
                    put_masks(self, inputs, outputs, masks)
            return outputs
        finally:
            context.current = outer
            enter_scope(outer_scope)

    def _cast_inputs(self, inputs):
        target = self._compute_dtype_object
        if not target.is_floating:
            return inputs
        if isinstance(inputs, _CAST):
            dtype = inputs.dtype
            return cast(inputs, target) if dtype is not target and dtype.is_floating else inputs
        return nest.map_structure(lambda x: self._cast_inputs(x) if isinstance(x, _CAST) else x, inputs)

    # --- shapes --------------------------------------------------------------------------------------------

    def compute_output_shape(self, input_shape):
        """The shape of the outputs for inputs of a shape; builds the layer.

        Args:
          input_shape: shape with None where unknown, or a structure of TensorShapes.

        Returns:
          TensorShape, or the same structure of them as the outputs.

        Raises:
          NotImplementedError: `call` does not take placeholders of that shape.
        """
        shapes = as_shapes(input_shape)
        dtype = self._compute_dtype_object
        self._maybe_build(nest.map_structure(lambda shape: Placeholder(shape, dtype), shapes))
        try:
            return inferred_shapes(lambda inputs: self(inputs, training=False), shapes, dtype)
        except TypeError as error:
            raise NotImplementedError(
                "We could not automatically infer the static shape of the layer's output. Please implement "
                f"the `compute_output_shape` method on your layer ({type(self).__name__})."
            ) from error

    def compute_output_signature(self, input_signature):
        """As `compute_output_shape`, of and with `tf.TensorSpec`s."""
        shapes = self.compute_output_shape(nest.map_structure(lambda spec: spec.shape, input_signature))
        return nest.map_structure(
            lambda shape: TensorSpec(shape=shape, dtype=self._compute_dtype_object), shapes
        )

    @default
    def compute_mask(self, inputs, mask=None):
        """The masks of the outputs for inputs with masks; for subclasses. The inputs' own by default.

        Args:
          inputs: tensor, or structure of tensors.
          mask: bool tensor, structure of these and None, or None.

        Raises:
          TypeError: there is a mask, and the subclass does not set `supports_masking`.
        """
        if not self._supports_masking and any(m is not None for m in nest.flatten(mask)):
            raise TypeError(
                f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}"
            )
        return mask

    # --- configuration -------------------------------------------------------------------------------------

    @default
    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes.

        Raises:
          NotImplementedError: they are more than numbers, strings, bools and None, and the subclass does not
            override this.
        """
        config = {"name": self.name, "trainable": self.trainable, "dtype": _dtype_policy.serialize(self._dtype_policy)}
        if "_batch_input_shape" in self.__dict__:
            config["batch_input_shape"] = self._batch_input_shape
        if hasattr(self.get_config, "_is_default"):
            if self._plain_arguments is None:
                raise NotImplementedError(
                    f"Layer {type(self).__name__} was created by passing non-serializable argument values in "
                    "`__init__()`, and therefore the layer must override `get_config()` in order to be "
                    "serializable. Please implement `get_config()`."
                )
            specification = inspect.getfullargspec(type(self).__init__)
            config.update(self._plain_arguments)
            if specification.varkw != "kwargs":
                config = {key: value for key, value in config.items() if key in specification.args}
        return config

    @classmethod
    def from_config(cls, config):
        """The layer that `config`, from `get_config`, describes, with new weights.

        Raises:
          TypeError: the constructor does not take it.
        """
        try:
            return cls(**config)
        except Exception as error:
            raise TypeError(
                f"Error when deserializing class '{cls.__name__}' using config={config}.\n\n"
                f"Exception encountered: {error}"
            ) from error

    def get_build_config(self):
        """What `build_from_config` needs, or None before the layer is built."""
        if self._build_input_shape is None:
            return None
        return {"input_shape": as_tuples(self._build_input_shape)}

    def build_from_config(self, config):
        """Builds the layer as `get_build_config` says."""
        if config["input_shape"] is not None:
            with name_scope(self._name_scope()):
                self.build(as_shapes(config["input_shape"]))

    _not_copied = ("_eager_losses_of_thread", "_symbolic_losses", "_sequential", "_nodes_in", "_nodes_out")

    def __deepcopy__(self, memo):
        duplicate = type(self).__new__(type(self))
        memo[id(self)] = duplicate
        for attribute, value in self.__dict__.items():
            if attribute == "_call_signature":
                duplicate.__dict__[attribute] = value
            elif attribute not in self._not_copied:
                duplicate.__dict__[attribute] = copy.deepcopy(value, memo)
        return duplicate


def _as_loss(loss):
    return loss if isinstance(loss, Tensor) else convert_to_tensor(loss, dtype=_settings.floatx())


def checked_metric(name, kwargs):
    """Raises an error for wrong keyword arguments of `add_metric`, or if there is no name."""
    if kwargs.pop("aggregation", None) not in (None, "mean"):
        raise ValueError("`aggregation` must be None or 'mean'")
    if kwargs:
        raise TypeError(f"Unknown keyword arguments: {kwargs.keys()}")
    if name is None:
        raise ValueError(
            "Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), "
            "name='mean_activation')`"
        )
