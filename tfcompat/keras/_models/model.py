"""`Model`: a layer made of layers, with training, saving and a summary."""

from typing import Any

from tfcompat import nest
from tfcompat._core.shape import TensorShape
from tfcompat._core.variable import Variable
from tfcompat.distribute import get_strategy
from tfcompat.errors import InvalidArgumentError
from tfcompat.keras._models.graph_config import model_from_network_config
from tfcompat.keras._models.model_members import ModelMembers
from tfcompat.keras._models.saved import Saved
from tfcompat.keras._models.summary import print_summary
from tfcompat.keras._training import Trainer
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer import tracking as _tracking
from tfcompat.layers._layer.layer import Layer, default
from tfcompat.layers._layer.registry import register_keras_object
from tfcompat.layers._layer.shapes import as_shapes, inferred_shapes

_KEYWORDS = frozenset({"trainable", "dtype", "dynamic", "name", "autocast"})


@register_keras_object("keras")
class Model(Trainer, Saved, ModelMembers, Layer):
    """A layer made of layers: those between inputs and outputs, or those of a subclass.

    Args:
      *args: `inputs` and `outputs`, KerasTensors or structures of these, for a model of the layers called between
        them; none in a subclass, which makes its sublayers in `__init__` and computes in `call`.
      **kwargs: `inputs`, `outputs`; `name`, `trainable`, `dtype`, `dynamic`, `autocast`, as for `Layer`.

    Raises:
      ValueError: `inputs` and `outputs` are not connected; see `Functional`.
      RuntimeError: a layer or variable is made an attribute before `super().__init__()`.

    Its weights are listed layer by layer, then its own.
    TF: `tf.keras.Model` of Keras 2.
    """

    _unsaved_attributes = Layer._unsaved_attributes | {
        "_step_counters", "_training_state", "_compiled_trainable_state", "_steps_per_execution", "_strategy",
        "_compiled_strategy", "signatures",
    }  # fmt: skip
    # `Functional`, a subclass; set where that is defined.
    _functional_class: Any = None

    def __new__(cls, *args, **kwargs):
        functional = cls is Model and _is_functional(args, kwargs)
        model = super().__new__(cls._functional_class if functional else cls, *args, **kwargs)
        strategy = get_strategy()
        if strategy.num_replicas_in_sync > 1:
            model.__dict__["_strategy"] = strategy
        return model

    def __init__(self, *args, **kwargs):
        if _is_functional(args, kwargs):
            functional = self._functional_class
            if not isinstance(self, functional):
                _make_functional(type(self), functional)
            functional.__init__(self, *args, **kwargs)
            return
        # Keras ignores other positional arguments: `super().__init__(self)` is common.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/training.py
        if "inputs" in kwargs and "outputs" not in kwargs:
            raise TypeError("Model got `inputs`, but no `outputs`")
        for keyword in kwargs:
            if keyword not in _KEYWORDS:
                raise TypeError("Keyword argument not understood:", keyword)
        super().__init__(**kwargs)
        attributes = self.__dict__
        attributes.update(inputs=None, outputs=None, input_names=None, output_names=None, history=None)
        attributes.update(stop_training=False, _is_graph_network=False, _base_model_initialized=True)
        self._set_optimizer(None)

    def __setattr__(self, name, value):
        if "_base_model_initialized" not in self.__dict__ and all(
            isinstance(v, Layer | Variable) or _tracking.has_weights(v) for v in nest.flatten(value)
        ):
            raise RuntimeError(
                "It looks like you are subclassing `Model` and you forgot to call `super().__init__()`. "
                "Always start with this line."
            )
        super().__setattr__(name, value)

    # --- weights -------------------------------------------------------------------------------------------

    def _assert_weights_created(self):
        if "build" in type(self).__dict__ and type(self) is not Model and not self.built and not self.dynamic:
            raise ValueError(
                f"Weights for model '{self.name}' have not yet been created. Weights are created when the "
                "model is first called on inputs or `build()` is called with an `input_shape`."
            )

    def _of_tracked(self, kind):
        return [v for tracked in self._self_tracked_trackables for v in _tracking.weights_of(tracked, kind)]

    @property
    def trainable_weights(self):
        """The variables that train, layer by layer, then the model's own. Empty if not `trainable`."""
        self._assert_weights_created()
        if not self._trainable:
            return []
        return _tracking.unique(self._of_tracked("trainable_variables") + self._trainable_weights)

    @property
    def non_trainable_weights(self):
        """The other variables, layer by layer, then the model's own."""
        self._assert_weights_created()
        others = self._of_tracked("non_trainable_variables")
        if self._trainable:
            return _tracking.unique(others + self._non_trainable_weights)
        training = self._of_tracked("trainable_variables")
        return _tracking.unique(training + self._trainable_weights + others + self._non_trainable_weights)

    @property
    def weights(self):
        """All variables, layer by layer, then the model's own.

        Raises:
          ValueError: the class has a `build` of its own, which has not been called.
        """
        self._assert_weights_created()
        return _tracking.unique(
            self._of_tracked("variables") + self._trainable_weights + self._non_trainable_weights
        )

    # --- layers --------------------------------------------------------------------------------------------

    @property
    def layers(self):
        """The layers in the model's attributes, in the order they were assigned."""
        return list(self._flatten_layers(include_self=False, recursive=False))

    def get_layer(self, name=None, index=None):
        """The layer of a name, or at an index of `layers`.

        Raises:
          ValueError: there is none; both or neither are given.
        """
        if index is not None and name is not None:
            raise ValueError(
                f"Provide only a layer name or a layer index. Received: index={index}, name={name}."
            )
        layers = self.layers
        if index is not None:
            if len(layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(layers)} layers."
                )
            return layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}. Existing layers are: {[layer.name for layer in layers]}.")

    def summary(
        self,
        line_length=None,
        positions=None,
        print_fn=None,
        expand_nested=False,
        show_trainable=False,
        layer_range=None,
    ):
        """Prints a table of the layers, their output shapes and numbers of parameters.

        Args:
          line_length: int, 65 by default.
          positions: where the columns end, as shares of the line or in characters.
          print_fn: function of a line, `print` by default.
          expand_nested: whether to list the layers of models inside as well.
          show_trainable: whether to say which layers train.
          layer_range: names or patterns of the first and last layer to list.

        Raises:
          ValueError: the model is not built.
        """
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or by calling "
                "the model on a batch of data."
            )
        print_summary(self, line_length, positions, print_fn, expand_nested, show_trainable, layer_range)

    # --- building and calling ------------------------------------------------------------------------------

    @default
    def build(self, input_shape):
        """Makes the weights of the layers inside, by a call on placeholders.

        Args:
          input_shape: shape with None for the batch axis, or list or dict of such shapes.

        Raises:
          ValueError: no shape; `call` requires arguments besides the inputs and `training`, or does not take
            floats.
        """
        if input_shape is None:
            raise ValueError("Input shape must be defined when calling `build()` on a `Model` subclass.")
        if not isinstance(input_shape, tuple | list | TensorShape | dict):
            raise ValueError(
                "Specified input shape is not one of the valid types. Please specify a batch input shape of "
                f"type tuple or list of input shapes. User provided input type: {type(input_shape)}."
            )
        if not isinstance(input_shape, TensorShape) and len(input_shape) == 0:
            return super().build(input_shape)  # as in TF; the layers are built when the model is called
        if self._call_signature.first is None:
            raise ValueError(
                "You can only call `build()` on a model if its `call()` method accepts an `inputs` argument."
            )
        if set(self._call_signature.required) - {"training"}:
            raise ValueError(
                "Currently, you cannot build your model if it has positional or keyword arguments that are "
                "not inputs to the model, but are required for its `call()` method. Instead, in order to "
                "instantiate and build your model, `call()` your model on real tensor data with all expected "
                "call arguments. The argument for `call()` can be a single list/tuple that contains multiple "
                "inputs."
            )
        keywords = {"training": False} if self._call_signature.required else {}
        try:
            inferred_shapes(
                lambda inputs: self.call(inputs, **keywords), as_shapes(input_shape), _settings.floatx()
            )
        except (InvalidArgumentError, TypeError) as error:
            raise ValueError(
                "You cannot build your model by calling `build` if your layers do not support float type "
                "inputs. Instead, in order to instantiate and build your model, call your model on real "
                f"tensor data (of the correct dtype).\n\nThe actual error from `call` is: {error}."
            ) from error
        super().build(input_shape)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs of `call`; see `Layer`."""
        outputs = super().__call__(*args, **kwargs)
        if "_saved_model_inputs_spec" not in self.__dict__:
            others = dict(kwargs)
            inputs = args[0] if args else others.pop(self._call_signature.first)
            self._set_save_spec(inputs, args[1:], others)
        return outputs

    def call(self, inputs, training=None, mask=None):
        """Computes the outputs; for subclasses."""
        raise NotImplementedError(
            "Unimplemented `tf.keras.Model.call()`: if you intend to create a `Model` with the Functional API, please "
            "provide `inputs` and `outputs` arguments. Otherwise, subclass `Model` with an overridden `call()` method."
        )

    @default
    def get_config(self):
        """The constructor's arguments, if they are numbers, strings, bools or None; else an empty dict."""
        if not hasattr(self.get_config, "_is_default"):
            return {}
        try:
            return super().get_config()
        except NotImplementedError:
            return {}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model that `config`, from `get_config`, describes, with new weights.

        A configuration of layers and their connections makes a model of these; any other goes to the constructor.
        """
        if {"layers", "input_layers", "output_layers"} <= config.keys():
            return model_from_network_config(cls, config, custom_objects)
        return super().from_config(config)

    def reset_states(self):
        """Sets the states that recurrent layers made with `stateful=True` keep between calls to zero."""
        for layer in self.layers:
            if hasattr(layer, "reset_states") and getattr(layer, "stateful", False):
                layer.reset_states()

    @property
    def metrics_names(self):
        """The names of `metrics`."""
        return [metric.name for metric in self.metrics]


def _is_functional(args, kwargs):
    """Whether a model is made with inputs and outputs."""
    return len(args) == 2 or len(args) == 1 and "outputs" in kwargs or {"inputs", "outputs"} <= kwargs.keys()


def _make_functional(cls, functional):
    """Puts `functional` between a subclass of Model and Model, as Keras does for those that call Model's constructor
    with inputs and outputs."""
    if cls is object or issubclass(cls, functional):
        return
    bases = tuple(functional if base is Model else base for base in cls.__bases__)
    if bases != cls.__bases__:
        cls.__bases__ = bases
        return
    for base in cls.__bases__:
        _make_functional(base, functional)
