"""`tf.keras.experimental.LinearModel` and `WideDeepModel`."""

from tfcompat import nest, nn
from tfcompat._core.shape import TensorShape
from tfcompat.keras._models.model import Model
from tfcompat.keras._training.data import unpack_x_y_sample_weight
from tfcompat.layers import Dense, activations, initializers, regularizers
from tfcompat.layers._layer import registry as _registry
from tfcompat.layers._layer.layer import Layer
from tfcompat.tape import GradientTape


@_registry.register_keras_object("keras.experimental")
class LinearModel(Model):
    """The sum of linear functions of the inputs, and a bias.

    Args:
      units: int, size of the output.
      activation: function of the sum, or its name; None for none.
      use_bias: bool.
      kernel_initializer, bias_initializer: first values of the weights.
      kernel_regularizer, bias_regularizer: losses of the weights.
      **kwargs: of `tf.keras.Model`.

    Inputs: tensor of shape `[batch, n]`, dense or sparse, or a list or a dict of such tensors.

    TF: `tf.keras.experimental.LinearModel`.
    """

    def __init__(self, units=1, activation=None, use_bias=True, kernel_initializer="zeros", bias_initializer="zeros",
                 kernel_regularizer=None, bias_regularizer=None, **kwargs):  # fmt: skip
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        super().__init__(**kwargs)

    def build(self, input_shape):
        """Makes the weights for the shapes of the inputs."""
        if isinstance(input_shape, dict):
            self.dense_layers = [self._kernel(input_shape[name], name) for name in sorted(input_shape)]
        elif isinstance(input_shape, list | tuple) and all(isinstance(x, TensorShape) for x in input_shape):
            self.dense_layers = [self._kernel(shape) for shape in input_shape]
        else:
            self.dense_layers = [self._kernel(input_shape)]
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", shape=self.units, initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                dtype=self.dtype, trainable=True,
            )  # fmt: skip
        Layer.build(self, input_shape)

    def _kernel(self, shape, name=None):
        layer = Dense(
            self.units, use_bias=False, kernel_initializer=self.kernel_initializer,
            kernel_regularizer=self.kernel_regularizer, name=name,
        )  # fmt: skip
        layer.build(shape)
        return layer

    def call(self, inputs):
        """What the inputs give."""
        if isinstance(inputs, dict):
            names = [layer.name for layer in self.dense_layers]
            missing = set(names) - set(inputs)
            if missing:
                raise ValueError(
                    "The `inputs` dictionary does not match the structure expected by the model."
                    f"\n\tExpected keys: {set(names)}\n\tReceived keys: {set(inputs)}\n\tMissing keys: {missing}"
                )
            inputs = [inputs[name] for name in names]
        elif not isinstance(inputs, list | tuple):
            inputs = [inputs]
        first, *others = [layer(x) for x, layer in zip(inputs, self.dense_layers, strict=False)]
        result = sum(others, first)
        if self.use_bias:
            result = nn.bias_add(result, self.bias)
        return result if self.activation is None else self.activation(result)

    def get_config(self):
        """Dict of the arguments."""
        return {
            **Layer.get_config(self),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model of a configuration."""
        return cls(**config)


@_registry.register_keras_object("keras.experimental")
class WideDeepModel(Model):
    """The sum of a linear and another model, which are trained together, each by its own optimizer if two are given.

    Args:
      linear_model: LinearModel.
      dnn_model: Model with outputs of the same structure.
      activation: function of the sum, or its name; None for none.
      **kwargs: of `tf.keras.Model`.

    Inputs: a pair of those of the two models, or one for both.

    TF: `tf.keras.experimental.WideDeepModel`.
    """

    def __init__(self, linear_model, dnn_model, activation=None, **kwargs):
        super().__init__(**kwargs)
        self.linear_model = linear_model
        self.dnn_model = dnn_model
        self.activation = activations.get(activation)

    def call(self, inputs, training=None):
        """What the inputs give. Both models get `training` from the call that they are part of."""
        pair = inputs if isinstance(inputs, list | tuple) and len(inputs) == 2 else (inputs, inputs)
        outputs = self.linear_model(pair[0]), self.dnn_model(pair[1])
        result = nest.map_structure(lambda x, y: x + y, *outputs)
        return nest.map_structure(self.activation, result) if self.activation else result

    def train_step(self, data):
        """A step of both models."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, sample_weight, regularization_losses=self.losses)
        self.compiled_metrics.update_state(y, y_pred, sample_weight)
        if isinstance(self.optimizer, list | tuple):
            weights = [self.linear_model.trainable_variables, self.dnn_model.trainable_variables]
            for optimizer, one, gradients in zip(self.optimizer, weights, tape.gradient(loss, weights), strict=True):
                optimizer.apply_gradients(zip(gradients, one, strict=True))
        else:
            weights = self.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return {metric.name: metric.result() for metric in self.metrics}

    def get_config(self):
        """Dict of the arguments."""
        return {
            **Layer.get_config(self),
            "linear_model": _registry.serialize(self.linear_model),
            "dnn_model": _registry.serialize(self.dnn_model),
            "activation": activations.serialize(self.activation),
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model of a configuration."""
        config = dict(config)
        models = [_registry.deserialize(config.pop(name), custom_objects) for name in ("linear_model", "dnn_model")]
        activation = activations.deserialize(config.pop("activation", None), custom_objects)
        return cls(*models, activation=activation, **config)
