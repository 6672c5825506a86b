"""TF's warning about functions that are traced at nearly every call."""

import collections
import types
import weakref

from tfcompat._package.logging import logger

_CALLS = 10      # how many calls are looked back at
_TRACINGS = 5    # how many tracings among these calls are too many
_WARNINGS = 2    # warnings for one function


class Detector:
    """Counts the calls of a function, and those that traced it."""

    def __init__(self):
        self.calls = 0  # since the last tracing
        self._between = collections.deque()  # calls from one tracing to the next
        self._warnings = 0

    def traced(self, name):
        """Notes a call that traced; warns if there are too many."""
        if self._between:
            self._between[-1] += self.calls
        elif self.calls:
            self._between.append(self.calls)
        self.calls = 0
        self._between.append(1)
        while sum(self._between) - self._between[0] > _CALLS:
            self._between.popleft()
        if len(self._between) < _TRACINGS or self._warnings >= _WARNINGS:
            return
        self._warnings += 1
        logger.warning(
            "%d out of the last %d calls to %s triggered tf.function retracing. Tracing is expensive and the excessive "
            "number of tracings could be due to (1) creating @tf.function repeatedly in a loop, (2) passing tensors "
            "with different shapes, (3) passing Python objects instead of tensors. For (1), please define your "
            "@tf.function outside of the loop. For (2), @tf.function has reduce_retracing=True option that can avoid "
            "unnecessary retracing. For (3), please refer to https://www.tensorflow.org/guide/function"
            "#controlling_retracing and https://www.tensorflow.org/api_docs/python/tf/function for  more details.",
            len(self._between), sum(self._between), name,
        )  # fmt: skip


_detectors: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def detector_of(function):
    """The Detector of a Python function; functions made of the same code share one."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    key = getattr(getattr(function, "__func__", function), "__code__", None)
    if not isinstance(key, types.CodeType):
        return Detector()
    return _detectors.setdefault(key, Detector())
