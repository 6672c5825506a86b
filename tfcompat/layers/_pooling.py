"""Pooling: the largest or the mean of each window, or of everything."""

from typing import Any

from tfcompat import nn
from tfcompat._core.shape import TensorShape
from tfcompat.array import cast, expand_dims
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.settings import normalize_data_format
from tfcompat.layers._layer.windows import (
    joined,
    normalize_padding,
    normalize_tuple,
    output_length,
    split,
    tf_data_format,
)
from tfcompat.math import divide, multiply, reduce_max, reduce_mean, reduce_sum


class _Pooling(Layer):
    """Moves a window over the spatial axes."""

    _pool: Any

    def __init__(self, rank, pool_size, strides, padding, data_format, **kwargs):
        super().__init__(**kwargs)
        self._rank = rank
        self.pool_size = normalize_tuple(pool_size, rank, "pool_size")
        strides = pool_size if strides is None else strides
        self.strides = normalize_tuple(strides, rank, "strides", allow_zero=True)
        self.padding: Any = normalize_padding(padding)
        self.data_format = normalize_data_format(data_format or _settings.image_data_format())
        self.input_spec = InputSpec(ndim=rank + 2)

    def call(self, inputs):
        return type(self)._pool(
            inputs,
            ksize=list(self.pool_size),
            strides=list(self.strides),
            padding=self.padding.upper(),
            data_format=tf_data_format(self.data_format, self._rank),
        )

    def compute_output_shape(self, input_shape):
        batch, spatial, channels = split(input_shape, self._rank, self.data_format)
        windows = zip(spatial, self.pool_size, self.strides, strict=True)
        spatial = [output_length(size, window, self.padding, stride) for size, window, stride in windows]
        return joined(batch, spatial, channels, self.data_format)

    def get_config(self):
        return {
            **super().get_config(),
            "pool_size": self.pool_size,
            "padding": self.padding,
            "strides": self.strides,
            "data_format": self.data_format,
        }


class _GlobalPooling(Layer):
    """Takes all positions together."""

    _rank: int
    _reduce: Any

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)
        self.keepdims = keepdims

    def call(self, inputs):
        return type(self)._reduce(inputs, axis=self._axes, keepdims=self.keepdims)

    @property
    def _axes(self):
        first = 2 if self.data_format == "channels_first" else 1
        return list(range(first, first + self._rank))

    def build(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        self._validate_reduction_axis(sizes, self._axes)
        super().build(input_shape)

    def _validate_reduction_axis(self, input_shape, axes):
        for axis in axes:
            if input_shape[axis] == 0:
                raise ValueError(f"Incorrect input shape {input_shape} with dimension 0 at reduction axis {axis}.")

    def compute_output_shape(self, input_shape):
        batch, _, channels = split(input_shape, self._rank, self.data_format)
        return joined(batch, [1] * self._rank if self.keepdims else [], channels, self.data_format)

    def get_config(self):
        return {**super().get_config(), "data_format": self.data_format, "keepdims": self.keepdims}


class MaxPooling1D(_Pooling):
    """The largest of each window.

    Args:
      pool_size: int or ints, size of the window.
      strides: int or ints, its steps; its size by default.
      padding: "valid" or "same"; what is added at the border does not count.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 3. Gradient: all of it goes to the first of equal elements.
    TF: `tf.keras.layers.MaxPooling1D`; no known difference.
    """

    _pool = staticmethod(nn.max_pool1d)

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format="channels_last", **kwargs):
        super().__init__(1, pool_size, strides, padding, data_format, **kwargs)


class MaxPooling2D(_Pooling):
    """The largest of each window.

    Args:
      pool_size: int or ints, size of the window.
      strides: int or ints, its steps; its size by default.
      padding: "valid" or "same"; what is added at the border does not count.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 4. Gradient: all of it goes to the first of equal elements.
    TF: `tf.keras.layers.MaxPooling2D`; no known difference.
    """

    _pool = staticmethod(nn.max_pool2d)

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(2, pool_size, strides, padding, data_format, **kwargs)


