"""Objects whose state a checkpoint saves as bytes."""

import abc

import numpy as np

from tfcompat import dtypes
from tfcompat._core.dependencies import SavesTensors


class PythonState(SavesTensors, abc.ABC):
    """An object that decides itself what a checkpoint saves of it.

    TF: `tf.train.experimental.PythonState`; no known difference.
    """

    _saved_as = "py_state"

    @abc.abstractmethod
    def serialize(self):
        """The state as bytes."""

    @abc.abstractmethod
    def deserialize(self, string_value):
        """Restores the state from the bytes that `serialize` returned."""

    def _saved_tensors(self):
        state = np.empty((), object)
        state[()] = self.serialize()
        return ((dtypes.string, state),)

    def _restore_tensors(self, state):
        self.deserialize(state[()])
