"""Padding, cropping and repeating along the spatial axes."""

from typing import Any

from tfcompat.array import pad, repeat
from tfcompat.layers._layer.context import normalize_data_format
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.windows import joined, normalize_tuple, split


def _pairs(value, rank, name):
    """(before, after) for each axis, of one int, an int for each, or pairs."""
    if isinstance(value, int):
        return ((value, value),) * rank
    value = tuple(value)
    if len(value) != rank:
        raise ValueError(
            f"`{name}` should have {['one', 'two', 'three'][rank - 1]} elements. Received: {value}."
        )
    ordinals = ("1st", "2nd", "3rd")
    return tuple(
        normalize_tuple(one, 2, f"{ordinals[i]} entry of {name}", allow_zero=True)
        for i, one in enumerate(value)
    )


class _Borders(Layer):
    """Adds to or takes from the ends of the spatial axes."""

    _option: str

    def __init__(self, rank, pairs, data_format, **kwargs):
        super().__init__(**kwargs)
        self._rank, self._pairs_of_axes = rank, pairs
        self.data_format = normalize_data_format(data_format)
        setattr(self, self._option, pairs[0] if rank == 1 else pairs)
        self.input_spec = InputSpec(ndim=rank + 2)

    def _whole(self, fill):
        """The pairs of all axes, `fill` standing for batch and channels."""
        pairs = list(self._pairs_of_axes)
        return [fill, fill, *pairs] if self.data_format == "channels_first" else [fill, *pairs, fill]

    def get_config(self):
        config = {**super().get_config(), self._option: getattr(self, self._option)}
        return config if self._rank == 1 else {**config, "data_format": self.data_format}


class _ZeroPadding(_Borders):
    _option = "padding"

    def call(self, inputs):
        return pad(inputs, [list(pair) for pair in self._whole((0, 0))])

    def compute_output_shape(self, input_shape):
        batch, spatial, channels = split(input_shape, self._rank, self.data_format)
        pairs = zip(spatial, self._pairs_of_axes, strict=True)
        spatial = [None if size is None else size + before + after for size, (before, after) in pairs]
        return joined(batch, spatial, channels, self.data_format)


class _Cropping(_Borders):
    _option = "cropping"

    def call(self, inputs: Any):
        known = self.compute_output_shape(inputs.shape).as_list()
        if any(size is not None and size <= 0 for size in known[1:]):
            raise ValueError(
                "Argument `cropping` must be greater than the input shape. Received: "
                f"inputs.shape={inputs.shape}, and cropping={getattr(self, self._option)}"
            )
        return inputs[tuple(slice(before, -after or None) for before, after in self._whole((0, 0)))]

    def compute_output_shape(self, input_shape):
        batch, spatial, channels = split(input_shape, self._rank, self.data_format)
        pairs = zip(spatial, self._pairs_of_axes, strict=True)
        spatial = [None if size is None else max(size - before - after, 0) for size, (before, after) in pairs]
        return joined(batch, spatial, channels, self.data_format)


class ZeroPadding1D(_ZeroPadding):
    """Zeros added at the ends of the spatial axes.

    Args:
      padding: int or pair: how many before and after.
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.ZeroPadding1D`; no known difference.
    """

    def __init__(self, padding=1, **kwargs):
        super().__init__(
            1, (normalize_tuple(padding, 2, "padding", allow_zero=True),), "channels_last", **kwargs
        )


class Cropping1D(_Cropping):
    """The ends of the spatial axes cut off.

    Args:
      cropping: int or pair: how much before and after.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: nothing would be left.

    TF: `tf.keras.layers.Cropping1D`; no known difference.
    """

    def __init__(self, cropping=(1, 1), **kwargs):
        super().__init__(
            1, (normalize_tuple(cropping, 2, "cropping", allow_zero=True),), "channels_last", **kwargs
        )


class ZeroPadding2D(_ZeroPadding):
    """Zeros added at the ends of the spatial axes.

    Args:
      padding: int, or int or pair for each axis: how many before and after.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.ZeroPadding2D`; no known difference.
    """

    def __init__(self, padding=(1, 1), data_format=None, **kwargs):
        super().__init__(2, _pairs(padding, 2, "padding"), data_format, **kwargs)


