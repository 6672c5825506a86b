"""The base of layers that hold another layer."""
import copy

from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.registry import deserialize, serialize


class Wrapper(Layer):
    """Base class of layers that change what another layer does.

    Args:
      layer: the Layer; it is built with this one, if it is not yet.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `layer` is no Layer.

    TF: `tf.keras.layers.Wrapper`; no known difference.
    """

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Layer {layer} supplied to wrapper is not a supported layer type. Please ensure wrapped layer is a "
                "valid TF-Keras layer."
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape=None):
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        super().build(input_shape)

    @property
    def activity_regularizer(self):
        """That of the layer held."""
        return getattr(self.layer, "activity_regularizer", None)

    def get_config(self):
        return {**super().get_config(), "layer": serialize(self.layer)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = copy.deepcopy(config)
        layer = deserialize(config.pop("layer"), custom_objects)
        return cls(layer, **config)
