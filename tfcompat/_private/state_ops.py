"""tensorflow/python/ops/state_ops.py: assignments to variables, as TensorFlow 1 has them."""

from tfcompat.compat.v1 import assign, assign_add, assign_sub, scatter_add, scatter_update

__all__ = ["assign", "assign_add", "assign_sub", "scatter_add", "scatter_update"]
