"""Private members of `Layer` that subclasses in published packages call."""

import weakref
from typing import Any

from tfcompat import nest
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.array import cast
from tfcompat.layers._layer import dtype_policy as _dtype_policy
from tfcompat.layers._layer import tracking as _tracking
from tfcompat.layers._symbolic.keras_tensor import KerasTensor


class LayerMembers:
    """Members of `Layer` with the names and meanings that they have in Keras 2."""

    # Of Layer.
    compute_dtype: Any
    _dtype_policy: Any
    _flatten_layers: Any
    _flatten_modules: Any
    _set_dtype_policy: Any

    @property
    def _compute_dtype(self):
        return self._dtype_policy.compute_dtype

    @property
    def _dtype(self):
        return self._dtype_policy.variable_dtype

    @_dtype.setter
    def _dtype(self, value):
        self._set_dtype_policy(_dtype_policy.policy_of(value))

    def _dedup_weights(self, weights):
        """The variables, each once."""
        return _tracking.unique(weights)

    def _get_existing_metric(self, name=None):
        """The metric of this name that `add_metric` made, or None."""
        metrics = [metric for metric in self.__dict__.get("_metrics", ()) if metric.name == name]
        if len(metrics) > 1:
            raise ValueError(
                "Please provide different names for the metrics you have added. We found "
                f'{len(metrics)} metrics with the name: "{name}"'
            )
        return metrics[0] if metrics else None

    def _maybe_create_attribute(self, name, default_value):
        if not hasattr(self, name):
            setattr(self, name, default_value)

    def _gather_children_attribute(self, attribute):
        """The entries of one list attribute of the layers and modules in this one."""
        modules = self._flatten_modules(recursive=False, include_self=False)
        return [entry for module in modules for entry in getattr(module, attribute)]

    def _maybe_cast_inputs(self, inputs, compute_dtype=None):
        """The inputs, floating ones cast to the dtype that the layer computes in."""
        dtype = compute_dtype or self.compute_dtype

        def each(x: Any):
            floating = isinstance(x, Tensor | Variable | KerasTensor) and x.dtype.is_floating
            return cast(x, dtype) if floating and x.dtype.name != dtype else x

        return nest.map_structure(each, inputs)

    def _get_trainable_state(self):
        """Whether each layer trains: a dict that does not keep the layers alive."""
        return weakref.WeakKeyDictionary({layer: layer.trainable for layer in self._flatten_layers()})

    def _set_trainable_state(self, trainable_state):
        for layer in self._flatten_layers():
            if layer.trainable != trainable_state.get(layer, layer.trainable):
                layer.trainable = trainable_state[layer]
