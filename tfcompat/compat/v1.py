"""`tf.compat.v1`: graphs and sessions, and the names that mean the same in TensorFlow 2."""

import sys as _sys
from contextlib import contextmanager as _contextmanager
from types import FunctionType as _Function
from types import SimpleNamespace as _Namespace
from typing import Any as _Any

import tfcompat as _tf
from tfcompat._core import graphs as _graphs
from tfcompat._core.shape import Dimension as Dimension
from tfcompat._formats.graphs import AttrValue as AttrValue
from tfcompat._formats.graphs import GraphDef as GraphDef
from tfcompat._formats.graphs import NameAttrList as NameAttrList
from tfcompat._formats.graphs import NodeDef as NodeDef
from tfcompat._package.logging import logger as _logger
from tfcompat._package.missing import missing as _missing
from tfcompat._package.missing import tensorflow_names as _tensorflow_names
from tfcompat.compat import _distribute as _distribute
from tfcompat.compat import _feature_columns as _columns
from tfcompat.compat import _graph_composites as _composites
from tfcompat.compat import (
    _graph_defs,
    _hooks,
    _initializers,
    _input,
    _iterators,
    _layers,
    _losses,
    _metrics,
    _metrics_of_ranks,
    _monitored,
    _queues,
    _rnn,
    _summaries,
    _train,
    _v1_saved_model,
)
from tfcompat.compat import _v1_functions as _functions
from tfcompat.compat import _v1_table as _table
from tfcompat.compat._config_messages import ConfigProto as ConfigProto
from tfcompat.compat._config_messages import GPUOptions as GPUOptions
from tfcompat.compat._config_messages import GraphOptions as GraphOptions
from tfcompat.compat._config_messages import OptimizerOptions as OptimizerOptions
from tfcompat.compat._config_messages import RunMetadata as RunMetadata
from tfcompat.compat._config_messages import RunOptions as RunOptions
from tfcompat.compat._graph_composites import sparse_placeholder as sparse_placeholder
from tfcompat.compat._graph_functions import GraphKeys as GraphKeys
from tfcompat.compat._graph_functions import Variable as Variable
from tfcompat.compat._graph_functions import add_to_collection as add_to_collection
from tfcompat.compat._graph_functions import add_to_collections as add_to_collections
from tfcompat.compat._graph_functions import all_variables as all_variables
from tfcompat.compat._graph_functions import assert_variables_initialized as assert_variables_initialized
from tfcompat.compat._graph_functions import assign as assign
from tfcompat.compat._graph_functions import assign_add as assign_add
from tfcompat.compat._graph_functions import assign_sub as assign_sub
from tfcompat.compat._graph_functions import constant as constant
from tfcompat.compat._graph_functions import convert_to_tensor as convert_to_tensor
from tfcompat.compat._graph_functions import count_up_to as count_up_to
from tfcompat.compat._graph_functions import disable_eager_execution as disable_eager_execution
from tfcompat.compat._graph_functions import disable_v2_behavior as disable_v2_behavior
from tfcompat.compat._graph_functions import div as div
from tfcompat.compat._graph_functions import floor_div as floor_div
from tfcompat.compat._graph_functions import get_collection as get_collection
from tfcompat.compat._graph_functions import get_collection_ref as get_collection_ref
from tfcompat.compat._graph_functions import get_local_variable as get_local_variable
from tfcompat.compat._graph_functions import global_variables as global_variables
from tfcompat.compat._graph_functions import global_variables_initializer as global_variables_initializer
from tfcompat.compat._graph_functions import initialize_all_variables as initialize_all_variables
from tfcompat.compat._graph_functions import initialize_local_variables as initialize_local_variables
from tfcompat.compat._graph_functions import initialize_variables as initialize_variables
from tfcompat.compat._graph_functions import is_variable_initialized as is_variable_initialized
from tfcompat.compat._graph_functions import local_variables as local_variables
from tfcompat.compat._graph_functions import local_variables_initializer as local_variables_initializer
from tfcompat.compat._graph_functions import model_variables as model_variables
from tfcompat.compat._graph_functions import moving_average_variables as moving_average_variables
from tfcompat.compat._graph_functions import name_scope as name_scope
from tfcompat.compat._graph_functions import placeholder as placeholder
from tfcompat.compat._graph_functions import report_uninitialized_variables as report_uninitialized_variables
from tfcompat.compat._graph_functions import reset_default_graph as reset_default_graph
from tfcompat.compat._graph_functions import reverse_sequence as reverse_sequence
from tfcompat.compat._graph_functions import run_app as _run_app
from tfcompat.compat._graph_functions import set_random_seed as set_random_seed
from tfcompat.compat._graph_functions import tables_initializer as tables_initializer
from tfcompat.compat._graph_functions import trainable_variables as trainable_variables
from tfcompat.compat._graph_functions import variables_initializer as variables_initializer
from tfcompat.compat._graph_import import import_graph_def as import_graph_def
from tfcompat.compat._initializers import Constant as constant_initializer
from tfcompat.compat._initializers import GlorotNormal as glorot_normal_initializer
from tfcompat.compat._initializers import GlorotUniform as glorot_uniform_initializer
from tfcompat.compat._initializers import Ones as ones_initializer
from tfcompat.compat._initializers import Orthogonal as orthogonal_initializer
from tfcompat.compat._initializers import RandomNormal as random_normal_initializer
from tfcompat.compat._initializers import RandomUniform as random_uniform_initializer
from tfcompat.compat._initializers import TruncatedNormal as truncated_normal_initializer
from tfcompat.compat._initializers import UniformUnitScaling as uniform_unit_scaling_initializer
from tfcompat.compat._initializers import VarianceScaling as variance_scaling_initializer
from tfcompat.compat._initializers import Zeros as zeros_initializer
from tfcompat.compat._keras import keras_of_v1 as _keras_of_v1
from tfcompat.compat._layer_objects import LAYERS as _LAYERS
from tfcompat.compat._recorded import placeholder_with_default as placeholder_with_default
from tfcompat.compat._recorded import recorded as _recorded
from tfcompat.compat._scopes import VariableScope as VariableScope
from tfcompat.compat._scopes import get_default_graph as get_default_graph
from tfcompat.compat._scopes import get_variable as get_variable
from tfcompat.compat._scopes import get_variable_scope as get_variable_scope
from tfcompat.compat._scopes import variable_scope as variable_scope
from tfcompat.compat._sessions import InteractiveSession as InteractiveSession
from tfcompat.compat._sessions import Session as Session
from tfcompat.compat._sessions import get_default_session as get_default_session
from tfcompat.compat._shapes import disable_v2_tensorshape as disable_v2_tensorshape
from tfcompat.compat._shapes import enable_v2_tensorshape as enable_v2_tensorshape
from tfcompat.compat._template import make_template as make_template
from tfcompat.compat._v1_functions import AUTO_REUSE as AUTO_REUSE
from tfcompat.compat._wrapped import wrap_function as wrap_function
from tfcompat.saved_model._messages import MetaGraphDef as MetaGraphDef
from tfcompat.sparse._tensor import SparseTensorValue as SparseTensorValue
from tfcompat.summary._messages import SummaryMetadata as SummaryMetadata

