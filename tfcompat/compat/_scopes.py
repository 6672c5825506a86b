"""`tf.compat.v1.get_variable` and scopes, as they are in eager execution: only templates share variables."""
import functools
from contextlib import contextmanager, nullcontext

import tfcompat as tf
from tfcompat import engine
from tfcompat._core import graphs
from tfcompat._core.graph_variables import GraphVariable
from tfcompat._core.graphs import Graph, GraphTensor, Recorded, record
from tfcompat._package.thread_state import ThreadState
from tfcompat.compat._initializers import Constant, GlorotUniform, Zeros
from tfcompat.compat._v1_functions import AUTO_REUSE
from tfcompat.errors import UnimplementedError
from tfcompat.layers._dense_features import parts_for


class VariableScope:
    """What `tf.compat.v1.variable_scope` gives: a name, and settings that `get_variable` uses.

    TF: `tf.compat.v1.VariableScope`, without partitioners and caching, which mean nothing here.
    """

    def __init__(self, reuse=None, name="", initializer=None, regularizer=None, dtype=None, custom_getter=None,
                 constraint=None):  # fmt: skip
        self.name, self._original_name_scope = name, name
        self.reuse = reuse
        self.initializer = initializer
        self.regularizer = regularizer
        self.dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
        self.use_resource = True
        self.caching_device = None
        self.custom_getter = custom_getter
        self.partitioner = None
        self.constraint = constraint

    def reuse_variables(self):
        """Lets `get_variable` give the variables that there are, and no other ones."""
        self.reuse = True

    original_name_scope = property(lambda self: self._original_name_scope)

    def set_caching_device(self, caching_device):
        """Kept, and of no effect: values of variables are on one device."""
        self.caching_device = caching_device


class _State(ThreadState):
    """A thread's open scopes, how often each name was opened, and the templates called, the outermost first."""

    def __init__(self):
        self.scopes = [VariableScope()]
        self.counts: dict[str, int] = {}
        self.templates: list = []


state = _State()


def scopes_here():
    """The scopes of the graph that is built, or whose operations are computed; of the thread without one."""
    graph = _graph_here()
    if graph is None:
        return state
    if graph.scopes is None:
        graph.scopes = _Scopes()
    return graph.scopes


class _Scopes:
    """The scopes of a graph; see `_State`."""

    def __init__(self):
        self.scopes = [VariableScope()]
        self.counts: dict[str, int] = {}
        self.templates: list = []


def _graph_here():
    return graphs.current() if graphs.state.run is None else graphs.state.run.graph


def in_scope(scope, function, *args, **kwargs):
    """Calls a function, in a run, in the scope of variables in which its call was recorded."""
    scopes = scopes_here().scopes
    scopes.append(scope)
    try:
        return function(*args, **kwargs)
    finally:
        scopes.pop()


def get_variable_scope():
    """The innermost scope. TF: `tf.compat.v1.get_variable_scope`."""
    return scopes_here().scopes[-1]


def unique_scope_name(name):
    """`name`, with a number if a scope of that name was opened in the innermost one before."""
    outer = get_variable_scope().name
    unique, index = name, 0
    while scopes_here().counts.get(f"{outer}/{unique}" if outer else unique):
        index += 1
        unique = f"{name}_{index}"
    return unique


def forget_scopes_in(name):
    """Lets the names of the scopes in that called `name` be given again."""
    for known in [known for known in scopes_here().counts if known.startswith(f"{name}/")]:
        del scopes_here().counts[known]


