"""tensorflow/python/training/moving_averages.py."""
from tfcompat._private.internal import _assign_moving_average as assign_moving_average  # noqa: F401
