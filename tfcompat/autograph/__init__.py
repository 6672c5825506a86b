"""`tf.autograph`: Python control flow over tensors becomes that of TensorFlow.

Inside `tf.function` conversion happens by itself. The source transformation is that of diastatic-malt, which is
imported with the first function that needs it.
"""

from tfcompat._package.logging import logger as _logger
from tfcompat.autograph import experimental as experimental


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """The function or method `entity` with its control flow converted.

    Args:
      entity: Python function or method.
      recursive: whether functions that it calls are converted too.
      experimental_optional_features: `tf.autograph.experimental.Feature`, or a tuple of them.

    Returns:
      Function with the same parameters; of a method, one that takes the instance first.

    Raises:
      ValueError: `entity` is no Python function, as a `tf.function` is not: pass its `python_function`.

    TF: `tf.autograph.to_graph`.
    """
    from tfcompat.autograph import _conversion

    options = _conversion.options_of(experimental_optional_features, recursive, user_requested=True)
    return _conversion.converted_function(entity, options)


def to_code(entity, recursive=True, experimental_optional_features=None):
    """The converted source of a function, as text; see `to_graph`.

    TF: `tf.autograph.to_code`. The text differs in details.
    """
    from tfcompat.autograph import _conversion

    options = _conversion.options_of(experimental_optional_features, recursive, user_requested=True)
    return _conversion.converted_code(entity, options)


def set_verbosity(level, alsologtostdout=False):
    """How much conversion logs: from level 1 on, which functions are converted, and their source.

    Args:
      level: int.
      alsologtostdout: whether to print it too.

    TF: `tf.autograph.set_verbosity`; the environment variable AUTOGRAPH_VERBOSITY sets the level too.
    """
    _verbosity["level"], _verbosity["print"] = level, alsologtostdout


def trace(*args):
    """Prints its arguments while a function is traced. TF: `tf.autograph.trace`."""
    print(*args)


_verbosity = {"level": None, "print": False}


def _log(level, message, *args):
    import os

    wanted = _verbosity["level"]
    if (int(os.environ.get("AUTOGRAPH_VERBOSITY", "0")) if wanted is None else wanted) >= level:
        _logger.info(message, *args)
        if _verbosity["print"]:
            print(message % args)
