"""History, progress bar, and other callbacks that only tell."""

import collections.abc
import csv
import math
import os
import sys
import time
from typing import Any

import numpy as np

from tfcompat.keras.callbacks._base import Callback
from tfcompat.keras.callbacks._logs import synced
from tfcompat.keras.callbacks._messages import print_message


class Progbar:
    """A progress bar.

    Args:
      target: int, number of steps; None if it is unknown.
      width: int, characters of the bar.
      verbose: 0 for nothing, 1 for a bar, 2 for a line at the end.
      interval: float, least time in seconds between two lines.
      stateful_metrics: names of values that are shown as they are; others as their means.
      unit_name: str, what a step is called.

    TF: `tf.keras.utils.Progbar`.
    """

    def __init__(self, target, width=30, verbose=1, interval=0.05, stateful_metrics=None, unit_name="step"):
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._in_place = sys.stdout.isatty() if hasattr(sys.stdout, "isatty") else False
        self._in_place = self._in_place or "ipykernel" in sys.modules or "posix" in sys.modules
        self._total_width = self._seen = 0
        self._values: dict = {}
        self._start = time.time()
        self._last_update = 0.0
        self._after_first: Any = None
        self._epoch_end: Any = None

    def _update_stateful_metrics(self, names):
        self.stateful_metrics |= set(names)

    def is_due(self):
        """Whether a line may be written again."""
        return time.time() - self._last_update >= self.interval

    def update(self, current, values=None, finalize=None):
        """Shows a number of steps, and values.

        Args:
          current: int, steps done.
          values: list of (name, value) pairs.
          finalize: bool, whether this is the last line; by default whether the target is reached.
        """
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        for name, value in values or []:
            if name in self.stateful_metrics:
                self._values[name] = [value, 1]
            else:
                count = max(current - self._seen, 1)
                total = self._values.setdefault(name, [0, 0])
                total[0] += value * count
                total[1] += count
        self._seen = current
        now = time.time()
        if current == self.target:
            self._epoch_end = now
        if self.verbose == 1:
            if now - self._last_update < self.interval and not finalize:
                return
            print_message(self._line(current, now, finalize), line_break=False)
        elif self.verbose == 2 and finalize:
            print_message(self._summary(current, now), line_break=False)
        self._last_update = now

    def add(self, n, values=None):
        """Shows `n` steps more."""
        self.update(self._seen + n, values)

    def _line(self, current, now, finalize):
        before = self._total_width
        message = "\b" * before + "\r" if self._in_place else "\n"
        bar = self._bar(current)
        each = self._step_duration(current, now)
        if self.target is None or finalize:
            info = f" - {now - self._start:.0f}s{self._formatted(each, self.unit_name)}"
        else:
            info = f" - ETA: {_eta(each * (self.target - current))}"
        info += self._shown_values(abs)
        self._total_width = len(bar) + len(info)
        info += " " * (before - self._total_width) + ("\n" if finalize else "")
        return message + bar + info

    def _bar(self, current):
        if self.target is None:
            return f"{current:7d}/Unknown"
        digits = int(math.log10(self.target)) + 1
        width = int(self.width * (current / self.target))
        bar = ""
        if width > 0:
            bar = "=" * (width - 1) + (">" if current < self.target else "=")
        return f"{current:{digits}d}/{self.target} [{bar}{'.' * (self.width - width)}]"

    def _summary(self, current, now):
        digits = int(math.log10(self.target)) + 1
        info = f"{current:{digits}d}/{self.target} - {now - self._start:.0f}s{self._shown_values(float)}"
        if self._epoch_end:
            epoch = self._epoch_end - self._start
            info += f" -{self._formatted(epoch, 'epoch')} -{self._formatted(epoch / self.target, self.unit_name)}\n"
        return info

    def _shown_values(self, size):
        info = ""
        for name, (total, count) in self._values.items():
            mean = np.mean(total / max(1, count))
            info += f" - {name}: {mean:.4f}" if size(mean) > 1e-3 else f" - {name}: {mean:.4e}"
        return info

    def _formatted(self, duration, unit):
        if duration >= 1 or duration == 0:
            return f" {duration:.0f}s/{unit}"
        if duration >= 1e-3:
            return f" {duration * 1e3:.0f}ms/{unit}"
        return f" {duration * 1e6:.0f}us/{unit}"

    def _step_duration(self, current, now):
        """Time for a step; the first, which compiles, is left out once there are others."""
        if not current:
            return 0
        if self._after_first is not None and current > 1:
            duration = (now - self._after_first) / (current - 1)
        else:
            duration = (now - self._start) / current
        if current == 1:
            self._after_first = now
        return duration


