"""Steps of `fit`, `evaluate` and `predict` on several replicas."""

from tfcompat import nest
from tfcompat._core.tensor import Tensor
from tfcompat.distribute import DistributedValues
from tfcompat.distribute._inputs import divided
from tfcompat.math import reduce_sum


def divided_first(strategy, function):
    """The function of a batch that calls `function` of the batch divided among the replicas."""

    def call(batch):
        return function(divided(strategy, batch))

    return call


def replicated(strategy, step, joins):
    """The function of a divided batch that calls `step` for each replica.

    Args:
      strategy: of several replicas.
      step: function of the batch of a replica, that returns logs or outputs.
      joins: whether the results are outputs, which are joined; otherwise what differs is summed.
    """

    def call(batch):
        result = strategy.run(step, args=(batch,))
        return nest.map_structure(lambda x: _one(strategy, x, joins), result)

    return call


def _one(strategy, value, joins):
    if joins:
        return strategy.gather(value, 0)
    if not isinstance(value, DistributedValues):
        return value
    parts = strategy.experimental_local_results(value)
    return reduce_sum(parts, 0) if all(isinstance(part, Tensor) for part in parts) else parts[0]
