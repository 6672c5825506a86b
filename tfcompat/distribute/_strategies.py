"""Strategies: a program for several devices, each of which has a replica."""

import contextlib
import functools
import operator
from typing import Any

import jax
import numpy as np

from tfcompat import engine as _engine
from tfcompat import nest as _nest
from tfcompat._core import device as _device
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import of_argument
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable_context import creators
from tfcompat._tracing.status import converted
from tfcompat.array import cast
from tfcompat.distribute import _cluster, _collectives, _inputs, _variables
from tfcompat.distribute._communication import CommunicationOptions
from tfcompat.distribute._contexts import ReduceOp, current, entered, reduction, require_cross_replica
from tfcompat.distribute._cross_device_ops import check_ops
from tfcompat.distribute._extended import StrategyExtended
from tfcompat.distribute._lockstep import Gathered, Lockstep
from tfcompat.distribute._old_methods import OldMethods
from tfcompat.distribute._replica_context import ReplicaContext, SeveralContext
from tfcompat.distribute._tpu_cluster import TPUClusterResolver
from tfcompat.distribute._values import PerReplica, Uneven, regroup, rows_of, select_replica
from tfcompat.errors import InvalidArgumentError as _InvalidArgumentError
from tfcompat.errors import UnimplementedError as _UnimplementedError
from tfcompat.math import reduce_mean, reduce_sum, truediv

_NOWHERE = contextlib.nullcontext()


