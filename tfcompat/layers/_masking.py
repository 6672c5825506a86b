"""Masking."""

from tfcompat.array import cast, squeeze
from tfcompat.layers._layer.layer import Layer
from tfcompat.math import multiply, not_equal, reduce_any


class Masking(Layer):
    """Masks the times at which all inputs equal a value, and sets them to zero.

    Args:
      mask_value: number.
      **kwargs: those of `Layer`.

    Inputs: tensor [batch, time, ...]. Outputs: the same shape; their mask lacks the last axis.
    TF: `tf.keras.layers.Masking`; no known difference.
    """

    _compute_output_and_mask_jointly = True

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs, mask=None):
        return reduce_any(not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs):
        kept = reduce_any(not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = multiply(inputs, cast(kept, inputs.dtype))
        outputs._keras_mask = squeeze(kept, axis=-1)
        return outputs

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "mask_value": self.mask_value}
