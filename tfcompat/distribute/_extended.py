"""`StrategyExtended`: what libraries use of a strategy."""

import contextlib

from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import Variable
from tfcompat.distribute import _collectives
from tfcompat.distribute._contexts import ReduceOp, current, entered, mixing, reduction, require_cross_replica
from tfcompat.distribute._values import DistributedValues, Mirrored, PerReplica, Uneven, regroup, select_replica
from tfcompat.distribute._variables import DistributedVariable, SyncOnReadVariable, as_replica
from tfcompat.errors import UnimplementedError


class StrategyExtended:
    """What libraries use of a strategy. TF: `tf.distribute.StrategyExtended`."""

    experimental_require_static_shapes = False
    experimental_enable_get_next_as_optional = True  # of no effect: batches may be empty
    experimental_should_init = True

    def __init__(self, container_strategy):
        self._strategy = container_strategy

    @property
    def worker_devices(self):
        """Tuple of the names of devices; RuntimeError for the default strategy."""
        return self._devices("worker_devices")

    @property
    def parameter_devices(self):
        """As `worker_devices`; of variables in one place the name of its device, as it was given."""
        devices = self._devices("parameter_devices")
        return (self._strategy._parameter_device or devices[0],) if self._strategy._has_one_place else devices

    def _devices(self, method):
        if not self._strategy._devices:
            raise RuntimeError(f"{method}() method unsupported by default tf.distribute.Strategy.")
        return self._strategy._devices

    @property
    def worker_devices_by_replica(self):
        """List of a list for each replica of this process, of the name of its device."""
        return [[device] for device in self._devices("worker_devices_by_replica")]

    @property
    def experimental_between_graph(self):
        """Whether each of several processes runs the program."""
        return self._strategy._processes > 1

    @property
    def should_checkpoint(self):
        """Whether this process is the one that saves checkpoints."""
        return self._strategy._process == 0

    should_save_summary = should_checkpoint

    @property
    def _count(self):
        return self._strategy.num_replicas_in_sync

    _num_replicas_in_sync = _count

    def colocate_vars_with(self, colocate_with_variable):
        """A context in which variables are made beside another one, as everywhere.

        Raises:
          ValueError: the other one was made outside of the scope of this strategy of several replicas.
          RuntimeError: outside of the scope of this strategy.
        """
        if self._strategy._devices and current.strategy is not self._strategy:
            raise RuntimeError(f'Need to be inside "with strategy.scope()" for {self._strategy}')
        if not self.variable_created_in_scope(colocate_with_variable):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), "
                f"not: {colocate_with_variable!r}"
            )
        return contextlib.nullcontext()

    def variable_created_in_scope(self, v):
        """Whether a variable belongs to this strategy."""
        owner = getattr(v, "_strategy", None)
        return owner is self._strategy or owner is None and self._count == 1

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
        is_of_another = isinstance(var, DistributedVariable) and var._strategy is not self._strategy
        if is_of_another and self._strategy._devices and not self._strategy._has_one_place:
            raise mixing(self._strategy, var._strategy)
        if is_of_another or not isinstance(var, DistributedVariable):
            if self._count > 1 and not self._strategy._has_one_place:
                raise AssertionError(f"update: expected a variable created in the scope of {self._strategy}, got {var}")
            with entered(current.strategy, None, True):
                result = fn(var, *select_replica(0, args), **select_replica(0, kwargs))
            results = (result,) * (1 if self._strategy._has_one_place else self._count)
            if group and len(results) > 1 and isinstance(result, Variable):
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
        return self.broadcast_to(result, destinations) if isinstance(destinations, DistributedValues) else result

    def _reduced(self, how, value):
        if type(value) is PerReplica:
            return _collectives.total(value._values, how is ReduceOp.MEAN, self._strategy._place)
        if isinstance(value, SyncOnReadVariable):
            return _collectives.total(
                [part.read_value() for part in value._parts], how is ReduceOp.MEAN, self._strategy._place
            )
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
        """The tensor for all replicas, as Mirrored; a Python number as it is.

        Raises:
          AssertionError: `destinations` is None, or a list or tuple.
        """
        if destinations is None or isinstance(destinations, list | tuple):
            raise AssertionError(f"broadcast_to: expected a variable or DistributedValues, got {destinations!r}")
        in_one_place = self._strategy._has_one_place and not isinstance(destinations, PerReplica)
        if self._count == 1 or in_one_place or type(tensor) in (int, float):
            return tensor
        copies = [_another(tensor) for _ in self._strategy._devices[1:]]
        return Mirrored([tensor, *copies])

    def read_var(self, v):
        """The value of a variable; of one that replicas change for themselves, as it is read outside of them."""
        return v.read_value()

    def update_non_slot(self, colocate_with, fn, args=(), kwargs=None, group=True):
        """`fn(*args, **kwargs)` for each replica, with its values; once for variables in one place.

        Args:
          colocate_with: what `non_slot_devices` gives.
          fn, args, kwargs: function and its arguments.
          group: whether what `fn` returns is given as Mirrored; otherwise it is a tuple.

        Raises:
          RuntimeError: in the function of a replica, or in the scope of another strategy.
          AssertionError: `colocate_with` is no tuple, for several replicas.
        """
        require_cross_replica(self._strategy)
        kwargs = kwargs or {}
        of_each = self._count > 1 and not self._strategy._has_one_place
        if of_each and not isinstance(colocate_with, tuple | list):
            raise AssertionError(f"update_non_slot: expected what non_slot_devices returns, got {colocate_with!r}")
        results = []
        for replica in range(len(self._strategy._devices) if of_each else 1):
            with entered(current.strategy, None, True), as_replica(replica if of_each else None):
                results.append(fn(*select_replica(replica, args), **select_replica(replica, kwargs)))
        result = regroup(tuple(results), Mirrored) if of_each else results[0]
        return result if group else self._local_results(result)

    def experimental_make_numpy_dataset(self, numpy_input, session=None):
        """Not available. Raises tf.errors.UnimplementedError."""
        raise _absent("experimental_make_numpy_dataset", "tf.data.Dataset.from_tensor_slices")

    def experimental_run_steps_on_iterator(self, fn, iterator, iterations=1, initial_loop_values=None):
        """Not available. Raises tf.errors.UnimplementedError."""
        raise _absent("experimental_run_steps_on_iterator", "strategy.run in a loop of a tf.function")

    def non_slot_devices(self, var_list):
        """What variables that belong to no other one are made beside: the devices, or the first variable by name."""
        if self._strategy._has_one_place or not self._strategy._devices:
            return min(var_list, key=lambda v: v.name)
        return self.parameter_devices

    def _local_results(self, value):
        return self._strategy.experimental_local_results(value)

    def _in_multi_worker_mode(self):
        return self._strategy._processes > 1

    def _use_merge_call(self):
        return bool(self._strategy._devices)

    def _get_local_replica_id(self, replica_id_in_sync_group):
        return replica_id_in_sync_group


def _absent(name, instead):
    return UnimplementedError(
        None, None, f"tf.distribute.StrategyExtended.{name} is not available in tfcompat: use {instead}"
    )


def _another(value):
    """A tensor for one more replica: with an object of its own, so that replicas which return it return several."""
    return wrap(value._node) if isinstance(value, Tensor) else value


def _of_replica(replica, values):
    """As `select_replica`, with the part of each variable."""
    kind = type(values)
    if isinstance(values, dict):
        return {key: _part(replica, value) for key, value in values.items()}
    return kind(_part(replica, value) for value in values)


def _part(replica, value):
    value = select_replica(replica, value)
    return value._parts[replica] if isinstance(value, DistributedVariable) else value
