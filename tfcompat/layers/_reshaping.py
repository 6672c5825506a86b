"""Layers that only change shapes: Flatten, Reshape, Permute, RepeatVector."""

import math
from typing import Any

from tfcompat import image
from tfcompat._core.shape import TensorShape
from tfcompat.array import expand_dims, pad, repeat, reshape, tile, transpose
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.settings import normalize_data_format
from tfcompat.layers._layer.windows import joined, normalize_tuple, split
from tfcompat.layers._sizes import sizes_of


class Flatten(Layer):
    """All axes but the first made one.

    Args:
      data_format: "channels_last", or "channels_first": then the second axis becomes the last before.
      **kwargs: those of `Layer`.

    Inputs: tensor of shape [batch, ...]. Outputs: [batch, product of the rest], [batch, 1] from [batch].
    TF: `tf.keras.layers.Flatten`; no known difference.
    """

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank > 1:
            inputs = transpose(inputs, perm=[0, *range(2, rank), 1])
        batch, *rest = inputs.shape.as_list()
        return reshape(inputs, [-1 if batch is None else batch, math.prod(rest)])

    def compute_output_shape(self, input_shape):
        batch, *rest = TensorShape(input_shape).as_list()
        return TensorShape([batch, None if None in rest else math.prod(rest)])

    def get_config(self):
        return {**super().get_config(), "data_format": self.data_format}


class Reshape(Layer):
    """Another shape, batch axis apart.

    Args:
      target_shape: ints, without the batch axis; one may be -1.
      **kwargs: those of `Layer`.

    Raises:
      tf.errors.InvalidArgumentError: the inputs have another number of elements; more than one -1.

    TF: `tf.keras.layers.Reshape`; no known difference.
    """

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs):
        return reshape(inputs, (sizes_of(inputs)[0], *self.target_shape))

    def compute_output_shape(self, input_shape):
        batch, *rest = TensorShape(input_shape).as_list()
        if None in rest:
            return TensorShape([batch, *(None if size == -1 else size for size in self.target_shape)])
        return TensorShape([batch, *self._fix_unknown_dimension(rest, self.target_shape)])

    def _fix_unknown_dimension(self, input_shape, output_shape):
        sizes, target = list(input_shape), list(output_shape)
        if target.count(-1) > 1:
            raise ValueError(
                f"There must be at most one unknown dimension in output_shape. Received: output_shape={target}."
            )
        known, total = math.prod(size for size in target if size != -1), math.prod(sizes)
        if known != total if -1 not in target else known == 0 or total % known:
            raise ValueError(
                f"total size of new array must be unchanged, input_shape = {sizes}, output_shape = {target}"
            )
        return [total // known if size == -1 else size for size in target]

    def get_config(self):
        return {**super().get_config(), "target_shape": self.target_shape}


class Permute(Layer):
    """Axes in another order, batch axis apart.

    Args:
      dims: the order of the axes, counted from 1.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `dims` is no permutation of 1, 2, ...; the inputs have another rank.

    TF: `tf.keras.layers.Permute`; no known difference.
    """

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                f"consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs):
        return transpose(inputs, perm=(0, *self.dims))

    def compute_output_shape(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        return TensorShape([sizes[0], *(sizes[axis] for axis in self.dims)])

    def get_config(self):
        return {**super().get_config(), "dims": self.dims}


class RepeatVector(Layer):
    """Each row `n` times over.

    Args:
      n: int.
      **kwargs: those of `Layer`.

    Raises:
      TypeError: `n` is no int.

    Inputs: tensor of shape [batch, features]. Outputs: [batch, n, features].
    TF: `tf.keras.layers.RepeatVector`; no known difference.
    """

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs):
        return tile(expand_dims(inputs, 1), [1, self.n, 1])

    def compute_output_shape(self, input_shape):
        batch, features = TensorShape(input_shape).as_list()
        return TensorShape([batch, self.n, features])

    def get_config(self):
        return {**super().get_config(), "n": self.n}


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
        first = self.data_format == "channels_first"
        images = transpose(inputs, [0, 2, 3, 1]) if first else inputs
        height, width = (n * times for n, times in zip(sizes_of(images)[1:3], self._sizes, strict=True))
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
