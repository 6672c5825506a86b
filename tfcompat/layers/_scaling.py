"""Layers that scale their inputs: Rescaling, UnitNormalization, GroupNormalization, Normalization."""

from typing import Any

import numpy as np

from tfcompat import nest, nn
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat._core.variable import Variable
from tfcompat.array import broadcast_to, cast, identity, ones_like, reshape, shape
from tfcompat.keras import initializers
from tfcompat.layers import constraints, regularizers
from tfcompat.layers._layer import context as _context
from tfcompat.layers._layer.hooks import overridden
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._preprocessing.preprocessing import (
    STEPS,
    PreprocessingLayer,
    adapted_batches,
    build_for,
    symbolic_output,
)
from tfcompat.linalg import l2_normalize
from tfcompat.math import maximum, sqrt


class Identity(Layer):
    """Passes its inputs on. TF: `tf.keras.layers.Identity`; no known difference."""

    def call(self, inputs):
        return nest.map_structure(identity, inputs)

    def compute_output_shape(self, input_shape):
        return input_shape


class Rescaling(Layer):
    """`inputs * scale + offset`.

    Args:
      scale: number or array.
      offset: number or array.
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.Rescaling`; no known difference.
    """

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale
        self.offset = offset

    def call(self, inputs: Any):
        inputs, scale, offset = (
            cast(x, self._compute_dtype_object) for x in (inputs, self.scale, self.offset)
        )
        return inputs * scale + offset

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "scale": self.scale, "offset": self.offset}


class UnitNormalization(Layer):
    """Divides by the Euclidean norm along axes.

    Args:
      axis: int or list of ints.
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.UnitNormalization`; no known difference.
    """

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        if isinstance(axis, list | tuple):
            self.axis = list(axis)
        elif isinstance(axis, int):
            self.axis = axis
        else:
            raise TypeError(
                "Invalid value for `axis` argument: expected an int or a list/tuple of ints. Received: "
                f"axis={axis}"
            )
        self.supports_masking = True

    def build(self, input_shape):
        axis, rank = self.axis, len(input_shape)
        axes = [a + rank if a < 0 else a for a in ([axis] if isinstance(axis, int) else axis)]
        if any(a < 0 or a >= rank for a in axes):
            raise ValueError(
                f"Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with inputs.rank={rank}). "
                f"Received: axis={tuple(axes)}"
            )
        self.axis = axes
        super().build(input_shape)

    def call(self, inputs):
        return l2_normalize(cast(inputs, self._compute_dtype_object), axis=self.axis)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "axis": self.axis}


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
        sizes = inputs.shape.as_list()
        grouped = self._reshape_into_groups(inputs)
        counted = ones_like(grouped) if mask is None else self._reshape_into_groups(broadcast_to(mask, sizes))
        seen = overridden(self, GroupNormalization, "_apply_normalization", "_get_reshaped_weights",
                          "_create_broadcast_shape")  # fmt: skip
        normalized = self._apply_normalization(
            reshaped_inputs=grouped, input_shape=shape(inputs) if seen else sizes, reshaped_mask=counted
        )
        return reshape(normalized, sizes)

    def _reshape_into_groups(self, inputs):
        sizes = inputs.shape.as_list()
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


