"""Functions of `tf.compat.v1` that look at the default graph, or build it."""

import sys

import numpy as np

import tfcompat as tf
from tfcompat._core import graphs
from tfcompat._core import name_scope as _name_scope
from tfcompat._core.convert import convert_to_tensor as to_tensor
from tfcompat._core.graph_variables import GraphVariable
from tfcompat._core.graphs import Inferred, Result, record
from tfcompat._core.variable import Variable as _Variable
from tfcompat.compat import _recorded
from tfcompat.compat._func_graph import placeholder as _func_graph_placeholder
from tfcompat.compat._scopes import get_default_graph, get_variable
from tfcompat.compat._shapes import disable_v2_tensorshape


class GraphKeys:
    """Names of collections. TF: `tf.compat.v1.GraphKeys`."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    METRIC_VARIABLES = "metric_variables"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    UPDATE_OPS = "update_ops"
    SUMMARIES = "summaries"
    GLOBAL_STEP = "global_step"
    ACTIVATIONS = "activations"
    BIASES = "biases"
    WEIGHTS = "weights"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    SUMMARY_OP = "summary_op"
    SAVERS = "savers"
    TRAIN_OP = "train_op"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"


def disable_eager_execution():
    """Makes calls be recorded in the default graph from now on. TF: `tf.compat.v1.disable_eager_execution`."""
    graphs.disable_eager_execution()


def disable_v2_behavior():
    """As `disable_eager_execution`. Shapes are TensorFlow 1's, and variables that are fetched are read after the run.

    TF: `tf.compat.v1.disable_v2_behavior`.
    """
    graphs.disable_eager_execution()
    graphs.process.references = True
    disable_v2_tensorshape()


def reset_default_graph():
    """Begins another default graph. Eagerly, names of layers and collections.

    TF: `tf.compat.v1.reset_default_graph`.
    """
    if tf.executing_eagerly():
        graphs.reset_eager_graph()
    else:
        graphs.reset_default_graph()


def set_random_seed(seed):
    """Sets the seed of the default graph; of eager code in it. TF: `tf.compat.v1.set_random_seed`."""
    graph = graphs.current()
    if graph is None:
        tf.random.set_seed(seed)
    else:
        graph.seed = seed


class VariableV1Meta(type(_Variable)):
    """So that variables are instances of the class that makes them in TensorFlow 1's order of arguments."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, _Variable)

    def __subclasscheck__(cls, subclass):
        return issubclass(subclass, _Variable)

    def __call__(cls, initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None,
                 name=None, variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None,
                 use_resource=None, synchronization=None, aggregation=None, shape=None):  # fmt: skip
        options = {"synchronization": synchronization, "aggregation": aggregation}
        options = {key: value for key, value in options.items() if value is not None}
        if graphs.current() is not None and collections is not None:
            return GraphVariable(
                initial_value, trainable, name, dtype and tf.as_dtype(dtype), constraint, shape, validate_shape,
                collections, **options,
            )  # fmt: skip
        return tf.Variable(initial_value, trainable, validate_shape, name=name, dtype=dtype, constraint=constraint,
                           shape=shape, **options)  # fmt: skip


class Variable(_Variable, metaclass=VariableV1Meta):
    """`tf.Variable` with the arguments of TensorFlow 1. TF: `tf.compat.v1.Variable`."""


def placeholder(dtype, shape=None, name=None):
    """A tensor whose value each run is given.

    Args:
      dtype: of the values.
      shape: sizes may be None; None for an unknown rank.
      name: of the operation.

    Raises:
      RuntimeError: eagerly.

    TF: `tf.compat.v1.placeholder`.
    """
    if graphs.current() is None:
        return _func_graph_placeholder(dtype, shape, name)
    return _recorded.placeholder(dtype, shape, name)


