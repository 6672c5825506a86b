"""The file `checkpoint` in a folder: which checkpoints exist, and which is the latest."""

import os
import re
import time

from tfcompat._formats.protobuf import Message
from tfcompat._formats.whole import Replacing
from tfcompat._package.logging import logger

_LIMIT = 1 << 24  # bytes
_LINE = re.compile(r'\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))\s*')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class CheckpointState(Message):
    """What the file says. TF: what `tf.train.get_checkpoint_state` returns.

    https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/training/checkpoint_state.proto
    """

    NAME = "tensorflow.CheckpointState"
    FIELDS = (
        (1, "model_checkpoint_path", "string"), (2, "all_model_checkpoint_paths", ["string"]),
        (3, "all_model_checkpoint_timestamps", ["double"]), (4, "last_preserved_timestamp", "double"),
    )  # fmt: skip


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """What is known of the checkpoints in a folder, a CheckpointState with full paths; None if there are none.

    Args:
      checkpoint_dir: path of the folder.
      latest_filename: name of the file that says so; "checkpoint" by default.

    TF: `tf.train.get_checkpoint_state`. Paths that lead out of the folder are left out, with a warning.
    """
    folder = os.fspath(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        logger.warning("%s: %s", path, error)
        return None
    checkpoint_state = CheckpointState()
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if not match:
            if line.strip():
                logger.warning("%s: checkpoint ignored: %r is not understood", path, line[:80])
                return None
            continue
        name, quoted, number = match.groups()
        if name in ("model_checkpoint_path", "all_model_checkpoint_paths"):
            full = _inside(folder, _unescaped(quoted or ""), path)
            if full is None:
                continue
            if name == "model_checkpoint_path":
                checkpoint_state.model_checkpoint_path = full
            else:
                checkpoint_state.all_model_checkpoint_paths.append(full)
        elif name in ("all_model_checkpoint_timestamps", "last_preserved_timestamp"):
            try:
                value = float(number)
            except (TypeError, ValueError):
                continue
            if name == "last_preserved_timestamp":
                checkpoint_state.last_preserved_timestamp = value
            else:
                checkpoint_state.all_model_checkpoint_timestamps.append(value)
    return checkpoint_state


def _inside(folder, path, file):
    full = os.path.join(folder, path)
    real = os.path.normpath(os.path.abspath(full))
    if not real.startswith(os.path.normpath(os.path.abspath(folder)) + os.sep):
        logger.warning("%s: the checkpoint %s is not in this folder, and is left out", file, path)
        return None
    return full


def _unescaped(text):
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)


def update(folder, latest, paths, timestamps=(), last_preserved=None):
    """Replaces the file."""
    def relative(path):
        return os.path.relpath(path, folder or ".")

    state = CheckpointState(
        model_checkpoint_path=relative(latest), all_model_checkpoint_paths=map(relative, paths),
        all_model_checkpoint_timestamps=timestamps, last_preserved_timestamp=last_preserved,
    )  # fmt: skip
    with Replacing(os.path.join(folder, "checkpoint")) as file:
        file.write(str(state).encode())


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The path of the latest checkpoint in a folder, without endings; None if there is none.

    TF: `tf.train.latest_checkpoint`.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not state.model_checkpoint_path:
        return None
    path = state.model_checkpoint_path
    if os.path.exists(path + ".index"):
        return path
    logger.error("Couldn't match files for checkpoint %s", path)
    return None


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields the path of the latest checkpoint in a folder, then those that another process adds.

    Args:
      checkpoint_dir: path of the folder.
      min_interval_secs: seconds between two checkpoints, at least.
      timeout: seconds to wait for one; None for ever.
      timeout_fn: function without arguments, called when this time is over and after each checkpoint. True ends the
        iteration. By default it ends when the time is over.

    TF: `tf.train.checkpoints_iterator`; it also looks once a second.
    """
    last = None
    while True:
        latest = _wait_for_another(checkpoint_dir, last, timeout)
        if latest is not None:
            begin, last = time.time(), latest
            yield latest
            time.sleep(max(0.0, begin + min_interval_secs - time.time()))
        elif timeout_fn is None:
            return
        if timeout_fn is not None and timeout_fn():
            return


def _wait_for_another(folder, last, timeout, interval=1.0):
    """The latest checkpoint as soon as it is not `last`; None when the time is over, if there is a `timeout`."""
    begin = time.time()
    while True:
        latest = latest_checkpoint(folder)
        if latest is not None and latest != last:
            return latest
        if timeout is not None and time.time() + interval > begin + timeout:
            return None
        time.sleep(interval)
