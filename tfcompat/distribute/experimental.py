"""`tf.distribute.experimental`: strategies by their former names."""

import enum as _enum

from tfcompat._package.missing import missing as _missing
from tfcompat.distribute import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfcompat.distribute import ParameterServerStrategy as ParameterServerStrategy
from tfcompat.distribute import Strategy as _Strategy
from tfcompat.distribute import TPUStrategy as TPUStrategy
from tfcompat.distribute import only_device as _only_device


class CommunicationImplementation(_enum.Enum):
    """What hosts talk by; of no effect with one. TF: `tf.distribute.experimental.CommunicationImplementation`."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


CollectiveCommunication = CommunicationImplementation


class CommunicationOptions:
    """How hosts talk to each other; of no effect with one.

    Args:
      bytes_per_pack: int, not negative.
      timeout_seconds: float or None.
      implementation: CommunicationImplementation.

    Raises:
      ValueError: a negative `bytes_per_pack`; another `implementation`.

    TF: `tf.distribute.experimental.CommunicationOptions`.
    """

    def __init__(self, bytes_per_pack=0, timeout_seconds=None, implementation=CommunicationImplementation.AUTO):
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        self.bytes_per_pack, self.timeout_seconds = bytes_per_pack, timeout_seconds
        self.implementation = CommunicationImplementation(getattr(implementation, "value", implementation))


class CentralStorageStrategy(_Strategy):
    """Variables on one device, replicas on each, of which there is one.

    TF: `tf.distribute.experimental.CentralStorageStrategy`, with one device.
    """

    def __init__(self, compute_devices=None, parameter_device=None):
        super().__init__()
        self._device_name = _only_device("experimental.CentralStorageStrategy", compute_devices)

__getattr__ = _missing("tf.distribute.experimental", otherwise="jax.sharding on the arrays")