class StrategyBase(OldMethods):
    """What the strategies of TensorFlow 2 and those of `tf.compat.v1` have in common, see `Strategy`."""

    num_replicas_in_sync = 1
    cluster_resolver = None
    _devices: tuple = ()  # full names, one for each replica; none for the default strategy
    _place = None  # of several replicas, see `engine.replicas.place_of`
    _first_replica = 0  # of this process
    _is_where_all_run: Any = None  # whether the first one is the first one of JAX, once that has started
    _processes = 1
    _process = 0  # the number of this one
    _has_one_place = False  # for variables, which all replicas read and assign
    _gathers_by_collectives = False  # which take no negative axis in TF
    _reduces_to_tensors = False  # one replica's numbers, too

    def __init__(self, extended=StrategyExtended):
        self.extended = extended(self)
        self._sizes_gathered = Gathered()

    def _replicas_on(self, devices):
        """Takes the names of the devices that have a replica each.

        Raises:
          AssertionError: a device is there twice, or none is.
          AttributeError, TypeError: what should be a device's name is a number, or a list.
          ValueError: a name is malformed.
          tf.errors.InvalidArgumentError: there are several, and one of them is not there.
        """
        self._devices = tuple(map(_full_name, devices))
        if not self._devices:
            raise AssertionError("Must specify at least one device.")
        if len(set(self._devices)) != len(self._devices):
            raise AssertionError(f"No duplicates allowed in `devices` argument: {self._devices}")
        known = {f"{platform}:{n}" for platform, n in _device.logical_devices()}
        for name in self._devices if len(self._devices) > 1 else ():
            if name.rpartition("device:")[2] not in known:
                raise _device.missing(name)
        self.num_replicas_in_sync = len(self._devices)
        if self.num_replicas_in_sync > 1:
            self._place = _engine.replicas.place_of(lambda: tuple(map(_device.jax_device, self._devices)))

    def scope(self):
        """A context in which this is the current strategy, whose variables have a part for each replica.

        Raises:
          RuntimeError: inside the scope of another strategy, or in the function of a replica.
        """
        require_cross_replica(self)
        return _Scope(self)

    def _where_operations_run(self):
        """The context of the first device."""
        if not self._devices:
            return _NOWHERE
        if self._is_where_all_run is None and _device.has_started():
            self._is_where_all_run = _device.jax_device(self._devices[0]) is jax.local_devices()[0]
        if self._is_where_all_run and _device.is_default():
            return _NOWHERE
        return _device.device(self._devices[0])

    def _is_elsewhere(self):
        """Whether the first replica is not where operations run anyhow."""
        return bool(self._devices) and not self._devices[0].endswith(":0")

    def run(self, fn, args=(), kwargs=None, options=None) -> Any:
        """`fn` called once for each replica, in the replica's context.

        Args:
          fn: function; a `tf.function` is traced once for all replicas.
          args, kwargs: its arguments; of a PerReplica each replica gets its value.
          options: RunOptions, of no effect.

        Returns:
          Nest of PerReplicas of what the replicas return; an object that all of them return as it is.

        Raises:
          RuntimeError: in the function of a replica; the replicas do not meet equally often.
          AssertionError: they return nests that differ.

        TF: `tf.distribute.Strategy.run`.
        """
        if type(args) is not tuple and not isinstance(args, list | tuple):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        require_cross_replica(self)
        if self.num_replicas_in_sync == 1:
            place = _device.device(self._devices[0] if self._is_elsewhere() else None)
            with place, entered(self, ReplicaContext(self, 0), False):
                return fn(*args, **kwargs or {})
        over_replicas = getattr(fn, "_over_replicas", None)
        if over_replicas is None and self._where_operations_run() is _NOWHERE:
            with _Creating(self):  # each replica enters the rest of the scope
                return self._call_each(fn, args, kwargs or {})
        with self.scope():
            if over_replicas is not None:
                return over_replicas(self, self._call_each)(*args, **kwargs or {})
            return self._call_each(fn, args, kwargs or {})

    def _call_each(self, fn, args, kwargs):
        """`fn` called for each replica, in this graph."""
        lockstep = Lockstep(self, len(self._devices), SeveralContext, self._merged)
        if not _engine.state.watchers:
            _engine.next_iteration()
        place = self._place
        if self._processes == 1:
            return lockstep.run(converted(fn), args, kwargs, place, None)
        rows = rows_of((args, kwargs))
        self._place = self._place_for(rows is not None)
        try:
            return lockstep.run(converted(fn), args, kwargs, self._place, rows)
        finally:
            self._place = place

    def _place_for(self, uneven):
        return _engine.replicas.uneven(self._place) if uneven else self._place

    def _merged(self, requests):
        """What the merged function returns, for each replica."""
        functions, all_args, all_kwargs = zip(*requests, strict=True)
        args, kwargs = regroup(all_args), regroup(all_kwargs) if any(all_kwargs) else {}
        with entered(self, None, True):
            result = converted(functions[0])(self, *args, **kwargs)
        return [select_replica(n, result) for n in range(len(self._devices))]

    def _create(self, next_creator, **kwargs):
        """Makes a variable in the scope: of a part for each replica; an ordinary one of one replica."""
        if self.num_replicas_in_sync == 1:
            variable = next_creator(**kwargs)
            variable._device_name = self._devices[0]
            return variable
        kwargs["synchronization"] = _variables.check(
            kwargs["synchronization"], kwargs["aggregation"], kwargs.get("name")
        )
        on_read = kwargs["synchronization"] is _variables.VariableSynchronization.ON_READ
        if on_read and kwargs.get("trainable") is None:
            kwargs["trainable"] = False
        replica = current.replica
        if replica is None:
            return self._made(next_creator, kwargs, on_read)
        return replica._lockstep.shared(
            replica._replica_id, kwargs.get("name"), lambda: self._made(next_creator, kwargs, on_read)
        )

    def _made(self, next_creator, kwargs, on_read):
        first = next_creator(**kwargs)
        if self._processes > 1:
            first._node = _engine.leaf(_engine.processes.of_the_first(_engine.array_of(first._node)))
        parts = [first]
        for replica in range(1, len(self._devices)):
            part = next_creator(**kwargs | {"initial_value": _variables.first_value(first)})
            part._name = _variables.name_of_part(first._name, replica)
            parts.append(part)
        for part, device in zip(parts, self._devices, strict=True):
            part._device_name = device
        kind = _variables.SyncOnReadVariable if on_read else _variables.MirroredVariable
        return kind(self, parts, kwargs["aggregation"])

    def reduce(self, reduce_op, value, axis) -> Any:
        """The sum or the mean over all replicas, and within each over an axis.

        Args:
          reduce_op: ReduceOp, or its name.
          value: nest of PerReplicas of tensors; for the mean also a value that all replicas have.
          axis: int, tuple of ints, or None for none; the mean counts rows, so batches may be of several sizes.

        Returns:
          Nest of tensors.

        Raises:
          ValueError: `reduce_op` is neither "SUM" nor "MEAN"; the sum of what is no PerReplica; there is no such axis.
          AssertionError: `reduce_op` is neither a ReduceOp nor its name.
          TypeError: `axis` is not of ints.
          RuntimeError: in the function of a replica.

        TF: `tf.distribute.Strategy.reduce`.
        """
        if type(reduce_op) is not str and not isinstance(reduce_op, str | ReduceOp):
            raise AssertionError(f"reduce: expected a tf.distribute.ReduceOp or its name, got {reduce_op!r}")
        how = reduction(reduce_op)
        require_cross_replica(self)
        if self.num_replicas_in_sync == 1:
            if axis is None:
                converts = self._reduces_to_tensors and how is ReduceOp.SUM
                return self._of_each(_as_tensor, value) if converts else value
            value = _reducible(value, axis, how)
            return reduce_sum(value, axis=axis) if how is ReduceOp.SUM else reduce_mean(value, axis=axis)
        if type(value) is PerReplica and axis is None and self._where_operations_run() is _NOWHERE:
            return self.extended._reduced(how, value)  # the scope would change nothing
        with self.scope():
            if axis is None:
                return self._of_each(lambda x: self.extended._reduced(how, x), value)
            return self._reduced(how, value, axis)

    def _of_each(self, function, value):
        """What a function gives for each value of a nest that is reduced."""
        return _nest.map_structure(function, value)

    def _reduced(self, how, value, axis):
        parts = [_reducible(select_replica(n, value), axis, how) for n in range(len(self._devices))]
        place = self._place_for(isinstance(value, Uneven))
        sums = [reduce_sum(part, axis=axis) for part in parts]
        total = _collectives.total(sums, False, place)
        if how is ReduceOp.SUM:
            return total
        size = sum(_size(part, axis) for part in parts)
        if self._processes > 1:
            share = convert_to_tensor(np.float32(size / len(parts)))
            size = cast(_collectives.total([share] * len(parts), False, place), total.dtype)
        return truediv(total, size)

    def _gathered(self, value, axis):
        if not isinstance(value, PerReplica):
            if self._processes == 1 or len(self._devices) > 1:
                return value
            value = PerReplica([value])
        axis = self._axis_of(value._values[0], axis)
        return _collectives.gathered(value._values, axis, self._place_for(isinstance(value, Uneven)))

    def _axis_of(self, value, axis):
        """The axis along which values like a tensor are joined, not negative if the rank is known.

        Raises:
          ValueError: None; where collectives join, also no axis of the tensor, or a negative one.
          TypeError: not an int.
          tf.errors.InvalidArgumentError: no axis of the tensor; ValueError while a function is traced.
        """
        if axis is None:
            raise ValueError("None values not supported.")
        try:
            axis = operator.index(axis)
        except TypeError:
            raise TypeError(f"gather: expected an int as axis, got {axis!r}") from None
        rank = value.shape.rank
        if self._gathers_by_collectives and (axis < 0 or rank is not None and axis >= rank):
            raise ValueError(f"gather: expected an axis from 0 to one less than {rank}, the rank, got {axis}")
        if rank == 0:
            raise of_argument(_InvalidArgumentError(
                None, None, "ConcatOp : Can't concatenate scalars (use tf.stack instead)"
            ))  # fmt: skip
        if rank and not -rank <= axis < rank:
            raise of_argument(_InvalidArgumentError(
                None, None, f"gather: expected an axis in the range [{-rank}, {rank}), got {axis}"
            ))  # fmt: skip
        return axis % rank if rank else axis

    def experimental_local_results(self, value):
        """A tuple of the values of all replicas; of a nest, a tuple of nests."""
        if self.num_replicas_in_sync == 1:
            return (value,)
        if isinstance(value, list | tuple | dict):
            return tuple(
                _nest.map_structure(lambda x, n=n: _value_of(x, n), value) for n in range(len(self._devices))
            )
        return value.values if isinstance(value, _variables.DistributedValues) else (value,)

    def unwrap(self, value):
        """The old name of `experimental_local_results`."""
        return self.experimental_local_results(value)

    def experimental_distribute_dataset(self, dataset, options=None):
        """A dataset of PerReplicas: each batch is divided among the replicas.

        Args:
          dataset: `tf.data.Dataset` of global batches. A batch that does not go round is divided as far as it goes:
            5 rows over 4 replicas are 2, 2, 1 and 0. Of batches of 8 from files, or without `auto_shard_policy` (OFF),
            each of two replicas gets 4 rows as long as there are any: of 5 rows 4 and 1, elsewhere 3 and 2.
          options: InputOptions.

        Raises:
          NotImplementedError: `options` asks for a dataset for each replica.
          tf.errors.NotFoundError: the dataset's `auto_shard_policy` is FILE, and it does not begin with files.
          tf.errors.InvalidArgumentError: while iterating: there are fewer files than processes.

        Of several processes each reads its part of the files, or of what `shard(SHARD_HINT, SHARD_HINT)` divides, by
        `auto_shard_policy`. It takes its batches in parts, of which each replica gets one at a time; where some have
        none left, their batches are empty. If there are no files (AUTO), or with DATA, each takes its part of each
        batch.
        TF: `tf.distribute.Strategy.experimental_distribute_dataset`.
        """
        if options and options.experimental_replication_mode is _inputs.InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
            )
        if self.num_replicas_in_sync == 1:
            return dataset
        _ = dataset.element_spec  # AttributeError for what is no dataset
        if self._processes > 1:
            dataset, whole = dataset._of_process(self._processes, self._process, self.num_replicas_in_sync)
            if not whole:
                return _inputs.DatasetsOfReplicas([dataset], self._share)
            return _inputs.DividedDataset(dataset, self._share)
        divided, sizes = dataset._of_one_process(self.num_replicas_in_sync)
        if divided is not dataset:
            return _inputs.DatasetsOfReplicas([divided], self._share)
        return _inputs.DividedDataset(dataset, self._share, sizes)

    @property
    def _share(self):
        """Which parts of a batch are this process's."""
        return _inputs.Share(self.num_replicas_in_sync, self._first_replica, len(self._devices), self._place)

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """A dataset of PerReplicas, of what `dataset_fn` makes.

        Args:
          dataset_fn: function of an InputContext that gives a dataset of batches for one replica: the replicas take
            them in turn.
          options: InputOptions; PER_REPLICA calls the function for each replica.

        TF: `tf.distribute.Strategy.distribute_datasets_from_function`.
        """
        count = self.num_replicas_in_sync
        if count == 1:
            return dataset_fn(_inputs.InputContext())
        of_each = options and options.experimental_replication_mode is _inputs.InputReplicationMode.PER_REPLICA
        local = len(self._devices)
        pipelines = count if of_each else self._processes
        first = self._first_replica if of_each else self._first_replica // local
        contexts = [_inputs.InputContext(pipelines, first + n, count) for n in range(local if of_each else 1)]
        datasets = [dataset_fn(context) for context in contexts]
        _ = [dataset.element_spec for dataset in datasets]  # AttributeError for what is no dataset
        return _inputs.DatasetsOfReplicas(datasets, self._share)

    def experimental_distribute_datasets_from_function(self, dataset_fn, options=None):
        """The old name of `distribute_datasets_from_function`."""
        return self.distribute_datasets_from_function(dataset_fn, options)

    def _values_from_function(self, value_fn):
        """A nest of PerReplicas of what `value_fn` makes of a ValueContext of each replica."""
        count = self.num_replicas_in_sync
        if count == 1:
            return value_fn(_inputs.ValueContext(0, 1))
        own = range(self._first_replica, self._first_replica + len(self._devices))
        return regroup(tuple(value_fn(_inputs.ValueContext(n, count)) for n in own))

    def __deepcopy__(self, memo):
        return self  # a strategy is a place, not a value


