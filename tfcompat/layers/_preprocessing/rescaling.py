"""Rescaling."""

from typing import Any

from tfcompat.array import cast
from tfcompat.layers._layer.layer import Layer


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
