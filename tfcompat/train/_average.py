"""Moving averages of variables."""

import numpy as np

from tfcompat import dtypes, math
from tfcompat._control import group
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.variable import Variable
from tfcompat.array import cast
from tfcompat.function import init_scope

_TRAINABLE, _MOVING = "trainable_variables", "moving_average_variables"  # collections of a graph
_FLOATING = (dtypes.float16, dtypes.float32, dtypes.float64)


def _change(average, value, decay):
    return (average - value) * cast(1.0 - decay, value.dtype)


class ExponentialMovingAverage:
    """Keeps exponential moving averages of variables: average -= (1 - decay) * (average - variable).

    Args:
      decay: float, or tensor or variable of one.
      num_updates: number of the update; the decay is then at most (1 + num_updates) / (10 + num_updates).
      zero_debias: without effect: an average starts with the value of its variable, as in TF where operations run
        eagerly.
      name: suffix of the names of the averages.

    TF: `tf.train.ExponentialMovingAverage`.
    """

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self._decay, self._num_updates, self._name = decay, num_updates, name
        self._averages = {}  # reference to a variable -> the variable that is its average

    @property
    def name(self):
        """The suffix of the names of the averages."""
        return self._name

    def apply(self, var_list=None):
        """Updates the averages of some variables. The first call for a variable creates its average, with its value.

        Args:
          var_list: list of variables in half, single or double precision.

        Returns:
          Where a graph of TensorFlow 1 is built, the operation that does so. There the list may have tensors, whose
          averages begin with zeros; by default it is that of the variables that train.

        Raises:
          TypeError: something else is in the list.
        """
        graph = graphs.current()
        if graph is not None:
            return self._apply_in(graph, graph.get_collection(_TRAINABLE) if var_list is None else var_list)
        variables = list(var_list or [])
        for variable in variables:
            if not isinstance(variable, Variable):
                raise TypeError(
                    "tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution is "
                    "enabled."
                )
            if variable.dtype not in _FLOATING:
                raise TypeError(f"The variables must be half, float, or double: {variable.name}")
        for variable in variables:
            if variable.ref() not in self._averages:
                with init_scope():
                    average = Variable(variable.read_value(), trainable=False, name=self.average_name(variable))
                self._averages[variable.ref()] = average
        decay = self._present_decay(self._num_updates)
        for variable in variables:
            average = self._averages[variable.ref()]
            average.assign_sub((average - variable) * cast(1.0 - decay, variable.dtype))

    def _present_decay(self, num_updates):
        decay = convert_to_tensor(self._decay, dtypes.float32)
        if num_updates is None:
            return decay
        updates = cast(num_updates, dtypes.float32)
        return math.minimum(decay, (1.0 + updates) / (10.0 + updates))

    def _apply_in(self, graph, values):
        """The operation of a graph that updates averages of variables and tensors."""
        decay = graphs.record(self._present_decay, (self._num_updates,), {}, "decay", "Minimum")
        updates = []
        for value in values:
            if value.ref() not in self._averages:
                is_variable = isinstance(value, Variable)
                first = value.initial_value if is_variable else np.zeros(value.shape.as_list(), value.dtype.np)
                name = f"{self.average_name(value)}/"
                self._averages[value.ref()] = Variable(first, trainable=False, name=name)
                if is_variable:
                    graph.add_to_collection(_MOVING, value)
            average = self._averages[value.ref()]
            change = graphs.record(_change, (average, value, decay), {}, "change", "Mul")
            updates.append(average.assign_sub(change))
        return group(*updates, name=self._name)

    def average(self, var):
        """The variable that is the average of `var`, or None."""
        return self._averages.get(var.ref())

    def average_name(self, var):
        """The name of the average of `var`, whether or not it exists yet."""
        return f"{var.name.partition(':')[0]}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None):
        """Dict from the names of averages to the variables that take their values when a checkpoint is restored.

        Args:
          moving_avg_variables: list of variables. By default none; where a graph is built, those that train and those
            that have averages. Its other variables are in the dict under their own names.
        """
        graph = graphs.current()
        if graph is not None:
            chosen = moving_avg_variables or [*graph.get_collection(_TRAINABLE), *graph.get_collection(_MOVING)]
            names = {self.average_name(variable): variable for variable in chosen}
            others = [each for each in graph.get_collection("variables") if each not in chosen]
            return names | {each.name.partition(":")[0]: each for each in others if each.name not in names}
        return {self.average_name(variable): variable for variable in moving_avg_variables or ()}
