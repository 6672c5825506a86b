"""What conversion logs: which functions it converts, and their source."""

import os

from tfcompat._package.logging import logger

_verbosity = {"level": None, "print": False}


def set_verbosity(level, alsologtostdout=False):
    """How much conversion logs: from level 1 on, which functions are converted, and their source.

    Args:
      level: int.
      alsologtostdout: whether to print it too.

    TF: `tf.autograph.set_verbosity`; the environment variable AUTOGRAPH_VERBOSITY sets the level too.
    """
    _verbosity["level"], _verbosity["print"] = level, alsologtostdout


def log(level, message, *args):
    """Logs a message if the verbosity is at least `level`."""
    wanted = _verbosity["level"]
    if (int(os.environ.get("AUTOGRAPH_VERBOSITY", "0")) if wanted is None else wanted) >= level:
        logger.info(message, *args)
        if _verbosity["print"]:
            print(message % args)
