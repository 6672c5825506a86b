"""tensorflow/python/ops/math_ops.py."""

from tfcompat.math import is_nan as is_nan
