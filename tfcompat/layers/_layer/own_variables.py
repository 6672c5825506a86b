"""How a layer writes its own variables into files, and reads them."""

from typing import Any


class OwnVariables:
    """The part of `Layer` that puts its variables into files, for subclasses to override."""

    name: str
    _trainable_weights: list
    _non_trainable_weights: list
    _update_trackables: Any

    def save_own_variables(self, store):
        """Puts the values of the layer's own variables, not those of layers inside, into a dict of arrays.

        TF: `tf.keras.layers.Layer.save_own_variables`.
        """
        # Files of Keras 2 number the variables.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/base_layer.py
        for number, variable in enumerate(self._trainable_weights + self._non_trainable_weights):
            store[str(number)] = variable.numpy()

    def load_own_variables(self, store):
        """Sets the layer's own variables to what `save_own_variables` put into `store`.

        Raises:
          ValueError: another number of variables, or another shape.

        TF: `tf.keras.layers.Layer.load_own_variables`.
        """
        self._update_trackables()
        variables = self._trainable_weights + self._non_trainable_weights
        if len(store.keys()) != len(variables):
            raise ValueError(
                f"Layer '{self.name}' expected {len(variables)} variables, but received {len(store.keys())} variables "
                f"during loading. Expected: {[variable.name for variable in variables]}"
            )
        for number, variable in enumerate(variables):
            assign_checked(variable, store[str(number)])


def assign_checked(variable, stored):
    """Sets a variable to a stored array; ValueError if its shape is another."""
    if not variable.shape.is_compatible_with(stored.shape):
        raise ValueError(
            f"Cannot assign value to variable '{variable.name}': Shape mismatch. The variable shape "
            f"{tuple(variable.shape)}, and the assigned value shape {tuple(stored.shape)} are incompatible."
        )
    variable.assign(stored[()])
