"""TF's warnings: the logger "tensorflow", and messages that come a few times only."""

import collections
import logging
import os
import sys

from tfcompat._package.folder import PACKAGE_FOLDER

_counts: collections.Counter = collections.Counter()

logger = logging.getLogger("tensorflow")


def get_logger():
    """The logger of warnings, `logging.getLogger("tensorflow")`. TF: `tf.get_logger`."""
    return logger


def warn_first(n, message, *args):
    """Logs a warning the first `n` times that a line of the user's comes by."""
    line = _line_of_the_caller()
    _counts[line] += 1
    if _counts[line] <= n:
        logger.warning(message, *args)


def _line_of_the_caller():
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(PACKAGE_FOLDER):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def forget():
    """Makes every line the first again; for tests."""
    _counts.clear()
