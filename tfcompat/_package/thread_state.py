"""What a thread keeps for itself, such that another thread can take it over; see `distribute/_lockstep.py`."""

import threading

STATES: list = []  # all that there are


class ThreadState(threading.local):
    """A `threading.local` whose values a thread can take over from another."""

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls, *args, **kwargs)
        STATES.append(self)
        return self
