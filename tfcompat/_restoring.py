"""Restorations that wait for variables which are not made yet."""

import weakref

waiting: weakref.WeakSet = weakref.WeakSet()


def resume():
    """Restores variables that have been made since a checkpoint was read."""
    for status in list(waiting):
        status.resume()


def has_attribute(obj, name):
    """Restores what is beneath an attribute that was just set, if `obj` has been restored before."""
    if not name.startswith("_") and "_restoration" in obj.__dict__:
        obj._restoration.resume()


def waiting_value(obj, name, shape, dtype):
    """What a restored checkpoint has for a variable that `obj` is about to make, as an array; None if it has nothing.

    Its initializer is not called then, as in TensorFlow, and draws no seed.
    """
    status = obj.__dict__.get("_restoration")
    return None if status is None else status.waiting_value(obj, name, shape, dtype)
