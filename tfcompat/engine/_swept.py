"""Tables of what was interned, which would otherwise grow with all that a process has ever done."""
import sys
import threading

_lock = threading.Lock()


class Swept:
    """Entries of dicts that go once there are many, and nothing else holds their values.

    What is in use keeps its identity. What goes is made anew when it is needed again.

    Args:
      most: number of entries, beyond which those are looked at that are in use, but not each time.
    """

    def __init__(self, most):
        self._most = self._limit = most
        self._entries: list = []  # (dict, key), in the order in which they were made

    def note(self, table, key):
        """Says that `table[key]` is new."""
        self._entries.append((table, key))
        if len(self._entries) > self._limit and _lock.acquire(blocking=False):
            try:
                self._sweep()
            finally:
                _lock.release()

    def _sweep(self):
        old = self._entries[: len(self._entries) // 2]  # others are about to be used
        del self._entries[: len(old)]
        kept = [entry for entry in old if not _dropped(*entry)]
        self._entries += kept
        self._limit = max(self._most, len(self._entries) + len(kept))


def _dropped(table, key):
    """Whether `table[key]` is gone, since nothing else holds it."""
    value = table.pop(key, None)
    if value is None or sys.getrefcount(value) <= _ALONE:
        return True
    table.setdefault(key, value)
    return False


def _calibrate():
    """What `_dropped` counts for a value that only the table holds."""
    table = {None: object()}
    value = table.pop(None, None)
    return sys.getrefcount(value)


_ALONE = _calibrate()
