"""`tf.train.CheckpointManager`: keeps the last few checkpoints."""

import contextlib
import glob
import os
import re
import time

from tfcompat._core import graphs
from tfcompat.train import _state


class CheckpointManager:
    """Saves checkpoints and deletes old ones.

    Args:
      checkpoint: `tf.train.Checkpoint`.
      directory: path of the folder.
      max_to_keep: how many are kept; None for all.
      keep_checkpoint_every_n_hours: keeps one checkpoint for good in each such period.
      checkpoint_name: name of the files.
      step_counter: variable that counts steps, for `checkpoint_interval`.
      checkpoint_interval: `save` does nothing if fewer steps have been made since the last one.
      init_fn: function without arguments for `restore_or_initialize`.
      last_checkpoint_step: step of the last save, where it is known.

    Raises:
      ValueError: `max_to_keep` is no positive number; an interval without a counter.

    TF: `tf.train.CheckpointManager`.
    """

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt",
                 step_counter=None, checkpoint_interval=None, init_fn=None, last_checkpoint_step=None):  # fmt: skip
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint, self._directory = checkpoint, os.fspath(directory)
        self._max_to_keep, self._every_hours = max_to_keep, keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter, self._interval = step_counter, checkpoint_interval
        self._init_fn, self._last_step = init_fn, last_checkpoint_step
        state = _state.get_checkpoint_state(self._directory)
        now = time.time()
        self._kept: dict = {}  # path -> time of saving
        self._last_preserved = now
        self._latest = None
        if state is not None:
            self._latest = state.model_checkpoint_path or None
            stamps = state.all_model_checkpoint_timestamps
            paths = state.all_model_checkpoint_paths
            if len(stamps) != len(paths):
                stamps = [now] * len(paths)
            self._kept = dict(zip(paths, stamps, strict=True))
            self._last_preserved = state.last_preserved_timestamp or now

    directory = property(lambda self: self._directory, doc="The folder.")
    checkpoint = property(lambda self: self._checkpoint, doc="The `tf.train.Checkpoint`.")
    checkpoint_interval = property(lambda self: self._interval, doc="Steps between two saves, or None.")

    @property
    def latest_checkpoint(self):
        """The path of the latest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self):
        """Paths of the checkpoints that exist, oldest first."""
        return list(self._kept)

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        """Saves, and deletes what is too old.

        Args:
          checkpoint_number: the number in the name; by default the checkpoint's `save_counter`, which counts all saves.
          check_interval: whether to wait for `checkpoint_interval`; if not, only a second save at a step is skipped.
          options: CheckpointOptions.

        Returns:
          The path, or None if nothing was saved.
        """
        if self._interval is not None:
            step = self._step()
            last = self._last_step
            if last is not None and (step == last or check_interval and step < last + self._interval):
                return None
            self._last_step = step
        counter = self._checkpoint.save_counter
        counter.assign_add(1)
        if checkpoint_number is None:
            checkpoint_number = counter
        if isinstance(checkpoint_number, graphs.Recorded):
            checkpoint_number = graphs.session_for(None, "save a checkpoint", "save").run(checkpoint_number)
        path = self._checkpoint.write(f"{self._prefix}-{int(checkpoint_number)}", options)
        self._latest = path
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        old = self._expired()
        # Update the list before deleting, so that it never names a file that is gone.
        _state.update(self._directory, path, self._kept, self._kept.values(), self._last_preserved)
        for each in old:
            delete(each)
        return path

    def _step(self):
        assert self._step_counter is not None
        return int(self._step_counter)

    def _expired(self):
        old = []
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path = next(iter(self._kept))
            stamp = self._kept.pop(path)
            if self._every_hours and stamp - self._every_hours * 3600.0 >= self._last_preserved:
                self._last_preserved = stamp
            else:
                old.append(path)
        return old

    def restore_or_initialize(self):
        """Restores the latest checkpoint and returns its path; without one calls `init_fn` and returns None."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = self._step()
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self):
        """Nothing: saving is done when it returns."""


def delete(prefix):
    pattern = re.compile(re.escape(os.path.basename(prefix)) + r"\.(index|data-\d{5}-of-\d{5})")
    for path in glob.glob(glob.escape(prefix) + ".*"):
        if pattern.fullmatch(os.path.basename(path)):
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)
