"""The layers of ConvNeXt that `tf.keras.layers` does not have; in configurations they go by their names."""

from tfcompat import math, random
from tfcompat.array import shape as shape_of
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.registry import register_keras_object
from tfcompat.layers.initializers import Constant


@register_keras_object("tf_keras.src.applications.convnext")
class StochasticDepth(Layer):
    """Leaves out its input for some images of a batch in training, and makes the others greater.

    Args:
      drop_path_rate: float, how probably an image is left out.
      **kwargs: see `tf.keras.layers.Layer`.

    TF: tf_keras's layer of the same name, which fails in training inside of a `tf.function`.
    """

    def __init__(self, drop_path_rate, **kwargs):
        super().__init__(**kwargs)
        self.drop_path_rate = drop_path_rate

    def call(self, x, training=None):
        if not training:
            return x
        keep_rate = 1 - self.drop_path_rate
        draws = random.uniform([shape_of(x)[0], *[1] * (len(x.shape) - 1)], 0, 1)
        return (x / keep_rate) * math.floor(keep_rate + draws)

    def get_config(self):
        return {**super().get_config(), "drop_path_rate": self.drop_path_rate}


@register_keras_object("tf_keras.src.applications.convnext")
class LayerScale(Layer):
    """Multiplies each channel by a weight of its own.

    Args:
      init_values: float, the weights at first.
      projection_dim: int, how many channels.
      **kwargs: see `tf.keras.layers.Layer`.

    TF: tf_keras's layer of the same name.
    """

    def __init__(self, init_values, projection_dim, **kwargs):
        super().__init__(**kwargs)
        self.init_values = init_values
        self.projection_dim = projection_dim

    def build(self, input_shape):
        start = Constant(self.init_values)
        self.gamma = self.add_weight(name="gamma", shape=(self.projection_dim,), initializer=start, trainable=True)

    def call(self, x):
        return x * self.gamma

    def get_config(self):
        return {**super().get_config(), "init_values": self.init_values, "projection_dim": self.projection_dim}