class Cropping2D(_Cropping):
    """The ends of the spatial axes cut off.

    Args:
      cropping: int, or int or pair for each axis: how much before and after.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    Raises:
      ValueError: nothing would be left.

    TF: `tf.keras.layers.Cropping2D`; no known difference.
    """

    def __init__(self, cropping=((0, 0), (0, 0)), data_format=None, **kwargs):
        super().__init__(2, _pairs(cropping, 2, "cropping"), data_format, **kwargs)


class ZeroPadding3D(_ZeroPadding):
    """Zeros added at the ends of the spatial axes.

    Args:
      padding: int, or int or pair for each axis: how many before and after.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.ZeroPadding3D`; no known difference.
    """

    def __init__(self, padding=(1, 1, 1), data_format=None, **kwargs):
        super().__init__(3, _pairs(padding, 3, "padding"), data_format, **kwargs)


class Cropping3D(_Cropping):
    """The ends of the spatial axes cut off.

    Args:
      cropping: int, or int or pair for each axis: how much before and after.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    Raises:
      ValueError: nothing would be left.

    TF: `tf.keras.layers.Cropping3D`; no known difference.
    """

    def __init__(self, cropping=((1, 1), (1, 1), (1, 1)), data_format=None, **kwargs):
        super().__init__(3, _pairs(cropping, 3, "cropping"), data_format, **kwargs)


class _UpSampling(Layer):
    """Repeats positions along the spatial axes."""

    def __init__(self, rank, size, data_format, **kwargs):
        super().__init__(**kwargs)
        self._rank = rank
        self.data_format = normalize_data_format(data_format)
        self._sizes = normalize_tuple(size, rank, "size")
        self.size: Any = size if rank == 1 else self._sizes
        self.input_spec = InputSpec(ndim=rank + 2)

    def call(self, inputs):
        first = 2 if self.data_format == "channels_first" else 1
        for axis, times in enumerate(self._sizes, first):
            inputs = repeat(inputs, times, axis=axis)
        return inputs

    def compute_output_shape(self, input_shape):
        batch, spatial, channels = split(input_shape, self._rank, self.data_format)
        sizes = zip(spatial, self._sizes, strict=True)
        spatial = [None if size is None else size * times for size, times in sizes]
        return joined(batch, spatial, channels, self.data_format)

    def get_config(self):
        config = {**super().get_config(), "size": self.size}
        return config if self._rank == 1 else {**config, "data_format": self.data_format}


class UpSampling1D(_UpSampling):
    """Each step repeated. `size`: int. TF: `tf.keras.layers.UpSampling1D`; no known difference."""

    def __init__(self, size=2, **kwargs):
        super().__init__(1, size, "channels_last", **kwargs)
        self.size = int(size)


class UpSampling2D(_UpSampling):
    """Rows and columns repeated.

    Args:
      size: int or pair of ints.
      data_format: "channels_last" or "channels_first".
      interpolation: "nearest", which keeps the dtype, or another method of `tf.image.resize`.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: another interpolation.

    TF: `tf.keras.layers.UpSampling2D`.
    """

    def __init__(self, size=(2, 2), data_format=None, interpolation="nearest", **kwargs):
        super().__init__(2, size, data_format, **kwargs)
        known = (
            "area",
            "bicubic",
            "bilinear",
            "gaussian",
            "lanczos3",
            "lanczos5",
            "mitchellcubic",
            "nearest",
        )
        if interpolation not in known:
            raise ValueError(
                f'`interpolation` argument should be one of {set(known)}. Received: "{interpolation}".'
            )
        self.interpolation = interpolation

    def call(self, inputs: Any):
        if self.interpolation == "nearest":
            return super().call(inputs)
        from tfcompat import image
        from tfcompat.array import transpose

        first = self.data_format == "channels_first"
        images = transpose(inputs, [0, 2, 3, 1]) if first else inputs
        height, width = (n * times for n, times in zip(images.shape.as_list()[1:3], self._sizes, strict=True))
        resized = image.resize(images, (height, width), method=self.interpolation)
        return transpose(resized, [0, 3, 1, 2]) if first else resized

    def get_config(self):
        return {**super().get_config(), "interpolation": self.interpolation}


class UpSampling3D(_UpSampling):
    """Each of three axes repeated.

    Args:
      size: int or three ints.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    TF: `tf.keras.layers.UpSampling3D`; no known difference.
    """

    def __init__(self, size=(2, 2, 2), data_format=None, **kwargs):
        super().__init__(3, size, data_format, **kwargs)
