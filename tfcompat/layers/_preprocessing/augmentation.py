"""Layers that change pictures at random: RandomFlip, RandomRotation, RandomZoom, RandomTranslation, RandomContrast,
RandomBrightness."""

from typing import Any

import numpy as np

from tfcompat import image
from tfcompat._control._branches import cond
from tfcompat.array import cast, concat, expand_dims, identity, ones_like, squeeze, stack, zeros_like
from tfcompat.array import shape as shape_of
from tfcompat.function import init_scope
from tfcompat.image._projective import projective_transform
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.random_layer import _known_truth
from tfcompat.layers._preprocessing.preprocessing import ensure_tensor
from tfcompat.math import cos, sin
from tfcompat.math._clip import clip_by_value
from tfcompat.random import Generator
from tfcompat.random._keras_seed import new_seed


class RandomImageLayer(Layer):
    """A layer with a generator of its own, made by the first call, whose state is none of the layer's weights."""

    _options: tuple = ()  # attributes that `get_config` has in it, in Keras's order

    def __init__(self, seed=None, **kwargs):
        # Configurations have it; Keras passes over it as well, for these layers always use a generator.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/preprocessing/image_preprocessing.py
        kwargs.pop("rng_type", None)
        super().__init__(**kwargs)
        self.__dict__["seed"] = seed

    @property
    def _generator(self):
        attributes = self.__dict__
        if "_own_generator" not in attributes:
            with init_scope():
                attributes["_own_generator"] = Generator.from_seed(new_seed() if self.seed is None else self.seed)
        return attributes["_own_generator"]

    def build(self, input_shape):
        super().build(input_shape)
        self._generator  # noqa: B018  It is made now, as in Keras: its seed may come from Python's generator.

    def _uniform(self, shape, low, high, dtype="float32"):
        return self._generator.uniform(shape, low, high, dtype)

    def _seed_pair(self):
        return self._generator.make_seeds()[:, 0]

    def call(self, inputs: Any, training=True):
        inputs = self._prepared(inputs)
        known = bool(training) if isinstance(training, bool | int) or training is None else _known_truth(training)
        if known is None:
            return cond(
                cast(training, "bool"), lambda: self._changed(inputs), lambda: identity(self._unchanged(inputs))
            )
        return self._changed(inputs) if known else self._unchanged(inputs)

    def _prepared(self, inputs):
        return picture(inputs, self._compute_dtype_object)

    def _unchanged(self, inputs):
        return inputs

    def _changed(self, inputs):
        raise NotImplementedError

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        options = {name.removeprefix("_"): getattr(self, name) for name in self._options}
        return {**super().get_config(), "rng_type": "stateful", **options, "seed": self.seed}


def picture(inputs, dtype=None):
    """`inputs` as a tensor of a dtype; ValueError for a dict."""
    if isinstance(inputs, dict):
        raise ValueError(
            f"This layer can only process a tensor representing an image or a batch of images. Received: type(inputs)="
            f"{type(inputs)}."
        )
    return ensure_tensor(inputs, dtype)


def bounds(factor):
    """(lower, upper) of a factor: a pair, or a number for both signs of it."""
    return (factor[0], factor[1]) if isinstance(factor, tuple | list) else (-factor, factor)


