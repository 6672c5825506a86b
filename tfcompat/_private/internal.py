"""`tf.__internal__`: the classes that packages use."""

from types import SimpleNamespace as _Namespace

from tfcompat import distribute as _distribute
from tfcompat._core.convert import convert_to_tensor as _convert_to_tensor
from tfcompat._core.tensor import EagerTensor as EagerTensor
from tfcompat._core.tensor import SymbolicTensor as SymbolicTensor
from tfcompat._core.tensor import TensorType as _TensorType
from tfcompat._private import smart_cond as _smart_cond
from tfcompat._private import tf_decorator as _tf_decorator
from tfcompat._private import tracking as tracking
from tfcompat._private.composite_tensor import CompositeTensor as CompositeTensor
from tfcompat._private.type_spec import register as _register
from tfcompat.array import cast as _cast
from tfcompat.compat._func_graph import FuncGraph as FuncGraph
from tfcompat.engine import eager_scope as _eager_scope
from tfcompat.errors import UnimplementedError as _UnimplementedError

type_spec_register = _register


def _merges_by_itself():
    """Whether functions over all replicas are called as they are."""
    return not _distribute.get_strategy().extended._use_merge_call()


def _maybe_merge_call(fn, strategy, *args, **kwargs):
    """`fn(strategy, *args, **kwargs)`, by way of `merge_call` where a strategy is entered."""
    if _merges_by_itself() or _distribute.get_replica_context() is None:
        return fn(strategy, *args, **kwargs)
    return _distribute.get_replica_context().merge_call(fn, args, kwargs)


def _assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """Moves a variable towards a value: it becomes `variable * decay + value * (1 - decay)`.

    Raises:
      tf.errors.UnimplementedError: `zero_debias`, which needs further variables.
    """
    if zero_debias:
        raise _UnimplementedError(
            None, None, "assign_moving_average with zero_debias: use zero_debias=False"
        )
    rate = _convert_to_tensor(1.0 - decay)

    def moved(variable, value):
        return variable.assign_sub((variable - value) * _cast(rate, variable.dtype))

    def merged(strategy, variable, value):
        value = strategy.extended.reduce_to(_distribute.ReduceOp.MEAN, value, variable)
        return strategy.extended.update(variable, moved, args=(value,))

    context = _distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return moved(variable, value)
    return context.merge_call(merged, args=(variable, value))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"tf.__internal__.{name} is private to TensorFlow, and not available in tfcompat", name=name)


decorator = _Namespace(make_decorator=_tf_decorator.make_decorator, unwrap=_tf_decorator.unwrap)
types = _Namespace(Tensor=_TensorType)
smart_cond = _Namespace(smart_cond=_smart_cond.smart_cond)
distribute = _Namespace(
    interim=_Namespace(maybe_merge_call=_maybe_merge_call), strategy_supports_no_merge_call=_merges_by_itself
)
eager_context = _Namespace(eager_mode=_eager_scope)
train = _Namespace(assign_moving_average=_assign_moving_average)
tf2 = _Namespace(enabled=lambda: True)
