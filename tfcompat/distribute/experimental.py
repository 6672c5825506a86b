"""`tf.distribute.experimental`: strategies by their former names."""

from tfcompat._package.missing import missing as _missing
from tfcompat.distribute import _partitioners as partitioners  # noqa: F401
from tfcompat.distribute._communication import CollectiveHints as CollectiveHints
from tfcompat.distribute._communication import CommunicationImplementation as CommunicationImplementation
from tfcompat.distribute._communication import CommunicationOptions as CommunicationOptions
from tfcompat.distribute._inputs import ValueContext as ValueContext
from tfcompat.distribute._strategies import CentralStorageStrategy as CentralStorageStrategy
from tfcompat.distribute._strategies import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfcompat.distribute._strategies import ParameterServerStrategy as ParameterServerStrategy
from tfcompat.distribute._strategies import TPUStrategy as TPUStrategy

CollectiveCommunication = CommunicationImplementation

_WORKERS = "tf.distribute.MultiWorkerMirroredStrategy, whose processes find each other"
_SAVES = "tf.keras.callbacks.BackupAndRestore, or a tf.train.CheckpointManager that saves every few minutes"

__getattr__ = _missing(
    "tf.distribute.experimental",
    hints={
        "coordinator": _WORKERS, "rpc": _WORKERS,
        "PreemptionCheckpointHandler": _SAVES, "PreemptionWatcher": _SAVES, "TerminationConfig": _SAVES,
    },
    otherwise="jax.sharding on the arrays",
)  # fmt: skip
