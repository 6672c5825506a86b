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
    values = [(state, _copied(own)) for state in _states if (own := state.__dict__)]

    def take_over():
        for state, mine in values:
            state.__dict__.update(_copied(mine))

    return take_over


def _copied(values):
    copy = values.copy()
    for key, value in values.items():
        if type(value) is list:
            copy[key] = value[:]
    return copy
