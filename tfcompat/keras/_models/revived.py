"""Models whose classes are not known."""

from tfcompat._core.variable import Variable
from tfcompat.keras._models.model import Model
from tfcompat.layers._layer.registry import register_keras_objects
from tfcompat.saved_model._restored import RestoredFunction, UserObject

# What TensorFlow writes of any model.
_OF_KERAS = {"_default_save_signature", "call_and_return_all_conditional_losses", "keras_api", "regularization_losses"}


class Revived(Model):
    """A model whose class is not known: what TensorFlow saved of it, with its function and weights."""

    def __init__(self, loaded, metadata):
        super().__init__(name=metadata["name"])
        vars(self).update(_loaded=loaded, _takes_training=metadata.get("expects_training_arg", False))
        kinds = UserObject | Variable | RestoredFunction | list | dict
        vars(self).update(
            (name, child) for name, child in vars(loaded).items()
            if isinstance(child, kinds) and name not in _OF_KERAS and not hasattr(type(self), name)
        )  # fmt: skip
        self._restored_variables = list(loaded.variables)

    def call(self, inputs, training=False):
        """What the saved function returns."""
        return self._loaded(inputs, training) if self._takes_training else self._loaded(inputs)


register_keras_objects("revived", {"Revived": Revived})  # models load themselves, so `_saving` cannot import it
