"""`tf.keras.__internal__`, of which programs use these."""

from types import SimpleNamespace

from tfcompat.keras.losses._base import compute_weighted_loss
from tfcompat.keras.optimizers._conversion import convert_to_legacy_optimizer
from tfcompat.layers._layer.random_layer import BaseRandomLayer
from tfcompat.layers._symbolic.keras_tensor import KerasTensor as KerasTensor
from tfcompat.layers._symbolic.object_symbols import register_symbolic_tensor_type


class _Namespace(SimpleNamespace):
    def __getattr__(self, name):
        return __getattr__(name)


def __getattr__(name):
    raise AttributeError(f"{name} of tf.keras.__internal__ is private to Keras, and not available in tfcompat")


layers = _Namespace(BaseRandomLayer=BaseRandomLayer)
losses = _Namespace(compute_weighted_loss=compute_weighted_loss)
optimizers = _Namespace(convert_to_legacy_optimizer=convert_to_legacy_optimizer)
utils = _Namespace(register_symbolic_tensor_type=register_symbolic_tensor_type)
