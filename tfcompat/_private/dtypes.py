"""tensorflow/python/framework/dtypes.py."""
from tfcompat.dtypes import *  # noqa: F403
