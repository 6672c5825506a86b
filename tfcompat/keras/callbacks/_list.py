"""`CallbackList`, which calls all callbacks of a `fit`."""

from tfcompat import nest
from tfcompat.keras.callbacks._logs import synced
from tfcompat.keras.callbacks._progress import History, ProgbarLogger


class CallbackList:
    """Calls the hooks of several callbacks.

    Args:
      callbacks: list of callbacks, or one, or None.
      add_history: bool, whether to add a `History` if there is none.
      add_progbar: bool, whether to add a `ProgbarLogger` if there is none.
      model: the model.
      **params: for `set_params`.

    TF: `tf.keras.callbacks.CallbackList`.
    """

    def __init__(self, callbacks=None, add_history=False, add_progbar=False, model=None, **params):
        self.callbacks = nest.flatten(callbacks) if callbacks else []
        self._add_default_callbacks(add_history, add_progbar)
        if model is not None:
            self.set_model(model)
        if params:
            self.set_params(params)
        by_kind = {
            kind: [c for c in self.callbacks if getattr(c, f"_implements_{kind}_batch_hooks")()]
            for kind in ("train", "test", "predict")
        }
        self._should_call_train_batch_hooks = bool(by_kind["train"])
        self._should_call_test_batch_hooks = bool(by_kind["test"])
        self._should_call_predict_batch_hooks = bool(by_kind["predict"])
        self._supports_tf_logs = all(map(_takes_tensors, self.callbacks))
        self._batch_hooks_support_tf_logs = all(_takes_tensors(c) for of_kind in by_kind.values() for c in of_kind)

    def _add_default_callbacks(self, add_history, add_progbar):
        self._history = next((c for c in self.callbacks if isinstance(c, History)), None)
        self._progbar = next((c for c in self.callbacks if isinstance(c, ProgbarLogger)), None)
        if self._history is None and add_history:
            self._history = History()
            self.callbacks.append(self._history)
        if self._progbar is None and add_progbar:
            self._progbar = ProgbarLogger(count_mode="steps")
            self.callbacks.append(self._progbar)

    def append(self, callback):
        """Adds a callback."""
        self.callbacks.append(callback)

    def set_params(self, params):
        """Gives all callbacks the parameters."""
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model):
        """Gives all callbacks the model."""
        self.model = model
        if self._history is not None:
            model.history = self._history
        for callback in self.callbacks:
            callback.set_model(model)

    def __iter__(self):
        return iter(self.callbacks)

    def _process_logs(self, logs, is_batch_hook=False):
        """The logs, with numbers in place of tensors where a callback does not take those."""
        if logs is None:
            return {}
        if self._supports_tf_logs or is_batch_hook and self._batch_hooks_support_tf_logs:
            return logs
        return synced(logs)

    def _call(self, hook, *arguments, logs):
        logs = self._process_logs(logs)
        for callback in self.callbacks:
            getattr(callback, hook)(*arguments, logs)

    def _on_batch(self, kind, hook, batch, logs):
        if getattr(self, f"_should_call_{kind}_batch_hooks"):
            self._call_batch_hook(kind, hook, batch, logs=logs)

    def _call_batch_hook(self, mode, hook, batch, logs=None):
        if hook == "begin":
            self._call_batch_begin_hook(mode, batch, logs)
        elif hook == "end":
            self._call_batch_end_hook(mode, batch, logs)
        else:
            raise ValueError(f'Unrecognized hook: {hook}. Expected values are ["begin", "end"]')

    def _call_batch_begin_hook(self, mode, batch, logs):
        self._call_batch_hook_helper(f"on_{mode}_batch_begin", batch, logs)

    def _call_batch_end_hook(self, mode, batch, logs):
        self._call_batch_hook_helper(f"on_{mode}_batch_end", batch, logs)

    def _call_batch_hook_helper(self, hook_name, batch, logs):
        logs = self._process_logs(logs, is_batch_hook=True)
        for callback in self.callbacks:
            getattr(callback, hook_name)(batch, logs)

    def on_batch_begin(self, batch, logs=None):
        """Before a batch of training."""
        self._on_batch("train", "begin", batch, logs)

    def on_batch_end(self, batch, logs=None):
        """After a batch of training."""
        self._on_batch("train", "end", batch, logs)

    def on_train_batch_begin(self, batch, logs=None):
        """Before a batch of training."""
        self._on_batch("train", "begin", batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        """After a batch of training."""
        self._on_batch("train", "end", batch, logs)

    def on_test_batch_begin(self, batch, logs=None):
        """Before a batch of evaluation."""
        self._on_batch("test", "begin", batch, logs)

    def on_test_batch_end(self, batch, logs=None):
        """After a batch of evaluation."""
        self._on_batch("test", "end", batch, logs)

    def on_predict_batch_begin(self, batch, logs=None):
        """Before a batch of prediction."""
        self._on_batch("predict", "begin", batch, logs)

    def on_predict_batch_end(self, batch, logs=None):
        """After a batch of prediction."""
        self._on_batch("predict", "end", batch, logs)

    def on_epoch_begin(self, epoch, logs=None):
        """Before an epoch."""
        self._call("on_epoch_begin", epoch, logs=logs)

    def on_epoch_end(self, epoch, logs=None):
        """After an epoch."""
        self._call("on_epoch_end", epoch, logs=logs)

    def on_train_begin(self, logs=None):
        """Before training."""
        self._call("on_train_begin", logs=logs)

    def on_train_end(self, logs=None):
        """After training."""
        self._call("on_train_end", logs=logs)

    def on_test_begin(self, logs=None):
        """Before evaluation."""
        self._call("on_test_begin", logs=logs)

    def on_test_end(self, logs=None):
        """After evaluation."""
        self._call("on_test_end", logs=logs)

    def on_predict_begin(self, logs=None):
        """Before prediction."""
        self._call("on_predict_begin", logs=logs)

    def on_predict_end(self, logs=None):
        """After prediction."""
        self._call("on_predict_end", logs=logs)


def _takes_tensors(callback):
    return getattr(callback, "_supports_tf_logs", False)
