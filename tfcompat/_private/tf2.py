"""tensorflow/python/tf2.py: whether TensorFlow 2's behavior is on, which it always is."""


def enabled():
    """True."""
    return True


def enable():
    """Does nothing: it is on."""
