"""GroupNormalization."""

from typing import Any

from tfcompat import nn
from tfcompat._core.shape import TensorShape
from tfcompat.array import broadcast_to, cast, ones_like, reshape, shape
from tfcompat.layers import constraints, initializers, regularizers
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.overrides import overridden
from tfcompat.layers._sizes import sizes_of


class GroupNormalization(Layer):
    """Normalizes each sample's channels in groups.

    Args:
      groups: int, number of groups; -1 for one each.
      axis: int, the channels.
      epsilon: float added to the variance.
      center: bool, whether `beta` is added.
      scale: bool, whether the result is multiplied by `gamma`.
      beta_initializer, gamma_initializer: names or functions of (shape, dtype).
      beta_regularizer, gamma_regularizer: names or functions from the weight to a loss, or None.
      beta_constraint, gamma_constraint: names or functions for optimizers to apply, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: the number of channels is unknown, or no multiple of `groups`.

    Weights: `gamma`, `beta`, of the number of channels.
    A `mask` in the call, which broadcasts to the inputs' shape, tells which elements count in the moments.
    TF: `tf.keras.layers.GroupNormalization`; no known difference.
    """

    gamma: Any
    beta: Any

    def __init__(
        self,
        groups=32,
        axis=-1,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer="zeros",
        gamma_initializer="ones",
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.groups = groups
        self.axis = axis
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer, self.gamma_initializer = map(
            initializers.get, (beta_initializer, gamma_initializer)
        )
        self.beta_regularizer, self.gamma_regularizer = map(
            regularizers.get, (beta_regularizer, gamma_regularizer)
        )
        self.beta_constraint, self.gamma_constraint = map(
            constraints.get, (beta_constraint, gamma_constraint)
        )

    def build(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        if not sizes:
            raise ValueError(f"Input has undefined rank. Received: input_shape={input_shape}")
        channels = sizes[self.axis]
        if channels is None:
            raise ValueError(
                f"Axis {self.axis} of input tensor should have a defined dimension but the layer received an input "
                f"with shape {input_shape}."
            )
        if self.groups == -1:
            self.groups = channels
        if channels < self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) cannot be more than the number of channels ({channels})."
            )
        if channels % self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) must be a multiple of the number of channels ({channels})."
            )
        self.input_spec = InputSpec(ndim=len(sizes), axes={self.axis: channels})
        self.gamma = self._add("gamma", channels) if self.scale else None
        self.beta = self._add("beta", channels) if self.center else None
        super().build(input_shape)

    def _add(self, name, channels):
        return self.add_weight(
            name,
            (channels,),
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
        )

    def call(self, inputs: Any, mask=None):
        sizes = sizes_of(inputs)
        grouped = self._reshape_into_groups(inputs)
        counted = ones_like(grouped) if mask is None else self._reshape_into_groups(broadcast_to(mask, sizes))
        seen = overridden(self, GroupNormalization, "_apply_normalization", "_get_reshaped_weights",
                          "_create_broadcast_shape")  # fmt: skip
        normalized = self._apply_normalization(
            reshaped_inputs=grouped, input_shape=shape(inputs) if seen else sizes, reshaped_mask=counted
        )
        return reshape(normalized, sizes)

    def _reshape_into_groups(self, inputs):
        sizes = sizes_of(inputs)
        axis = self.axis % len(sizes)
        return reshape(inputs, [*sizes[:axis], self.groups, sizes[axis] // self.groups, *sizes[axis + 1 :]])

    def _apply_normalization(self, *, reshaped_inputs, reshaped_mask, input_shape):
        rank = len(reshaped_inputs.shape)
        axes = [i for i in range(1, rank) if i != self.axis % (rank - 1)]
        counts = cast(reshaped_mask, reshaped_inputs.dtype)
        mean, variance = nn.weighted_moments(reshaped_inputs, axes, counts, keepdims=True)
        gamma, beta = self._get_reshaped_weights(input_shape)
        return nn.batch_normalization(reshaped_inputs, mean, variance, beta, gamma, self.epsilon)

    def _get_reshaped_weights(self, input_shape):
        sizes = self._create_broadcast_shape(input_shape)
        return tuple(None if weight is None else reshape(weight, sizes) for weight in (self.gamma, self.beta))

    def _create_broadcast_shape(self, input_shape):
        axis = self.axis % len(input_shape)
        sizes = [1] * (len(input_shape) + 1)
        sizes[axis : axis + 2] = [self.groups, input_shape[axis] // self.groups]
        return sizes

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        config = {
            **super().get_config(),
            "groups": self.groups,
            "axis": self.axis,
            "epsilon": self.epsilon,
            "center": self.center,
            "scale": self.scale,
        }
        for name in ("beta", "gamma"):
            config[f"{name}_initializer"] = initializers.serialize(getattr(self, f"{name}_initializer"))
            config[f"{name}_regularizer"] = regularizers.serialize(getattr(self, f"{name}_regularizer"))
            config[f"{name}_constraint"] = constraints.serialize(getattr(self, f"{name}_constraint"))
        return config