class Strategy(StrategyBase):
    """A program for several devices: a function runs once for each replica, and variables have a part for each.

    Args:
      extended: function of the strategy that makes its StrategyExtended.

    TF: `tf.distribute.Strategy`.
    """

    def gather(self, value, axis):
        """The tensors of all replicas, joined along an axis in the order of the replicas.

        Args:
          value: nest of PerReplicas of tensors, of equal sizes but for `axis`.
          axis: int; not negative, unless the strategy was given other `cross_device_ops` than the usual ones.

        Raises:
          ValueError, tf.errors.InvalidArgumentError: there is no such axis.
          tf.errors.InvalidArgumentError: the tensors are scalars, or their dtypes differ.

        TF: `tf.distribute.Strategy.gather`.
        """
        require_cross_replica(
            self,
            "tf.distribute.Strategy.gather method requires cross-replica context, use "
            "get_replica_context().all_gather() instead",
        )
        if self.num_replicas_in_sync == 1:
            return value
        return _nest.map_structure(lambda x: self._gathered(x, axis), value)

    def experimental_distribute_values_from_function(self, value_fn):
        """A nest of PerReplicas of what `value_fn` makes of a ValueContext of each replica."""
        return self._values_from_function(value_fn)


def _reducible(value, axis, how):
    """What one replica reduces, as a tensor.

    Raises:
      AttributeError: the mean of a list.
      TypeError: the axis, or one in a sequence, is no int; the value is a dict, or text.
      ValueError: the value is None, or has no such axis.
    """
    if isinstance(value, dict):
        raise TypeError(f"reduce: expected a tensor to reduce along an axis, got {value}")
    given, value = value, _as_tensor(value)
    if value.dtype.name == "string":
        raise TypeError(f"reduce: expected numbers to reduce along an axis, got {value}")
    rank = value.shape.rank
    for a in axis if isinstance(axis, list | tuple) else [axis]:
        if isinstance(a, str | float):
            raise TypeError(f"reduce: expected an int as axis, got {a!r}")
        if rank is not None and isinstance(a, int) and not -rank <= a < rank:
            raise ValueError(f"Invalid reduction dimension {a} for input with {rank} dimensions.")
    if how is ReduceOp.MEAN:
        _ = given.shape
    return value


