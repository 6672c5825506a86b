"""Dense, Activation, Dropout, Embedding, Lambda."""

import inspect
import logging
import types
from typing import Any

from tfcompat import nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.scopes import variable_creator_scope
from tfcompat._core.shape import TensorShape
from tfcompat.array import cast, gather, identity, squeeze
from tfcompat.errors import UnimplementedError
from tfcompat.layers import activations, constraints, initializers, regularizers
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer.composite_inputs import multiplied
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.overrides import overridden
from tfcompat.layers._layer.shapes import as_shapes, as_tuples
from tfcompat.linalg import matmul, tensordot
from tfcompat.math import add, multiply, not_equal, reduce_any
from tfcompat.sparse import to_dense
from tfcompat.sparse._tensor import SparseTensor
from tfcompat.tape import GradientTape


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`.

    Args:
      units: int, size of the last axis of the outputs.
      activation: name, function, or None for none.
      use_bias: bool.
      kernel_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, bias_regularizer: names or functions from the weight to a loss, or None.
      activity_regularizer: name or function from the outputs to a loss, or None.
      kernel_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: negative `units`; inputs of rank below 2, or of another last size than the first.
      TypeError: a dtype that is neither floating nor complex.

    Inputs: floating tensor of shape [batch, ..., n]. Outputs: [batch, ..., units].
    Weights: `kernel` [n, units], `bias` [units].
    TF: `tf.keras.layers.Dense`; no known difference.
    """

    def __init__(
        self,
        units,
        activation=None,
        use_bias=True,
        kernel_initializer="glorot_uniform",
        bias_initializer="zeros",
        kernel_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        kernel_constraint=None,
        bias_constraint=None,
        **kwargs,
    ):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = units if isinstance(units, int) else int(units)
        if self.units < 0:
            raise ValueError(
                f"Received an invalid value for `units`, expected a positive integer. Received: units={units}"
            )
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape):
        dtype = self._compute_dtype_object
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(
                f"A Dense layer can only be built with a floating-point dtype. Received: dtype={dtype}"
            )
        input_shape = TensorShape(input_shape)
        last = input_shape[-1]
        if last is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. Full input "
                f"shape received: {input_shape}"
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight(
            "kernel",
            shape=[last, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        super().build(input_shape)

    def call(self, inputs: Any):
        if isinstance(inputs, CompositeTensor):
            return multiplied(self, inputs)
        if inputs.dtype is not self._compute_dtype_object:
            inputs = cast(inputs, self._compute_dtype_object)
        rank = inputs.shape.rank
        if rank == 2:
            outputs = matmul(inputs, self.kernel)
        else:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
        if self.use_bias:
            outputs = add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape):
        shape: Any = TensorShape(input_shape).with_rank_at_least(2)
        if shape[-1] is None:
            raise ValueError(
                "The last dimension of the input shape of a Dense layer should be defined. Found None. "
                f"Received: input_shape={shape}"
            )
        return shape[:-1].concatenate(self.units)

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
        }


class Activation(Layer):
    """Applies a function to its inputs.

    Args:
      activation: name or function.
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.Activation`; no known difference.
    """

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = activations.get(activation)

    def call(self, inputs):
        return self.activation(inputs)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "activation": activations.serialize(self.activation)}


class Embedding(Layer):
    """Rows of a table, picked by integers.

    Args:
      input_dim: int, number of rows.
      output_dim: int, their size.
      embeddings_initializer: name or function of (shape, dtype).
      embeddings_regularizer: name or function from the table to a loss, or None.
      activity_regularizer: name or function from the outputs to a loss, or None.
      embeddings_constraint: name or function for optimizers to apply, or None.
      mask_zero: whether the outputs are masked where the input is 0.
      input_length: int or ints, the size of the inputs' other axes where it is fixed, or None.
      sparse: True is refused.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `input_dim` or `output_dim` not positive.
      tf.errors.InvalidArgumentError: an input outside [0, input_dim).
      tf.errors.UnimplementedError: `sparse`.

    Inputs: integer tensor of any shape; floating ones are cast to int32. Outputs: one more axis, of
      `output_dim`.
    Weights: `embeddings` [input_dim, output_dim].
    Gradient: `tf.IndexedSlices`.
    TF: `tf.keras.layers.Embedding`.
    """

    def __init__(
        self,
        input_dim,
        output_dim,
        embeddings_initializer="uniform",
        embeddings_regularizer=None,
        activity_regularizer=None,
        embeddings_constraint=None,
        mask_zero=False,
        input_length=None,
        sparse=False,
        **kwargs,
    ):
        if sparse:
            raise UnimplementedError(
                None,
                None,
                "Embedding: `sparse` is not available in tfcompat: look rows up with "
                "tf.nn.embedding_lookup_sparse",
            )
        if input_dim <= 0 or output_dim <= 0:
            raise ValueError(
                f"Both `input_dim` and `output_dim` should be positive, Received input_dim = {input_dim} and "
                f"output_dim = {output_dim}"
            )
        kwargs.setdefault("input_shape", (input_length,) if input_length else (None,))
        # Floats become int32 in `call`. Cast to a small float dtype before, large ones would become other integers.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/core/embedding.py
        super().__init__(**{**kwargs, "autocast": False})
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self.mask_zero = self.supports_masking = mask_zero
        self.input_length = input_length
        self.sparse = sparse

    def build(self, input_shape=None):
        self.embeddings = self.add_weight(
            name="embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
            autocast=False,
        )
        super().build(input_shape)

    def call(self, inputs):
        if inputs.dtype.name not in ("int32", "int64"):
            inputs = cast(inputs, "int32")
        if isinstance(inputs, SparseTensor):
            inputs = to_dense(inputs)
        rows = gather(self.embeddings, inputs)
        return rows if rows.dtype is self._compute_dtype_object else cast(rows, self._compute_dtype_object)

    def compute_mask(self, inputs, mask=None):
        return not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        if self.input_length is not None:
            known_sizes = (
                list(self.input_length)
                if isinstance(self.input_length, list | tuple)
                else [self.input_length]
            )
            if len(known_sizes) != len(sizes) - 1 or any(
                a is not None and b is not None and a != b for a, b in zip(known_sizes, sizes[1:], strict=True)
            ):
                raise ValueError(
                    f'"input_length" is {self.input_length}, but received input has shape {tuple(sizes)}'
                )
            sizes[1:] = [b if a is None else a for a, b in zip(known_sizes, sizes[1:], strict=True)]
        return TensorShape([*sizes, self.output_dim])

    def get_config(self):
        return {
            **super().get_config(),
            "input_dim": self.input_dim,
            "output_dim": self.output_dim,
            "embeddings_initializer": initializers.serialize(self.embeddings_initializer),
            "embeddings_regularizer": regularizers.serialize(self.embeddings_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "embeddings_constraint": constraints.serialize(self.embeddings_constraint),
            "mask_zero": self.mask_zero,
            "input_length": self.input_length,
        }


class Lambda(Layer):
    """A function as a layer.

    Args:
      function: function of the inputs, and of `training` and `mask` if it has parameters of these names.
      output_shape: shape without batch axis, or function from the input's shape to the whole shape; found by
        a call on placeholders where it is needed and not given.
      mask: mask of the outputs, or function of (inputs, mask) to it.
      arguments: dict of keyword arguments for `function`.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: the function makes variables that are not weights of the layer.

    TF: `tf.keras.layers.Lambda`; what is written down of a function is its name, never its code. Variables that the
      function makes or uses are looked for in the first call only.
    """

    # Set by the constructor, past `__setattr__`.
    function: Any
    arguments: dict
    _output_shape: Any
    _passed: list
    _already_warned: bool
    _watches: bool

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        attributes = self.__dict__  # not tracked: the function's layers and variables are not the layer's
        attributes["mask"] = mask
        attributes["function"] = function
        attributes["arguments"] = arguments or {}
        attributes["_output_shape"] = output_shape
        attributes["_passed"] = [name for name in ("training", "mask") if name in _parameters_of(function)]
        attributes["_already_warned"] = False
        attributes["_watches"] = True

    def call(self, inputs, mask=None, training=None):
        arguments = {"mask": mask, "training": training}
        arguments = {**self.arguments, **{name: arguments[name] for name in self._passed}}
        if not self._watches:
            return self.function(inputs, **arguments)
        created = []

        def creator(next_creator, **kwargs):
            created.append(next_creator(**kwargs))
            return created[-1]

        with GradientTape(watch_accessed_variables=True) as tape, variable_creator_scope(creator):
            result = self.function(inputs, **arguments)
        used = tape.watched_variables()
        if created or used:
            self._check_variables(created, used)
        # It costs time in each call. The function mostly does the same in all of them.
        self.__dict__["_watches"] = overridden(self, Lambda, "_check_variables")
        return result

    def _check_variables(self, created_variables, accessed_variables):
        """Refuses variables that the function makes, and warns of those it uses, unless they are the layer's weights.

        Subclasses may do something else. The generator of random numbers of an initializer is no such variable.
        """
        own = {variable.ref() for variable in self.weights}
        created = [v for v in created_variables if v.ref() not in own and "StateVar" not in v.name]
        if created:
            raise ValueError(
                f"\nThe following Variables were created within a Lambda layer ({self.name})\n"
                f"but are not tracked by said layer:\n{_lines_of(created)}\n"
                "The layer cannot safely ensure proper Variable reuse across multiple calls: each call would make new\n"
                "ones. Write a subclass of Layer that makes them in `build`, or set them as attributes of this layer."
            )
        used = [v for v in accessed_variables if v.ref() not in own]
        if used and not self._already_warned:
            self._warn(
                f"\nThe following Variables were used a Lambda layer's call ({self.name}), but\n"
                f"are not present in its tracked objects:\n{_lines_of(used)}\n"
                "It is possible that this is intended behavior, but no optimizer of a model finds them. Set them as\n"
                "attributes of this layer, or write a subclass of Layer that has them."
            )
            self.__dict__["_already_warned"] = True

    def _warn(self, msg):
        logging.getLogger("tensorflow").warning(msg)

    def compute_mask(self, inputs, mask=None):
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape):
        if self._output_shape is None:
            return super().compute_output_shape(input_shape)
        given = as_shapes(input_shape)
        if callable(self._output_shape):
            return as_shapes(self._output_shape(as_tuples(given)))
        batch = nest.flatten(given)[0][0]
        return nest.map_structure(lambda shape: TensorShape([batch, *shape]), as_shapes(self._output_shape))

    def get_config(self):
        shape = self._output_shape
        return {
            **super().get_config(),
            "function": _FunctionName(self.function),
            "function_type": _kind_of(self.function),
            "module": getattr(self.function, "__module__", None),
            "output_shape": _FunctionName(shape) if callable(shape) else shape,
            "output_shape_type": _kind_of(shape),
            "output_shape_module": getattr(shape, "__module__", None),
            **({} if self.mask is None else {"mask": _FunctionName(self.mask)}),
            "arguments": self.arguments,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The layer that `config` describes.

        Functions are those of the layer whose configuration it is. Where that was written down, there are only their
        names, which are looked up among the custom objects.

        Raises:
          ValueError: one is not there.
        """
        left_out = ("function_type", "module", "output_shape_type", "output_shape_module")
        arguments = {k: v for k, v in config.items() if k not in left_out}
        named = {"function", "mask"} | ({"output_shape"} if config.get("output_shape_type", "raw") != "raw" else set())
        for key in named & arguments.keys():
            arguments[key] = _function_named(arguments[key], custom_objects)
        return cls(**arguments)


