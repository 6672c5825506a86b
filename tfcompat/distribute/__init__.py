"""`tf.distribute`: a program for several devices. `_lockstep.py` says how a function runs for each replica."""

from tfcompat._package.missing import missing as _missing
from tfcompat.distribute import cluster_resolver as cluster_resolver
from tfcompat.distribute import experimental as experimental
from tfcompat.distribute._contexts import ReduceOp as ReduceOp
from tfcompat.distribute._cross_device_ops import CrossDeviceOps as CrossDeviceOps
from tfcompat.distribute._cross_device_ops import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from tfcompat.distribute._cross_device_ops import NcclAllReduce as NcclAllReduce
from tfcompat.distribute._cross_device_ops import ReductionToOneDevice as ReductionToOneDevice
from tfcompat.distribute._extended import StrategyExtended as StrategyExtended
from tfcompat.distribute._inputs import DistributedDataset as DistributedDataset
from tfcompat.distribute._inputs import DistributedIterator as DistributedIterator
from tfcompat.distribute._inputs import InputContext as InputContext
from tfcompat.distribute._inputs import InputOptions as InputOptions
from tfcompat.distribute._inputs import InputReplicationMode as InputReplicationMode
from tfcompat.distribute._inputs import RunOptions as RunOptions
from tfcompat.distribute._replica_context import ReplicaContext as ReplicaContext
from tfcompat.distribute._sharding import shard as shard
from tfcompat.distribute._strategies import MirroredStrategy as MirroredStrategy
from tfcompat.distribute._strategies import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfcompat.distribute._strategies import OneDeviceStrategy as OneDeviceStrategy
from tfcompat.distribute._strategies import ParameterServerStrategy as ParameterServerStrategy
from tfcompat.distribute._strategies import Strategy as Strategy
from tfcompat.distribute._strategies import TPUStrategy as TPUStrategy
from tfcompat.distribute._strategies import experimental_set_strategy as experimental_set_strategy
from tfcompat.distribute._strategies import get_replica_context as get_replica_context
from tfcompat.distribute._strategies import get_strategy as get_strategy
from tfcompat.distribute._strategies import has_strategy as has_strategy
from tfcompat.distribute._strategies import in_cross_replica_context as in_cross_replica_context
from tfcompat.distribute._values import DistributedValues as DistributedValues

_WORKERS = "tf.distribute.MultiWorkerMirroredStrategy, whose processes find each other"

__getattr__ = _missing(
    "tf.distribute", hints={"Server": _WORKERS, "coordinator": _WORKERS}, otherwise="jax.sharding on the arrays"
)
