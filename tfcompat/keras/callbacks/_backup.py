"""`BackupAndRestore`: training goes on where it was interrupted."""

import logging
import os
import shutil
from typing import Any

import numpy as np

from tfcompat._core.variable import Variable
from tfcompat.errors import UnimplementedError
from tfcompat.keras.callbacks._base import Callback
from tfcompat.train import Checkpoint, CheckpointManager

_absl = logging.getLogger("absl")


class BackupAndRestore(Callback):
    """Saves model and optimizer while `fit` runs; a `fit` that was interrupted goes on from there.

    Args:
      backup_dir: path of a folder of its own.
      save_freq: "epoch", or int, a number of batches.
      delete_checkpoint: bool, whether the files are removed when `fit` comes to its end.
      save_before_preemption: must be False.

    Raises:
      ValueError: no `save_freq`.

    The model should be built before `fit`. Epochs and batches that were done are passed over.
    TF: `tf.keras.callbacks.BackupAndRestore`; preemption of machines is not looked at.
    """

    _supports_tf_logs = True

    def __init__(self, backup_dir, save_freq: Any = "epoch", delete_checkpoint=True, save_before_preemption=False):
        super().__init__()
        if save_before_preemption:
            raise UnimplementedError(
                None, None, "BackupAndRestore: `save_before_preemption` is not available in tfcompat: use `save_freq`"
            )
        if not save_freq:
            raise ValueError("Either `save_freq` or `save_before_preemption` must be set.")
        self.backup_dir = backup_dir
        self.save_freq = save_freq
        self.delete_checkpoint = delete_checkpoint
        self.save_before_preemption = save_before_preemption
        self._batches_count = self._current_epoch = 0

    def _implements_train_batch_hooks(self):
        return self.save_freq != "epoch"

    def on_train_begin(self, logs=None):
        optimizer = self.model.optimizer
        if not self.model.built:
            _absl.warning(
                "To use the BackupAndRestore callback, you model must be built before you call `fit()`. Model %s is "
                "unbuilt. You can build it beforehand by calling it on a batch of data.", self.model,
            )  # fmt: skip
        elif callable(getattr(optimizer, "build", None)) and not getattr(optimizer, "_built", False):
            optimizer.build(self.model.trainable_variables)
        self._epoch = Variable(np.int64(-1), name="ckpt_saved_epoch")
        self._batch = Variable(np.int64(-1), name="ckpt_saved_batch")
        checkpoint = Checkpoint(
            model=self.model, ckpt_saved_epoch=self._epoch, ckpt_saved_batch=self._batch,
            train_counter=self.model._train_counter,
        )  # fmt: skip
        # Each process takes part in a save, for values may be spread over all; that of the first is restored by all.
        folder = os.path.join(os.fspath(self.backup_dir), "chief")
        self._manager = CheckpointManager(checkpoint, folder, max_to_keep=1)
        self._manager.restore_or_initialize()
        process = self.model.distribute_strategy._process
        self._folder = os.path.join(os.fspath(self.backup_dir), f"worker_{process}") if process else folder
        if process:
            self._manager = CheckpointManager(checkpoint, self._folder, max_to_keep=1)
        self.model.__dict__["_training_state"] = self

    def first_step(self, steps, epoch):
        """(epoch, batch) that training goes on with."""
        saved, batch = int(self._epoch), int(self._batch)
        if isinstance(self.save_freq, int):
            if batch >= 0:
                return (saved + 1, 0) if steps is not None and batch == steps - 1 else (saved, batch + 1)
        elif saved >= 0:
            return saved + 1, 0
        return epoch, 0

    def on_train_batch_begin(self, batch, logs=None):
        self._batch.assign(batch)

    def on_train_batch_end(self, batch, logs=None):
        if self.save_freq != "epoch":
            self._batches_count += 1
            if self._batches_count >= self.save_freq:
                self._batches_count = 0
                self._backup(epoch=self._current_epoch, batch=batch)

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch.assign(epoch)
        self._current_epoch = epoch

    def on_epoch_end(self, epoch, logs=None):
        if self.save_freq == "epoch":
            self._backup(epoch=epoch)

    def _backup(self, epoch, batch=0):
        self._manager.save()

    def on_train_end(self, logs=None):
        if self.delete_checkpoint:
            shutil.rmtree(self._folder, ignore_errors=True)
        self.model.__dict__.pop("_training_state", None)
