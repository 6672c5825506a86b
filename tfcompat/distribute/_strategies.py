"""Strategies of one replica, and what goes with them."""

import abc
import collections
import contextlib
import enum
import json
import os
import threading

import jax

from tfcompat import nest as _nest
from tfcompat._core.device import device as _device
from tfcompat.distribute._tpu_cluster import TPUClusterResolver
from tfcompat.errors import UnimplementedError as _UnimplementedError
from tfcompat.math import reduce_mean, reduce_sum


class ReduceOp(enum.Enum):
    """How values of replicas are combined. TF: `tf.distribute.ReduceOp`."""

    SUM = "SUM"
    MEAN = "MEAN"


class DistributedValues:
    """A value for each of several replicas; with one replica values are what they are. For `isinstance`."""

    __module__ = "tfcompat.distribute"


class DistributedDataset(abc.ABC):
    """A dataset for several replicas; with one replica a dataset is distributed as it is. For `isinstance`."""

    @abc.abstractmethod
    def __iter__(self):
        """The elements."""


class DistributedIterator(abc.ABC):
    """An iterator over a DistributedDataset. For `isinstance`."""

    @abc.abstractmethod
    def get_next(self):
        """The next element."""


class InputContext:
    """What a function that makes a dataset is told. TF: `tf.distribute.InputContext`."""

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size):
        """The batch size of one replica; ValueError where replicas do not divide the global one."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync!r}."
            )
        return global_batch_size // self.num_replicas_in_sync


class InputReplicationMode(enum.Enum):
    """Who calls the function that makes a dataset. TF: `tf.distribute.InputReplicationMode`."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(
    collections.namedtuple(
        "InputOptions",
        [
            "experimental_fetch_to_device",
            "experimental_replication_mode",
            "experimental_place_dataset_on_device",
            "experimental_per_replica_buffer_size",
        ],
    )
):
    """How the elements of datasets come to replicas; of no effect with one.

    TF: `tf.distribute.InputOptions`.
    """

    def __new__(cls, experimental_fetch_to_device=None,
                experimental_replication_mode=InputReplicationMode.PER_WORKER,
                experimental_place_dataset_on_device=False, experimental_per_replica_buffer_size=1):  # fmt: skip
        fetches = True if experimental_fetch_to_device is None else experimental_fetch_to_device
        return super().__new__(
            cls, fetches, experimental_replication_mode, experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )  # fmt: skip


class _Current(threading.local):
    strategy = None  # whose scope is entered
    replica = None   # the ReplicaContext of the function that a strategy runs
    cross = False    # whether a function is merged


_current = _Current()


@contextlib.contextmanager
def _entered(strategy, replica, cross):
    outer = _current.strategy, _current.replica, _current.cross
    _current.strategy, _current.replica, _current.cross = strategy, replica, cross
    try:
        yield strategy
    finally:
        _current.strategy, _current.replica, _current.cross = outer


class StrategyExtended:
    """What libraries use of a strategy. TF: `tf.distribute.StrategyExtended`."""

    def __init__(self, container_strategy):
        self._strategy = container_strategy

    @property
    def worker_devices(self):
        """Tuple of the names of devices; RuntimeError for the default strategy."""
        return self._devices("worker_devices")

    @property
    def parameter_devices(self):
        """As `worker_devices`."""
        return self._devices("parameter_devices")

    def _devices(self, method):
        if self._strategy is _DEFAULT:
            raise RuntimeError(f"{method}() method unsupported by default tf.distribute.Strategy.")
        return (self._strategy._device_name,)

    experimental_require_static_shapes = False

    def colocate_vars_with(self, colocate_with_variable):
        """A context in which variables are made beside another one, as everywhere."""
        return contextlib.nullcontext()

    def variable_created_in_scope(self, v):
        """Whether a variable belongs to this strategy."""
        return True

    def value_container(self, value):
        """`value` itself."""
        return value

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """`fn` called once, in the replica's context."""
        return self._strategy.run(fn, args, kwargs)

    def update(self, var, fn, args=(), kwargs=None, group=True):
        """`fn(var, *args, **kwargs)`, in a tuple unless `group`."""
        with _entered(_current.strategy, None, True):
            result = fn(var, *args, **kwargs or {})
        return result if group else (result,)

    def reduce_to(self, reduce_op, value, destinations, options=None):
        """`value`, which is that of the only replica."""
        ReduceOp(_upper(reduce_op))
        return value

    def batch_reduce_to(self, reduce_op, value_destination_pairs, options=None):
        """The values of pairs (value, destination)."""
        return [self.reduce_to(reduce_op, value, destination) for value, destination in value_destination_pairs]

    def _in_multi_worker_mode(self):
        return False

    def _use_merge_call(self):
        return self._strategy is not _DEFAULT


