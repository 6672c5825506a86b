"""Settings of a thread that hold for a while: while a function is traced, or called in some way."""

import contextlib

from tfcompat._package.thread_state import ThreadState


class Switch(ThreadState):
    """A value of each thread, which a `with` statement sets for a while.

    Args:
      value: that of a thread at first.
    """

    def __init__(self, value):
        self.value = value

    @contextlib.contextmanager
    def set_to(self, value):
        """A context in which this thread has another value."""
        outer, self.value = self.value, value
        try:
            yield
        finally:
            self.value = outer
