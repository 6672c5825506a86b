"""Moving averages of variables."""

from tfcompat import dtypes, math
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.variable import Variable
from tfcompat.array import cast
from tfcompat.function import init_scope

_FLOATING = (dtypes.float16, dtypes.float32, dtypes.float64)


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

        Raises:
          TypeError: something else is in the list.
        """
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
        decay = convert_to_tensor(self._decay, dtypes.float32)
        if self._num_updates is not None:
            updates = cast(self._num_updates, dtypes.float32)
            decay = math.minimum(decay, (1.0 + updates) / (10.0 + updates))
        for variable in variables:
            average = self._averages[variable.ref()]
            average.assign_sub((average - variable) * cast(1.0 - decay, variable.dtype))

    def average(self, var):
        """The variable that is the average of `var`, or None."""
        return self._averages.get(var.ref())

    def average_name(self, var):
        """The name of the average of `var`, whether or not it exists yet."""
        return f"{var.name.partition(':')[0]}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None):
        """Dict from the names of averages to the variables that take their values when a checkpoint is restored.

        Args:
          moving_avg_variables: list of variables. By default none: there are no collections of variables in TF 2.
        """
        return {self.average_name(variable): variable for variable in moving_avg_variables or ()}
