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


_busy: set = set()  # ids of restorations under way


def any_attribute(obj):
    """`has_attribute` for objects whose children are in lists, too, and which set attributes when they are searched."""
    status = obj.__dict__.get("_restoration")
    if status is None or id(status) in _busy:
        return
    _busy.add(id(status))
    try:
        status.resume()
    finally:
        _busy.remove(id(status))


def waiting_value(obj, name, shape, dtype):
    """What a restored checkpoint has for a variable that `obj` is about to make, as an array; None if it has nothing.

    Its initializer is not called then, as in TensorFlow, and draws no seed.
    """
    status = obj.__dict__.get("_restoration")
    return None if status is None else status.waiting_value(obj, name, shape, dtype)
