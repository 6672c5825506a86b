"""`Variable`: a mutable cell that holds a node."""
from __future__ import annotations

import abc
import copy
import functools
import inspect
import itertools
import threading
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core import first_values as _first_values
from tfcompat._core.assignment import BATCH_SCATTER, COPY, SCATTER, copied, rebound, refuse_unless_moved, unless_broken
from tfcompat._core.convert import convert_to_tensor, converted, to_node
from tfcompat._core.name_scope import unique_variable_name
from tfcompat._core.registry import OPS, public_op
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.tensor import (
    EagerTensor,
    Reference,
    Tensor,
    TensorType,
    dtype_of,
    out_of_scope,
    shape_of,
    text_of,
    wrap,
)
from tfcompat._core.variable_context import VariableAggregationV2, VariableSynchronization, assigned, creators, left
from tfcompat._native import hand_over, handed_over, twin
from tfcompat.engine import function_trace
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError, OutOfRangeError, UnimplementedError

# The value of a variable is a node of its own. To a tape, a tensor assigned to it or read from it is another value.
READ = engine.Operation("ReadVariableOp", lambda x: x)
_ADD = engine.Operation("add", jnp.add, identity="add")
_SUBTRACT = engine.Operation("subtract", jnp.subtract, identity="subtract")
hand_over(READ=READ, assign_operation=COPY, add_operation=_ADD, subtract_operation=_SUBTRACT)

_numbers = itertools.count()
_state = engine.state


_ENUMERATIONS = {"synchronization": VariableSynchronization, "aggregation": VariableAggregationV2}
# Arguments of TensorFlow 1 that `tf.Variable` takes, and that say nothing where there is no graph.
_OF_GRAPHS = frozenset({"use_resource", "container", "collections", "expected_shape"})


