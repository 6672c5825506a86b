"""Assertions about values inside a function being traced.

The function carries the number of the first assertion that failed, like the value of a variable. A call of the
function looks at the number afterwards, and raises if there was one.
"""

import numpy as np

from tfcompat import engine
from tfcompat._core.tensor import wrap
from tfcompat._tracing.switch import Switch
from tfcompat.array import where
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.math import logical_or, not_equal

# Whether nothing is asserted: in the body of `tf.vectorized_map`, in which TensorFlow checks nothing either.
unchecked = Switch(False)


class Assertions:
    """Assertions with these `messages`, as one of the variables that a function reads and assigns."""

    trainable = False
    name = "assertions"

    def __init__(self, messages=()):
        self.messages = list(messages)
        self._node = engine.leaf(np.zeros((), np.int32))

    def add(self, holds, message):
        """Makes the function being traced check that the bool scalar `holds` is true.

        Raises:
          tf.errors.UnimplementedError: values are unknown, but no function is being traced.
        """
        if unchecked.value:
            return
        trace = function_trace(engine.state.graph)
        if trace is None or engine.state.graph is not trace.graph:
            raise UnimplementedError(
                None, None,
                f"values cannot be checked in a function that is mapped, recomputed or compiled as a whole: {message}",
            )  # fmt: skip
        if message not in self.messages:
            self.messages.append(message)
        number = np.int32(self.messages.index(message) + 1)
        with engine.watching(()):
            failed = wrap(trace.read(self))
            trace.assign(self, where(logical_or(holds, not_equal(failed, 0)), failed, number)._node)

    def _current_node(self):
        trace = function_trace(engine.state.graph)
        return self._node if trace is None else trace.read(self)

    _as_node = _current_node

    def _take(self, node):
        trace = function_trace(engine.state.graph)
        if trace is not None:
            trace.assign(self, node)
            return
        number = int(engine.value_of(node))
        if number:
            raise InvalidArgumentError(None, None, self.messages[number - 1])


ASSERTIONS = Assertions()
