"""`StrategyExtended`: what libraries use of a strategy."""

import contextlib

from tfcompat._core.variable import Variable
from tfcompat.distribute import _collectives
from tfcompat.distribute._contexts import ReduceOp, current, entered, reduction, require_cross_replica
from tfcompat.distribute._values import DistributedValues, Mirrored, PerReplica, Uneven, regroup, select_replica
from tfcompat.distribute._variables import DistributedVariable, as_replica


class StrategyExtended:
    """What libraries use of a strategy. TF: `tf.distribute.StrategyExtended`."""

    experimental_require_static_shapes = False

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
        if not self._strategy._devices:
            raise RuntimeError(f"{method}() method unsupported by default tf.distribute.Strategy.")
        return self._strategy._devices

    @property
    def _count(self):
        return self._strategy.num_replicas_in_sync

    _num_replicas_in_sync = _count

    def colocate_vars_with(self, colocate_with_variable):
        """A context in which variables are made beside another one, as everywhere.

        Raises:
          ValueError: the other one was made outside of the scope of this strategy of several replicas.
        """
        if not self.variable_created_in_scope(colocate_with_variable):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), "
                f"not: {colocate_with_variable!r}"
            )
        return contextlib.nullcontext()

    def variable_created_in_scope(self, v):
        """Whether a variable belongs to this strategy."""
        return self._count == 1 or getattr(v, "_strategy", None) is self._strategy

    def value_container(self, value):
        """The variable of all replicas that `value` is a part of; otherwise `value` itself."""
        return getattr(value, "_container", value)

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """`fn` called once for each replica, in the replica's context."""
        return self._strategy.run(fn, args, kwargs)

    def update(self, var, fn, args=(), kwargs=None, group=True):
        """`fn(var, *args, **kwargs)` for each part of a variable, with the values of its replica.

        Returns:
          What `fn` returns, as Mirrored; a tuple of that of each replica unless `group`.

        Raises:
          RuntimeError: in the scope of another strategy.
          AssertionError: a variable that was not created in the scope of a strategy of several replicas.

        In the function of a replica it waits for the others, as `merge_call`.
        """
        kwargs = kwargs or {}
        if current.replica is not None and current.strategy is self._strategy and self._strategy._devices:
            return current.replica.merge_call(
                lambda strategy, *args, **kwargs: self.update(var, fn, args, kwargs, group), args, kwargs
            )
        require_cross_replica(self._strategy)
        if not isinstance(var, DistributedVariable):
            if self._count > 1:
                raise AssertionError(f"update: expected a variable created in the scope of {self._strategy}, got {var}")
            with entered(current.strategy, None, True):
                result = fn(var, *select_replica(0, args), **select_replica(0, kwargs))
            results = (result,) * self._count
            if group and self._count > 1 and isinstance(result, Variable):
                return Mirrored([result.read_value()] * len(self._strategy._devices))
            return result if group else results
        results = []
        for replica, part in enumerate(var._parts):
            with entered(self._strategy, None, True), as_replica(replica):
                results.append(fn(part, *_of_replica(replica, args), **_of_replica(replica, kwargs)))
            _collectives.mark_variable(part, replica, self._strategy._place)
        if not group:
            return tuple(results)
        return regroup(tuple(x.read_value() if isinstance(x, Variable) else x for x in results), Mirrored)

    def reduce_to(self, reduce_op, value, destinations, options=None):
        """The sum or mean of a PerReplica.

        Args:
          reduce_op: ReduceOp, or its name.
          value: PerReplica; for the mean also a value that all replicas have.
          destinations: variable, or DistributedValues, whose replicas get the result; or None.

        Returns:
          Mirrored where there are destinations, else a tensor.

        Raises:
          ValueError: the sum of a value that is none of replicas'.

        TF: `tf.distribute.StrategyExtended.reduce_to`.
        """
        how = reduction(reduce_op)
        require_cross_replica(self._strategy)
        if self._count == 1:
            return value
        result = self._reduced(how, value)
        return self.broadcast_to(result, None) if isinstance(destinations, DistributedValues) else result

    def _reduced(self, how, value):
        if type(value) is PerReplica:
            return _collectives.total(value._values, how is ReduceOp.MEAN, self._strategy._place)
        if isinstance(value, Mirrored | DistributedVariable):
            if how is ReduceOp.SUM:
                raise AssertionError("the sum of a value that is the same on all replicas")
            return value._get()
        if not isinstance(value, PerReplica) and self._strategy._processes > 1 and len(self._strategy._devices) == 1:
            value = PerReplica([value])  # of the only replica of this process
        if isinstance(value, PerReplica):
            place = self._strategy._place_for(isinstance(value, Uneven))
            return _collectives.total(value._values, how is ReduceOp.MEAN, place)
        if how is ReduceOp.MEAN or type(value) is int and value == 0:
            return value
        raise ValueError(
            f"A non-DistributedValues value {value!s} cannot be reduced with the given reduce op {how}."
        )

    def batch_reduce_to(self, reduce_op, value_destination_pairs, options=None):
        """`reduce_to` for each of the pairs (value, destination)."""
        return [self.reduce_to(reduce_op, value, destination) for value, destination in value_destination_pairs]

    def broadcast_to(self, tensor, destinations):
        """The tensor for all replicas, as Mirrored."""
        return tensor if self._count == 1 else Mirrored([tensor] * len(self._strategy._devices))

    def non_slot_devices(self, var_list):
        """The devices of variables that belong to no other variable."""
        return self.parameter_devices

    def _local_results(self, value):
        return self._strategy.experimental_local_results(value)

    def _in_multi_worker_mode(self):
        return self._strategy._processes > 1

    def _use_merge_call(self):
        return bool(self._strategy._devices)

    def _get_local_replica_id(self, replica_id_in_sync_group):
        return replica_id_in_sync_group


def _of_replica(replica, values):
    """As `select_replica`, with the part of each variable."""
    kind = type(values)
    if isinstance(values, dict):
        return {key: _part(replica, value) for key, value in values.items()}
    return kind(_part(replica, value) for value in values)


def _part(replica, value):
    value = select_replica(replica, value)
    return value._parts[replica] if isinstance(value, DistributedVariable) else value
