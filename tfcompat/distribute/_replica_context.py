"""`ReplicaContext`: what the function of a replica knows of the others, and does with them."""

from tfcompat import nest
from tfcompat._core import device as _device
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.tensor import EagerTensor, wrap
from tfcompat._core.variable import Variable
from tfcompat.array import slice as _slice
from tfcompat.distribute import _collectives
from tfcompat.distribute._contexts import ReduceOp, current, entered, reduction
from tfcompat.distribute._values import PerReplica


class ReplicaContext:
    """Where a function runs that a strategy runs for each replica. TF: `tf.distribute.ReplicaContext`."""

    num_replicas_in_sync = 1

    def __init__(self, strategy, replica_id_in_sync_group):
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group

    strategy = property(lambda self: self._strategy, doc="The strategy that runs the function.")

    @property
    def replica_id_in_sync_group(self):
        """The number of the replica, an int32 tensor; of the default strategy, the int 0."""
        if not self._strategy._devices:
            return self._replica_id
        return convert_to_tensor(self._strategy._first_replica + self._replica_id)

    @property
    def devices(self):
        """List of the name of the replica's device."""
        return list(self._strategy.extended.worker_devices)

    def device_of_operations(self):
        """The name of the device that operations count as run on; None where it is the one that they run on."""
        return None

    def all_reduce(self, reduce_op, value, options=None):
        """`value`, which is that of all replicas. Raises ValueError for an unknown `reduce_op`."""
        reduction(reduce_op)
        return nest.map_structure(lambda x: x if hasattr(x, "dtype") else convert_to_tensor(x), value)

    def all_gather(self, value, axis, options=None):
        """`value`, which is that of all replicas."""
        return value

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """`merge_fn(strategy, *args, **kwargs)`, in the context of all replicas."""
        with entered(current.strategy, None, True):
            return merge_fn(self._strategy, *args, **kwargs or {})

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass


class SeveralContext(ReplicaContext):
    """The context of one of several replicas.

    Args:
      strategy: the strategy.
      number: of the replica.
      lockstep: the Lockstep in which it runs.
    """

    def __init__(self, strategy, number, lockstep):
        self._strategy, self._replica_id, self._lockstep = strategy, number, lockstep
        self.num_replicas_in_sync = strategy.num_replicas_in_sync

    @property
    def devices(self):
        """List of the name of the replica's device."""
        return [self._strategy.extended.worker_devices[self._replica_id]]

    def device_of_operations(self):
        """That of the replica, also where all replicas run on one; None in a `tf.device`."""
        devices = self._strategy._devices
        return devices[self._replica_id] if _device.default() == _device.jax_device(devices[0]) else None

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Meets the other replicas, and calls `merge_fn(strategy, *args, **kwargs)` once for all of them.

        Args:
          merge_fn: function that gets a PerReplica for each argument in which the replicas differ.
          args, kwargs: its arguments in this replica.

        Returns:
          What it returns, with the value of this replica for each PerReplica.

        Raises:
          RuntimeError: inside a merged function; in a branch, a loop or another tf.function; where the replicas do not
            call it equally often.

        TF: `tf.distribute.ReplicaContext.merge_call`.
        """
        if current.replica is not self:
            raise RuntimeError("Need to be inside `call_for_each_replica()`")
        return self._lockstep.merge(self._replica_id, merge_fn, args, kwargs or {})

    def totals(self, kind, values, mean):
        """The sum, or the mean, of each of some values over all replicas, if none has to wait for others; else None.

        Args:
          kind: tuple that begins with the name of the method; the same in all replicas.
          values: sequence of tensors.
          mean: whether it is the mean.

        Returns:
          List of tensors.
        """
        if current.replica is not self or not all([_is_plain(x) for x in values]):
            return None
        place = self._strategy._place
        return self._lockstep.gather(
            self._replica_id, kind, tuple([x._node for x in values]),
            lambda groups: [_collectives.total_of_nodes(nodes, mean, place) for nodes in groups],
        )  # fmt: skip

    def first(self, kind, value):
        """The value of the first replica, in a list, if none has to wait for the others; else None. As `totals`."""
        if current.replica is not self:
            return None
        return self._lockstep.gather(self._replica_id, kind, (), lambda _: [value])

    def all_reduce(self, reduce_op, value, options=None):
        """The sum or the mean over all replicas.

        Args:
          reduce_op: ReduceOp, or its name.
          value: nest of tensors of the same shapes in all replicas, or of IndexedSlices.
          options: CommunicationOptions; XLA chooses.

        Returns:
          Nest like `value`.

        Raises:
          ValueError: an unknown `reduce_op`.
          tf.errors.InvalidArgumentError: shapes or dtypes differ.
          AttributeError: a value is a Python number.

        Gradient: cotangents are reduced in the same way.
        TF: `tf.distribute.ReplicaContext.all_reduce`.
        """
        mean = reduction(reduce_op) is ReduceOp.MEAN
        flat = [_tensor(x) for x in nest.flatten(value)]
        if not flat:
            return value

        def merged(strategy, *values):
            return [_collectives.total(_values(x, strategy), mean, strategy._place) for x in values]

        def one(x):
            return self.all_reduce(reduce_op, x)

        results = self.totals(("all_reduce", mean, len(flat)), flat, mean)
        if results is None:
            results = self.merge_call(merged, tuple(flat))
        results = [
            _collectives.told(_collectives.AllReduce(one), x, y) for x, y in zip(flat, map(_own, results), strict=True)
        ]
        return nest.pack_sequence_as(value, results)

    def all_gather(self, value, axis, options=None):
        """The tensors of all replicas, joined along an axis in the order of the replicas.

        Args:
          value: nest of tensors, of equal sizes but for `axis`.
          axis: int, not negative.
          options: CommunicationOptions; XLA chooses.

        Raises:
          ValueError: there is no such axis.
          NotImplementedError: `value` holds IndexedSlices.

        Gradient: cotangents are summed over all replicas; each gets its part.
        TF: `tf.distribute.ReplicaContext.all_gather`.
        """
        flat = [_tensor(x) for x in nest.flatten(value)]
        for x in flat:
            if isinstance(x, IndexedSlices):
                raise NotImplementedError("gather does not support IndexedSlices")
            check_axis(x, axis)

        def merged(strategy, *values):
            parts = [_values(x, strategy) for x in values]
            starts = [[sum(p.shape[axis] for p in of[:i]) for i in range(len(of))] for of in parts]
            joined = [_collectives.gathered(of, axis, strategy._place) for of in parts]
            return [(x, PerReplica(start)) for x, start in zip(joined, starts, strict=True)]

        results = self.merge_call(merged, tuple(flat))
        joined = []
        for x, (y, start) in zip(flat, results, strict=True):
            call = _collectives.AllGather(
                lambda d: self.all_reduce("SUM", d),
                lambda d, x=x, start=start: _slice(
                    d, [start if i == axis else 0 for i in range(x.shape.rank)], x.shape.as_list()
                ),
                lambda t: self.all_gather(t, axis),
            )
            joined.append(_collectives.told(call, x, _own(y)))
        return nest.pack_sequence_as(value, joined)


def check_axis(value, axis):
    """Raises ValueError unless a tensor has the axis."""
    rank = value.shape.rank
    if not 0 <= axis < (rank or 0):
        raise ValueError(f"all_gather: expected an axis from 0 to {(rank or 0) - 1} for rank {rank}, got {axis}")


def _is_plain(x):
    """Whether a value is a tensor of eager code, of numbers."""
    return type(x) is EagerTensor and not x._node.aval.traced and not x._node.aval.dtype.hasobject


def _tensor(x):
    if isinstance(x, IndexedSlices):
        return x
    if isinstance(x, Variable):
        return x.read_value()
    _ = x.dtype  # AttributeError for Python numbers, as in TF
    return convert_to_tensor(x)


def _values(x, strategy):
    return x._values if isinstance(x, PerReplica) else (x,) * len(strategy._devices)


def _own(x):
    """A tensor of this replica: all replicas have the same value, but not the same object."""
    if isinstance(x, IndexedSlices):
        return IndexedSlices(wrap(x.values._node), wrap(x.indices._node), x.dense_shape)
    return wrap(x._node)