class RandomFlip(RandomImageLayer):
    """Mirrors each picture or not, at random, in training.

    Args:
      mode: "horizontal", "vertical" or "horizontal_and_vertical".
      seed: int, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: an unknown `mode`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: the same shape, of the layer's dtype.
    TF: `tf.keras.layers.RandomFlip`, with the same numbers for the same `seed`.
    """

    _options = ("mode",)

    def __init__(self, mode="horizontal_and_vertical", seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        self.mode = mode
        if mode not in ("horizontal", "vertical", "horizontal_and_vertical"):
            raise ValueError(f"RandomFlip layer {self.name} received an unknown mode argument {mode}")
        self.horizontal = mode != "vertical"
        self.vertical = mode != "horizontal"

    def _changed(self, inputs):
        if self.horizontal:
            inputs = image.stateless_random_flip_left_right(inputs, seed=self._seed_pair())
        return image.stateless_random_flip_up_down(inputs, seed=self._seed_pair()) if self.vertical else inputs


class ProjectiveLayer(RandomImageLayer):
    """A layer that sees pictures through a projective map."""

    _options = ("fill_mode", "fill_value", "interpolation")

    def __init__(self, fill_mode, interpolation, seed, fill_value, **kwargs):
        super().__init__(seed=seed, **kwargs)
        self.fill_mode = fill_mode
        self.fill_value = fill_value
        self.interpolation = interpolation

    def _check_modes(self):
        if self.fill_mode not in ("reflect", "wrap", "constant", "nearest"):
            raise NotImplementedError(
                f"Unknown `fill_mode` {self.fill_mode}. Only `reflect`, `wrap`, `constant` and `nearest` are supported."
            )
        if self.interpolation not in ("nearest", "bilinear"):
            raise NotImplementedError(
                f"Unknown `interpolation` {self.interpolation}. Only `nearest` and `bilinear` are supported."
            )

    def _changed(self, inputs):
        single = inputs.shape.rank == 3
        batch = expand_dims(inputs, 0) if single else inputs
        height, width = batch.shape.as_list()[1:3]
        maps = self._maps(shape_of(batch)[0], float(height), float(width))
        fill, modes = np.float32(self.fill_value), (self.interpolation.upper(), self.fill_mode.upper())
        outputs = projective_transform(batch, maps, fill, (height, width), *modes)
        return squeeze(outputs, 0) if single else outputs

    def _maps(self, count, height, width):
        """The maps of `count` pictures, a tensor [count, 8]."""
        raise NotImplementedError


def _map(*columns):
    """Maps [count, 8] of their first six columns, tensors [count]."""
    return concat([stack(columns, axis=1), zeros_like(stack(columns[:2], axis=1))], 1)


class RandomRotation(ProjectiveLayer):
    """Turns each picture by a random angle, in training.

    Args:
      factor: float or pair of floats, the range of angles in whole turns; positive ones turn against the clock.
      fill_mode: "reflect", "wrap", "constant" or "nearest", what is seen outside of a picture.
      interpolation: "bilinear" or "nearest".
      seed: int, or None.
      fill_value: float, for "constant".
      **kwargs: those of `Layer`.

    Raises:
      ValueError: the upper bound is below the lower one.
      NotImplementedError: an unknown `fill_mode` or `interpolation`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: the same shape, of the layer's dtype.
    TF: `tf.keras.layers.RandomRotation`, with the same angles for the same `seed`.
    """

    _options = ("factor", *ProjectiveLayer._options)

    def __init__(self, factor, fill_mode="reflect", interpolation="bilinear", seed=None, fill_value=0.0, **kwargs):
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.factor = factor
        self.lower, self.upper = bounds(factor)
        if self.upper < self.lower:
            raise ValueError(f"`factor` argument cannot have a negative value. Received: factor={factor}")
        self._check_modes()

    def _maps(self, count, height, width):
        angles = self._uniform([count], self.lower * 2.0 * np.pi, self.upper * 2.0 * np.pi)
        across, down = width - 1, height - 1
        x = (across - (cos(angles) * across - sin(angles) * down)) / 2.0
        y = (down - (sin(angles) * across + cos(angles) * down)) / 2.0
        return _map(cos(angles), -sin(angles), x, sin(angles), cos(angles), y)


class RandomTranslation(ProjectiveLayer):
    """Moves each picture by random distances, in training.

    Args:
      height_factor, width_factor: float or pair of floats in [-1, 1], the ranges of distances as shares of the sizes;
        positive ones move down and right.
      fill_mode: "reflect", "wrap", "constant" or "nearest", what is seen outside of a picture.
      interpolation: "bilinear" or "nearest".
      seed: int, or None.
      fill_value: float, for "constant".
      **kwargs: those of `Layer`.

    Raises:
      ValueError: a bound outside of [-1, 1], or an upper one below the lower one.
      NotImplementedError: an unknown `fill_mode` or `interpolation`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: the same shape, of the layer's dtype.
    TF: `tf.keras.layers.RandomTranslation`, with the same distances for the same `seed`.
    """

    _options = ("height_factor", "width_factor", *ProjectiveLayer._options)

    def __init__(self, height_factor, width_factor, fill_mode="reflect", interpolation="bilinear", seed=None,
                 fill_value=0.0, **kwargs):  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = height_factor
        self.width_factor = width_factor
        self.height_lower, self.height_upper = bounds(height_factor)
        self.width_lower, self.width_upper = bounds(width_factor)
        for name, factor in (("height_factor", height_factor), ("width_factor", width_factor)):
            lower, upper = bounds(factor)
            if upper < lower:
                raise ValueError(f"`{name}` cannot have upper bound less than lower bound, got {factor}")
            if abs(lower) > 1.0 or abs(upper) > 1.0:
                raise ValueError(f"`{name}` argument must have values between [-1, 1]. Received: {name}={factor}")
        self._check_modes()

    def _maps(self, count, height, width):
        down = self._uniform([count, 1], self.height_lower, self.height_upper)[:, 0] * height
        right = self._uniform([count, 1], self.width_lower, self.width_upper)[:, 0] * width
        one, zero = ones_like(down), zeros_like(down)
        return _map(one, zero, -right, zero, one, -down)


class RandomZoom(ProjectiveLayer):
    """Zooms into or out of each picture at random, in training.

    Args:
      height_factor: float or pair of floats in [-1, 1], the range of what is added to the height that is seen: negative
        zooms in.
      width_factor: the same for the width; None keeps the proportions.
      fill_mode: "reflect", "wrap", "constant" or "nearest", what is seen outside of a picture.
      interpolation: "bilinear" or "nearest".
      seed: int, or None.
      fill_value: float, for "constant".
      **kwargs: those of `Layer`.

    Raises:
      ValueError: a bound out of range.
      NotImplementedError: an unknown `fill_mode` or `interpolation`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: the same shape, of the layer's dtype.
    TF: `tf.keras.layers.RandomZoom`, with the same factors for the same `seed`.
    """

    _options = ("height_factor", "width_factor", *ProjectiveLayer._options)

    def __init__(self, height_factor, width_factor=None, fill_mode="reflect", interpolation="bilinear", seed=None,
                 fill_value=0.0, **kwargs):  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = height_factor
        self.width_factor = width_factor
        self.height_lower, self.height_upper = bounds(height_factor)
        if abs(self.height_lower) > 1.0 or abs(self.height_upper) > 1.0:
            raise ValueError(
                f"`height_factor` argument must have values between [-1, 1]. Received: height_factor={height_factor}"
            )
        if width_factor is not None:
            self.width_lower, self.width_upper = bounds(width_factor)
            if self.width_lower < -1.0 or self.width_upper < -1.0:
                raise ValueError(
                    "`width_factor` argument must have values larger than -1. "
                    f"Received: width_factor={width_factor}"
                )
        self._check_modes()

    def _maps(self, count, height, width):
        tall = self._uniform([count, 1], 1.0 + self.height_lower, 1.0 + self.height_upper)[:, 0]
        wide = tall
        if self.width_factor is not None:
            wide = self._uniform([count, 1], 1.0 + self.width_lower, 1.0 + self.width_upper)[:, 0]
        zero = zeros_like(tall)
        x, y = ((width - 1.0) / 2.0) * (1.0 - wide), ((height - 1.0) / 2.0) * (1.0 - tall)
        return _map(wide, zero, x, zero, tall, y)


class RandomContrast(RandomImageLayer):
    """Changes the contrast of pictures by a random factor, the same for a batch, in training.

    Args:
      factor: float or pair of floats: the range is [1 - lower, 1 + upper].
      seed: int, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: a negative bound, or a lower one above 1.

    Inputs: numbers [..., height, width, channels]. Outputs: the same shape, of the layer's dtype, in [0, 255].
    TF: `tf.keras.layers.RandomContrast`, with the same factors for the same `seed`.
    """

    _options = ("factor",)

    def __init__(self, factor, seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        self.factor = factor
        self.lower, self.upper = factor if isinstance(factor, tuple | list) else (factor, factor)
        if self.lower < 0.0 or self.upper < 0.0 or self.lower > 1.0:
            raise ValueError(
                f"`factor` argument cannot have negative values or values greater than 1.Received: factor={factor}"
            )

    def _changed(self, inputs):
        outputs = image.stateless_random_contrast(inputs, 1.0 - self.lower, 1.0 + self.upper, seed=self._seed_pair())
        return clip_by_value(outputs, 0, 255)


class RandomBrightness(RandomImageLayer):
    """Adds a random number to each picture, in training.

    Args:
      factor: float or list of two in [-1, 1], the range of what is added, as a share of that of the values.
      value_range: list of the least and the largest value.
      seed: int, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: a factor out of range, or no pair where one is expected.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: the same shape, of the layer's dtype, in
      `value_range`.
    TF: `tf.keras.layers.RandomBrightness`, with the same numbers for the same `seed`.
    """

    _options = ("_factor", "_value_range")

    def __init__(self, factor, value_range=(0, 255), seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        several = isinstance(factor, tuple | list)
        numbers = list(factor) if several else [factor]
        if (several and len(numbers) != 2) or any(
            not isinstance(x, int | float) or not -1.0 <= x <= 1.0 for x in numbers
        ):
            raise ValueError(
                "The `factor` argument should be a number (or a list of two numbers) in the range [-1.0, 1.0]. Got "
                f"{factor}"
            )
        if not isinstance(value_range, tuple | list) or len(value_range) != 2:
            raise ValueError(f"The `value_range` argument should be a list of two numbers. Got {value_range}")
        attributes = self.__dict__
        attributes["_factor"] = sorted(numbers) if several else [-abs(factor), abs(factor)]
        attributes["_value_range"] = sorted(value_range)

    def _changed(self, inputs):
        rank = inputs.shape.rank
        if rank not in (3, 4):
            raise ValueError(f"Expected the input image to be rank 3 or 4. Got inputs.shape = {inputs.shape}")
        low, high = self._value_range
        shape = [1, 1, 1] if rank == 3 else [shape_of(inputs)[0], 1, 1, 1]
        change = self._uniform(shape, *self._factor) * (high - low)
        return clip_by_value(inputs + cast(change, inputs.dtype), low, high)