where_v2 = _tf.where
newaxis = None
VERSION = __version__ = _tf.__version__
variable_creator_scope = _tf.variable_creator_scope
DeviceSpec = _tf.DeviceSpec
tuple = _tf.tuple


class _App:
    """`tf.compat.v1.app`: `run`, and `flags`, which are those of absl."""

    run = staticmethod(_run_app)

    @property
    def flags(self):
        return _flags()


def _flags():
    try:
        import absl.flags
    except ImportError:
        raise AttributeError(
            "tf.compat.v1.flags are those of absl, which is not installed: pip install absl-py"
        ) from None
    return absl.flags


app = _App()
executing_eagerly = _tf.executing_eagerly


def where(condition, x=None, y=None, name=None):
    """`tf.where`, but that a vector `condition` chooses rows of `x` and `y`. TF: `tf.compat.v1.where`."""
    if x is not None and y is not None:
        condition, x = _tf.convert_to_tensor(condition, _tf.bool), _tf.convert_to_tensor(x)
        if condition.shape.rank == 1 and (x.shape.rank or 0) > 1:
            condition = _tf.reshape(condition, [-1, *[1] * (x.shape.rank - 1)])
    return _tf.where(condition, x, y)


def _nothing(name):
    def function(*args, **kwargs):
        return None

    function.__name__ = name
    function.__doc__ = f"Does nothing: behaviour is that of TensorFlow 2. TF: `tf.compat.v1.{name}`."
    return function