def _as_tensor(x):
    return x if isinstance(x, Tensor | CompositeTensor | PerReplica) else convert_to_tensor(x)


def _size(tensor, axis):
    sizes = tensor.shape.as_list()
    axes = [axis] if isinstance(axis, int) else list(axis)
    return functools.reduce(lambda product, a: product * sizes[a], axes, 1)


def _value_of(value, replica):
    return value.values[replica] if isinstance(value, _variables.DistributedValues) else value


class _Creating:
    """A context in which a strategy makes the variables."""

    def __init__(self, strategy):
        self._create = strategy._create

    def __enter__(self):
        self._active = active = creators()
        if self._create in active:
            self._active = None
        else:
            active.append(self._create)

    def __exit__(self, *exc):
        if self._active is not None:
            self._active.remove(self._create)


class _Scope:
    """The context of a strategy's scope."""

    def __init__(self, strategy):
        self._strategy = strategy
        makes_variables = strategy.num_replicas_in_sync > 1 or strategy._is_elsewhere()
        self._creating = _Creating(strategy) if makes_variables else _NOWHERE
        self._device = strategy._where_operations_run()
        self._entered = entered(strategy, None, True)

    def __enter__(self):
        self._creating.__enter__()
        try:
            self._device.__enter__()
        except BaseException:
            self._creating.__exit__()
            raise
        self._entered.__enter__()
        return self._strategy

    def __exit__(self, *exc):
        self._entered.__exit__()
        try:
            self._device.__exit__(*exc)
        finally:
            self._creating.__exit__()


