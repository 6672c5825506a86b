"""`tf.compat.v1.layers`: functions of layers whose variables are those of `tf.compat.v1.get_variable`."""

import tfcompat as tf
from tfcompat.compat._scopes import get_variable, variable_scope


class _Dense(tf.keras.layers.Dense):
    """A dense layer, and a scope of variables with its name."""

    def __init__(self, *args, name, reuse, **kwargs):
        super().__init__(*args, name=name, **kwargs)
        base = name or "dense"
        with variable_scope(base) if reuse else variable_scope(None, default_name=base) as self._scope:
            pass

    def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                   constraint=None, **kwargs):  # fmt: skip
        with variable_scope(self._scope, auxiliary_name_scope=False):
            variable = get_variable(
                name, shape, dtype or self.dtype, initializer, trainable=self.trainable, constraint=constraint
            )
        self._trainable_weights.append(variable)
        return variable


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
          kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
          bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """A new dense layer's result; in the function of a template, every call has the variables of the first.

    Args:
      inputs: tensor of floats, whose dtype is that of the variables.
      units, activation, use_bias, kernel_constraint, bias_constraint, trainable: as in `tf.keras.layers.Dense`.
      kernel_initializer: by default that of the scope, Glorot's uniform.
      bias_initializer: by default zeros.
      kernel_regularizer, bias_regularizer, activity_regularizer: of no effect, as eagerly in TF: the losses are those
        of a layer that is not kept.
      name: of the layer's scope; gets a number if it is in use, unless `reuse`.
      reuse: whether the scope has that name for certain.

    TF: `tf.compat.v1.layers.dense`; no warning that it is deprecated.
    """
    inputs = tf.convert_to_tensor(inputs)
    layer = _Dense(
        units, activation, use_bias, bias_initializer=bias_initializer or "zeros", kernel_constraint=kernel_constraint,
        bias_constraint=bias_constraint, trainable=trainable, dtype=inputs.dtype, name=name, reuse=reuse,
    )  # fmt: skip
    layer.kernel_initializer = tf.keras.initializers.get(kernel_initializer)  # None is the scope's
    return layer(inputs)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """`tf.keras.layers.Dropout` of tensors. TF: `tf.compat.v1.layers.dropout`; no warning that it is deprecated."""
    inputs = tf.convert_to_tensor(inputs)
    return tf.keras.layers.Dropout(rate, noise_shape, seed, dtype=inputs.dtype)(inputs, training=training)


def flatten(inputs, name=None, data_format="channels_last"):
    """`tf.keras.layers.Flatten` of a tensor. TF: `tf.compat.v1.layers.flatten`; no warning that it is deprecated."""
    inputs = tf.convert_to_tensor(inputs)
    return tf.keras.layers.Flatten(data_format, dtype=inputs.dtype)(inputs)