class name_scope:
    """A block whose operations have a prefix in their names.

    Args:
      name: of the scope, or None.
      default_name: name in its place.
      values: of no effect.

    TF: `tf.compat.v1.name_scope`.
    """

    def __init__(self, name, default_name=None, values=None):
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(f"`default_name` type ({type(default_name)}) is not a string type.")
        self._name = default_name if name is None else name
        self._scope = _name_scope.name_scope(self._name or "")

    name = property(lambda self: self._name, doc="The name given.")

    def __enter__(self):
        return self._scope.__enter__()

    def __exit__(self, *exception):
        return self._scope.__exit__(*exception)


# --- collections ------------------------------------------------------------------------------------------------------


def add_to_collection(name, value):
    """Adds a value to the list kept by a name. TF: `tf.compat.v1.add_to_collection`."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    """As `add_to_collection` for one name or several. TF: `tf.compat.v1.add_to_collections`."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    """What was added to a collection: in eager code, nothing is but by the program.

    Args:
      key: str.
      scope: str, a regular expression that names of the values match from their beginning; None for all.

    TF: `tf.compat.v1.get_collection`.
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    """The list itself. TF: `tf.compat.v1.get_collection_ref`."""
    return get_default_graph().get_collection_ref(key)


def _variables(name, key):
    def function(scope=None):
        return get_collection(key, scope)

    function.__name__ = name
    function.__doc__ = f"The variables in the collection `{key}`; none eagerly. TF: `tf.compat.v1.{name}`."
    return function


trainable_variables = _variables("trainable_variables", GraphKeys.TRAINABLE_VARIABLES)
global_variables = _variables("global_variables", GraphKeys.GLOBAL_VARIABLES)
local_variables = _variables("local_variables", GraphKeys.LOCAL_VARIABLES)
model_variables = _variables("model_variables", GraphKeys.MODEL_VARIABLES)
moving_average_variables = _variables("moving_average_variables", GraphKeys.MOVING_AVERAGE_VARIABLES)
all_variables = _variables("all_variables", GraphKeys.GLOBAL_VARIABLES)

# --- initial values ---------------------------------------------------------------------------------------------------


def variables_initializer(var_list, name="init"):
    """An operation that initializes variables; in eager code they are. TF: `tf.compat.v1.variables_initializer`."""
    if graphs.current() is None:
        return tf.no_op()
    return tf.group(*[variable.initializer for variable in var_list], name=name)


initialize_variables = variables_initializer


def global_variables_initializer():
    """As `variables_initializer`, of all global ones. TF: `tf.compat.v1.global_variables_initializer`."""
    return variables_initializer(global_variables())


initialize_all_variables = global_variables_initializer


def local_variables_initializer():
    """As `variables_initializer`, of all local ones. TF: `tf.compat.v1.local_variables_initializer`."""
    return variables_initializer(local_variables())


initialize_local_variables = local_variables_initializer


def tables_initializer(name="init_all_tables"):
    """An operation that does nothing: tables are filled when they are made. TF: `tf.compat.v1.tables_initializer`."""
    return tf.no_op(name)


def is_variable_initialized(variable):
    """Whether a session has a value for it, a bool tensor; eagerly True. TF: `is_variable_initialized` there."""
    return variable.is_initialized() if isinstance(variable, GraphVariable) else to_tensor(True)


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of the variables that have no value in the session, a vector of text.

    TF: `tf.compat.v1.report_uninitialized_variables`.
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)

    def names():
        run = graphs.state.run
        return to_tensor(np.array([v._name.encode() for v in variables if not run.has(v)], object), tf.string)

    if graphs.current() is None:
        return to_tensor(np.array([], object), tf.string)
    return record(names, (), {}, name, "report_uninitialized_variables", Inferred(Result([None], tf.string)))


def assert_variables_initialized(var_list=None):
    """Nothing to be done: a run that needs a variable without value raises.

    TF: `tf.compat.v1.assert_variables_initialized`.
    """
    return tf.no_op()


