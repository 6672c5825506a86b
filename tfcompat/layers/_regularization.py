"""Layers that act in training only: dropout, noise, and a loss of activities."""

import numbers
from typing import Any

import numpy as np

from tfcompat import nn, random
from tfcompat.array import cast
from tfcompat.layers import regularizers
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.random_layer import RandomLayer
from tfcompat.math import add, greater_equal, multiply


class Dropout(RandomLayer):
    """Sets a random share of the inputs to zero in training, and scales the rest up to the same mean.

    Args:
      rate: float in [0, 1), the share.
      noise_shape: shape broadcast to that of the inputs, None for an axis of theirs: one decision for each
        element.
      seed: int; each call takes the next one.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `rate` outside [0, 1]; in training, 1 or integer inputs.

    TF: `tf.keras.layers.Dropout`, with the same numbers for the same `tf.random.set_seed` and `seed`;
      `rng_type` is
    not available.
    """

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        if isinstance(rate, int | float) and not 0 <= rate <= 1:
            raise ValueError(f"Invalid value {rate} received for `rate`, expected a value between 0 and 1.")
        self.rate = rate
        self.noise_shape = noise_shape

    def _does_nothing(self):
        return isinstance(self.rate, numbers.Real) and self.rate == 0

    def _changed(self, inputs):
        return nn.dropout(
            inputs, rate=self.rate, noise_shape=self._get_noise_shape(inputs), seed=self._take_seed()
        )

    def _get_noise_shape(self, inputs):
        if self.noise_shape is None:
            return None
        sizes = inputs.shape.as_list()
        return [sizes[axis] if size is None else size for axis, size in enumerate(self.noise_shape)]

    def get_config(self):
        return {**super().get_config(), "rate": self.rate, "noise_shape": self.noise_shape, "seed": self.seed}


class _SpatialDropout(Dropout):
    """Dropout of whole channels."""

    def __init__(self, rank, rate, data_format: Any = "channels_last", **kwargs):
        super().__init__(rate, **kwargs)
        self._rank = rank
        data_format = _settings.image_data_format() if data_format is None else data_format
        if data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                '`data_format` must be "channels_last" or "channels_first". Received: '
                f"data_format={data_format}."
            )
        self._format = data_format
        self.input_spec = InputSpec(ndim=rank + 2)

    def _get_noise_shape(self, inputs):
        sizes = inputs.shape.as_list()
        ones = [1] * self._rank
        if self._format == "channels_first":
            return [sizes[0], sizes[1], *ones]
        return [sizes[0], *ones, sizes[-1]]


class SpatialDropout1D(_SpatialDropout):
    """Dropout of whole channels of sequences. TF: `tf.keras.layers.SpatialDropout1D`; no known difference."""

    def __init__(self, rate, **kwargs):
        super().__init__(1, rate, **kwargs)


class SpatialDropout2D(_SpatialDropout):
    """Dropout of whole channels of images. TF: `tf.keras.layers.SpatialDropout2D`; no known difference."""

    def __init__(self, rate, data_format=None, **kwargs):
        super().__init__(2, rate, data_format, **kwargs)
        self.data_format = self._format


class SpatialDropout3D(_SpatialDropout):
    """Dropout of whole channels of volumes. TF: `tf.keras.layers.SpatialDropout3D`; no known difference."""

    def __init__(self, rate, data_format=None, **kwargs):
        super().__init__(3, rate, data_format, **kwargs)
        self.data_format = self._format


class GaussianNoise(RandomLayer):
    """Adds normal noise in training.

    Args:
      stddev: float.
      seed: int; each call takes the next one.
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.GaussianNoise`, with the same numbers for the same `tf.random.set_seed` and `seed`.
    """

    def __init__(self, stddev, seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        self.stddev = stddev

    def _changed(self, inputs):
        noise = random.normal(
            inputs.shape, mean=0.0, stddev=self.stddev, dtype=inputs.dtype, seed=self._take_seed()
        )
        return add(inputs, noise)

    def get_config(self):
        return {**super().get_config(), "stddev": self.stddev, "seed": self.seed}


class GaussianDropout(RandomLayer):
    """Multiplies by normal noise of mean 1 in training.

    Args:
      rate: float; the variance is `rate / (1 - rate)`. Outside ]0, 1[ nothing happens.
      seed: int; each call takes the next one.
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.GaussianDropout`, with the same numbers for the same `tf.random.set_seed` and `seed`.
    """

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        self.rate = rate

    def _does_nothing(self):
        # Keras ignores other rates, also in training.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/regularization/gaussian_dropout.py
        return not 0 < self.rate < 1

    def _changed(self, inputs):
        stddev = np.sqrt(self.rate / (1.0 - self.rate))
        noise = random.normal(
            inputs.shape, mean=1.0, stddev=stddev, dtype=inputs.dtype, seed=self._take_seed()
        )
        return multiply(inputs, noise)

    def get_config(self):
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}


class AlphaDropout(RandomLayer):
    """Dropout that keeps mean and variance after a SELU: what is dropped becomes its lowest value.

    Args:
      rate: float, the share. Outside ]0, 1[ nothing happens.
      noise_shape: shape broadcast to that of the inputs, or None.
      seed: int; each call takes the next one.
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.AlphaDropout`, with the same numbers for the same `tf.random.set_seed` and `seed`.
    """

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape

    def _does_nothing(self):
        return not 0.0 < self.rate < 1.0

    def _get_noise_shape(self, inputs):
        return self.noise_shape or inputs.shape

    def _changed(self, inputs):
        # SELU's alpha and scale: its limit for very negative inputs.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/regularization/alpha_dropout.py
        lowest = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946
        rate = self.rate
        drawn = random.uniform(self._get_noise_shape(inputs), seed=self._take_seed())
        is_kept: Any = cast(greater_equal(drawn, rate), inputs.dtype)
        scale = ((1 - rate) * (1 + rate * lowest**2)) ** -0.5
        return scale * (inputs * is_kept + lowest * (1 - is_kept)) - scale * lowest * rate

    def get_config(self):
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}


class ActivityRegularization(Layer):
    """Adds a loss of its inputs, and passes them on.

    Args:
      l1: float, the factor of the sum of absolute values.
      l2: float, the factor of the sum of squares.
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.ActivityRegularization`; no known difference.
    """

    def __init__(self, l1=0.0, l2=0.0, **kwargs):
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self.l1 = l1
        self.l2 = l2

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "l1": self.l1, "l2": self.l2}