class _FunctionName(str):
    """The name of a function, which knows the function as long as it is not written down."""

    function: Any

    def __new__(cls, function):
        self = super().__new__(cls, getattr(function, "__name__", repr(function)))
        self.function = function
        return self


def _kind_of(value):
    """What a configuration calls a function; "raw" what is none."""
    if not callable(value):
        return "raw"
    return "lambda" if isinstance(value, types.LambdaType) else "function"


def _lines_of(variables):
    return "\n".join(f"  {variable}" for variable in variables)


def _function_named(name, custom_objects):
    if isinstance(name, _FunctionName):
        return name.function
    function = _serialization.get_registered_object(name, custom_objects)
    if function is None:
        raise ValueError(
            f"Unknown function in Lambda layer: {name!r}. Please pass it in `custom_objects` or in a "
            "`keras.utils.custom_object_scope`."
        )
    return function


def _parameters_of(function):
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ()


class Masking(Layer):
    """Masks the times at which all inputs equal a value, and sets them to zero.

    Args:
      mask_value: number.
      **kwargs: those of `Layer`.

    Inputs: tensor [batch, time, ...]. Outputs: the same shape; their mask lacks the last axis.
    TF: `tf.keras.layers.Masking`; no known difference.
    """

    _compute_output_and_mask_jointly = True

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs, mask=None):
        return reduce_any(not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs):
        counts = reduce_any(not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = multiply(inputs, cast(counts, inputs.dtype))
        outputs._keras_mask = squeeze(counts, axis=-1)
        return outputs

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "mask_value": self.mask_value}


class Identity(Layer):
    """Passes its inputs on. TF: `tf.keras.layers.Identity`; no known difference."""

    def call(self, inputs):
        return nest.map_structure(identity, inputs)

    def compute_output_shape(self, input_shape):
        return input_shape
