"""UnitNormalization."""

from tfcompat._core.shape import TensorShape
from tfcompat.array import cast
from tfcompat.layers._layer.layer import Layer
from tfcompat.linalg import l2_normalize


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
        axis, rank = self.axis, TensorShape(input_shape).rank
        if rank is None:
            raise ValueError(f"Input has undefined rank. Received: input_shape={input_shape}")
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
