"""tensorflow/python/ops/math_ops.py."""

from tfcompat.math import is_nan as is_nan
from tfcompat.math import multiply as mul  # noqa: F401