# --- assignments ------------------------------------------------------------------------------------------------------


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """`ref.assign(value)`. TF: `tf.compat.v1.assign`."""
    return ref.assign(value, name=name)


def assign_add(ref, value, use_locking=None, name=None):
    """`ref.assign_add(value)`. TF: `tf.compat.v1.assign_add`."""
    return ref.assign_add(value, name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """`ref.assign_sub(value)`. TF: `tf.compat.v1.assign_sub`."""
    return ref.assign_sub(value, name=name)


def count_up_to(ref, limit, name=None):
    """Increments a scalar variable of integers, and gives the value before. TF: `tf.compat.v1.count_up_to`.

    Raises:
      tf.errors.OutOfRangeError: the value is `limit` or more.
    """
    if isinstance(ref, GraphVariable):
        return ref._recorded("count_up_to", (limit,), name, "CountUpTo") - 1  # a session gives what comes after it
    return ref.count_up_to(limit)


# --- values -----------------------------------------------------------------------------------------------------------


def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
    """A constant tensor; a value shorter than `shape` is filled up with its last element, unless `verify_shape`.

    Raises:
      TypeError: `verify_shape`, and the value has another shape.

    TF: `tf.compat.v1.constant`.
    """
    if graphs.current() is not None:
        return record(_constant, (value, dtype, shape, verify_shape), {}, name, "Const")
    return _constant(value, dtype, shape, verify_shape)


def _constant(value, dtype, shape, verify_shape):
    tensor = to_tensor(value, None if dtype is None else tf.as_dtype(dtype))
    if shape is None or tensor.shape.as_list() == list(shape):
        return tensor
    if verify_shape:
        raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {tuple(tensor.shape)}.")
    flat, count = tf.reshape(tensor, [-1]), int(np.prod(shape))
    if flat.shape[0] > count:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got {flat.shape[0]}.")
    if flat.shape[0] == 0:
        return tf.zeros(shape, tensor.dtype)
    return tf.reshape(tf.concat([flat, tf.repeat(flat[-1:], count - flat.shape[0])], 0), shape)


def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None):
    """`tf.convert_to_tensor`. TF: `tf.compat.v1.convert_to_tensor`."""
    return tf.convert_to_tensor(value, dtype, preferred_dtype or dtype_hint, name)


def div(x, y, name=None):
    """`x / y`, of integers rounded down. TF: `tf.compat.v1.div`."""
    x = convert_to_tensor(x)
    return tf.math.floordiv(x, y) if x.dtype.is_integer else tf.math.divide(x, y)


def floor_div(x, y, name=None):
    """`x // y`. TF: `tf.compat.v1.floor_div`."""
    return tf.math.floordiv(x, y)


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None):
    """`tf.reverse_sequence`. TF: `tf.compat.v1.reverse_sequence`."""
    axis = seq_axis if seq_dim is None else seq_dim
    return tf.reverse_sequence(input, seq_lengths, axis, batch_axis if batch_dim is None else batch_dim)


def get_local_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=False,
                       collections=None, **options):  # fmt: skip
    """`get_variable` of a variable that does not train, in the collection of local ones.

    TF: `tf.compat.v1.get_local_variable`.
    """
    collections = [*(collections or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, shape, dtype, initializer, regularizer, False, collections, **options)


def run_app(main=None, argv=None):
    """Calls `main(argv)`, and ends the process.

    Args:
      main: function of a list of str; by default that of the main module.
      argv: list of str; by default that of the process. Flags of absl are taken out of it, if absl is there.

    TF: `tf.compat.v1.app.run`.
    """
    main, argv = main or sys.modules["__main__"].main, list(sys.argv if argv is None else argv)
    if "absl.flags" in sys.modules or "absl.app" in sys.modules:
        import absl.app  # programs with flags have it

        absl.app.run(main=main, argv=argv)
    sys.exit(main(argv))
