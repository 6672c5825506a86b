"""Layers that change the size of pictures: Resizing, CenterCrop, RandomCrop, RandomHeight, RandomWidth."""

from typing import Any

import numpy as np

from tfcompat import image
from tfcompat._core.convert import convert_to_tensor, host_constant, host_integers, known_values
from tfcompat._core.shape import TensorShape
from tfcompat.array import cast, gather
from tfcompat.errors import UnimplementedError
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._preprocessing.augmentation import RandomImageLayer, bounds, picture
from tfcompat.layers._preprocessing.preprocessing import symbolic_output
from tfcompat.ragged._tensor import RaggedTensor

_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


def resize_method(interpolation):
    """The interpolation's name for `tf.image.resize`."""
    if interpolation.lower() not in _METHODS:
        raise NotImplementedError(
            f"Value not recognized for `interpolation`: {interpolation}. Supported values are: {list(_METHODS)}"
        )
    return interpolation.lower()


def smart_resize(x, size, interpolation="bilinear"):
    """The largest part in the middle of pictures that has the proportions of `size`, resized to it.

    Args:
      x: array or tensor [height, width, channels] or [batch, height, width, channels].
      size: (height, width).
      interpolation: a method of `tf.image.resize`.

    Returns:
      NumPy array for one, else tensor.

    Raises:
      ValueError: `size` has not two entries, or `x` has another rank.

    TF: `tf.keras.preprocessing.image.smart_resize`; no known difference.
    """
    if len(size) != 2:
        raise ValueError(f"Expected `size` to be a tuple of 2 integers, but got: {size}.")
    pictures = convert_to_tensor(x)
    if len(pictures.shape) not in (3, 4):
        raise ValueError(
            "Expected an image array with shape `(height, width, channels)`, or `(batch_size, height, width, "
            f"channels)`, but got input with incorrect rank, of shape {pictures.shape}."
        )
    height, width = pictures.shape.as_list()[-3:-1]
    rows = min(height, int(np.float32(width * size[0]) / np.float32(size[1])))
    columns = min(width, int(np.float32(height * size[1]) / np.float32(size[0])))
    top, left = (height - rows) // 2, (width - columns) // 2
    array = host_integers(pictures)  # of a file, with a size of its own
    part = (pictures if array is None else array)[..., top : top + rows, left : left + columns, :]
    part = part if array is None else host_constant(part)
    resized = image.resize(part, size=size, method=interpolation)
    return resized.numpy() if isinstance(x, np.ndarray) else resized


def _resized_shape(shape, height, width):
    sizes = TensorShape(shape).as_list()
    return TensorShape([*sizes[:-3], height, width, sizes[-1]])


class Resizing(Layer):
    """Pictures at another size.

    Args:
      height, width: ints, the new size.
      interpolation: "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or "mitchellcubic".
      crop_to_aspect_ratio: bool, whether the middle that has the new proportions is resized, rather than all.
      **kwargs: those of `Layer`.

    Raises:
      NotImplementedError: an unknown `interpolation`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: of the layer's dtype.
    TF: `tf.keras.layers.Resizing`, without ragged inputs.
    """

    def __init__(self, height, width, interpolation="bilinear", crop_to_aspect_ratio=False, **kwargs):
        self.__dict__["_interpolation_method"] = resize_method(interpolation)
        super().__init__(**kwargs)
        self.height = height
        self.width = width
        self.interpolation = interpolation
        self.crop_to_aspect_ratio = crop_to_aspect_ratio

    def call(self, inputs: Any):
        if isinstance(inputs, RaggedTensor):
            raise UnimplementedError(
                None, None, "Resizing of ragged pictures is not available in tfcompat: use tf.image.resize for each"
            )
        inputs = picture(inputs, self._compute_dtype_object if self.interpolation == "nearest" else "float32")
        size = [self.height, self.width]
        if self.crop_to_aspect_ratio:
            outputs = smart_resize(inputs, size, self._interpolation_method)
        else:
            outputs = image.resize(inputs, size=size, method=self._interpolation_method)
        return cast(outputs, self._compute_dtype_object)

    def compute_output_shape(self, input_shape):
        return _resized_shape(input_shape, self.height, self.width)

    def get_config(self):
        return {
            **super().get_config(),
            "height": self.height,
            "width": self.width,
            "interpolation": self.interpolation,
            "crop_to_aspect_ratio": self.crop_to_aspect_ratio,
        }


