"""`tf.compat.v1.distribute`: strategies as TensorFlow 1 had them."""

from tfcompat.data import Dataset as _Dataset
from tfcompat.distribute import MirroredStrategy as _MirroredStrategy
from tfcompat.distribute import OneDeviceStrategy as _OneDeviceStrategy
from tfcompat.distribute import ReduceOp as _ReduceOp
from tfcompat.distribute import ReplicaContext as ReplicaContext
from tfcompat.distribute import Strategy as _Strategy
from tfcompat.distribute import StrategyExtended as StrategyExtended


class Strategy(_Strategy):
    """`tf.distribute.Strategy` with an optional `axis` in `reduce`. TF: `tf.compat.v1.distribute.Strategy`."""

    def reduce(self, reduce_op, value, axis=None):
        """As that of `tf.distribute.Strategy`."""
        return super().reduce(reduce_op, value, axis)

    def experimental_make_numpy_dataset(self, numpy_input, session=None):
        """A dataset of the rows of a nest of arrays."""
        return _Dataset.from_tensor_slices(numpy_input)


class MirroredStrategy(Strategy, _MirroredStrategy):
    """A replica on each device of this machine. TF: `tf.compat.v1.distribute.MirroredStrategy`."""


class OneDeviceStrategy(Strategy, _OneDeviceStrategy):
    """Everything on one device. TF: `tf.compat.v1.distribute.OneDeviceStrategy`."""


def get_loss_reduction():
    """How losses of replicas are combined: they are summed. TF: `tf.compat.v1.distribute.get_loss_reduction`."""
    return _ReduceOp.SUM
