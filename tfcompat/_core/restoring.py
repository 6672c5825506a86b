"""Restorations of checkpoints that wait for variables that do not exist yet."""

import weakref

waiting: weakref.WeakSet = weakref.WeakSet()


def resume():
    """Restores the variables that were created after their checkpoint was read."""
    for status in list(waiting):
        status.resume()


def has_attribute(obj, name):
    """Restores the value of an attribute that was just set, if a checkpoint of `obj` was read before."""
    if not name.startswith("_") and "_restoration" in obj.__dict__:
        obj._restoration.resume()


_busy: set = set()  # ids of restorations under way


def any_attribute(obj):
    """As `has_attribute`, for objects that also keep children in lists, and that set attributes while searched."""
    status = obj.__dict__.get("_restoration")
    if status is None or id(status) in _busy:
        return
    _busy.add(id(status))
    try:
        status.resume()
    finally:
        _busy.remove(id(status))


def waiting_value(obj, name, shape, dtype):
    """The value, as an array, that a checkpoint has for a variable which `obj` is about to create; None if it has none.

    As in TensorFlow, the initializer is then not called and draws no seed.
    """
    status = obj.__dict__.get("_restoration")
    return None if status is None else status.waiting_value(obj, name, shape, dtype)