class _MadeByCreators(abc.ABCMeta):
    """Metaclass of variables: `tf.Variable(...)` calls the active creators.

    It derives from ABCMeta so that a subclass may also derive from an abstract class. `isinstance` is that of ordinary
    classes, which is faster.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    def __call__(cls, *args, **kwargs):
        if cls is Variable:
            for name in _OF_GRAPHS.intersection(kwargs):
                del kwargs[name]
        if not creators() or cls is not Variable:
            return super().__call__(*args, **kwargs)
        bound = inspect.signature(Variable.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        arguments = dict(list(bound.arguments.items())[1:])
        make = functools.partial(type.__call__, Variable)
        for creator in creators():
            make = functools.partial(creator, make)
        return make(**arguments)


class Variable(TensorType, metaclass=_MadeByCreators):
    """A mutable tensor.

    Args:
      initial_value: anything that converts to a tensor, or a function without arguments that returns it.
      trainable: whether tapes watch it by themselves; True by default.
      validate_shape, import_scope: of graphs, without effect.
      caching_device: name of a device; reads are not cached outside of graphs.
      variable_def: refused, as by TensorFlow outside of graphs.
      synchronization, aggregation: how replicas of the variable stay together.
      name: name without the `:0`; by default "Variable".
      dtype: DType that the initial value is converted to.
      constraint: function from value to value that optimizers apply after an update.
      shape: TensorShape that values must be compatible with, by default that of the initial value.

    Raises:
      ValueError: no initial value; the initial value does not fit `shape`; `variable_def`; `constraint` cannot be
        called; `synchronization` or `aggregation` is no member of its enumeration.
      RuntimeError: `caching_device` is a function.

    Gradient: each read under a tape is a path to the variable. No gradient flows through an assignment.
    TF: `tf.Variable`.
    """

    __array_priority__ = 100
    _in_graph_mode = False
    # What a subclass with a value of its own has, as ResourceVariable.
    _node: Any
    _current_node: Any
    _set: Any
    _take: Any
    _own: Any
    _device_name: Any = None  # of the part of a replica

    def __new__(cls, *args, **kwargs):
        return object.__new__(ResourceVariable if cls is Variable else cls)

    def __init__(self, initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None,
                 variable_def=None, dtype=None, import_scope=None, constraint=None,
                 synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregationV2.NONE, shape=None,
                 experimental_enable_variable_lifting=True):  # fmt: skip
        if not isinstance(self, ResourceVariable):
            raise NotImplementedError("tf.Variable is abstract: derive from the class of a variable")
        if variable_def is not None:
            raise ValueError(
                "Creating a `tf.Variable` with a `variable_def` arg is not supported when eager execution is enabled. "
                f"Got: variable_def={variable_def}"
            )
        for kind, value in (("synchronization", synchronization), ("aggregation", aggregation)):
            if value is not None and not isinstance(value, _ENUMERATIONS[kind]):
                raise ValueError(f"Invalid variable {kind} mode: {value} for variable: {name}")
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Argument `constraint` must be None or a callable. a callable. Got a {type(constraint)}:  {constraint}"
            )
        if callable(caching_device):
            raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
                "`variable_def`. You provided neither."
            )
        if callable(initial_value) and not isinstance(initial_value, Tensor | Variable):
            initial_value = initial_value()
        initial_value = getattr(initial_value, "wrapped_value", initial_value)
        dtype = None if dtype is None else dtypes.as_dtype(dtype)
        trace = function_trace(engine.state.graph)
        with engine.watching(()):
            node = to_node(initial_value, dtype)
        if trace is not None:
            node = trace.initial_value(node)
            trace.created.append(self)
        elif left.trace is not None:
            if node.value is None and node.graph.symbolic:
                raise out_of_scope(node)
            left.trace.check_creation()
            left.trace.created.append(self)
        self._dtype = dtype_of(node)
        if shape is None:
            self._shape = shape_of(node)
        else:
            self._shape = as_shape(shape)
            if not self._shape.is_compatible_with(shape_of(node)):
                raise ValueError(
                    f"The initial value's shape ({shape_of(node)}) is not compatible with the explicitly supplied "
                    f"`shape` argument ({shape})."
                )
        self._number = next(_numbers)
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._trainable = bool(trainable)
        self._constraint = constraint
        self._synchronization, self._aggregation = synchronization, aggregation
        self._name = unique_variable_name("Variable" if name is None else name)
        value = node.value if type(node.value) is np.ndarray else _first_values.on_host(node)
        with engine.eager_scope():
            self._node = engine.apply(COPY, (node,)) if value is None else engine.leaf(value)

    # --- reading --------------------------------------------------------------------------------------------------

    def _as_node(self):
        """The node that a subclass without a value of its own converts to."""
        other: Any = self
        if hasattr(other, "__tf_tensor__"):
            return to_node(other.__tf_tensor__())
        registered = converted(self)
        if registered is not None:
            return to_node(registered)
        if type(self).value is Variable.value:
            raise NotImplementedError(f"{type(self).__name__}.value")
        return to_node(self.value())

    @classmethod
    def _OverloadAllOperators(cls):
        """Does nothing: a subclass has the operators of tensors already."""

    def _as_tensor(self) -> Tensor:
        node = self._as_node()
        if node.aval.dtype.hasobject:
            return wrap(node if node.value is None else engine.leaf(node.value))
        return wrap(engine.apply(READ, (node,)))

    def read_value(self) -> Tensor:
        """The current value as a new tensor, which a tape distinguishes from other reads."""
        return self._as_tensor()

    def value(self) -> Tensor:
        """The current value as a tensor, as `read_value`."""
        return self._as_tensor()

    def read_value_no_copy(self) -> Tensor:
        """The current value as a tensor, as `read_value`."""
        return self._as_tensor()

    def initialized_value(self):
        """Raises NotImplementedError, as in TF: a variable has a value from the start. Use `read_value`."""
        raise NotImplementedError("tf.Variable.initialized_value: variables have a value from the start; read_value()")

    def numpy(self) -> Any:
        """The current value as a NumPy array."""
        return wrap(self._as_node()).numpy()

    def __array__(self, dtype=None, copy=None):
        return np.array(engine.array_of(self._as_node()), dtype)

    def __jax_array__(self):
        return engine.value_of(self._as_node())

    def eval(self, session=None):
        """Raises RuntimeError, as in TF outside of graphs. Use `numpy`."""
        raise _of_graphs("operation")

    # --- writing --------------------------------------------------------------------------------------------------

    def _assignable(self, value, kernel):
        """The node of a value that is about to be assigned or combined.

        Raises TF's errors where its dtype or shape does not fit:
        https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/resource_variable_ops.py
        """
        node = to_node(value, self._dtype)
        if kernel is None:
            if not self._shape.is_compatible_with(shape_of(node)):
                raise ValueError(
                    f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape {self._shape}, "
                    f"and the assigned value shape {shape_of(node)} are incompatible."
                )
        elif node.aval.shape != self._current_node().aval.shape:
            raise InvalidArgumentError(
                None, None,
                f"Cannot update variable with shape {_text(self._current_node().aval.shape)} using a Tensor with shape "
                f"{_text(node.aval.shape)}, shapes must be equal. [Op:{kernel}] name: ",
            )  # fmt: skip
        return node

    def load(self, value, session=None):
        """Replaces the value, as `assign`; there are no sessions. TF: `tf.Variable.load`."""
        self.assign(value)

    def _result(self, read_value) -> Any:
        if not read_value:
            return None
        if _state.watchers:
            self._as_node()  # in TF, returning the variable reads it
        return unread(self)

    @twin
    def assign(self, value, use_locking=None, name=None, read_value=True) -> Variable:
        """Replaces the value.

        Args:
          value: converts to a tensor of the variable's dtype, of a shape compatible with the variable's.
          use_locking, name: unused.
          read_value: whether to return the variable, as an `_UnreadVariable`.

        Raises:
          ValueError: shape or dtype does not fit; the variable keeps its value.
        """
        context = _state.context
        outer, context.watchers = context.watchers, ()
        try:
            if type(value) is EagerTensor and self._node is not None and value._node.aval is self._node.aval:
                node = value._node  # it has the aval of the present value, so it fits
            else:
                node = self._assignable(value, None)
            aval = node.aval
            copy = None if aval.host else COPY.calls.get((engine.NO_ATTRIBUTES, aval))
            if copy is None:
                self._set(node)
            else:
                self._own(engine.record(copy, (node,)))
        finally:
            context.watchers = outer
        return self._result(read_value)

    def _update(self, operation, kernel, delta, read_value):
        context = _state.context
        outer, context.watchers = context.watchers, ()
        try:
            current = self._current_node() if context.graph.symbolic else self._node
            if type(delta) is EagerTensor and delta._node.aval is current.aval:
                node = delta._node
            else:
                node = self._assignable(delta, kernel)
            if not self._dtype.is_numeric:
                raise InvalidArgumentError(
                    None, None, f"No OpKernel was registered to support Op '{kernel}' with dtype {self._dtype.name}"
                )
            if current.aval.host:  # a counter, which stays on the host
                updated((self,), lambda now: (OPS[f"tf.math.{operation.name}"](wrap(now), wrap(node))._node,))
            else:
                updated((self,), lambda now: (engine.apply(operation, (now, node)),))
        finally:
            context.watchers = outer
        return self._result(read_value)

    @twin
    def assign_add(self, delta, use_locking=None, name=None, read_value=True) -> Variable:
        """Adds `delta`, of the variable's shape and dtype. TF: `tf.Variable.assign_add`."""
        return self._update(_ADD, "AssignAddVariableOp", delta, read_value)

    @twin
    def assign_sub(self, delta, use_locking=None, name=None, read_value=True) -> Variable:
        """Subtracts `delta`, of the variable's shape and dtype. TF: `tf.Variable.assign_sub`."""
        return self._update(_SUBTRACT, "AssignSubVariableOp", delta, read_value)

    def _slices_in(self, sparse_delta):
        """The indices and values of an IndexedSlices, whose values may be one number for all slices."""
        if not hasattr(sparse_delta, "indices") or not hasattr(sparse_delta, "values"):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        indices: Any = convert_to_tensor(sparse_delta.indices)
        values = convert_to_tensor(sparse_delta.values, self._dtype)
        if values.shape.rank == 0:
            indices = indices[None] if indices.shape.rank == 0 else indices
            sizes = public_op("tf.shape")
            shape = public_op("tf.concat")([sizes(indices), sizes(self)[1:]], 0)
            values = public_op("tf.broadcast_to")(values, shape)
        return indices, values

    def _scatter_nd(self, which, indices, updates):
        with engine.watching(()):
            updates = convert_to_tensor(updates, self._dtype)
            update = public_op(f"tf.tensor_scatter_nd_{which}")
            updated((self,), lambda now: (copied(update(wrap(now), indices, updates)._node),))
        return unread(self)

    def scatter_add(self, sparse_delta, use_locking=False, name=None) -> Variable:
        """Adds the slices of an IndexedSlices. TF: `tf.Variable.scatter_add`."""
        return self._scatter_by_operation(sparse_delta, SCATTER["add"])

    def scatter_sub(self, sparse_delta, use_locking=False, name=None) -> Variable:
        """Subtracts the slices of an IndexedSlices. TF: `tf.Variable.scatter_sub`."""
        return self._scatter_by_operation(sparse_delta, SCATTER["sub"])

    def scatter_update(self, sparse_delta, use_locking=False, name=None) -> Variable:
        """Replaces slices by those of an IndexedSlices. TF: `tf.Variable.scatter_update`."""
        return self._scatter_by_operation(sparse_delta, SCATTER["update"])

    def scatter_max(self, sparse_delta, use_locking=False, name=None) -> Variable:
        """Takes the elementwise maximum with the slices of an IndexedSlices. TF: `tf.Variable.scatter_max`."""
        return self._scatter_by_operation(sparse_delta, SCATTER["max"])

    def scatter_min(self, sparse_delta, use_locking=False, name=None) -> Variable:
        """Takes the elementwise minimum with the slices of an IndexedSlices. TF: `tf.Variable.scatter_min`."""
        return self._scatter_by_operation(sparse_delta, SCATTER["min"])

    def scatter_mul(self, sparse_delta, use_locking=False, name=None) -> Variable:
        """Multiplies by the slices of an IndexedSlices, one after another. TF: `tf.Variable.scatter_mul`."""
        return self._scatter_by_operation(sparse_delta, SCATTER["mul"])

    def scatter_div(self, sparse_delta, use_locking=False, name=None) -> Variable:
        """Divides by the slices of an IndexedSlices, one after another. TF: `tf.Variable.scatter_div`."""
        return self._scatter_by_operation(sparse_delta, SCATTER["div"])

    def _scatter_by_operation(self, sparse_delta, operation):
        with engine.watching(()):
            indices, values = self._slices_in(sparse_delta)
            if self._dtype.np.hasobject:
                refuse_unless_moved(operation, self._dtype)
                return self._scatter_nd("update", public_op("tf.expand_dims")(indices, -1), values)
            if type(indices._node.value) is np.ndarray and self.shape.is_fully_defined():
                engine.conditions.enforce(operation.requires(self._as_node().aval, indices._node.value, None))
            updated((self,), lambda now: (engine.apply(operation, (now, indices._node, values._node)),))
        return unread(self)

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None) -> Variable:
        """Replaces slices of each member of a batch: `v[i..., indices[i..., j]] = values[i..., j]`.

        TF: `tf.Variable.batch_scatter_update`.
        """
        return self._scatter_by_operation(sparse_delta, BATCH_SCATTER)

    def scatter_nd_add(self, indices, updates, name=None) -> Variable:
        """Adds `updates` at `indices` as in `tf.tensor_scatter_nd_add`."""
        return self._scatter_nd("add", indices, updates)

    def scatter_nd_sub(self, indices, updates, name=None) -> Variable:
        """Subtracts `updates` at `indices` as in `tf.tensor_scatter_nd_sub`."""
        return self._scatter_nd("sub", indices, updates)

    def scatter_nd_update(self, indices, updates, name=None) -> Variable:
        """Replaces by `updates` at `indices` as in `tf.tensor_scatter_nd_update`."""
        return self._scatter_nd("update", indices, updates)

    def scatter_nd_max(self, indices, updates, name=None) -> Variable:
        """Maximum with `updates` at `indices` as in `tf.tensor_scatter_nd_max`."""
        return self._scatter_nd("max", indices, updates)

    def scatter_nd_min(self, indices, updates, name=None) -> Variable:
        """Minimum with `updates` at `indices` as in `tf.tensor_scatter_nd_min`."""
        return self._scatter_nd("min", indices, updates)

    def sparse_read(self, indices, name=None):
        """Gathers slices along axis 0, as `tf.gather(self, indices)`."""
        return public_op("tf.gather")(self, indices)

    def gather_nd(self, indices, name=None):
        """Gathers as `tf.gather_nd(self, indices)`."""
        return public_op("tf.gather_nd")(self, indices)

    def count_up_to(self, limit):
        """Increments a scalar of int32 or int64. Returns the value before.

        Raises:
          tf.errors.OutOfRangeError: the value is `limit` or more.
          tf.errors.InvalidArgumentError: another dtype or rank.
        """
        if self._dtype.name not in ("int32", "int64") or self._current_node().aval.shape:
            raise InvalidArgumentError(
                None, None, "count_up_to: expected a scalar variable of int32 or int64, got "
                f"{self._dtype.name} of shape {_text(self._current_node().aval.shape)} [Op:ResourceCountUpTo]"
            )  # fmt: skip
        while True:
            before = self._as_node()
            if int(engine.array_of(before)) >= limit:
                raise OutOfRangeError(None, None, f"Reached limit of {limit} [Op:CountUpTo]")
            after = engine.leaf(np.asarray(engine.array_of(before) + 1, self._dtype.np))
            if take_each([self], (after,), [before]):
                return wrap(before)

    # --- properties -----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name with TF's `:0`."""
        return self._name + ":0"

    @property
    def dtype(self) -> dtypes.DType:
        """DType of the values."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """TensorShape that values have; partly unknown if it was given so."""
        return self._shape

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable by themselves."""
        return self._trainable

    constraint = property(lambda self: self._constraint, doc="Function applied by optimizers after an update.")
    initializer = None  # an operation of graphs
    synchronization = property(lambda self: self._synchronization)
    aggregation = property(lambda self: self._aggregation)
    _shared_name = property(lambda self: self._name)
    _unique_id = property(lambda self: f"{self._name}_{id(self)}")

    def get_shape(self) -> TensorShape:
        """The shape, as `Variable.shape`."""
        return self._shape

    def set_shape(self, shape):
        """Merges `shape` into the variable's."""
        self._shape = self._shape.merge_with(shape)

    @property
    def ndim(self):
        """Number of dimensions."""
        return self._shape.rank

    @property
    def device(self) -> str:
        """TF's name of the device that holds the value."""
        return self._device_name or wrap(self._current_node()).device

    @property
    def op(self):
        """Raises AttributeError, as in TF outside of graphs."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def create(self):
        """Raises RuntimeError, as in TF outside of graphs; so do `initial_value` and `to_proto`."""
        raise _of_graphs("operation")

    @property
    def initial_value(self):
        """Raises RuntimeError, as in TF outside of graphs."""
        raise _of_graphs("property")

    def to_proto(self, export_scope=None):
        """Raises RuntimeError, as in TF outside of graphs."""
        raise _of_graphs("operation")

    def is_initialized(self, name=None):
        """A bool tensor: True, variables hold a value from the start."""
        return convert_to_tensor(True)

    def experimental_ref(self):
        """As `ref`."""
        return self.ref()

    def ref(self):
        """A hashable reference to this variable."""
        return Reference(self)

    def __hash__(self):
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def __bool__(self):
        return bool(wrap(self._as_node()))

    def __int__(self):
        return int(wrap(self._as_node()))

    def __float__(self):
        return float(wrap(self._as_node()))

    def __complex__(self):
        return complex(wrap(self._as_node()))

    def __iter__(self):
        return iter(self._as_tensor())

    def __reduce__(self):
        return _unpickled, (self.numpy(), self._trainable, self._name, self._dtype, self._constraint)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        copy = type(self)(
            self.numpy(), self._trainable, name=self._name, dtype=self._dtype, constraint=self._constraint,
            synchronization=self._synchronization, aggregation=self._aggregation, shape=self._shape,
        )  # fmt: skip
        memo[id(self)] = copy
        return copy

    def __repr__(self):
        trace = function_trace(engine.state.graph)
        start = f"<tf.Variable '{self.name}' shape={self._shape} dtype={self._dtype.name}"
        if trace is not None:
            return start + ">"
        return f"{start}, numpy={text_of(wrap(self._as_node()), repr_=True)}>"


@handed_over
class ResourceVariable(Variable):
    """The class of variables, named as in TF."""

    __module__ = "tensorflow.python.ops.resource_variable_ops"
    __init__ = Variable.__init__  # so that it precedes that of another base of a subclass

    def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
        """The value as a tensor. Variables of other packages call this on the variable that they wrap."""
        return wrap(to_node(self, None if dtype is None else dtypes.as_dtype(dtype)))

    @property
    def handle(self):
        """The variable itself: the identity that another package's variable, which wraps this one, refers to."""
        return self

    def _current_node(self):
        graph = _state.context.graph
        if not graph.symbolic:
            return self._node
        trace = function_trace(graph)
        return self._node if trace is None else trace.read(self)

    @twin
    def _as_node(self):
        """The node of the current value, for use in an op. Tells active tapes and accumulators that it was read."""
        node = self._current_node()
        if node is None:
            raise FailedPreconditionError(
                None, None, f"Could not find variable {self._name}: it was read before it was initialized."
            )
        self._was_read(node)
        return node

    def _was_read(self, node):
        """Tells active tapes and accumulators that the value `node` is used in an op."""
        for watcher in _state.context.watchers:
            watcher.variable_accessed(self, node)

    def _set(self, node):
        """Makes a copy of `node` the variable's value. Its shape and dtype have been checked."""
        context = _state.context
        outer, context.watchers = context.watchers, ()
        try:
            self._own(copied(node))
        finally:
            context.watchers = outer

    def _take(self, node):
        """As `_set` for a `node` that nobody else holds: it is copied only if a tape may have seen it."""
        if _state.context.watchers:
            self._set(node)
        else:
            self._own(node)

    def _take_for_good(self, node):
        """As `_take` for a `node` that has the former value if a condition is broken: it need not be taken back."""
        graph = _state.context.graph
        report, graph.report = graph.report, None
        try:
            self._take(node)
        finally:
            graph.report = report

    def _own(self, node):
        """Makes `node` itself the variable's value. Neither a tape nor anybody else may hold it."""
        context = _state.context
        graph = context.graph
        if graph.symbolic:
            trace = function_trace(graph)
            if trace is None and graph is assigned.graph:
                _, start = assigned.before.setdefault(id(self), (self, self._node))
                self._node = rebound(node, start)
                return
            if trace is None:
                raise UnimplementedError(
                    None, None,
                    f"{self.name} is assigned inside a function that is mapped or differentiated as a whole; return "
                    "the value and assign it after",
                )  # fmt: skip
            trace.assign(self, node)
            return
        if context.trial is not None:
            context.trial.assigned(self)
        if self._node.value is None:
            engine.cut_before_assignment(self._node)
        if graph.report is not None or graph.gathering is not None:
            node = unless_broken(graph, self, self._node, node)
        _exchange([self], None, (node,))
        engine.assigned(node)


