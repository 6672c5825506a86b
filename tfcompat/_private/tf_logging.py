"""tensorflow/python/platform/tf_logging.py: TensorFlow's logger, by its functions."""
from tfcompat._package.logging import logger as _logger


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_logger, {"warn": "warning"}.get(name, name))
