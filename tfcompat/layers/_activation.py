"""Activations as layers: ReLU and its relatives, ELU, Softmax."""

from typing import Any

import numpy as np

from tfcompat import nn
from tfcompat._core.shape import TensorShape
from tfcompat.array import cast, where
from tfcompat.layers import activations, constraints, initializers, regularizers
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.registry import register_keras_objects
from tfcompat.layers._layer.settings import floatx
from tfcompat.math import exp, greater, reduce_logsumexp


class _Elementwise(Layer):
    """A layer whose outputs have the shape of its inputs."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape):
        return TensorShape(input_shape)


class ReLU(_Elementwise):
    """The rectified linear unit.

    Args:
      max_value: highest output, or None.
      negative_slope: slope below the threshold.
      threshold: where the unit begins to pass its input.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: an argument is negative, or None where it must not be.

    TF: `tf.keras.layers.ReLU`; no known difference.
    """

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs):
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.0:
            raise ValueError(f"max_value of a ReLU layer cannot be a negative value. Received: {max_value}")
        if negative_slope is None or negative_slope < 0.0:
            raise ValueError(
                f"negative_slope of a ReLU layer cannot be a negative value. Received: {negative_slope}"
            )
        if threshold is None or threshold < 0.0:
            raise ValueError(f"threshold of a ReLU layer cannot be a negative value. Received: {threshold}")
        self.max_value = None if max_value is None else np.asarray(max_value, floatx())
        self.negative_slope = np.asarray(negative_slope, floatx())
        self.threshold = np.asarray(threshold, floatx())
        self._plain = max_value is None and negative_slope == 0 and threshold == 0

    def call(self, inputs: Any):
        if self._plain:
            return nn.relu(inputs)
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)

    def get_config(self):
        return {
            **super().get_config(),
            "max_value": self.max_value,
            "negative_slope": self.negative_slope,
            "threshold": self.threshold,
        }


class LeakyReLU(_Elementwise):
    """`x` where it is positive, `alpha * x` elsewhere.

    Args:
      alpha: float.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `alpha` is None.

    TF: `tf.keras.layers.LeakyReLU`; no known difference.
    """

    def __init__(self, alpha=0.3, **kwargs):
        super().__init__(**kwargs)
        if alpha is None:
            raise ValueError(
                f"The alpha value of a Leaky ReLU layer cannot be None, Expecting a float. Received: {alpha}"
            )
        self.alpha = np.asarray(alpha, floatx())

    def call(self, inputs: Any):
        return activations.relu(inputs, self.alpha)

    def get_config(self):
        return {**super().get_config(), "alpha": float(self.alpha)}


class ELU(_Elementwise):
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere.

    Args:
      alpha: float.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `alpha` is None.

    TF: `tf.keras.layers.ELU`; no known difference.
    """

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        if alpha is None:
            raise ValueError(f"Alpha of an ELU layer cannot be None, expecting a float. Received: {alpha}")
        self.alpha = np.asarray(alpha, floatx())

    def call(self, inputs: Any):
        return activations.elu(inputs, self.alpha)

    def get_config(self):
        return {**super().get_config(), "alpha": float(self.alpha)}


class ThresholdedReLU(_Elementwise):
    """`x` where it is above `theta`, 0 elsewhere.

    Args:
      theta: float.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `theta` is None or negative.

    TF: `tf.keras.layers.ThresholdedReLU`; no known difference.
    """

    def __init__(self, theta=1.0, **kwargs):
        super().__init__(**kwargs)
        if theta is None:
            raise ValueError(
                f"Theta of a Thresholded ReLU layer cannot be None, expecting a float. Received: {theta}"
            )
        if theta < 0:
            raise ValueError(f"The theta value of a Thresholded ReLU layer should be >=0. Received: {theta}")
        self.theta = np.asarray(theta, floatx())

    def call(self, inputs: Any):
        return inputs * cast(greater(inputs, self.theta), self._compute_dtype_object)

    def get_config(self):
        return {**super().get_config(), "theta": float(self.theta)}


class Softmax(_Elementwise):
    """`exp(x)`, divided by its sum along an axis.

    Args:
      axis: int or list of ints.
      robust_masking: whether a mask replaces logits, rather than adding to them.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: inputs of rank 1 or 0.

    A `mask` in the call, of the inputs' shape, tells which elements count.
    TF: `tf.keras.layers.Softmax`; no known difference.
    """

    def __init__(self, axis=-1, robust_masking=False, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis
        self.robust_masking = robust_masking

    def call(self, inputs: Any, mask=None):
        if mask is not None:
            inputs = self._masked(inputs, mask)
        if isinstance(self.axis, tuple | list):
            if len(self.axis) > 1:
                return exp(inputs - reduce_logsumexp(inputs, axis=self.axis, keepdims=True))
            return activations.softmax(inputs, axis=self.axis[0])
        return activations.softmax(inputs, axis=self.axis)

    def _masked(self, inputs, mask):
        low = float(np.finfo(np.float16).min) / 2 if inputs.dtype.name == "float16" else -1e9
        if self.robust_masking:
            return where(mask if mask.dtype == "bool" else greater(mask, 0.5), inputs, low)
        absent: Any = 1.0 - cast(mask, inputs.dtype)
        return inputs + absent * low

    def get_config(self):
        config = {**super().get_config(), "axis": self.axis}
        if self.robust_masking:
            config["robust_masking"] = True
        return config


class PReLU(_Elementwise):
    """`x` where it is positive, `alpha * x` elsewhere, `alpha` being a weight.

    Args:
      alpha_initializer: name or function of (shape, dtype).
      alpha_regularizer: name or function from `alpha` to a loss, or None.
      alpha_constraint: name or function for optimizers to apply, or None.
      shared_axes: int or ints, the axes along which `alpha` is the same; or None.
      **kwargs: those of `Layer`.

    Weights: `alpha`, of the inputs' shape without the batch axis, 1 along `shared_axes`.
    TF: `tf.keras.layers.PReLU`; no known difference.
    """

    def __init__(
        self,
        alpha_initializer="zeros",
        alpha_regularizer=None,
        alpha_constraint=None,
        shared_axes=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        if shared_axes is not None:
            shared_axes = list(shared_axes) if isinstance(shared_axes, list | tuple) else [shared_axes]
        self.shared_axes = shared_axes

    def build(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        shared = self.shared_axes or []
        shape = sizes[1:]
        for axis in shared:
            shape[axis - 1] = 1
        self.alpha = self.add_weight(
            name="alpha",
            shape=shape,
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        axes = (
            {axis: size for axis, size in enumerate(sizes) if axis and axis not in shared} if shared else {}
        )
        self.input_spec = InputSpec(ndim=len(sizes), axes=axes)
        super().build(input_shape)

    def call(self, inputs: Any):
        return nn.relu(inputs) - self.alpha * nn.relu(-inputs)

    def get_config(self):
        return {
            **super().get_config(),
            "alpha_initializer": initializers.serialize(self.alpha_initializer),
            "alpha_regularizer": regularizers.serialize(self.alpha_regularizer),
            "alpha_constraint": constraints.serialize(self.alpha_constraint),
            "shared_axes": self.shared_axes,
        }


# `tf.keras.activations.deserialize` knows them, too.
register_keras_objects(
    "activation", {cls.__name__: cls for cls in (ELU, LeakyReLU, PReLU, ReLU, Softmax, ThresholdedReLU)}
)
