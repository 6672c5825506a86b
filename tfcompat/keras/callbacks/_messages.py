"""Messages of Keras, on standard output or in the log "absl"."""

import logging
import sys
import threading


class _Interactive(threading.local):
    enabled = True


_interactive = _Interactive()


def enable_interactive_logging():
    """Sends messages and progress bars of this thread to standard output, which is the default.

    TF: `tf.keras.utils.enable_interactive_logging`; no known difference.
    """
    _interactive.enabled = True


def disable_interactive_logging():
    """Lets messages, and progress as lines, go to the logger "absl" of `logging`; in this thread.

    TF: `tf.keras.utils.disable_interactive_logging`; no known difference.
    """
    _interactive.enabled = False


def is_interactive_logging_enabled():
    """Whether messages are written to standard output. TF: `tf.keras.utils.is_interactive_logging_enabled`."""
    return _interactive.enabled


def print_message(message, line_break=True):
    """Writes to standard output at once, or to the log."""
    if not _interactive.enabled:
        logging.getLogger("absl").info("%s", message)
        return
    sys.stdout.write(f"{message}\n" if line_break else message)
    sys.stdout.flush()
