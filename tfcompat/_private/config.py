"""tensorflow/python/framework/config.py."""

from tfcompat.config import experimental as _experimental

_enabled = False


def enable_op_determinism():
    """That of `tf.config.experimental`, noted for `is_op_determinism_enabled`."""
    global _enabled
    _experimental.enable_op_determinism()
    _enabled = True


def disable_op_determinism():
    """Takes the note back: there is no other way of computing."""
    global _enabled
    _enabled = False


def is_op_determinism_enabled():
    """Whether it was enabled by this module; on a CPU XLA is deterministic anyway."""
    return _enabled
