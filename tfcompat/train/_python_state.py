"""Objects whose state a checkpoint saves as bytes."""

import abc

from tfcompat._core.dependencies import Trackable


class PythonState(Trackable, abc.ABC):
    """An object that decides itself what a checkpoint saves of it.

    TF: `tf.train.experimental.PythonState`; no known difference.
    """

    @abc.abstractmethod
    def serialize(self):
        """The state as bytes."""

    @abc.abstractmethod
    def deserialize(self, string_value):
        """Restores the state from the bytes that `serialize` returned."""