class CenterCrop(Layer):
    """The middle of pictures; of smaller ones, their middle of the same proportions, enlarged.

    Args:
      height, width: ints, the new size.
      **kwargs: those of `Layer`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: of the layer's dtype.
    TF: `tf.keras.layers.CenterCrop`; no known difference.
    """

    def __init__(self, height, width, **kwargs):
        super().__init__(**{**kwargs, "autocast": False})
        self.height = height
        self.width = width

    def call(self, inputs):
        inputs = picture(inputs, self._compute_dtype_object)
        down, right = _spare(inputs, self.height, self.width)
        if down >= 0 and right >= 0:
            top, left = int(down / 2), int(right / 2)
            return inputs[..., top : top + self.height, left : left + self.width, :]
        return cast(smart_resize(inputs, [self.height, self.width]), self._compute_dtype_object)

    def compute_output_shape(self, input_shape):
        return _resized_shape(input_shape, self.height, self.width)

    def get_config(self):
        return {**super().get_config(), "height": self.height, "width": self.width}


class RandomCrop(RandomImageLayer):
    """A random part of pictures, the same for a batch, in training; otherwise, and of smaller ones, their middle of
    the same proportions, resized.

    Args:
      height, width: ints, the new size.
      seed: int, or None.
      **kwargs: those of `Layer`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: of the layer's dtype.
    TF: `tf.keras.layers.RandomCrop`, with the same parts for the same `seed`.
    """

    _options = ("height", "width")

    def __init__(self, height, width, seed=None, **kwargs):
        super().__init__(seed=seed, **{**kwargs, "autocast": False})
        self.height = height
        self.width = width

    def _changed(self, inputs: Any):
        down, right = _spare(inputs, self.height, self.width)
        if down < 0 or right < 0:
            return self._unchanged(inputs)
        places = self._uniform([2], 0, np.iinfo(np.int32).max, "int32")
        top, left = places[0] % (down + 1), places[1] % (right + 1)
        rows = gather(inputs, top + np.arange(self.height, dtype=np.int32), axis=inputs.shape.rank - 3)
        return gather(rows, left + np.arange(self.width, dtype=np.int32), axis=inputs.shape.rank - 2)

    def _unchanged(self, inputs):
        return cast(smart_resize(inputs, [self.height, self.width]), self._compute_dtype_object)

    def compute_output_shape(self, input_shape):
        return _resized_shape(input_shape, self.height, self.width)


class RandomSize(RandomImageLayer):
    """A layer that changes one of the sizes of pictures at random."""

    _axis: int
    _options = ("factor", "interpolation")

    def __init__(self, factor, interpolation="bilinear", seed=None, **kwargs):
        super().__init__(seed=seed, **kwargs)
        self.factor = factor
        self.__dict__["_bounds"] = lower, upper = bounds(factor)
        if upper < lower:
            raise ValueError(
                f"`factor` argument cannot have an upper bound lesser than the lower bound. Received: factor={factor}"
            )
        if lower < -1.0 or upper < -1.0:
            raise ValueError(f"`factor` argument must have values larger than -1. Received: factor={factor}")
        self.interpolation = interpolation
        self.__dict__["_interpolation_method"] = resize_method(interpolation)

    def _prepared(self, inputs):
        return picture(inputs)

    def _changed(self, inputs):
        sizes = inputs.shape.as_list()[-3:-1]
        factor = self._uniform([], 1.0 + self._bounds[0], 1.0 + self._bounds[1])
        place = self._axis + 3
        size = cast(factor * float(sizes[place]), "int32")
        sizes[place] = int(known_values(size, "call the layer outside of a tf.function, as in a tf.data pipeline"))
        return cast(image.resize(inputs, size=sizes, method=self._interpolation_method), self._compute_dtype_object)

    def _called_symbolically(self, inputs):
        return symbolic_output(self.compute_output_shape(inputs.shape), self._compute_dtype_object)

    def compute_output_shape(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        sizes[self._axis] = None
        return TensorShape(sizes)


class RandomHeight(RandomSize):
    """Pictures at a random height, the same for a batch, in training.

    Args:
      factor: float or pair of floats above -1, the range of what is added to the height, as a share of it.
      interpolation: as that of `Resizing`.
      seed: int, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: a bound out of range.
      NotImplementedError: an unknown `interpolation`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: of the layer's dtype.
    TF: `tf.keras.layers.RandomHeight`, with the same heights for the same `seed`; a `tf.function` that calls it in
      training runs as plain Python.
    """

    _axis = -3


class RandomWidth(RandomSize):
    """Pictures at a random width, the same for a batch, in training.

    Args:
      factor: float or pair of floats above -1, the range of what is added to the width, as a share of it.
      interpolation: as that of `Resizing`.
      seed: int, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: a bound out of range.
      NotImplementedError: an unknown `interpolation`.

    Inputs: numbers [..., height, width, channels] of rank 3 or 4. Outputs: of the layer's dtype.
    TF: `tf.keras.layers.RandomWidth`, with the same widths for the same `seed`; a `tf.function` that calls it in
      training runs as plain Python.
    """

    _axis = -2


def _spare(inputs, height, width):
    """How much larger pictures are."""
    sizes = inputs.shape.as_list()
    return sizes[-3] - height, sizes[-2] - width
