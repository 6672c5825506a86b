"""The methods of `Model` that are not available, with the signatures of Keras, and what to do instead."""

from tfcompat.errors import UnimplementedError

_SAVE = "use save_weights and load_weights, or save a tf.Module with tf.saved_model.save"


def _refuse(method, instead):
    raise UnimplementedError(None, None, f"tf.keras.Model.{method} is not available in tfcompat: {instead}")


class NotSavedHere:
    """Refuses to save whole models."""

    def save(self, filepath, overwrite=True, save_format=None, **kwargs):
        """Not available: use save_weights, or tf.saved_model.save."""
        _refuse("save", _SAVE)

    def export(self, filepath):
        """Not available: use save_weights, or tf.saved_model.save."""
        _refuse("export", _SAVE)

    def to_json(self, **kwargs):
        """Not available: use get_config()."""
        _refuse("to_json", "use get_config()")