class MaxPooling3D(_Pooling):
    """The largest of each window.

    Args:
      pool_size: int or ints, size of the window.
      strides: int or ints, its steps; its size by default.
      padding: "valid" or "same"; what is added at the border does not count.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 5. Gradient: all of it goes to the first of equal elements.
    TF: `tf.keras.layers.MaxPooling3D`; no known difference.
    """

    _pool = staticmethod(nn.max_pool3d)

    def __init__(self, pool_size=(2, 2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(3, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling1D(_Pooling):
    """The mean of each window.

    Args:
      pool_size: int or ints, size of the window.
      strides: int or ints, its steps; its size by default.
      padding: "valid" or "same"; what is added at the border does not count.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 3.
    TF: `tf.keras.layers.AveragePooling1D`; no known difference.
    """

    _pool = staticmethod(nn.avg_pool1d)

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format="channels_last", **kwargs):
        super().__init__(1, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling2D(_Pooling):
    """The mean of each window.

    Args:
      pool_size: int or ints, size of the window.
      strides: int or ints, its steps; its size by default.
      padding: "valid" or "same"; what is added at the border does not count.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 4.
    TF: `tf.keras.layers.AveragePooling2D`; no known difference.
    """

    _pool = staticmethod(nn.avg_pool2d)

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(2, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling3D(_Pooling):
    """The mean of each window.

    Args:
      pool_size: int or ints, size of the window.
      strides: int or ints, its steps; its size by default.
      padding: "valid" or "same"; what is added at the border does not count.
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 5.
    TF: `tf.keras.layers.AveragePooling3D`; no known difference.
    """

    _pool = staticmethod(nn.avg_pool3d)

    def __init__(self, pool_size=(2, 2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(3, pool_size, strides, padding, data_format, **kwargs)


class GlobalMaxPooling1D(_GlobalPooling):
    """The largest of all positions.

    Args:
      data_format: "channels_last" or "channels_first".
      keepdims: bool, whether the spatial axes stay, with size 1.
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 3.
    TF: `tf.keras.layers.GlobalMaxPooling1D`; no known difference.
    """

    _rank = 1
    _reduce = staticmethod(reduce_max)

    def __init__(self, data_format="channels_last", keepdims=False, **kwargs):
        super().__init__(data_format, keepdims, **kwargs)


class GlobalMaxPooling2D(_GlobalPooling):
    """The largest of all positions.

    Args:
      data_format: "channels_last" or "channels_first".
      keepdims: bool, whether the spatial axes stay, with size 1.
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 4.
    TF: `tf.keras.layers.GlobalMaxPooling2D`; no known difference.
    """

    _rank = 2
    _reduce = staticmethod(reduce_max)


class GlobalMaxPooling3D(_GlobalPooling):
    """The largest of all positions.

    Args:
      data_format: "channels_last" or "channels_first".
      keepdims: bool, whether the spatial axes stay, with size 1.
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 5.
    TF: `tf.keras.layers.GlobalMaxPooling3D`; no known difference.
    """

    _rank = 3
    _reduce = staticmethod(reduce_max)


class GlobalAveragePooling1D(_GlobalPooling):
    """The mean of all positions.

    Args:
      data_format: "channels_last" or "channels_first".
      keepdims: bool, whether the spatial axes stay, with size 1.
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 3. Called with `mask`, the mean of the positions where it is True.
    TF: `tf.keras.layers.GlobalAveragePooling1D`; no known difference.
    """

    _rank = 1
    _reduce = staticmethod(reduce_mean)

    def __init__(self, data_format="channels_last", **kwargs):
        super().__init__(data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask=None):
        if mask is None:
            return super().call(inputs)
        mask = expand_dims(cast(mask, inputs.dtype), 1 if self.data_format == "channels_first" else 2)
        total = reduce_sum(multiply(inputs, mask), axis=self._axes, keepdims=self.keepdims)
        return divide(total, reduce_sum(mask, axis=self._axes, keepdims=self.keepdims))

    def compute_mask(self, inputs, mask=None):
        """None: there is one position left."""
        return None


class GlobalAveragePooling2D(_GlobalPooling):
    """The mean of all positions.

    Args:
      data_format: "channels_last" or "channels_first".
      keepdims: bool, whether the spatial axes stay, with size 1.
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 4.
    TF: `tf.keras.layers.GlobalAveragePooling2D`; no known difference.
    """

    _rank = 2
    _reduce = staticmethod(reduce_mean)


class GlobalAveragePooling3D(_GlobalPooling):
    """The mean of all positions.

    Args:
      data_format: "channels_last" or "channels_first".
      keepdims: bool, whether the spatial axes stay, with size 1.
      **kwargs: those of `Layer`.

    Inputs: tensor of rank 5.
    TF: `tf.keras.layers.GlobalAveragePooling3D`; no known difference.
    """

    _rank = 3
    _reduce = staticmethod(reduce_mean)
