"""What a thread keeps for itself, and how another thread takes it over.

A strategy calls a function once for each replica, in threads that take turns. To the function it is as if it were
called where the strategy is: with the same scopes, and the same modes.
"""

import threading

_states: list = []


class ThreadState(threading.local):
    """A `threading.local` whose values a thread can take over from another."""

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls, *args, **kwargs)
        _states.append(self)
        return self


def snapshot():
    """A function that gives the thread in which it is called the values that this one has now."""
    values = [(state, {k: list(v) if type(v) is list else v for k, v in state.__dict__.items()}) for state in _states]

    def take_over():
        for state, mine in values:
            state.__dict__.update({k: list(v) if type(v) is list else v for k, v in mine.items()})

    return take_over
