"""`ReplicaContext`: what the function of a replica knows of the others, and does with them."""

from typing import Any

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
    _number_is_known = False  # to the function

    def __init__(self, strategy, replica_id_in_sync_group):
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group

    strategy = property(lambda self: self._strategy, doc="The strategy that runs the function.")

    @property
    def replica_id_in_sync_group(self):
        """The number of the replica, an int32 tensor; of the default strategy, the int 0."""
        if not self._strategy._devices:
            return self._replica_id
        self._number_is_known = True
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

    num_replicas_in_sync: Any = property(lambda self: self._strategy.num_replicas_in_sync, doc="How many replicas.")

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
          values: sequence of tensors or IndexedSlices.
          mean: whether it is the mean.

        Returns:
          List of tensors or IndexedSlices.
        """
        if current.replica is not self:
            return None
        place = self._strategy._place
        nodes = _plain_nodes(values)
        if nodes is None:
            return None
        if len(nodes) > len(values):  # there are IndexedSlices
            return self._lockstep.gather(self._replica_id, kind, nodes, self._totals_of(values, mean), True)
        return self._lockstep.gather(
            self._replica_id, kind, nodes,
            lambda groups: [_collectives.total_of_nodes(nodes, mean, place) for nodes in groups],
        )  # fmt: skip

    def _totals_of(self, values, mean):
        def combine(groups):
            remaining = iter(groups)
            return [
                _collectives.total([wrap(node) for node in next(remaining)], mean, place)
                if type(x) is not IndexedSlices else _collectives.total([
                    IndexedSlices(wrap(slices), wrap(indices), x.dense_shape)
                    for slices, indices in zip(next(remaining), next(remaining), strict=True)
                ], mean, place)
                for x in values
            ]  # fmt: skip

        place = self._strategy._place
        return combine

    def _note_sizes(self, kind, first, parts):
        """Notes whether values that are gathered were of the same sizes in all replicas.

        Args:
          kind: as of `totals`.
          first: list of the values of the first replica.
          parts: list; of each value those of all replicas.
        """
        nodes = _plain_nodes(first)
        if nodes is not None:
            alike = all([len(set(map(_avals, of_one))) == 1 for of_one in parts])
            self._strategy._sizes_gathered.note((kind, *[node.aval for node in nodes]), alike)

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
            parts = [_values(x, strategy) for x in values]
            self._note_sizes(kind, flat, parts)
            return [_collectives.total(of_one, mean, strategy._place) for of_one in parts]

        def one(x):
            return self.all_reduce(reduce_op, x)

        kind = ("all_reduce", mean, len(flat), *map(type, flat))
        results = self.totals(kind, flat, mean)
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
          axis: int; not negative, unless the strategy was given other `cross_device_ops` than the usual ones.
          options: CommunicationOptions; XLA chooses.

        Raises:
          ValueError, tf.errors.InvalidArgumentError: there is no such axis.
          NotImplementedError: `value` holds IndexedSlices.

        Gradient: cotangents are summed over all replicas; each gets its part.
        TF: `tf.distribute.ReplicaContext.all_gather`.
        """
        flat = nest.flatten(value)
        if any([isinstance(x, IndexedSlices) for x in flat]):
            raise NotImplementedError("gather does not support IndexedSlices")
        tensors = [_tensor(x) for x in flat if hasattr(x, "dtype")]
        axes = [self._strategy._axis_of(x, axis) for x in tensors]
        if len(tensors) < len(flat) or len(set(axes)) > 1:  # a Python number is that of all replicas
            return nest.map_structure(
                lambda x: self.all_gather(x, axis) if hasattr(x, "dtype") else convert_to_tensor(x), value
            )
        if not flat:
            return value
        flat, axis = tensors, axes[0]

        def merged(strategy, *values):
            parts = [_values(x, strategy) for x in values]
            self._note_sizes(kind, flat, parts)
            starts = [[sum(p.shape[axis] for p in of[:i]) for i in range(len(of))] for of in parts]
            joined = [_collectives.gathered(of, axis, strategy._place) for of in parts]
            return [(x, PerReplica(start)) for x, start in zip(joined, starts, strict=True)]

        kind, place = ("all_gather", axis, len(flat)), self._strategy._place
        nodes, results = _plain_nodes(flat), None
        if nodes is not None and current.replica is self:
            whole = self._lockstep.gather(
                self._replica_id, kind, nodes,
                lambda groups: [_collectives.gathered([*map(wrap, nodes)], axis, place) for nodes in groups], True,
            )  # fmt: skip
            if whole is not None:
                results = [(y, self._replica_id * x.shape[axis]) for x, y in zip(flat, whole, strict=True)]
        if results is None:
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


def _plain_nodes(values):
    """Tuple of the nodes of tensors and IndexedSlices; None if they are not all of eager code, and of numbers."""
    nodes = []
    for x in values:
        for part in (x.values, x.indices) if type(x) is IndexedSlices else (x,):
            if type(part) is not EagerTensor or part._node.aval.traced or part._node.aval.dtype.hasobject:
                return None
            nodes.append(part._node)
    return tuple(nodes)


def _avals(x):
    return (x.values._node.aval, x.indices._node.aval) if type(x) is IndexedSlices else x._node.aval


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