class _DefaultStrategy(Strategy):
    def scope(self):
        """A context that changes nothing. Raises RuntimeError inside the scope of another strategy."""
        if current.strategy is not None:
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return contextlib.nullcontext(self)

    def run(self, fn, args=(), kwargs=None, options=None) -> Any:
        """`fn(*args, **kwargs)`. Raises RuntimeError inside the scope of another strategy."""
        self.scope()
        with entered(None, None, False):
            return fn(*args, **kwargs or {})


class OnOneDevice(StrategyBase):
    """Everything on one device, see `OneDeviceStrategy`."""

    def __init__(self, device):
        super().__init__()
        self._replicas_on([device])


class OneDeviceStrategy(OnOneDevice, Strategy):
    """Everything on one device.

    Args:
      device: name of the device, such as "/gpu:0".

    TF: `tf.distribute.OneDeviceStrategy`.
    """


class OnDevices(StrategyBase):
    """A replica on each device of this machine, see `MirroredStrategy`."""

    _reduces_to_tensors = True

    def __init__(self, devices=None, cross_device_ops=None):
        check_ops(cross_device_ops)
        super().__init__()
        self._gathers_by_collectives = cross_device_ops is None
        self._replicas_on(devices or _all_devices())


class MirroredStrategy(OnDevices, Strategy):
    """A replica on each device of this machine.

    Args:
      devices: list of names of devices; by default all accelerators, or all CPUs if there is none.
      cross_device_ops: CrossDeviceOps; XLA chooses how values are combined. With them, `gather` counts from the end.

    Raises:
      AssertionError: a device is there twice.
      tf.errors.InvalidArgumentError: there are several, and one of them is not there.
      tf.errors.UnimplementedError: `cross_device_ops` has methods of its own that combine values.

    TF: `tf.distribute.MirroredStrategy`.
    """


