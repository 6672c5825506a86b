"""`tf.train.experimental`: objects whose state a checkpoint saves as bytes."""

import abc
import sys

from tfcompat._core.dependencies import Trackable
from tfcompat._package.missing import missing


class PythonState(Trackable, abc.ABC):
    """An object that says itself what a checkpoint saves of it.

    TF: `tf.train.experimental.PythonState`; no known difference.
    """

    @abc.abstractmethod
    def serialize(self):
        """The state as bytes."""

    @abc.abstractmethod
    def deserialize(self, string_value):
        """Takes the state from what `serialize` gave."""


__getattr__ = missing("tf.train.experimental")
experimental = sys.modules[__name__]
