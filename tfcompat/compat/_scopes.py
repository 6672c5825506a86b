"""`tf.compat.v1.get_variable` and scopes, as they are in eager execution: no store, so nothing is shared."""
from contextlib import contextmanager

import tfcompat as tf
from tfcompat.compat._initializers import GlorotUniform
from tfcompat.errors import UnimplementedError


class VariableScope:
    """What `tf.compat.v1.variable_scope` gives: a name, and settings that `get_variable` uses.

    TF: `tf.compat.v1.VariableScope`, without partitioners, custom getters and caching, which mean nothing here.
    """

    def __init__(self, reuse=None, name="", initializer=None, regularizer=None, dtype=None):
        self.name = self.original_name_scope = name
        self.reuse = reuse
        self.initializer = initializer
        self.regularizer = regularizer
        self.dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
        self.use_resource = True
        self.caching_device = None
        self.custom_getter = None
        self.partitioner = None
        self.constraint = None

    def set_caching_device(self, caching_device):
        """Kept, and of no effect: values of variables are on one device."""
        self.caching_device = caching_device


_scopes = [VariableScope()]


def get_variable_scope():
    """The innermost scope. TF: `tf.compat.v1.get_variable_scope`."""
    return _scopes[-1]


@contextmanager
def variable_scope(name_or_scope, default_name=None, values=None, initializer=None, regularizer=None,
                   caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None,
                   use_resource=None, constraint=None, auxiliary_name_scope=True):  # fmt: skip
    """A block whose `get_variable` prefixes names. As eagerly in TF, `reuse` shares nothing.

    Args:
      name_or_scope: name, or a VariableScope to enter again.
      default_name: name in place of None.
      initializer, regularizer, dtype: defaults of `get_variable` in the block.
      values, caching_device, use_resource, auxiliary_name_scope, reuse: of no effect.
      partitioner, custom_getter, constraint: must be None.

    TF: `tf.compat.v1.variable_scope`.
    """
    if partitioner is not None or custom_getter is not None or constraint is not None:
        raise UnimplementedError(None, None, "variable_scope with a partitioner, getter or constraint: use tf.Module")
    outer = _scopes[-1]
    if isinstance(name_or_scope, VariableScope):
        name = name_or_scope.name
        outer = name_or_scope
    else:
        name = name_or_scope or default_name
        if name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        name = f"{outer.name}/{name}" if outer.name else name
    scope = VariableScope(reuse, name, initializer or outer.initializer, regularizer or outer.regularizer,
                          dtype or outer.dtype)  # fmt: skip
    _scopes.append(scope)
    try:
        yield scope
    finally:
        _scopes.remove(scope)


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None,
                 caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None,
                 constraint=None, synchronization=None, aggregation=None):  # fmt: skip
    """A new `tf.Variable`; eagerly TF makes a new one for every call, too.

    Args:
      name: str.
      shape: its shape; may be left out if `initializer` is a value.
      dtype: by default that of the scope, float32.
      initializer: a value, or an initializer; by default that of the scope, Glorot's uniform.
      trainable: as in `tf.Variable`.
      constraint: as in `tf.Variable`.
      collections, caching_device, use_resource, validate_shape, synchronization, aggregation: of no effect.
      regularizer, partitioner, custom_getter: must be None.

    Returns:
      `tf.Variable`.

    TF: `tf.compat.v1.get_variable`, eagerly.
    """
    scope = get_variable_scope()
    if regularizer is not None or partitioner is not None or custom_getter is not None:
        raise UnimplementedError(
            None, None, "get_variable with a regularizer, partitioner or getter: use tf.Variable, tf.keras.layers"
        )
    initializer = scope.initializer if initializer is None else initializer
    if initializer is None:
        initializer = GlorotUniform()
    if callable(initializer):
        if shape is None:
            raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was <unknown>.")
        initializer = initializer() if isinstance(initializer, type) else initializer
        initializer = initializer(shape, dtype=tf.as_dtype(dtype or scope.dtype))
    full = f"{scope.name}/{name}" if scope.name else name
    return tf.Variable(initializer, trainable=trainable, dtype=dtype, name=full, constraint=constraint)


class Graph:
    """Stands for the default graph, of which eager code asks little: it has no operations.

    TF: `tf.Graph`; graphs of operations are out of scope.
    """

    building_function = False

    def __init__(self):
        self._names = {}

    @contextmanager
    def as_default(self):
        """A context that changes nothing: this is the default graph already."""
        yield self

    def unique_name(self, name, mark_as_used=True):
        """`name`, with a number if it was given before."""
        count = self._names.get(name, 0)
        if mark_as_used:
            self._names[name] = count + 1
        return f"{name}_{count}" if count else name


_graph = Graph()


def get_default_graph():
    """An object that stands for the default graph. TF: `tf.compat.v1.get_default_graph`."""
    return _graph
