"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

class CentralStorageStrategy(_tf.distribute.Strategy):
    def __init__(self, compute_devices=..., parameter_device=...) -> None: ...
class CollectiveCommunication(_enum.Enum):
    AUTO = ...
    RING = ...
    NCCL = ...
class CollectiveHints(_builtins.object):
    def __new__(cls, bytes_per_pack=..., timeout_seconds=...) -> _t.Self: ...
CommunicationImplementation = _tf.distribute.experimental.CollectiveCommunication
class CommunicationOptions(_builtins.object):
    implementation: _t.Any
    bytes_per_pack: _t.Any
    timeout_seconds: _t.Any
    def __init__(self, bytes_per_pack: _p.Int = ..., timeout_seconds=..., implementation=...) -> None: ...
    def merge(self, options): ...
from tfcompat.distribute import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfcompat.distribute import ParameterServerStrategy as ParameterServerStrategy
from tfcompat.distribute import TPUStrategy as TPUStrategy
class ValueContext(_builtins.object):
    def __init__(self, replica_id_in_sync_group=..., num_replicas_in_sync=...) -> None: ...
    replica_id_in_sync_group: _t.Any
    num_replicas_in_sync: _t.Any
partitioners: _t.Any