class _UnreadVariable(Variable):
    """What an assignment returns: the variable under another name. Its value is that of the variable when it is read.

    TF: the class of the same name.
    """

    __slots__ = ("_variable",)
    __module__ = ResourceVariable.__module__
    name = "UnreadVariable"  # pyright: ignore[reportAssignmentType]
    op: Any = None

    def __getattr__(self, name):
        return getattr(self._variable, name)

    @property
    def _node(self):
        return self._variable._node

    @_node.setter
    def _node(self, node):
        self._variable._node = node

    @property
    def handle(self):
        """The variable."""
        return self._variable

    def _as_node(self):
        return self._variable._as_node()

    def set_shape(self, shape):
        """Merges `shape` into the variable's."""
        self._variable.set_shape(shape)

    def __deepcopy__(self, memo):
        return copy.deepcopy(self._variable, memo)

    def __reduce__(self):
        return self._variable.__reduce__()


hand_over(UnreadVariable=_UnreadVariable)


def unread(variable):
    """What an assignment to a variable returns."""
    result = object.__new__(_UnreadVariable)
    result._variable = variable
    return result


def _of_graphs(what):
    return RuntimeError(f"This {what} is not supported when eager execution is enabled.")


def _unpickled(value, trainable, name, dtype, constraint):
    return ResourceVariable(value, trainable, name=name, dtype=dtype, constraint=constraint)