@contextmanager
def variable_scope(name_or_scope, default_name=None, values=None, initializer=None, regularizer=None,
                   caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None,
                   use_resource=None, constraint=None, auxiliary_name_scope=True):  # fmt: skip
    """A block whose `get_variable` prefixes names. As eagerly in TF, `reuse` shares nothing.

    Args:
      name_or_scope: name, or a VariableScope to enter again.
      default_name: name in place of None; gets a number if it is in use.
      initializer, regularizer, dtype, constraint: defaults of `get_variable` in the block.
      custom_getter: called by `get_variable` in the block with a getter, the name and further keywords.
      values, caching_device, use_resource, reuse: of no effect.
      partitioner: must be None.
      auxiliary_name_scope: whether the block is a `tf.name_scope`, too.

    TF: `tf.compat.v1.variable_scope`.
    """
    if partitioner is not None:
        raise UnimplementedError(None, None, "variable_scope with a partitioner: use tf.Module")
    outer = get_variable_scope()
    entered_again = isinstance(name_or_scope, VariableScope)
    if entered_again:
        name = name_or_scope.name
        outer = name_or_scope
        block_name = name.rpartition("/")[2]
    else:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        block_name = unique_scope_name(default_name) if name_or_scope is None else name_or_scope
        name = f"{outer.name}/{block_name}" if outer.name else block_name
    if outer.custom_getter is not None:
        inner_getter, outer_getter = custom_getter, outer.custom_getter
        custom_getter = outer_getter
        if inner_getter is not None:
            def custom_getter(getter, *args, **kwargs):
                return inner_getter(functools.partial(outer_getter, getter), *args, **kwargs)
    scope = VariableScope(reuse or outer.reuse, name, initializer or outer.initializer,
                          regularizer or outer.regularizer, dtype or outer.dtype, custom_getter,
                          constraint or outer.constraint)  # fmt: skip
    counts = dict(scopes_here().counts)
    scopes_here().counts[name] = scopes_here().counts.get(name, 0) + 1
    scopes_here().scopes.append(scope)
    try:
        with tf.name_scope(block_name) if auxiliary_name_scope and block_name else nullcontext() as name_scope:
            if not entered_again and name_scope:
                scope._original_name_scope = name_scope
            yield scope
    finally:
        scopes_here().scopes.remove(scope)
        if entered_again:
            scopes_here().counts = counts
        else:
            forget_scopes_in(name)


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None,
                 caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None,
                 constraint=None, synchronization=None, aggregation=None):  # fmt: skip
    """A new `tf.Variable`; within the function of a template the one of this name, if there is one.

    Args:
      name: str.
      shape: its shape; may be left out if `initializer` is a value.
      dtype: by default that of the scope, float32.
      initializer: a value, or an initializer; by default that of the scope, Glorot's uniform for floats, else zeros.
      trainable: as in `tf.Variable`.
      constraint: as in `tf.Variable`; by default that of the scope.
      custom_getter: called in place of this function, with a getter, the name and all other arguments as keywords.
      collections, caching_device, use_resource, validate_shape, synchronization, aggregation: of no effect.
      regularizer, partitioner: must be None.

    Returns:
      `tf.Variable`.

    Raises:
      ValueError: no shape is given, or another one, or another dtype than the shared variable has.

    TF: `tf.compat.v1.get_variable`, eagerly.
    """
    scope = get_variable_scope()
    if _graph_here() is not None and _is_value(initializer):
        known = _dtype_of(initializer)
        if dtype is not None and tf.as_dtype(dtype) != known:
            raise ValueError(f"Initializer type '{known}' and explicit dtype '{tf.as_dtype(dtype)}' don't match.")
        dtype = known
    if partitioner is not None:
        raise UnimplementedError(None, None, "get_variable with a partitioner: use tf.Variable, tf.keras.layers")
    getters = [getter for getter in (scope.custom_getter, custom_getter) if getter is not None]
    getter = _variable_of
    for outer in getters:
        getter = functools.partial(outer, getter)
    return getter(
        name=f"{scope.name}/{name}" if scope.name else name, shape=shape, dtype=dtype or scope.dtype,
        initializer=scope.initializer if initializer is None else initializer,
        regularizer=scope.regularizer if regularizer is None else regularizer,
        reuse=AUTO_REUSE if scopes_here().templates else scope.reuse, trainable=trainable, collections=collections,
        caching_device=caching_device, partitioner=None, validate_shape=validate_shape, use_resource=True,
        constraint=scope.constraint if constraint is None else constraint, synchronization=synchronization,
        aggregation=aggregation,
    )  # fmt: skip


def _variable_of(name, shape=None, dtype=tf.float32, initializer=None, regularizer=None, reuse=None, trainable=None,
                 collections=None, caching_device=None, partitioner=None, validate_shape=True, use_resource=None,
                 constraint=None, synchronization=None, aggregation=None):  # fmt: skip
    """The variable of a full name: what is behind the getters."""
    if _graph_here() is not None:
        return _in_graph(name, shape, dtype, initializer, regularizer, reuse, trainable, collections, constraint)
    if regularizer is not None:
        raise UnimplementedError(None, None, "get_variable with a regularizer: use tf.Variable, tf.keras.layers")
    dtype = tf.as_dtype(dtype)
    shape = None if shape is None else tf.TensorShape(shape)
    shared = scopes_here().templates[-1].shared.get(name) if scopes_here().templates else None
    if shared is not None:
        return _shared(shared, name, shape, dtype)
    if initializer is None:
        if shape is None:
            raise ValueError(
                f"Variable {name} did not get an initializer, so its `shape` argument must be specified."
            )
        initializer = GlorotUniform if dtype.is_floating else tf.initializers.Zeros
    if callable(initializer):
        if shape is None or not shape.is_fully_defined():
            raise ValueError(
                f"Shape of a new variable ({name}) must be fully defined, but instead was {shape or '<unknown>'}."
            )
        initializer = initializer() if isinstance(initializer, type) else initializer
        initializer = functools.partial(initializer, shape.as_list(), dtype=dtype, **parts_for(initializer))
        dtype = None
    variable = tf.Variable(initializer, trainable=trainable, dtype=dtype, name=f"{name}/", constraint=constraint)
    if scopes_here().templates:
        scopes_here().templates[-1].shared[name] = variable
        scopes_here().templates[-1].has_made(variable, name)
    return variable