enable_eager_execution = _nothing("enable_eager_execution")
enable_v2_behavior = _nothing("enable_v2_behavior")
enable_tensor_equality = _nothing("enable_tensor_equality")
enable_control_flow_v2 = _nothing("enable_control_flow_v2")
enable_resource_variables = _nothing("enable_resource_variables")
disable_control_flow_v2 = _nothing("disable_control_flow_v2")
disable_resource_variables = _nothing("disable_resource_variables")
disable_tensor_equality = _nothing("disable_tensor_equality")


def resource_variables_enabled():
    """True. TF: `tf.compat.v1.resource_variables_enabled`."""
    return True


def executing_eagerly_outside_functions():
    """False where a graph is built. TF: `tf.compat.v1.executing_eagerly_outside_functions`."""
    return _graphs.current() is None


def control_flow_v2_enabled():
    """True. TF: `tf.compat.v1.control_flow_v2_enabled`."""
    return True


@_contextmanager
def colocate_with(op, ignore_existing=False):
    """A block in which nothing changes: XLA places operations. TF: `tf.compat.v1.colocate_with`, deprecated."""
    yield


class _Part:
    """A module in `tf.compat.v1`: what it has of its own, and what is the same in TensorFlow 2.

    Args:
      name: of the module.
      own: dict.
      otherwise: what is used in place of what is missing.
      hints: what is used in place of some missing names, a dict.
    """

    def __init__(self, name, names, otherwise, hints=None):
        self.__name__ = f"tf.compat.v1.{name}"
        self._name, self._absent = name, _missing(self.__name__, hints, otherwise)
        self.__dict__.update({key: value for key, value in names.items() if not key.startswith("_")})

    def __getattr__(self, name):
        if name == "__all__":
            return [known for known in self.__dir__() if not known.startswith("_")]
        value = _of_name(f"{self._name}.{name}")
        if value is None:
            return self._absent(name)
        if _graphs.current() is None:
            self.__dict__[name] = value
        return value

    def __dir__(self):
        return sorted({*self.__dict__, *_names_there(self._name)})


def _same_as(path):
    """The path in TensorFlow 2 of what a path in `tf.compat.v1` stands for, if it is there; or None."""
    module, _, name = path.rpartition(".")
    records = _tensorflow_names()
    return path if name in records["same_in_v1"].get(module, ()) else records["elsewhere_in_v1"].get(path)


def _of_name(path):
    """What a path in `tf.compat.v1` stands for: a row of the table, the same in TensorFlow 2, or a module; or None."""
    module, _, name = path.rpartition(".")
    records = _tensorflow_names()
    target: _Any = _functions.FUNCTIONS.get(path) or _table.function_of(path)
    if target is not None:
        is_op = type(target) is _Function and path not in _BUILT and not hasattr(target, "updates_variables")
        return _recorded(target) if is_op else target
    same = _same_as(path)
    if same is not None:
        target = _tf
        for part in same.split("."):
            target = getattr(target, part, None)
        return target
    return _Part(path, {}, f"tf.{path}") if path in records["same_in_v1"] or _names_in(path) else None


# Functions that build graphs themselves, or do not compute.
_BUILT = frozenset(
    "gradients hessians device dimension_value Print convert_to_tensor_or_sparse_tensor py_func "
    "feature_column.make_parse_example_spec".split()
)


def _modules_of_ops():
    """Pairs of a module of `tf.compat.v1` and its path with a dot: those whose names were asked for."""
    parts = [value for value in globals().values() if isinstance(value, _Part)]
    return [(_sys.modules[__name__], ""), *[(part, f"{part._name}.") for part in parts]]