def _eta(seconds):
    seconds = int(seconds)
    if seconds > 3600:
        return f"{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 60}:{seconds % 60:02d}" if seconds > 60 else f"{seconds}s"


class ProgbarLogger(Callback):
    """Prints metrics and a progress bar.

    Args:
      count_mode: "steps" or "samples".
      stateful_metrics: names of values that are shown as they are.

    TF: `tf.keras.callbacks.ProgbarLogger`.
    """

    _supports_tf_logs = True
    progbar: Any = None

    def __init__(self, count_mode="samples", stateful_metrics=None):
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(f'Unknown `count_mode`: {count_mode}. Expected values are ["samples", "steps"]')
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.__dict__["progbar"] = None
        self.target: Any = None
        self.verbose = 1
        self.epochs = 1
        self._train_step = self._test_step = self._predict_step = None
        self._called_in_fit = False

    def set_params(self, params):
        self.verbose = params["verbose"]
        self.epochs = params["epochs"]
        self.target = params.get("steps" if self.use_steps else "samples")
        if self.target is None and self.model is not None:
            self._train_step = getattr(self.model, "_train_counter", None)
            self._test_step = getattr(self.model, "_test_counter", None)
            self._predict_step = getattr(self.model, "_predict_counter", None)

    def _implements_train_batch_hooks(self):
        return self.verbose == 1 or self.target is None

    _implements_test_batch_hooks = _implements_predict_batch_hooks = _implements_train_batch_hooks

    def on_train_begin(self, logs=None):
        self._called_in_fit = True

    def on_test_begin(self, logs=None):
        if not self._called_in_fit:
            self._reset_progbar()
            self._maybe_init_progbar()

    def on_predict_begin(self, logs=None):
        self._reset_progbar()
        self._maybe_init_progbar()

    def on_epoch_begin(self, epoch, logs=None):
        self._reset_progbar()
        self._maybe_init_progbar()
        if self.verbose and self.epochs > 1:
            print_message(f"Epoch {epoch + 1}/{self.epochs}")

    def on_train_batch_end(self, batch, logs=None):
        self._batch_update_progbar(batch, logs)

    def on_test_batch_end(self, batch, logs=None):
        if not self._called_in_fit:
            self._batch_update_progbar(batch, logs)

    def on_predict_batch_end(self, batch, logs=None):
        self._batch_update_progbar(batch, None)

    def on_epoch_end(self, epoch, logs=None):
        self._finalize_progbar(logs, self._train_step)

    def on_test_end(self, logs=None):
        if not self._called_in_fit:
            self._finalize_progbar(logs, self._test_step)

    def on_predict_end(self, logs=None):
        self._finalize_progbar(logs, self._predict_step)

    def _reset_progbar(self):
        self.seen = 0
        self.progbar = None

    def _maybe_init_progbar(self):
        self.stateful_metrics = set(self.stateful_metrics)
        self.stateful_metrics |= {metric.name for metric in (self.model.metrics if self.model else ())}
        if self.progbar is None:
            self.progbar = Progbar(
                self.target, verbose=self.verbose, stateful_metrics=self.stateful_metrics,
                unit_name="step" if self.use_steps else "sample",
            )  # fmt: skip
        self.progbar._update_stateful_metrics(self.stateful_metrics)

    def _batch_update_progbar(self, batch, logs: Any = None):
        logs = dict(logs or {})
        self._maybe_init_progbar()
        if self.use_steps:
            self.seen = batch + 1
        else:
            self.seen += logs.pop("num_steps", 1) * logs.pop("size", 0)
            logs.pop("batch", None)
        if self.verbose != 1:
            return
        # Values that are not averaged need not be waited for unless a line is printed now.
        if self.progbar.is_due() or not self.progbar.stateful_metrics.issuperset(logs):
            self.progbar.update(self.seen, list(synced(logs).items()), finalize=False)

    def _finalize_progbar(self, logs, counter):
        if self.target is None:
            self.target = self.progbar.target = self.seen
        self.progbar.update(self.target, list(synced(logs or {}).items()), finalize=True)


