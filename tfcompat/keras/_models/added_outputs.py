"""The layers that `add_loss` and `add_metric` put into a functional model."""

from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.registry import register_keras_object


@register_keras_object("tf_keras.src.engine.base_layer")
class AddLoss(Layer):
    """Adds its input to its losses, and passes it on.

    Args:
      unconditional: bool, kept for `get_config`.
      **kwargs: those of `Layer`.

    TF: the layer that `add_loss` puts into a functional model.
    """

    def __init__(self, unconditional=False, **kwargs):
        super().__init__(**{"autocast": False, **kwargs})
        self.unconditional = unconditional

    def call(self, inputs):
        self.add_loss(inputs)
        return inputs

    def get_config(self):
        return {**super().get_config(), "unconditional": self.unconditional}


@register_keras_object("tf_keras.src.engine.base_layer")
class AddMetric(Layer):
    """Adds the mean of its input to its metrics, and passes it on.

    Args:
      aggregation: None or "mean".
      metric_name: str, the name of the mean.
      **kwargs: those of `Layer`.

    TF: the layer that `add_metric` puts into a functional model.
    """

    def __init__(self, aggregation=None, metric_name=None, **kwargs):
        super().__init__(**{"autocast": False, **kwargs})
        self.aggregation = aggregation
        self.metric_name = metric_name

    def call(self, inputs):
        self.add_metric(inputs, self.metric_name, aggregation=self.aggregation)
        return inputs

    def get_config(self):
        return {**super().get_config(), "aggregation": self.aggregation, "metric_name": self.metric_name}