def _names_in(module):
    """The names in a module of `tf.compat.v1`, but for its own."""
    records = _tensorflow_names()
    paths = [*records["elsewhere_in_v1"], *_functions.FUNCTIONS]
    elsewhere = [path.rpartition(".")[2] for path in paths if path.rpartition(".")[0] == module]
    return [*records["same_in_v1"].get(module, ()), *elsewhere, *_table.names_in(module)]


def _names_there(module):
    """Those of them that tfcompat has."""
    return [name for name in _names_in(module) if _of_name(f"{module}.{name}".lstrip(".")) is not None]


layers = _Part(
    "layers",
    {
        name: function for name, function in vars(_layers).items()
        if getattr(function, "__module__", None) == _layers.__name__ and not name.startswith("_")
        and name != "variables_of"
    } | _LAYERS,
    "tf.keras.layers",
)  # fmt: skip
nn = _Part(
    "nn",
    {
        name: getattr(_rnn, name)
        for name in ("dynamic_rnn", "bidirectional_dynamic_rnn", "static_rnn", "raw_rnn", "static_bidirectional_rnn")
    },
    "tf.nn",
)
nn.rnn_cell = _Part(
    "nn.rnn_cell",
    {
        name: value for name, value in vars(_rnn).items()
        if isinstance(value, type) and value.__module__ == _rnn.__name__ and not name.startswith("_")
    },
    "tf.keras.layers",
)  # fmt: skip
keras = _keras_of_v1(_tf.keras)
initializers = _Part(
    "initializers",
    {
        "global_variables": global_variables_initializer, "local_variables": local_variables_initializer,
        "tables_initializer": tables_initializer, "variables": variables_initializer,
        "constant": constant_initializer, "glorot_normal": glorot_normal_initializer,
        "glorot_uniform": glorot_uniform_initializer, "ones": ones_initializer,
        "orthogonal": orthogonal_initializer, "random_normal": random_normal_initializer,
        "random_uniform": random_uniform_initializer, "truncated_normal": truncated_normal_initializer,
        "uniform_unit_scaling": uniform_unit_scaling_initializer, "variance_scaling": variance_scaling_initializer,
        "zeros": zeros_initializer, "identity": _initializers.Identity,
        "he_normal": _initializers.he_normal, "he_uniform": _initializers.he_uniform,
        "lecun_normal": _initializers.lecun_normal, "lecun_uniform": _initializers.lecun_uniform,
    },
    "tf.initializers",
)  # fmt: skip
distribute = _Part("distribute", {
    **{name: value for name, value in vars(_distribute).items() if not name.startswith("_")},
    "experimental": _Part("distribute.experimental", _distribute._EXPERIMENTAL, "tf.distribute.experimental"),
}, "tf.distribute")  # fmt: skip
_HOOKS = (
    "CheckpointSaverHook CheckpointSaverListener FinalOpsHook LoggingTensorHook NanLossDuringTrainingError "
    "NanTensorHook SecondOrStepTimer SessionRunArgs SessionRunContext SessionRunHook SessionRunValues StepCounterHook "
    "StopAtStepHook SummarySaverHook"
).split()
_MONITORED = (
    "ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold SessionCreator SingularMonitoredSession"
).split()


def _functions_of(module):
    return {name: value for name, value in vars(module).items() if type(value) is _Function}


def _training_names():
    """What `tf.compat.v1.train` has of sessions and their hooks, by name."""
    parts = ((_hooks, _HOOKS), (_monitored, _MONITORED))
    return {name: getattr(module, name) for module, names in parts for name in names}