class Strategy:
    """A strategy of one replica.

    Args:
      extended: function of the strategy that makes its StrategyExtended.

    TF: `tf.distribute.Strategy`.
    """

    num_replicas_in_sync = 1
    cluster_resolver = None
    _device_name = ""

    def __init__(self, extended=StrategyExtended):
        self.extended = extended(self)

    def scope(self):
        """A context in which this is the current strategy.

        Raises:
          RuntimeError: inside the scope of another strategy.
        """
        if _current.strategy not in (None, self):
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {_current.strategy} is not {self}"
            )
        return self._scope()

    @contextlib.contextmanager
    def _scope(self):
        with _device(self._device_name), _entered(self, None, True):
            yield self

    def run(self, fn, args=(), kwargs=None, options=None):
        """`fn(*args, **kwargs)`, in the context of the only replica."""
        with _entered(self, ReplicaContext(self, 0), False):
            return fn(*args, **kwargs or {})

    def reduce(self, reduce_op, value, axis):
        """`value`, summed or averaged over `axis`; as it is if `axis` is None.

        Raises:
          ValueError: `reduce_op` is neither "SUM" nor "MEAN".
        """
        how = ReduceOp(_upper(reduce_op))
        if axis is None:
            return value
        function = reduce_sum if how is ReduceOp.SUM else reduce_mean
        return _nest.map_structure(lambda x: function(x, axis=axis), value)

    def gather(self, value, axis):
        """`value`, which is that of the only replica."""
        return value

    def experimental_local_results(self, value):
        """A tuple of the values of all replicas, which is one."""
        return (value,)

    def experimental_distribute_dataset(self, dataset, options=None):
        """The dataset itself."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """What `dataset_fn` makes of an InputContext."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn):
        """What `value_fn` makes of a context of replica 0."""
        return value_fn(_ValueContext(0, 1))

    def __deepcopy__(self, memo):
        return self  # a strategy is a place, not a value


