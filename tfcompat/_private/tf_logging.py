"""tensorflow/python/platform/tf_logging.py: TensorFlow's logger, by its functions."""
from tfcompat._package.logging import logger as _logger

_OTHER_NAMES = {"warn": "warning", "set_verbosity": "setLevel", "get_verbosity": "getEffectiveLevel"}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_logger, _OTHER_NAMES.get(name, name))
