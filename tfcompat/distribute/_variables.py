"""Variables with a part for each replica."""

import contextlib
import copy

from tfcompat import engine
from tfcompat._core.convert import to_node
from tfcompat._core.tensor import EagerTensor, wrap
from tfcompat._core.variable import ResourceVariable
from tfcompat._core.variable_context import VariableAggregationV2, VariableSynchronization
from tfcompat._native import handed_over, twin
from tfcompat.distribute import _collectives
from tfcompat.distribute._contexts import ReduceOp, current, entered, mixing
from tfcompat.distribute._values import DistributedValues, Mirrored, PerReplica, select_replica

_WHOLE = frozenset({"assign", "assign_add", "assign_sub"})  # methods that take a value for the whole variable
_REDUCTIONS = {VariableAggregationV2.SUM: ReduceOp.SUM, VariableAggregationV2.MEAN: ReduceOp.MEAN}


def name_of_part(name, replica):
    """The name of the part of a replica, of a variable of all replicas; that of the first one is the variable's."""
    return f"{name}/replica_{replica}"


class DistributedVariable(ResourceVariable, DistributedValues):
    """A variable with a part for each replica. In the function of a replica it is the part of that replica.

    Args:
      strategy: the strategy in whose scope it was made.
      parts: tuple of variables.
      aggregation: how values of replicas are combined where they must agree.

    TF: what `tf.Variable` makes in the scope of a strategy of several replicas.
    """

    __module__ = "tensorflow.python.distribute.values"

    def __init__(self, strategy, parts, aggregation):
        self._strategy, self._parts = strategy, tuple(parts)
        first = self._parts[0]
        self._trainable, self._constraint, self._number = first._trainable, first._constraint, first._number
        self._synchronization, self._aggregation = first._synchronization, aggregation
        for part in self._parts:
            part._container = self
            part._distributed_container = lambda: self  # Keras 3 asks for it

    @property
    def values(self):
        """Tuple of the parts."""
        return self._parts

    _values = values
    _primary = property(lambda self: self._parts[0])
    distribute_strategy = property(lambda self: self._strategy, doc="The strategy in whose scope it was made.")
    _distribute_strategy = distribute_strategy
    is_distributed_variable = True
    _devices = property(lambda self: tuple(part.device for part in self._parts))

    def _part_here(self):
        """The part of the replica whose function is running; elsewhere the first."""
        replica = engine.state.context.replica
        return self._parts[0] if replica is None or replica >= len(self._parts) else self._parts[replica]

    _get = _part_here

    # What the rest of tfcompat asks a variable for.

    @property
    def _node(self):
        return self._part_here()._node

    @_node.setter
    def _node(self, node):
        part = self._part_here()
        part._node = node
        self._mark(part)

    def _mark(self, part):
        replica = engine.state.context.replica
        if replica is not None:
            _collectives.mark_variable(part, replica, self._strategy._place)

    _dtype = property(lambda self: self._parts[0]._dtype)  # pyright: ignore
    dtype = property(lambda self: self._parts[0].dtype, doc="DType of the values as they are read here.")  # pyright: ignore
    true_dtype = _dtype
    device = property(lambda self: self._part_here().device)  # pyright: ignore

    @property
    def _name(self):  # pyright: ignore
        return self._parts[0]._name

    @_name.setter
    def _name(self, name):
        self._parts[0]._name = name
        for number, part in enumerate(self._parts[1:], 1):
            part._name = name_of_part(name, number)

    @property
    def _shape(self):
        return self._parts[0]._shape

    @_shape.setter
    def _shape(self, shape):
        for part in self._parts:
            part._shape = shape

    def _current_node(self):
        return self._part_here()._current_node()

    def _as_node(self):
        return self._part_here()._as_node()

    def _written(self):
        """The parts that a value from outside of replicas goes to."""
        return self._parts if engine.state.context.replica is None else (self._part_here(),)

    def _set(self, node):
        for part in self._written():
            part._set(node)
            self._mark(part)

    def _take(self, node):
        self._set(node)

    def _own(self, node):
        for part in self._written():
            part._own(node if node.value is None else engine.leaf(node.value))
            self._mark(part)

    def _take_for_good(self, node):
        for part in self._written():
            part._take_for_good(node)
            self._mark(part)

    def numpy(self):
        """The value as a NumPy array, in a replica that of its part."""
        return wrap(self._as_node()).numpy()

    @property
    def handle(self):
        """That of the part of the replica. Raises ValueError outside of replicas."""
        if engine.state.context.replica is None:
            raise ValueError(
                "DistributedVariable.handle is not available outside the replica context or a "
                "`tf.distribute.Strategy.update()` call."
            )
        return self._part_here().handle

    # --- writing --------------------------------------------------------------------------------------------------

    def _updated(self, method, value, args, kwargs):
        """Calls a method of the parts with a value, as it is done in this context; see the classes."""
        raise NotImplementedError

    def _update_all(self, method, value, args, kwargs):
        results = []
        for replica, part in enumerate(self._parts):
            results.append(getattr(part, method)(select_replica(replica, value), *args, **kwargs))
            _collectives.mark_variable(part, replica, self._strategy._place)
        return results

    def _update_here(self, method, value, args, kwargs):
        part = self._part_here()
        result = getattr(part, method)(value, *args, **kwargs)
        self._mark(part)
        return result

    def __reduce__(self):
        return ResourceVariable.__reduce__(self)

    def __deepcopy__(self, memo):
        made = type(self)(self._strategy, [copy.deepcopy(part, memo) for part in self._parts], self._aggregation)
        memo[id(self)] = made
        return made

    __repr__ = DistributedValues.__repr__
    __str__ = DistributedValues.__str__
    __hash__ = ResourceVariable.__hash__