class History(Callback):
    """Keeps the logs of all epochs: `history`, a dict from names to lists, and `epoch`, their numbers.

    TF: `tf.keras.callbacks.History`.
    """

    _supports_tf_logs = False

    def __init__(self):
        super().__init__()
        self.history: dict = {}

    def on_train_begin(self, logs=None):
        self.epoch = []

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self

    def _implements_train_batch_hooks(self):
        return False


class BaseLogger(Callback):
    """Replaces metrics in the logs of an epoch by their means over its samples.

    TF: `tf.keras.callbacks.BaseLogger`.
    """

    def __init__(self, stateful_metrics=None):
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or [])

    def on_epoch_begin(self, epoch, logs=None):
        self.seen = 0
        self.totals: dict = {}

    def on_batch_end(self, batch, logs=None):
        logs = logs or {}
        size = logs.get("size", 0)
        self.seen += size * logs.get("num_steps", 1)
        for name, value in logs.items():
            self.totals[name] = value if name in self.stateful_metrics else self.totals.get(name, 0) + value * size

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            for name in self.params["metrics"]:
                if name in self.totals:
                    total = self.totals[name]
                    logs[name] = total if name in self.stateful_metrics else total / self.seen


class CSVLogger(Callback):
    """Writes the logs of epochs into a CSV file.

    Args:
      filename: path.
      separator: str.
      append: bool, whether to add to a file that is there.

    TF: `tf.keras.callbacks.CSVLogger`; no known difference.
    """

    def __init__(self, filename, separator=",", append=False):
        super().__init__()
        self.sep = separator
        self.filename = os.fspath(filename)
        self.append = append
        self.writer: Any = None
        self.keys: Any = None
        self.append_header = True

    def on_train_begin(self, logs=None):
        if self.append and os.path.exists(self.filename):
            with open(self.filename) as file:
                self.append_header = not file.readline()
        self.csv_file = open(self.filename, "a" if self.append else "w", newline="")  # noqa: SIM115

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            if not any(key.startswith("val_") for key in self.keys):
                self.keys.extend(["val_" + key for key in self.keys])
        if self.writer is None:
            self.writer = csv.DictWriter(self.csv_file, ["epoch", *self.keys], delimiter=self.sep)
            if self.append_header:
                self.writer.writeheader()
        self.writer.writerow({"epoch": epoch, **{key: _in_a_cell(logs.get(key, "NA")) for key in self.keys}})
        self.csv_file.flush()

    def on_train_end(self, logs=None):
        self.csv_file.close()
        self.writer = None


def _in_a_cell(value: Any):
    if isinstance(value, str) or not isinstance(value, collections.abc.Iterable) or np.ndim(value) == 0:
        return value
    return f'"[{", ".join(map(str, value))}]"'


class LambdaCallback(Callback):
    """A callback made of functions, named as the hooks: `on_epoch_end=lambda epoch, logs: ...`.

    TF: `tf.keras.callbacks.LambdaCallback`.
    """

    def __init__(self, on_epoch_begin=None, on_epoch_end=None, on_batch_begin=None, on_batch_end=None,
                 on_train_begin=None, on_train_end=None, **kwargs):  # fmt: skip
        super().__init__()
        self.__dict__.update(kwargs)
        named = {
            "on_epoch_begin": on_epoch_begin, "on_epoch_end": on_epoch_end, "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end, "on_train_begin": on_train_begin, "on_train_end": on_train_end,
        }  # fmt: skip
        self.__dict__.update({name: function for name, function in named.items() if function is not None})