def _shared(variable, name, shape, dtype):
    """The variable, which is there under this name; ValueError if it has another shape or dtype."""
    if shape is not None and not shape.is_compatible_with(variable.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {shape} and found shape {variable.shape}."
        )
    if not dtype.is_compatible_with(variable.dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {variable.dtype.name}."
        )
    return variable


def _is_value(initializer):
    return isinstance(initializer, GraphTensor) or initializer is not None and not callable(initializer)


def _dtype_of(value):
    if isinstance(value, Recorded):
        return value.dtype
    with graphs.paused():
        return tf.convert_to_tensor(value).dtype


def _in_graph(name, shape, dtype, initializer, regularizer, reuse, trainable, collections, constraint):
    """The variable of a full name in the graph."""
    graph, dtype = _graph_here(), tf.as_dtype(dtype)
    shape = None if shape is None else tf.TensorShape(shape)
    known = graph.variables.get(name)
    if known is not None:
        if graphs.state.run is None and not reuse:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
        return _shared(known, name, shape, dtype)
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    if _is_value(initializer) and shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    if initializer is None:
        if not (dtype.is_floating or dtype.is_integer or dtype.is_bool):
            raise ValueError(
                f"An initializer for variable {name} of {dtype} is required. The shape is {shape}."
            )
        initializer = GlorotUniform if dtype.is_floating else Zeros
    if callable(initializer) and not isinstance(initializer, GraphTensor):
        if shape is None or not shape.is_fully_defined():
            raise ValueError(
                f"Shape of a new variable ({name}) must be fully defined, but instead was {shape or '<unknown>'}."
            )
        initializer = initializer() if isinstance(initializer, type) else initializer
        initializer, dtype = functools.partial(_initial_value, initializer, shape.as_list(), dtype), None
    outside = graph.as_default() if graphs.current() is None else nullcontext()  # in the trial of a function
    with engine.eager_scope(), graphs.computing(None), outside:
        graph.unique_name(name)
        variable = GraphVariable(
            initializer, trainable, f"{name}/", dtype, constraint, None if shape is None else shape,
            collections=collections,
        )  # fmt: skip
        graph.variables[name] = variable
        if regularizer is not None:
            with tf.name_scope(f"{name}/Regularizer/"):
                loss = regularizer(variable)
            if loss is not None:
                graph.add_to_collection("regularization_losses", loss)
    return variable


def _initial_value(initializer, shape, dtype):
    kind = type(initializer).__name__
    is_function = getattr(initializer, "__code__", None) is not None  # of the program, whose calls are recorded
    if is_function or isinstance(initializer, Constant):  # a constant of a graph is filled up, one of a run is not
        return initializer(shape, dtype=dtype, **parts_for(initializer))
    return record(_initialized, (initializer, shape, dtype), {}, f"Initializer/{kind}", kind)


def _initialized(initializer, shape, dtype):
    return initializer(shape, dtype=dtype, **parts_for(initializer))


class DefaultGraph(Graph):
    """The default graph of eager code, of which that asks little. A session that is entered builds it."""

    def __init__(self):
        super().__init__()
        self._names = {}

    def get_operations(self):
        """The operations; in a function one, `tf.no_op()`, for a control dependency on what came last."""
        return [tf.no_op()] if tf.inside_function() else super().get_operations()

    def unique_name(self, name, mark_as_used=True):
        """`name`, with a number if it was given before."""
        if graphs.current() is self:
            return super().unique_name(name, mark_as_used)
        count = self._names.get(name, 0)
        if mark_as_used:
            self._names[name] = count + 1
        return f"{name}_{count}" if count else name


_eager = [DefaultGraph()]


def _begin_eager_graph():
    _eager[0] = DefaultGraph()


graphs.at_eager_reset.append(_begin_eager_graph)


def get_default_graph():
    """The graph that is built; in eager code an object that stands for one. TF: `tf.compat.v1.get_default_graph`."""
    return graphs.current() or _eager[0]
