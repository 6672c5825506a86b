"""Models whose classes are not known."""

from tfcompat.keras._models.model import Model
from tfcompat.layers._layer.registry import register_keras_objects
from tfcompat.saved_model._restored import UserObject


class Revived(Model):
    """A model whose class is not known: what TensorFlow saved of it, with its function and weights."""

    def __init__(self, loaded, metadata):
        super().__init__(name=metadata["name"])
        vars(self).update(_loaded=loaded, _takes_training=metadata.get("expects_training_arg", False))
        vars(self).update((name, child) for name, child in vars(loaded).items() if isinstance(child, UserObject))
        self._restored_variables = list(loaded.variables)

    def call(self, inputs, training=False):
        """What the saved function returns."""
        return self._loaded(inputs, training) if self._takes_training else self._loaded(inputs)


register_keras_objects("revived", {"Revived": Revived})  # models load themselves, so `_saving` cannot import it
