"""A wrapper that divides the weights of a layer by their largest singular value."""

from typing import Any

from tfcompat._control._branches import cond
from tfcompat._core.shape import TensorShape
from tfcompat.array import reshape, zeros_like
from tfcompat.layers import initializers
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.wrapper import Wrapper
from tfcompat.linalg import matmul
from tfcompat.math import equal, l2_normalize, reduce_all
from tfcompat.tape import stop_gradient


class SpectralNormalization(Wrapper):
    """A layer whose kernel is divided by its largest singular value at every call in training.

    The value is estimated by power iteration, which goes on from call to call.

    Args:
      layer: Layer with a `kernel` or with `embeddings`.
      power_iterations: int, turns of the iteration at each call.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `power_iterations` is not positive; the layer has neither weight.

    Inputs, outputs: those of `layer`. Called with `training=True`, it assigns the weight; a weight of zeros stays.
    Weights: those of `layer`, and `vector_u` [1, n], not trainable, n being the size of the last axis.
    Gradient: with respect to the weight as assigned.
    TF: `tf.keras.layers.SpectralNormalization`; no known difference.
    """

    kernel: Any
    vector_u: Any
    power_iterations: Any

    def __init__(self, layer, power_iterations=1, **kwargs):
        super().__init__(layer, **kwargs)
        if power_iterations <= 0:
            raise ValueError(
                "`power_iterations` should be greater than zero. Received: "
                f"`power_iterations={power_iterations}`"
            )
        self.power_iterations = power_iterations

    def build(self, input_shape=None):
        super().build(input_shape)
        self.input_spec = InputSpec(shape=[None, *TensorShape(input_shape).as_list()[1:]])
        for name in ("kernel", "embeddings"):
            if hasattr(self.layer, name):
                self.kernel = getattr(self.layer, name)
                break
        else:
            raise ValueError(f"{type(self.layer).__name__} object has no attribute 'kernel' nor 'embeddings'")
        self.kernel_shape = self.kernel.shape.as_list()
        self.vector_u = self.add_weight(
            name="vector_u",
            shape=(1, self.kernel_shape[-1]),
            initializer=initializers.TruncatedNormal(stddev=0.02),
            trainable=False,
            dtype=self.layer.variable_dtype,
        )

    def call(self, inputs, training=False):
        if training:
            self._update_weights()
        return self.layer(inputs)

    def _update_weights(self):
        kernel, vector = self.kernel, self.vector_u
        # Zeros stay as they are, since their largest singular value is zero.
        value, direction = cond(
            reduce_all(equal(kernel, zeros_like(kernel))),
            lambda: (kernel.read_value(), vector.read_value()),
            self.normalize_weights,
        )
        kernel.assign(value)
        vector.assign(direction)

    def normalize_weights(self):
        """(the weight divided by its largest singular value, the next `vector_u`); nothing is assigned."""
        weights = reshape(self.kernel, [-1, self.kernel_shape[-1]])
        right: Any = self.vector_u
        left: Any = None
        for _ in range(self.power_iterations):
            left = l2_normalize(matmul(right, weights, transpose_b=True))
            right = l2_normalize(matmul(left, weights))
        right, left = stop_gradient(right), stop_gradient(left)
        largest = matmul(matmul(left, weights), right, transpose_b=True)
        return reshape(weights / largest, self.kernel_shape), right

    def compute_output_shape(self, input_shape):
        return TensorShape(self.layer.compute_output_shape(input_shape))

    def get_config(self):
        return {"power_iterations": self.power_iterations, **super().get_config()}
