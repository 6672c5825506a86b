"""Restorations that wait for variables which are not made yet."""

import weakref

waiting: weakref.WeakSet = weakref.WeakSet()


def resume():
    """Restores variables that have been made since a checkpoint was read."""
    for status in list(waiting):
        status.resume()