def _call(variable, name, value, args, kwargs):
    """Calls a method of a variable of replicas where the program is."""
    strategy = current.strategy
    if strategy is not variable._strategy and strategy is not None:
        raise mixing(strategy, variable._strategy)
    if current.replica is None and engine.state.context.replica is not None:  # in `StrategyExtended.update`
        return variable._update_here(name, value, args, kwargs)
    return variable._updated(name, value, args, kwargs)


def _forwarded(name, parameter):
    def method(self, *args, **kwargs):
        if not args and parameter not in kwargs:
            raise TypeError(f"{name}() missing 1 required positional argument: '{parameter}'")
        value, *rest = args or (kwargs.pop(parameter),)
        return _call(self, name, value, rest, kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"As `tf.Variable.{name}`, for all replicas; by the rules of `synchronization` and `aggregation`."
    setattr(DistributedVariable, name, method)


_forwarded("assign", "value")
for _name in ("assign_add", "assign_sub"):
    _forwarded(_name, "delta")
for _name in ("scatter_add", "scatter_sub", "scatter_update", "scatter_max", "scatter_min", "scatter_mul",
              "scatter_div", "batch_scatter_update"):  # fmt: skip
    _forwarded(_name, "sparse_delta")


def _read_parts(parts, read_value):
    return [part.read_value() for part in parts] if read_value else None


@handed_over
class MirroredVariable(DistributedVariable):
    """A variable whose parts are the same in all replicas, as long as its replicas assign by an aggregation."""

    _sums = property(lambda self: self._aggregation is VariableAggregationV2.SUM)

    @twin
    def assign(self, value, *args, **kwargs):
        """As `tf.Variable.assign`, for all replicas; by the rules of `synchronization` and `aggregation`."""
        return _call(self, "assign", value, args, kwargs)

    @twin
    def assign_add(self, delta, *args, **kwargs):
        """As `tf.Variable.assign_add`, see `assign`."""
        return _call(self, "assign_add", delta, args, kwargs)

    @twin
    def assign_sub(self, delta, *args, **kwargs):
        """As `tf.Variable.assign_sub`, see `assign`."""
        return _call(self, "assign_sub", delta, args, kwargs)

    def _updated(self, method, value, args, kwargs):
        read = kwargs.get("read_value", True)
        if current.replica is None:
            self._update_all(method, value, args, kwargs)
            return Mirrored(_read_parts(self._parts, True)) if read else None
        if self._aggregation is VariableAggregationV2.NONE:
            return self._update_here(method, value, args, kwargs)
        if method not in _WHOLE and self._aggregation in _REDUCTIONS and (
            method in ("scatter_min", "scatter_max", "scatter_mul", "scatter_div")
        ):
            raise NotImplementedError(
                f"{method} is only supported for mirrored variable with tf.VariableAggregation.ONLY_FIRST_REPLICA or "
                "tf.VariableAggregation.NONE"
            )

        def merged(strategy, value):
            value = aggregated(strategy, value, self._aggregation)
            self._update_all(method, value, args, kwargs)
            return PerReplica(_read_parts(self._parts, True)) if read else None

        replica = current.replica
        together = self._aggregated(replica, method, value)
        if together is None:
            return replica.merge_call(merged, (value,))
        context, number = engine.state.context, replica._replica_id
        part, watchers, context.watchers = self._parts[number], context.watchers, ()
        try:
            getattr(part, method)(together[0], *args, **kwargs)
            _collectives.mark_variable(part, number, self._strategy._place)
            return part.read_value() if read else None
        finally:
            context.watchers = watchers

    def _aggregated(self, replica, method, value):
        """What all replicas assign, in a list, if none has to wait for the others; else None."""
        if method in _WHOLE:
            if self._aggregation is VariableAggregationV2.ONLY_FIRST_REPLICA:
                return replica.first((method, id(self)), value)
            if type(value) is EagerTensor:
                return replica.totals((method, id(self)), (value,), self._aggregation is VariableAggregationV2.MEAN)
        return None


def aggregated(strategy, value, aggregation):
    """What a variable of this aggregation gets, of a value that the replicas assign."""
    if aggregation is VariableAggregationV2.ONLY_FIRST_REPLICA:
        return value._values[0] if isinstance(value, PerReplica) else value
    return strategy.extended.reduce_to(_REDUCTIONS[aggregation], value, None)


@handed_over
class SyncOnReadVariable(DistributedVariable):
    """A variable of which each replica has a part of its own. Elsewhere it is read as the aggregate of the parts."""

    def _aggregate(self):
        kind = self._aggregation
        if kind is VariableAggregationV2.ONLY_FIRST_REPLICA:
            return self._parts[0]._as_node()
        mean = ReduceOp.from_variable_aggregation(kind) is ReduceOp.MEAN
        parts = [EagerTensor(part._as_node()) for part in self._parts]
        return to_node(_collectives.total(parts, mean, self._strategy._place))

    def _as_node(self):
        return self._aggregate() if engine.state.context.replica is None else super()._as_node()

    def _current_node(self):
        return self._aggregate() if engine.state.context.replica is None else super()._current_node()

    def _updated(self, method, value, args, kwargs):
        if current.replica is not None:
            return self._update_here(method, value, args, kwargs)
        if method not in ("assign", "assign_add", "assign_sub"):
            raise NotImplementedError(f"SyncOnReadVariable does not support `{method}` in cross-replica context.")
        if self._aggregation is VariableAggregationV2.SUM:
            if method != "assign":
                raise ValueError(
                    f"SyncOnReadVariable does not support `{method}` in cross-replica context when aggregation is set "
                    "to `tf.VariableAggregation.SUM`."
                )
            value = wrap(to_node(value, hint=self._dtype)) / len(self._parts)
        self._update_all(method, value, args, kwargs)
        return self.read_value() if kwargs.get("read_value", True) else None


class AggregatingVariable(DistributedVariable):
    """A variable that is in one place, where the replicas read it.

    TF: what `tf.Variable` makes in the scope of a CentralStorageStrategy.
    """

    __module__ = "tensorflow.python.distribute.ps_values"

    def _updated(self, method, value, args, kwargs):
        update = getattr(self._parts[0], method)
        if current.replica is None:
            return update(value, *args, **kwargs)
        if self._aggregation is VariableAggregationV2.NONE:
            raise ValueError(
                "You must specify an aggregation method to update a AggregatingVariable in Replica Context. You can do "
                "so by passing an explicit value for argument `aggregation` to tf.Variable(..).e.g. `tf.Variable(..., "
                "aggregation=tf.VariableAggregation.SUM)``tf.VariableAggregation` lists the possible aggregation "
                "methods.This is required because AggregatingVariable should always be kept in sync."
            )
        return current.replica.merge_call(
            lambda strategy, value: update(aggregated(strategy, value, self._aggregation), *args, **kwargs), (value,)
        )

    def _written(self):
        return self._parts

    def __repr__(self):
        return repr(self._parts[0])

    __str__ = __repr__


def check(synchronization, aggregation, name):
    """The synchronization of a variable in the scope of a strategy, AUTO resolved.

    Raises:
      ValueError: TensorFlow's, for what no strategy supports.
    """
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change the "
            f"`synchronization` for variable: {name}"
        )
    if not isinstance(synchronization, VariableSynchronization):
        raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {name}")
    if not isinstance(aggregation, VariableAggregationV2):
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}")
    if synchronization is VariableSynchronization.AUTO:
        return VariableSynchronization.ON_WRITE
    return synchronization


def first_value(variable):
    """The value of a variable just made, as a tensor, whatever is being traced."""
    return EagerTensor(variable._node)


@contextlib.contextmanager
def as_replica(number):
    """A context in which variables of replicas are the parts of one of them; None changes nothing."""
    context = engine.state.context
    outer = context.replica
    context.replica = outer if number is None else number
    try:
        yield
    finally:
        context.replica = outer


@contextlib.contextmanager
def outside_of_replicas():
    """A context as if no strategy ran a function: what is assigned to a variable goes to all its parts."""
    context = engine.state.context
    outer, context.replica = context.replica, None
    try:
        with entered(None, None, False):
            yield
    finally:
        context.replica = outer


def replicas_to_update(variables):
    """The numbers of the replicas whose parts of variables are updated here: [None] for those of this place."""
    if engine.state.context.replica is not None:
        return [None]
    counts = {len(v._parts) for v in variables if isinstance(v, DistributedVariable)}
    return list(range(max(counts))) if counts else [None]
