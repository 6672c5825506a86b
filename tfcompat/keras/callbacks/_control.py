"""Callbacks that steer training: stopping, learning rates, checkpoints."""

import logging
import os
import tempfile
from typing import Any

import numpy as np

from tfcompat._core.tensor import Tensor
from tfcompat.keras.callbacks._base import Callback
from tfcompat.keras.callbacks._logs import synced
from tfcompat.keras.callbacks._messages import print_message

_absl = logging.getLogger("absl")


def _checked_mode(mode, name):
    if mode in ("auto", "min", "max"):
        return mode
    _absl.warning("%s mode %s is unknown, fallback to auto mode.", name, mode)
    return "auto"


class TerminateOnNaN(Callback):
    """Ends training at a batch whose loss is NaN or infinite. TF: `tf.keras.callbacks.TerminateOnNaN`."""

    _supports_tf_logs = True

    def on_batch_end(self, batch, logs=None):
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(np.asarray(loss)):
            print_message(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class EarlyStopping(Callback):
    """Ends training when a value has stopped improving.

    Args:
      monitor: name of the value in the logs.
      min_delta: float, the least change that counts.
      patience: int, epochs without improvement before training ends.
      verbose: int, whether to tell.
      mode: "min", "max", or "auto", which goes by the name.
      baseline: float that must be beaten as well, or None.
      restore_best_weights: bool, whether the model gets the weights of the best epoch.
      start_from_epoch: int, the first epoch that counts.

    TF: `tf.keras.callbacks.EarlyStopping`; no known difference.
    """

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto", baseline=None,
                 restore_best_weights=False, start_from_epoch=0):  # fmt: skip
        super().__init__()
        self.monitor = monitor
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.wait = 0
        self.stopped_epoch = 0
        self.restore_best_weights = restore_best_weights
        self.best_weights: Any = None
        self.start_from_epoch = start_from_epoch
        mode = _checked_mode(mode, "EarlyStopping")
        if mode == "auto":
            mode = "max" if monitor.endswith(("acc", "accuracy", "auc")) else "min"
        self.monitor_op = np.greater if mode == "max" else np.less
        self.min_delta = abs(min_delta) * (1 if mode == "max" else -1)

    def on_train_begin(self, logs=None):
        self.wait = 0
        self.stopped_epoch = 0
        self.best = np.inf if self.monitor_op is np.less else -np.inf
        self.best_weights = None
        self.best_epoch = 0

    def on_epoch_end(self, epoch, logs=None):
        current = self.get_monitor_value(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights = self.model.get_weights()
            self.best_epoch = epoch
        self.wait += 1
        if self._is_improvement(current, self.best):
            self.best = current
            self.best_epoch = epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._is_improvement(current, self.baseline):
                self.wait = 0
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose > 0:
            print_message(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print_message(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)

    def get_monitor_value(self, logs):
        """The monitored value; None, with a warning, if it is missing."""
        logs = logs or {}
        value = logs.get(self.monitor)
        if value is None:
            _absl.warning(
                "Early stopping conditioned on metric `%s` which is not available. Available metrics are: %s",
                self.monitor, ",".join(logs),
            )  # fmt: skip
        return value

    def _is_improvement(self, monitor_value, reference_value):
        return self.monitor_op(monitor_value - self.min_delta, reference_value)


class LearningRateScheduler(Callback):
    """Sets the learning rate at the beginning of each epoch.

    Args:
      schedule: function of the number of the epoch, from 0, and the rate so far, that returns a float.
      verbose: int, whether to tell.

    Raises:
      ValueError: `schedule` returns something else.

    TF: `tf.keras.callbacks.LearningRateScheduler`; no known difference.
    """

    def __init__(self, schedule, verbose=0):
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch, logs=None):
        optimizer = self.model.optimizer
        if not hasattr(optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        try:
            rate = self.schedule(epoch, float(optimizer.lr.numpy()))
        # Schedules may take the epoch alone.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/callbacks.py
        except TypeError:
            rate = self.schedule(epoch)
        if not isinstance(rate, (Tensor, float, np.floating)):
            raise ValueError(f'The output of the "schedule" function should be float. Got: {rate}')
        if isinstance(rate, Tensor) and not rate.dtype.is_floating:
            raise ValueError(f"The dtype of `lr` Tensor should be float. Got: {rate.dtype}")
        _set_rate(optimizer, rate)
        if self.verbose > 0:
            print_message(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}.")

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs["lr"] = self.model.optimizer.lr.numpy()


class ReduceLROnPlateau(Callback):
    """Lowers the learning rate when a value has stopped improving.

    Args:
      monitor: name of the value in the logs.
      factor: float below 1 that the rate is multiplied by.
      patience: int, epochs without improvement before that.
      verbose: int, whether to tell.
      mode: "min", "max", or "auto", which goes by the name.
      min_delta: float, the least change that counts.
      cooldown: int, epochs after a reduction that do not count.
      min_lr: float, the lowest rate.

    Raises:
      ValueError: `factor` is 1 or more.

    TF: `tf.keras.callbacks.ReduceLROnPlateau`; no known difference.
    """

    def __init__(self, monitor="val_loss", factor=0.1, patience=10, verbose=0, mode="auto", min_delta: Any = 1e-4,
                 cooldown=0, min_lr: Any = 0, **kwargs):  # fmt: skip
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Got {factor}")
        if "epsilon" in kwargs:
            min_delta = kwargs.pop("epsilon")
            _absl.warning("`epsilon` argument is deprecated and will be removed, use `min_delta` instead.")
        self.monitor = monitor
        self.factor = factor
        self.min_lr = min_lr
        self.min_delta = min_delta
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.mode = _checked_mode(mode, "Learning rate reduction")
        self._reset()

    def _reset(self):
        self._lower = self.mode == "min" or self.mode == "auto" and "acc" not in self.monitor
        self.best = np.inf if self._lower else -np.inf
        self.cooldown_counter = 0
        self.wait = 0

    def monitor_op(self, value, best):
        """Whether `value` is better than `best`."""
        return value < best - self.min_delta if self._lower else value > best + self.min_delta

    def on_train_begin(self, logs=None):
        self._reset()

    def on_epoch_end(self, epoch, logs=None):
        logs = {} if logs is None else logs
        rate = self.model.optimizer.lr.numpy()
        logs["lr"] = rate
        current = logs.get(self.monitor)
        if current is None:
            _absl.warning(
                "Learning rate reduction is conditioned on metric `%s` which is not available. Available metrics are: "
                "%s", self.monitor, ",".join(logs),
            )  # fmt: skip
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best = current
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience and rate > np.float32(self.min_lr):
                new = max(rate * self.factor, self.min_lr)
                _set_rate(self.model.optimizer, new)
                if self.verbose > 0:
                    print_message(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.")
                self.cooldown_counter = self.cooldown
                self.wait = 0

    def in_cooldown(self):
        """Whether the last reduction is recent."""
        return self.cooldown_counter > 0


def _set_rate(optimizer, rate):
    optimizer.lr.assign(np.asarray(rate, optimizer.lr.dtype.np))


class ModelCheckpoint(Callback):
    """Saves the model, or its weights, after epochs or after batches.

    Args:
      filepath: path, in which `{epoch}` and names of the logs are replaced; see `Model.save_weights`.
      monitor: name of the value in the logs that `save_best_only` looks at.
      verbose: int, whether to tell.
      save_best_only: bool, whether to save only what is better than before.
      save_weights_only: bool; False saves whole models, to a `.keras` or `.h5` file: see `Model.save`.
      mode: "min", "max", or "auto", which goes by the name.
      save_freq: "epoch", or int, a number of batches.
      options: must be None.
      initial_value_threshold: float that must be beaten first, or None.

    TF: `tf.keras.callbacks.ModelCheckpoint`; SavedModels are not written.
    """

    _supports_tf_logs = True

    def __init__(self, filepath, monitor="val_loss", verbose=0, save_best_only=False, save_weights_only=False,
                 mode="auto", save_freq: Any = "epoch", options=None, initial_value_threshold=None,
                 **kwargs):  # fmt: skip
        super().__init__()
        self.monitor = monitor
        self.verbose = verbose
        self.filepath = os.fspath(filepath)
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self.period = kwargs.pop("period", 1)
        self.epochs_since_last_save = 0
        self._batches_seen_since_last_saving = 0
        self._last_batch_seen = 0
        self._current_epoch = 0
        self._options = options
        for keyword in kwargs:
            raise TypeError(f"ModelCheckpoint() got an unexpected keyword argument {keyword!r}")
        mode = _checked_mode(mode, "ModelCheckpoint")
        if mode == "auto":
            mode = "max" if "acc" in monitor or monitor.startswith("fmeasure") else "min"
        self.monitor_op = np.greater if mode == "max" else np.less
        self.best: Any = initial_value_threshold
        if self.best is None:
            self.best = -np.inf if mode == "max" else np.inf
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f'Unrecognized save_freq: {save_freq}. Expected save_freq are "epoch" or integer')

    def _implements_train_batch_hooks(self):
        return self.save_freq != "epoch"

    def on_epoch_begin(self, epoch, logs=None):
        self._current_epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if self._should_save_on_batch(batch):
            self._save_model(epoch=self._current_epoch, batch=batch, logs=logs)

    def on_epoch_end(self, epoch, logs=None):
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch":
            self._save_model(epoch=epoch, batch=None, logs=logs)

    def _should_save_on_batch(self, batch):
        if self.save_freq == "epoch":
            return False
        last, self._last_batch_seen = self._last_batch_seen, batch
        self._batches_seen_since_last_saving += batch + 1 if batch <= last else batch - last
        if self._batches_seen_since_last_saving < self.save_freq:
            return False
        self._batches_seen_since_last_saving = 0
        return True

    def _save_model(self, epoch, batch, logs: Any):
        if not isinstance(self.save_freq, int) and self.epochs_since_last_save < self.period:
            return
        logs = synced(logs or {})
        self.epochs_since_last_save = 0
        path = self._get_file_path(epoch, batch, logs)
        if self.save_best_only and not self._is_best(epoch, logs, path):
            return
        if not self.save_best_only and self.verbose > 0:
            print_message(f"\nEpoch {epoch + 1}: saving model to {path}")
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        if not self.model.distribute_strategy._process:
            try:
                self._save_handler(path)
            except IsADirectoryError as error:
                raise OSError(
                    "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an existing "
                    f"directory: {path}"
                ) from error
            return
        # The first process writes. The others take part, for values may be spread over all, and write for nobody.
        with tempfile.TemporaryDirectory() as folder:
            self._save_handler(os.path.join(folder, os.path.basename(path)))

    def _get_file_path(self, epoch, batch, logs):
        names = {"epoch": epoch + 1, **({} if batch is None else {"batch": batch + 1}), **logs}
        try:
            return self.filepath.format(**names)
        except KeyError as error:
            raise KeyError(f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}') from error

    def _save_handler(self, filepath):
        if self.save_weights_only:
            self.model.save_weights(filepath, overwrite=True, options=self._options)
        else:
            self.model.save(filepath, overwrite=True)

    def _is_best(self, epoch, logs, path):
        current = logs.get(self.monitor)
        if current is None:
            _absl.warning("Can save best model only with %s available, skipping.", self.monitor)
            return False
        if not self.monitor_op(current, self.best):
            if self.verbose > 0:
                print_message(f"\nEpoch {epoch + 1}: {self.monitor} did not improve from {self.best:.5f}")
            return False
        if self.verbose > 0:
            print_message(
                f"\nEpoch {epoch + 1}: {self.monitor} improved from {self.best:.5f} to {current:.5f}, saving model to "
                f"{path}"
            )
        self.best = current
        return True
