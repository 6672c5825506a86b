"""`Callback`, and the list of callbacks that a loop calls."""

from typing import Any


def _default(method):
    """Marks a default method, so that overriding it can be noticed."""
    method._is_default = True
    return method


class Callback:
    """Functions that the training loop calls; to be subclassed.

    Attributes:
      model: the model being trained.
      params: dict of `verbose`, `epochs` and `steps`.

    Logs are dicts of Python numbers. TF: `tf.keras.callbacks.Callback` of Keras 2.
    """

    _supports_tf_logs = False  # whether logs may hold tensors, so that nothing waits for their values
    model: Any
    params: Any

    def __init__(self):
        self.validation_data = None
        self.model = None

    def set_params(self, params):
        """Called with the dict of parameters before anything else."""
        self.params = params

    def set_model(self, model):
        """Called with the model before anything else."""
        self.model = model

    @_default
    def on_batch_begin(self, batch, logs=None):
        """As `on_train_batch_begin`."""

    @_default
    def on_batch_end(self, batch, logs=None):
        """As `on_train_batch_end`."""

    def on_epoch_begin(self, epoch, logs=None):
        """Before an epoch of training."""

    def on_epoch_end(self, epoch, logs=None):
        """After an epoch of training and its validation."""

    @_default
    def on_train_batch_begin(self, batch, logs=None):
        """Before a batch of training."""
        self.on_batch_begin(batch, logs=logs)

    @_default
    def on_train_batch_end(self, batch, logs=None):
        """After a batch of training."""
        self.on_batch_end(batch, logs=logs)

    @_default
    def on_test_batch_begin(self, batch, logs=None):
        """Before a batch of evaluation."""

    @_default
    def on_test_batch_end(self, batch, logs=None):
        """After a batch of evaluation."""

    @_default
    def on_predict_batch_begin(self, batch, logs=None):
        """Before a batch of prediction."""

    @_default
    def on_predict_batch_end(self, batch, logs=None):
        """After a batch of prediction."""

    def on_train_begin(self, logs=None):
        """Before training."""

    def on_train_end(self, logs=None):
        """After training."""

    def on_test_begin(self, logs=None):
        """Before evaluation."""

    def on_test_end(self, logs=None):
        """After evaluation."""

    def on_predict_begin(self, logs=None):
        """Before prediction."""

    def on_predict_end(self, logs=None):
        """After prediction."""

    def _overrides(self, *names):
        return any(not hasattr(getattr(self, name), "_is_default") for name in names)

    def _implements_train_batch_hooks(self):
        names = ("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end")
        return self._overrides(*names)

    def _implements_test_batch_hooks(self):
        return self._overrides("on_test_batch_begin", "on_test_batch_end")

    def _implements_predict_batch_hooks(self):
        return self._overrides("on_predict_batch_begin", "on_predict_batch_end")
