"""tensorflow/python/framework/config.py."""

from tfcompat.config.experimental import enable_op_determinism as enable_op_determinism


def is_op_determinism_enabled():
    """False: XLA's choices are its own."""
    return False