@twin
def take_each(variables, nodes, present=None, cut=True):
    """Makes each of a tuple of nodes, which nobody else holds, the value of the variable at its place in a list.

    Args:
      present: list of the values from which the nodes were computed. If another thread has assigned one of the
        variables since, none is assigned.
      cut: whether a loop may be cut here.

    Returns:
      Whether the variables have the new values.
    """
    if present is None or engine.state.context.graph.symbolic:
        for variable, node in zip(variables, nodes, strict=True):
            variable._take(node)
        return True
    context = _state.context
    if context.watchers:
        with engine.watching(()):
            nodes = tuple([engine.apply(COPY, (node,)) for node in nodes])
    for variable, node in zip(variables, present, strict=True):
        if context.trial is not None:
            context.trial.assigned(variable)
        if cut and node.value is None:
            engine.cut_before_assignment(node)
    graph, noted = context.graph, len(context.graph.assignments)
    if graph.report is not None or graph.gathering is not None:
        changes = zip(variables, present, nodes, strict=True)
        nodes = tuple([unless_broken(graph, variable, before, node) for variable, before, node in changes])
    if not _exchange(variables, present, nodes):
        del graph.assignments[noted:]
        return False
    for node in nodes:
        engine.assigned(node)
    return True


_exchanging = threading.RLock()  # a finalizer may assign a variable meanwhile


