"""Where a program is: in the scope of a strategy, in the function of a replica, or where all replicas are merged."""

import enum

from tfcompat._core import device as _device
from tfcompat._core.variable_context import VariableAggregationV2
from tfcompat._package.thread_state import ThreadState


class ReduceOp(enum.Enum):
    """How values of replicas are combined. TF: `tf.distribute.ReduceOp`."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation):
        """The ReduceOp of a tf.VariableAggregation; ValueError unless that is SUM or MEAN."""
        if aggregation not in (VariableAggregationV2.SUM, VariableAggregationV2.MEAN):
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to`tf.distribute.ReduceOp` type"
            )
        return ReduceOp[aggregation.name]


def reduction(reduce_op):
    """The ReduceOp of a name, in capitals or not.

    Raises:
      ValueError: there is none of that name.
    """
    if type(reduce_op) is ReduceOp:
        return reduce_op
    name = reduce_op.upper() if isinstance(reduce_op, str) else reduce_op
    return _SUM if name == "SUM" else ReduceOp(name)


_SUM = ReduceOp.SUM  # an Enum takes longer to find it


class _Current(ThreadState):
    strategy = None  # whose scope is entered
    replica = None   # the ReplicaContext of the function that a strategy runs
    cross = False    # whether a function is merged, or a scope entered


current = _Current()


def enter(strategy, replica, cross):
    """Enters a scope, the function of a replica, or a merged function. Returns what was entered before."""
    outer = current.strategy, current.replica, current.cross
    current.strategy, current.replica, current.cross = strategy, replica, cross
    _device.within.replica = replica
    return outer


def enter_replica(replica):
    """Goes on to the function of another replica of the same strategy."""
    current.replica = _device.within.replica = replica


class entered:
    """The context of what `enter` enters."""

    def __init__(self, strategy, replica, cross):
        self._own = strategy, replica, cross

    def __enter__(self):
        self._outer = enter(*self._own)

    def __exit__(self, *exc):
        enter(*self._outer)


def mixing(strategy, other):
    """The error that two strategies are used at a time."""
    return RuntimeError(f"Mixing different tf.distribute.Strategy objects: {strategy} is not {other}")


def require_cross_replica(strategy, instead="Method requires being in cross-replica context, use "
                                            "get_replica_context().merge_call()"):  # fmt: skip
    """Raises RuntimeError in the scope of another strategy, or in the function of a replica; that says what `instead`.
    """
    if current.strategy is not None:
        if current.strategy is not strategy:
            raise mixing(current.strategy, strategy)
        if current.replica is not None and strategy._devices:
            raise RuntimeError(instead)
