"""tensorflow/python/ops/numpy_ops/np_config.py."""
from tfcompat.experimental.numpy import experimental_enable_numpy_behavior as enable_numpy_behavior  # noqa: F401