class Normalization(PreprocessingLayer):
    """Subtracts a mean and divides by a standard deviation, given, or of data seen by `adapt`.

    Args:
      axis: int, ints or None: the axes whose elements have moments of their own.
      mean, variance: numbers or arrays, both or neither.
      invert: bool, whether to undo the normalization.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: one of `mean` and `variance`; an axis out of range or of unknown size.

    Weights: `mean`, `variance`, `count`, unless the moments are given.
    TF: `tf.keras.layers.Normalization`; no known difference.
    """

    mean: Any
    variance: Any
    _broadcast_shape: Any
    input_mean: Any
    input_variance: Any
    adapt_mean: Any
    adapt_variance: Any
    count: Any

    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **kwargs):
        super().__init__(**kwargs)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        for name, value in (("mean", mean), ("variance", variance)):
            if isinstance(value, Variable):
                raise ValueError(
                    f"Normalization does not support passing a Variable for the `{name}` init arg."
                )
        if (mean is None) != (variance is None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. Got mean: "
                f"{mean} and variance: {variance}"
            )
        self.input_mean = mean
        self.input_variance = variance
        self.invert = invert

    def build(self, input_shape):
        super().build(input_shape)
        sizes = TensorShape(input_shape).as_list()
        rank = len(sizes)
        if any(axis < -rank or axis >= rank for axis in self.axis):
            raise ValueError(
                f"All `axis` values must be in the range [-ndim, ndim). Found ndim: `{rank}`, axis: {self.axis}"
            )
        kept = sorted(axis % rank for axis in self.axis)
        for axis in kept:
            if sizes[axis] is None:
                raise ValueError(
                    f"All `axis` values to be kept must have known shape. Got axis: {self.axis}, input shape: "
                    f"{sizes}, with unknown axis at index: {axis}"
                )
        self._reduce_axis = [axis for axis in range(rank) if axis not in kept]
        self._broadcast_shape = [sizes[axis] if axis in kept else 1 for axis in range(rank)]
        shape = tuple(sizes[axis] for axis in kept)
        if self.input_mean is None:
            dtype = self.compute_dtype
            self.adapt_mean = self.add_weight("mean", shape, dtype, "zeros", trainable=False)
            self.adapt_variance = self.add_weight("variance", shape, dtype, "ones", trainable=False)
            self.count = self.add_weight("count", (), "int64", "zeros", trainable=False)
            self.finalize_state()
        else:
            self._set_moments(self.input_mean * np.ones(shape), self.input_variance * np.ones(shape))

    def _set_moments(self, mean, variance):
        own = self.__dict__
        own["mean"], own["variance"] = (
            cast(reshape(x, self._broadcast_shape), self._compute_dtype_object) for x in (mean, variance)
        )

    def adapt(self, data, batch_size=None, steps=None):
        """Takes the moments of data in place of those before.

        Args:
          data: array or tensor, or iterable of batches.
          batch_size: int, 32 by default.
          steps: int, how many batches of an iterable.
        """
        if overridden(self, PreprocessingLayer, *STEPS):
            super().adapt(data, batch_size, steps)
            return
        batches = adapted_batches(data, batch_size or 32, steps)
        self.reset_state()
        for number, batch in enumerate(batches):
            if steps is not None and number >= steps:
                break
            batch = _standardized(batch, self.compute_dtype)
            build_for(self, batch, data)
            self.update_state(batch)
        self.finalize_state()
        self.__dict__["_is_adapted"] = True

    def update_state(self, data):
        """Takes the moments of a batch in; RuntimeError before the layer is built."""
        if self.input_mean is not None:
            raise ValueError(
                "Cannot `adapt` a Normalization layer that is initialized with static `mean` and `variance`, you "
                f"passed mean {self.input_mean} and variance {self.input_variance}."
            )
        if not self.built:
            raise RuntimeError("`build` must be called before `update_state`.")
        data = cast(self._standardize_inputs(data), self.adapt_mean.dtype)
        mean, variance = nn.moments(data, self._reduce_axis)
        sizes = data.shape.as_list()
        count = int(np.prod([sizes[axis] for axis in self._reduce_axis], dtype=np.int64))
        total = count + int(self.count)
        share = count / total
        before = 1.0 - share
        new = self.adapt_mean * before + mean * share
        spread = (self.adapt_variance + (self.adapt_mean - new) ** 2) * before
        self.adapt_variance.assign(spread + (variance + (mean - new) ** 2) * share)
        self.adapt_mean.assign(new)
        self.count.assign(total)

    def reset_state(self):
        """Forgets the data."""
        if self.input_mean is None and self.built:
            self.adapt_mean.assign(np.zeros(self.adapt_mean.shape))
            self.adapt_variance.assign(np.ones(self.adapt_variance.shape))
            self.count.assign(0)

    def finalize_state(self):
        """Makes `mean` and `variance` those of the data."""
        if self.input_mean is None and self.built:
            self._set_moments(self.adapt_mean, self.adapt_variance)

    def load_own_variables(self, store):
        """Sets the state to what `save_own_variables` put into `store`."""
        super().load_own_variables(store)
        self.finalize_state()

    def _standardize_inputs(self, inputs: Any):
        return _standardized(inputs, self.compute_dtype)

    def call(self, inputs: Any):
        inputs = self._standardize_inputs(inputs)
        size = maximum(sqrt(self.variance), _context.epsilon())
        return self.mean + inputs * size if self.invert else (inputs - self.mean) / size

    def compute_output_shape(self, input_shape):
        shape = TensorShape(input_shape)
        if not self.built or shape.rank != len(self._broadcast_shape):
            return input_shape
        pairs = zip(shape.as_list(), self._broadcast_shape, strict=True)
        sizes = [known if size is None and known != 1 else size for size, known in pairs]
        return input_shape if sizes == shape.as_list() else TensorShape(sizes)

    def _called_symbolically(self, inputs):
        """The output where the moments know sizes that the inputs do not tell, as they do not after `adapt`."""
        shape = TensorShape(self.compute_output_shape(inputs.shape))
        known = shape.rank is not None and shape.as_list() != inputs.shape.as_list()
        return symbolic_output(shape, self._compute_dtype_object, unknown=not known)

    def get_config(self):
        mean, variance = (
            np.asarray(x).tolist() if hasattr(x, "shape") else x
            for x in (self.input_mean, self.input_variance)
        )
        return {
            **super().get_config(),
            "axis": self.axis,
            "invert": self.invert,
            "mean": mean,
            "variance": variance,
        }


def _standardized(inputs, dtype) -> Any:
    inputs = convert_to_tensor(inputs)
    return inputs if inputs.dtype == dtype else cast(inputs, dtype)