FixedLengthRecordReader, IdentityReader = _input.FixedLengthRecordReader, _input.IdentityReader
ReaderBase, TFRecordReader, TextLineReader = _input.ReaderBase, _input.TFRecordReader, _input.TextLineReader
WholeFileReader = _input.WholeFileReader
train = _Part(
    "train", {**vars(_train), **vars(_queues), **_functions_of(_input), **_training_names()},
    "tf.keras.optimizers, tf.train", {"Supervisor": "Session and train.Saver"},
)  # fmt: skip
graph_util = _Part(
    "graph_util",
    {
        name: getattr(_graph_defs, name) for name in (
            "convert_variables_to_constants extract_sub_graph must_run_on_cpu remove_training_nodes "
            "tensor_shape_from_node_def_name"
        ).split()
    },
    "tf.graph_util",
)  # fmt: skip
ragged = _Part(
    "ragged",
    {
        "placeholder": _composites.ragged_placeholder, "constant_value": _composites.ragged_constant_value,
        "RaggedTensorValue": _composites.RaggedTensorValue,
    },
    "tf.ragged",
)  # fmt: skip
feature_column = _Part(
    "feature_column",
    {name: getattr(_columns, name) for name in ("input_layer", "linear_model", "shared_embedding_columns")},
    "tf.feature_column",
)  # fmt: skip
saved_model = _Part("saved_model", _v1_saved_model.NAMES, "tf.saved_model")
summary = _Part(
    "summary",
    {
        name: value for name, value in vars(_summaries).items() if name not in ("HistogramProto", "summary_iterator")
    },
    "tf.summary",
)  # fmt: skip
Summary, Event, HistogramProto = _summaries.Summary, _summaries.Event, _summaries.HistogramProto
losses = _Part("losses", vars(_losses), "tf.keras.losses")
metrics = _Part(
    "metrics", {**vars(_metrics), **vars(_metrics_of_ranks)}, "tf.keras.metrics, or operations of the graph"
)  # fmt: skip
data = _Part(
    "data",
    {
        "Dataset": _tf.data.Dataset, "Iterator": _iterators.Iterator, "TFRecordDataset": _tf.data.TFRecordDataset,
        "TextLineDataset": _tf.data.TextLineDataset, "FixedLengthRecordDataset": _tf.data.FixedLengthRecordDataset,
        "get_output_types": _iterators.get_output_types, "get_output_shapes": _iterators.get_output_shapes,
        "get_output_classes": _iterators.get_output_classes,
        "make_one_shot_iterator": _iterators.make_one_shot_iterator,
        "make_initializable_iterator": _iterators.make_initializable_iterator,
    },
    "tf.data",
)  # fmt: skip


def _vlog(level, msg, *args, **kwargs):
    """Logs at a level given as a number."""
    _logger.log(level, msg, *args, **kwargs)


def _log_if(level, msg, condition, *args):
    """Logs if `condition` holds."""
    if condition:
        _logger.log(level, msg, *args)


_logged = {}


def _log_every_n(level, msg, n, *args):
    """Logs the first of every `n` calls with this message."""
    _logged[msg] = _logged.get(msg, -1) + 1
    _log_if(level, msg, _logged[msg] % n == 0, *args)


def _log_first_n(level, msg, n, *args):
    """Logs the first `n` calls with this message."""
    _logged[msg] = _logged.get(msg, -1) + 1
    _log_if(level, msg, _logged[msg] < n, *args)


def _flush():
    """Writes what the handlers of the log hold back."""
    for handler in _logger.handlers:
        handler.flush()


logging = _Namespace(
    DEBUG=10, INFO=20, WARN=30, ERROR=40, FATAL=50,
    debug=_logger.debug, info=_logger.info, warn=_logger.warning, warning=_logger.warning, error=_logger.error,
    fatal=_logger.critical, set_verbosity=_logger.setLevel, get_verbosity=_logger.getEffectiveLevel,
    log=_logger.log, vlog=_vlog, log_if=_log_if, log_every_n=_log_every_n, log_first_n=_log_first_n, flush=_flush,
    TaskLevelStatusMessage=_logger.info,
)  # fmt: skip

_absent = _missing("tf.compat.v1", otherwise="TF 2 code")


def __getattr__(name):
    if name == "__all__":
        return [known for known in __dir__() if not known.startswith("_")]
    if name in ("flags", "compat"):
        return _flags() if name == "flags" else _tf.compat
    value = None if name.startswith("__") else _of_name(name)
    if value is None:
        return _absent(name)
    if _graphs.current() is None:  # else it is recorded
        globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_names_there("")})
