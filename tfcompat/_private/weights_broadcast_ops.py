"""tensorflow/python/ops/weights_broadcast_ops.py."""
from tfcompat.compat._weights import assert_broadcastable as assert_broadcastable
from tfcompat.compat._weights import broadcast_weights as broadcast_weights
