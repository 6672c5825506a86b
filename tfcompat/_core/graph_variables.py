"""Variables of graphs of TensorFlow 1."""

from typing import Any

from tfcompat import dtypes
from tfcompat._core import name_scope as _name_scope
from tfcompat._core.composite import CompositeArgument
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.graphs import (
    GraphTensor,
    Inferred,
    Recorded,
    Result,
    current,
    process,
    record,
    session_for,
    state,
    upstairs,
)
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable

GLOBAL_VARIABLES, TRAINABLE_VARIABLES = "variables", "trainable_variables"


class GraphVariable(Recorded, Variable):
    """A variable of a graph: each session has a value of it, from when the session runs its `initializer`.

    TF: `tf.Variable` of a graph.
    """

    _in_graph_mode = True
    __hash__ = Recorded.__hash__

    def __init__(self, initial_value, trainable=None, name=None, dtype=None, constraint=None, shape=None,
                 validate_shape=True, collections=None, **options):  # fmt: skip
        graph: Any = current()
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        self.graph = graph
        self._trainable = True if trainable is None else bool(trainable)
        self._constraint = constraint
        self._synchronization, self._aggregation = options.get("synchronization"), options.get("aggregation")
        self._name = graph.unique_op_name("Variable" if name is None else name)
        with graph.control_dependencies(None), _name_scope.name_scope(f"{self._name}/"):
            if callable(initial_value) and not isinstance(initial_value, Tensor | Variable):
                initial_value = initial_value()
            if isinstance(initial_value, GraphVariable):
                initial_value = initial_value.initialized_value()
            if not isinstance(initial_value, GraphTensor) or dtype is not None and initial_value.dtype != dtype:
                initial_value = record(convert_to_tensor, (initial_value, dtype), {}, "initial_value", "Const")
            self._initial_value = initial_value
            self._dtype = initial_value.dtype
            self._shape = TensorShape(shape) if shape is not None else initial_value.shape
            if not validate_shape and shape is None:
                self._shape = TensorShape(None)
            if validate_shape and not self._shape.is_compatible_with(initial_value.shape):
                raise ValueError(
                    f"The initial value's shape ({initial_value.shape}) is not compatible with the explicitly supplied "
                    f"`shape` argument ({shape})."
                )
            self._initializer = self._recorded("initialize", (initial_value,), "Assign", "AssignVariableOp").op
            read = Inferred(Result(self._shape, self._dtype))
            self._handle = record(Variable.read_value, (self,), {}, f"{self._name}/", "VarHandleOp", read).op
            self.value_in_graph = record(Variable.read_value, (self,), {}, "Read/ReadVariableOp", "ReadVariableOp",
                                         read)  # fmt: skip
        keys = [GLOBAL_VARIABLES] if collections is None else list(collections)
        if self._trainable and TRAINABLE_VARIABLES not in keys:
            keys.append(TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    # --- in a run -------------------------------------------------------------------------------------------------

    def in_run(self):
        """The variable that holds the value in the session that runs.

        Raises:
          tf.errors.FailedPreconditionError: the session has not initialized it.
        """
        return state.run.variable(self)

    def _current_node(self):
        return self._as_node()

    def _as_node(self):
        if state.run is None:
            raise CompositeArgument(self)
        return self.in_run()._as_node()

    def _recorded(self, method, args, name=None, kind=None):
        """An operation that calls a method of the session's variable and gives the new value."""
        if state.run is not None:
            return state.run.call(self, method, *args)
        result = Inferred(Result(self._shape, self._dtype), variables=[self])

        def call(*args):
            return state.run.call(self, method, *args)

        return record(call, args, {}, name or kind, kind, result, effect=True,
                      attributes={"initializes": [self]} if method in ("initialize", "assign") else {})  # fmt: skip

    # --- reading --------------------------------------------------------------------------------------------------

    def value(self):
        """The value as a tensor of the graph."""
        return self.read_value()

    def read_value(self):
        """The value as a tensor of the graph, read after the control dependencies here."""
        if state.run is not None:
            return self.in_run().read_value()
        result = Inferred(Result(self._shape, self._dtype))
        return record(Variable.read_value, (self,), {}, "ReadVariableOp", "ReadVariableOp", result)

    _as_tensor = read_value_no_copy = value

    def initialized_value(self):
        """The value that the variable is initialized with, or has been."""
        return self._initial_value

    shape = property(lambda self: process.shapes(self._shape), doc="TensorShape that values have.")
    initial_value = property(lambda self: self._initial_value, doc="The tensor that the variable is initialized with.")
    initializer = property(lambda self: self._initializer, doc="The operation that initializes the variable.")
    op = property(lambda self: self._handle, doc="The operation of its name, which gives the value.")
    device = property(lambda self: "", doc="The empty string: XLA places variables.")
    handle = property(lambda self: self if state.run is None else self.in_run(), doc="What holds the value in a run.")

    def get_shape(self):
        """The shape, as the attribute."""
        return self.shape

    def is_initialized(self, name=None):
        """Whether the session has a value, a bool tensor of the graph."""
        known = Inferred(Result([], dtypes.bool))
        return record(lambda: convert_to_tensor(state.run.has(self)), (), {}, "VarIsInitializedOp", None, known)

    def eval(self, session=None):
        """The value in a session, by default the default one."""
        return session_for(session, "evaluate tensor using `eval()`", "eval").run(self)

    def load(self, value, session=None):
        """Gives the variable a value in a session."""
        session_for(session, "load a variable using `load()`", "load").load(self, value)

    def numpy(self):
        """NotImplementedError: a session computes values."""
        if state.run is not None:
            return self.in_run().numpy()
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __deepcopy__(self, memo):
        raise NotImplementedError("__deepcopy__() is only available when eager execution is enabled.")

    def __iter__(self):
        raise TypeError("'Variable' object is not iterable.")

    # --- writing --------------------------------------------------------------------------------------------------

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """An operation that replaces the value, and gives the new one.

        Raises:
          ValueError: the shape does not fit.
        """
        if current() is not None and not isinstance(value, GraphTensor):
            value = record(convert_to_tensor, (value, self._dtype), {}, "Const", "Const")
        if isinstance(value, GraphTensor) and not self._shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch.The variable shape {self._shape}, and "
                f"the assigned value shape {value.shape} are incompatible."
            )
        return self._recorded("assign", (value,), name, "AssignVariableOp")

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        """An operation that adds to the value, and gives the new one."""
        return self._recorded("assign_add", (delta,), name, "AssignAddVariableOp")

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        """An operation that subtracts from the value, and gives the new one."""
        return self._recorded("assign_sub", (delta,), name, "AssignSubVariableOp")

    def scattered(self, method, indices, updates):
        """An operation that calls a scattering method of the variable for some rows, and gives the new value."""
        return self._recorded(method, (indices, updates), None, f"ResourceS{method[1:].title().replace('_', '')}")

    def __getattr__(self, name):
        if name.startswith("scatter_"):
            if "_nd_" in name:
                return lambda indices, updates, name=None, method=name: self.scattered(method, indices, updates)
            return lambda slices, use_locking=False, name=None, method=name: self.scattered(
                method, slices.indices, slices.values
            )
        raise AttributeError(f"'Variable' object has no attribute {name!r}", name=name, obj=self)


def make_variable(next_creator, **kwargs):
    """A creator of variables: a GraphVariable where a graph is built."""
    if current() is None:
        return next_creator(**kwargs)
    return GraphVariable(**{name: value for name, value in kwargs.items() if name in _OF_VARIABLES})


_OF_VARIABLES = frozenset(
    "initial_value trainable name dtype constraint shape validate_shape synchronization aggregation".split()
)


upstairs.make_variable = make_variable
