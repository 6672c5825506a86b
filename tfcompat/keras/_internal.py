"""`tf.keras.__internal__`, of which packages use a few names."""

import importlib
from types import SimpleNamespace

from tfcompat.layers._symbolic.object_symbols import register_symbolic_tensor_type


class _Names:
    """A namespace whose names come from modules that are imported when they are asked for."""

    def __init__(self, **modules):
        self._modules = modules

    def __getattr__(self, name):
        if name in self._modules:
            return getattr(importlib.import_module(self._modules[name]), name)
        raise AttributeError(f"{name} of tf.keras.__internal__ is private to Keras, and not available in tfcompat")


__internal__ = _Names(KerasTensor="tfcompat.layers._symbolic.keras_tensor")
__internal__.utils = SimpleNamespace(register_symbolic_tensor_type=register_symbolic_tensor_type)
__internal__.layers = _Names(BaseRandomLayer="tfcompat.layers._layer.random_layer")
__internal__.losses = _Names(compute_weighted_loss="tfcompat.keras.losses._base")
__internal__.optimizers = _Names(convert_to_legacy_optimizer="tfcompat.keras.optimizers._registry")