class _ValueContext:
    def __init__(self, replica_id_in_sync_group, num_replicas_in_sync):
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class _DefaultStrategy(Strategy):
    def scope(self):
        """A context that changes nothing. Raises RuntimeError inside the scope of another strategy."""
        if _current.strategy is not None:
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return contextlib.nullcontext(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        with _entered(None, None, False):
            return fn(*args, **kwargs or {})


class OneDeviceStrategy(Strategy):
    """Everything on one device.

    Args:
      device: name of the device, such as "/gpu:0".

    TF: `tf.distribute.OneDeviceStrategy`.
    """

    def __init__(self, device):
        super().__init__()
        self._device_name = device


class CrossDeviceOps:
    """How values of several devices are combined; with one there is nothing to combine.

    TF: `tf.distribute.CrossDeviceOps`, without methods to be overridden.
    """


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """TF: `tf.distribute.HierarchicalCopyAllReduce`; see `CrossDeviceOps`."""

    def __init__(self, num_packs=1):
        _check_packs(num_packs)


class NcclAllReduce(CrossDeviceOps):
    """TF: `tf.distribute.NcclAllReduce`; see `CrossDeviceOps`."""

    def __init__(self, num_packs=1):
        _check_packs(num_packs)


class ReductionToOneDevice(CrossDeviceOps):
    """TF: `tf.distribute.ReductionToOneDevice`; see `CrossDeviceOps`."""

    def __init__(self, reduce_to_device=None, accumulation_fn=None):
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn


def _check_packs(num_packs):
    if num_packs < 0:
        raise ValueError(f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified")


class MirroredStrategy(Strategy):
    """A replica on each device, of which there is one.

    Args:
      devices: list of one name of a device; by default all devices of JAX's default platform.
      cross_device_ops: unused, there is nothing to combine.

    Raises:
      tf.errors.UnimplementedError: there are several devices.

    TF: `tf.distribute.MirroredStrategy`, with one device.
    """

    def __init__(self, devices=None, cross_device_ops=None):
        super().__init__()
        self._device_name = _only_device("MirroredStrategy", devices)


def _only_device(strategy, devices):
    """The one device of those given, or of all."""
    if devices is None:
        devices = [f"/{d.platform}:{d.id}" for d in jax.devices()]
    elif isinstance(devices, str):
        devices = [devices]
    if len(devices) != 1:
        raise _refused(strategy, f"{len(devices)} devices: pass MirroredStrategy devices=['{devices[0]}'], or use")
    return devices[0]


def _refused(name, what):
    return _UnimplementedError(
        None, None, f"tf.distribute.{name} is not available in tfcompat for {what} jax.sharding on the arrays"
    )


class CentralStorageStrategy(Strategy):
    """Variables on one device, replicas on each, of which there is one.

    TF: `tf.distribute.experimental.CentralStorageStrategy`, with one device.
    """

    def __init__(self, compute_devices=None, parameter_device=None):
        super().__init__()
        self._device_name = _only_device("experimental.CentralStorageStrategy", compute_devices)


class TPUStrategy(Strategy):
    """A replica on the TPU, which has one device (Colab's v5e has).

    Args:
      tpu_cluster_resolver: TPUClusterResolver; by default that of this machine.
      experimental_device_assignment, experimental_spmd_xla_partitioning: must be left as they are.

    Raises:
      ValueError: JAX has no TPU.
      tf.errors.UnimplementedError: there are several devices.

    TF: `tf.distribute.TPUStrategy`, with one device.
    """

    def __init__(self, tpu_cluster_resolver=None, experimental_device_assignment=None,
                 experimental_spmd_xla_partitioning=False):  # fmt: skip
        self.cluster_resolver = tpu_cluster_resolver or TPUClusterResolver()
        if experimental_device_assignment is not None or experimental_spmd_xla_partitioning:
            raise _refused("TPUStrategy", "device assignments: use")
        devices = jax.devices()
        if len(devices) != 1:
            raise _refused("TPUStrategy", f"{len(devices)} devices: use OneDeviceStrategy('/tpu:0'), or")
        super().__init__()
        self._device_name = f"/{devices[0].platform}:{devices[0].id}"


class MultiWorkerMirroredStrategy(Strategy):
    """A replica on each device of each host, of which there is one.

    Args:
      cluster_resolver: must be None: hosts are read from the environment variable `TF_CONFIG`.
      communication_options: unused, there is nothing to communicate.

    Raises:
      tf.errors.UnimplementedError: there are several hosts or devices.

    TF: `tf.distribute.MultiWorkerMirroredStrategy`, with one device of one host.
    """

    def __init__(self, cluster_resolver=None, communication_options=None):
        cluster = json.loads(os.environ.get("TF_CONFIG") or "{}").get("cluster", {})
        if cluster_resolver is not None or sum(map(len, cluster.values())) > 1:
            raise _refused("MultiWorkerMirroredStrategy", "several hosts: use")
        super().__init__()
        self._device_name = _only_device("MultiWorkerMirroredStrategy", None)


class ParameterServerStrategy(Strategy):
    """Not available, for `isinstance` only. TF: `tf.distribute.ParameterServerStrategy`."""

    def __init__(self, cluster_resolver=None, variable_partitioner=None):
        raise _refused("ParameterServerStrategy", "several hosts: use")


class ReplicaContext:
    """Where a function runs that a strategy runs for each replica. TF: `tf.distribute.ReplicaContext`."""

    num_replicas_in_sync = 1

    def __init__(self, strategy, replica_id_in_sync_group):
        self.strategy = strategy
        self.replica_id_in_sync_group = replica_id_in_sync_group

    def all_reduce(self, reduce_op, value, options=None):
        """`value`, which is that of all replicas. Raises ValueError for an unknown `reduce_op`."""
        ReduceOp(_upper(reduce_op))
        return value

    def all_gather(self, value, axis, options=None):
        """`value`, which is that of all replicas."""
        return value

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """`merge_fn(strategy, *args, **kwargs)`, in the context of all replicas."""
        with _entered(_current.strategy, None, True):
            return merge_fn(self.strategy, *args, **kwargs or {})


def _upper(reduce_op):
    return reduce_op.upper() if isinstance(reduce_op, str) else reduce_op


_DEFAULT = _DefaultStrategy()
_DEFAULT_REPLICA = ReplicaContext(_DEFAULT, 0)


def get_strategy():
    """The strategy whose scope is entered; a default one of one replica. TF: `tf.distribute.get_strategy`."""
    return _current.strategy or _DEFAULT


def has_strategy():
    """Whether the scope of a strategy is entered. TF: `tf.distribute.has_strategy`."""
    return _current.strategy is not None


def get_replica_context():
    """The ReplicaContext; None in the scope of a strategy outside of `run`. TF: `tf.distribute.get_replica_context`."""
    if _current.replica is not None:
        return _current.replica
    return None if _current.cross else _DEFAULT_REPLICA


def in_cross_replica_context():
    """Whether in the scope of a strategy, outside of `run`. TF: `tf.distribute.in_cross_replica_context`."""
    return _current.cross


def experimental_set_strategy(strategy):
    """Makes `strategy` the current one, as if its scope was entered; None for the default one.

    TF: `tf.distribute.experimental_set_strategy`.
    """
    _current.strategy, _current.replica, _current.cross = strategy, None, strategy is not None