@twin
def _exchange(variables, present, nodes):
    """Gives variables the values `nodes`, as one step, if they have the values `present`; returns whether."""
    with _exchanging:
        if present is not None:
            for variable, node in zip(variables, present, strict=True):
                if variable._node is not node:
                    return False
        for variable, node in zip(variables, nodes, strict=True):
            variable._node = node
    return True


def updated(variables, compute):
    """Gives variables values computed from their present ones, as one step, whatever other threads do meanwhile.

    Nothing is locked: nodes are recorded again if a variable has been assigned since it was read. So no thread
    waits for another here.

    Args:
      variables: sequence of variables.
      compute: function of the nodes of their values; returns a tuple of nodes of which the last, one for each variable,
        are the new values. Nobody else holds these. It is called again if need be.

    Returns:
      What `compute` returned.
    """
    assigned: list[Any] = list(map(variable_behind, variables))
    cut = True  # to cut a loop is to wait, in which time others assign the variables again
    while True:
        # What is stored: some layers' variables are read in another dtype.
        present = [ResourceVariable._as_node(variable) for variable in assigned]
        results = compute(*present)
        if take_each(assigned, results[len(results) - len(assigned):], present, cut):
            return results
        cut = False


def variable_behind(x):
    """The variable that another package's variable (Keras 3's, larq's) wraps; otherwise `x` itself."""
    if type(x) is not ResourceVariable and isinstance(x, TensorType) and not isinstance(x, Tensor | ResourceVariable):
        return getattr(x, "handle", x)
    return x


def variable_read(x):
    """What is read where a program reads `x`: as `variable_behind`, and of a variable of replicas the part."""
    x = variable_behind(x)
    part_here = getattr(x, "_part_here", None)
    return x if part_here is None else part_here()


def _text(shape):
    return "[" + ",".join(map(str, shape)) + "]"