def _full_name(name):
    """The full name of a device; None and "" are the first CPU."""
    if not isinstance(name, str | None):
        error: Any = TypeError if isinstance(name, list | dict | set) else AttributeError
        raise error(f"expected the name of a device, such as '/gpu:0', got '{type(name).__name__}' object {name!r}")
    return _device.full_name(name or "CPU:0")


def _all_devices():
    """The names of the devices of this process: all accelerators, or all CPUs if there is none."""
    devices = [each for each in _device.logical_devices() if each not in _device.hidden]
    accelerators = [each for each in devices if each[0] != "CPU"]
    return [f"/{platform}:{n}" for n, (platform, _) in enumerate(accelerators or devices)]


def _refused(name, what):
    return _UnimplementedError(
        None, None, f"tf.distribute.{name} is not available in tfcompat for {what} jax.sharding on the arrays"
    )


class WithCentralStorage(StrategyBase):
    """Variables in one place, see `CentralStorageStrategy`."""

    _has_one_place = True
    _reduces_to_tensors = True

    def __init__(self, compute_devices=None, parameter_device=None):
        super().__init__()
        all_devices = _all_devices()
        is_cpu = all_devices[0].startswith("/CPU")
        self._replicas_on(compute_devices or (all_devices[:1] if is_cpu else all_devices))
        self._parameter_device = parameter_device

    def _of_each(self, function, value):
        return function(value)  # nests are no values of replicas here

    def _made(self, next_creator, kwargs, on_read):
        return _variables.AggregatingVariable(self, [next_creator(**kwargs)], kwargs["aggregation"])


class CentralStorageStrategy(WithCentralStorage, Strategy):
    """Variables in one place, and replicas on each device of this machine.

    Args:
      compute_devices: list of names of devices; by default all accelerators, or the first CPU if there is none.
      parameter_device: name of the device of the variables; by default the first device, or the CPU of several.

    TF: `tf.distribute.experimental.CentralStorageStrategy`.
    """


class OnTPUs(StrategyBase):
    """A replica on each TPU device, see `TPUStrategy`."""

    def __init__(self, tpu_cluster_resolver=None, experimental_device_assignment=None,
                 experimental_spmd_xla_partitioning=False):  # fmt: skip
        if not isinstance(tpu_cluster_resolver, TPUClusterResolver | None):
            raise AttributeError(f"TPUStrategy: expected a TPUClusterResolver, got {tpu_cluster_resolver!r}")
        self.cluster_resolver = tpu_cluster_resolver or TPUClusterResolver()
        if experimental_device_assignment is not None or experimental_spmd_xla_partitioning:
            raise _refused("TPUStrategy", "device assignments: use")
        super().__init__()
        self._replicas_on(_all_devices())


class TPUStrategy(OnTPUs, Strategy):
    """A replica on each TPU device.

    Args:
      tpu_cluster_resolver: TPUClusterResolver; by default that of this machine.
      experimental_device_assignment, experimental_spmd_xla_partitioning: must be left as they are.

    Raises:
      ValueError: JAX has no TPU.
      tf.errors.UnimplementedError: a device assignment is given.

    TF: `tf.distribute.TPUStrategy`.
    """


