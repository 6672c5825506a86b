"""Restorations of checkpoints that wait for variables that do not exist yet, and what variables may take meanwhile."""

import contextlib
import math
import warnings
import weakref

from tfcompat._formats.damage import refuse_bomb
from tfcompat._package.thread_state import ThreadState
from tfcompat.errors import DataLossError

waiting: weakref.WeakSet = weakref.WeakSet()


def resume():
    """Restores the variables that were created after their checkpoint was read.

    A checkpoint whose files have been deleted since is given up with a warning: what is built now may not be of it.
    """
    for status in list(waiting):
        try:
            status.resume()
        except DataLossError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            waiting.discard(status)
            warnings.warn(f"What was to be restored later keeps its values: {error.message}", stacklevel=2)


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


_file = ThreadState()  # what is loaded: where, size, bytes of variables so far


@contextlib.contextmanager
def loading(where, size):
    """A context in which layers make the variables of a model whose values are in a file of `size` bytes."""
    outer = getattr(_file, "bounds", None)
    _file.bounds = [where, size, 0]
    try:
        yield
    finally:
        _file.bounds = outer


def count(shape, dtype):
    """Counts a variable that a layer is about to create.

    Raises:
      ValueError: the file that is loaded is too small to hold the variables that it describes.
    """
    bounds = getattr(_file, "bounds", None)
    if bounds is not None and dtype.size:
        bounds[2] += dtype.size * math.prod(size or 0 for size in shape)
        refuse_bomb(*bounds)
