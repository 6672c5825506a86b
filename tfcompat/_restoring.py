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