class OnSeveralProcesses(StrategyBase):
    """A replica on each device of each process, see `MultiWorkerMirroredStrategy`."""

    _gathers_by_collectives = True

    def __init__(self, cluster_resolver=None, communication_options=None):
        for name, given, kind in (
            ("cluster_resolver", cluster_resolver, _cluster.ClusterResolver),
            ("communication_options", communication_options, CommunicationOptions),
        ):
            if given is not None and not isinstance(given, kind):
                raise ValueError(f"{name} must be an instance of {kind.__name__}, got {given!r}")
        resolver = cluster_resolver or _cluster.TFConfigClusterResolver()
        addresses, number = _cluster.processes(resolver)
        super().__init__()
        self.cluster_resolver = resolver
        if len(addresses) > 1:
            _cluster.connect(addresses, number)
            if communication_options is not None and communication_options.timeout_seconds is not None:
                _engine.processes.patience = communication_options.timeout_seconds
            self._processes, self._process = len(addresses), number
        self._replicas_on(_all_devices())
        if len(addresses) > 1:
            local = len(self._devices)
            self._first_replica, self.num_replicas_in_sync = number * local, len(addresses) * local
            self._place = _engine.replicas.place_of(lambda: tuple(sorted(
                jax.devices(), key=lambda d: (d.process_index, d.id)
            )))  # fmt: skip

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """As that of `Strategy`. Raises NotImplementedError for PER_REPLICA."""
        if options and options.experimental_replication_mode is _inputs.InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function` of "
                "tf.distribute.MirroredStrategy"
            )
        return super().distribute_datasets_from_function(dataset_fn, options)


class MultiWorkerMirroredStrategy(OnSeveralProcesses, Strategy):
    """A replica on each device of each process.

    Made before anything has run, it starts JAX's distributed runtime and waits for the other processes.

    Args:
      cluster_resolver: ClusterResolver; by default what the environment variable `TF_CONFIG` says.
      communication_options: CommunicationOptions, whose `timeout_seconds` counts; XLA chooses the rest.

    Raises:
      RuntimeError: there are several processes, and operations have run in this one.
      ValueError: this process is not in the cluster; an argument is of another class.
      tf.errors.DeadlineExceededError: others have not come in TFCOMPAT_CLUSTER_TIMEOUT seconds, 300 by default. In a
        step: they have not come to it in `timeout_seconds`, 1800 by default.

    TF: `tf.distribute.MultiWorkerMirroredStrategy`.
    """


class ParameterServerStrategy(Strategy):
    """Not available, for `isinstance` only. TF: `tf.distribute.ParameterServerStrategy`."""

    def __init__(self, cluster_resolver=None, variable_partitioner=None):
        raise _UnimplementedError(
            None, None,
            "tf.distribute.ParameterServerStrategy is not available in tfcompat: use MirroredStrategy, or "
            "MultiWorkerMirroredStrategy for several hosts",
        )  # fmt: skip


_DEFAULT = _DefaultStrategy()
_DEFAULT_REPLICA = ReplicaContext(_DEFAULT, 0)


def get_strategy():
    """The strategy whose scope is entered; a default one of one replica. TF: `tf.distribute.get_strategy`."""
    return current.strategy or _DEFAULT


def has_strategy():
    """Whether the scope of a strategy is entered. TF: `tf.distribute.has_strategy`."""
    return current.strategy is not None


def get_replica_context():
    """The ReplicaContext; None in the scope of a strategy outside of `run`. TF: `tf.distribute.get_replica_context`."""
    if current.replica is not None:
        return current.replica
    return None if current.cross else _DEFAULT_REPLICA


def in_cross_replica_context():
    """Whether in the scope of a strategy, outside of `run`. TF: `tf.distribute.in_cross_replica_context`."""
    return current.cross


def experimental_set_strategy(strategy):
    """Makes `strategy` the current one, as if its scope was entered; None for the default one.

    TF: `tf.distribute.experimental_set_strategy`.
    """
    active = creators()
    active[:] = [creator for creator in active if getattr(creator, "__func__", None) is not StrategyBase._create]
    if strategy is not None and (strategy.num_replicas_in_sync > 1 or strategy._is_elsewhere()):
        active.append(strategy._create)
    current.strategy, current.replica, current.cross = strategy, None, strategy is not None
