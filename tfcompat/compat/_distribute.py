"""`tf.compat.v1.distribute`: strategies of TensorFlow 1, which are no instances of `tf.distribute.Strategy`."""

from tfcompat.data import Dataset as _Dataset
from tfcompat.distribute import ParameterServerStrategy as _ParameterServerStrategy
from tfcompat.distribute import ReduceOp as _ReduceOp
from tfcompat.distribute import ReplicaContext as ReplicaContext
from tfcompat.distribute import StrategyExtended as StrategyExtended
from tfcompat.distribute import _strategies


class Strategy(_strategies.StrategyBase):
    """A program for several devices, with an optional `axis` in `reduce`. TF: `tf.compat.v1.distribute.Strategy`."""

    def reduce(self, reduce_op, value, axis=None):
        """As that of `tf.distribute.Strategy`."""
        return super().reduce(reduce_op, value, axis)

    def experimental_make_numpy_dataset(self, numpy_input, session=None):
        """A dataset of the rows of a nest of arrays."""
        return _Dataset.from_tensor_slices(numpy_input)


class MirroredStrategy(_strategies.OnDevices, Strategy):
    """A replica on each device of this machine. TF: `tf.compat.v1.distribute.MirroredStrategy`."""


class OneDeviceStrategy(_strategies.OnOneDevice, Strategy):
    """Everything on one device. TF: `tf.compat.v1.distribute.OneDeviceStrategy`."""


class _CentralStorageStrategy(_strategies.WithCentralStorage, Strategy):
    """Variables in one place. TF: `tf.compat.v1.distribute.experimental.CentralStorageStrategy`."""


class _MultiWorkerMirroredStrategy(_strategies.OnSeveralProcesses, Strategy):
    """A replica on each device of each process. TF: `tf.compat.v1.distribute.experimental.MultiWorkerMirroredStrategy`.
    """


class _ParameterServers(Strategy):
    """Not available. TF: `tf.compat.v1.distribute.experimental.ParameterServerStrategy`."""

    __init__ = _ParameterServerStrategy.__init__


class _TPUStrategy(_strategies.OnTPUs, Strategy):
    """A replica on each TPU device. TF: `tf.compat.v1.distribute.experimental.TPUStrategy`."""


_EXPERIMENTAL = {
    "CentralStorageStrategy": _CentralStorageStrategy,
    "MultiWorkerMirroredStrategy": _MultiWorkerMirroredStrategy,
    "ParameterServerStrategy": _ParameterServers,
    "TPUStrategy": _TPUStrategy,
}
for _name, _kind in _EXPERIMENTAL.items():
    _kind.__name__ = _kind.__qualname__ = _name


def get_loss_reduction():
    """How losses of replicas are combined: they are summed. TF: `tf.compat.v1.distribute.get_loss_reduction`."""
    return _ReduceOp.SUM
