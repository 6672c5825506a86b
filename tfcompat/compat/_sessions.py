"""`tf.compat.v1.ConfigProto` and `Session`, as far as programs for eager TensorFlow use them: to set up a GPU."""

import collections
import operator
import os
import sys
from typing import Any

import jax

from tfcompat import config
from tfcompat._package.logging import logger
from tfcompat.compat._scopes import Graph
from tfcompat.errors import CancelledError, UnimplementedError

_GRAPHS = "is not available in tfcompat: there are no graphs to run. Call the functions themselves, or tf.function"


class _Counts(collections.UserDict):
    """A map from text to numbers, 0 for what is not in it."""

    def __missing__(self, key):
        self[key] = 0
        return 0

    def __setitem__(self, key, value):
        super().__setitem__(key, operator.index(value))


class _Message:
    """Base of protocol buffers: fields by name, with TensorFlow's defaults.

    Raises:
      AttributeError: there is no such field, or it is itself a message, list or map, which cannot be assigned.
      TypeError, ValueError: a value of another type, or out of range.
    """

    # name -> default of a number, bool or text; class of a message, list or map; None for what is not available.
    # In the order in which they are printed.
    _FIELDS: dict = {}
    _ENUMS: dict = {}  # name of a field -> {number: what is printed}

    def __init__(self, **values):
        self.__dict__["_set"] = {}
        for name, value in values.items():
            if name not in self._FIELDS:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            kind = self._FIELDS[name]
            if value is None:
                continue
            if not isinstance(kind, type):
                setattr(self, name, value)
            elif issubclass(kind, _Message):
                if not isinstance(value, kind | dict):
                    raise TypeError(
                        "Parameter to initialize message field must be dict or instance of same class: expected "
                        f"{kind} got {type(value)}."
                    )
                self._set[name] = kind(**value) if isinstance(value, dict) else kind()
                if isinstance(value, kind):
                    self._set[name].CopyFrom(value)
            else:
                self._set[name] = kind(value)

    def __getattr__(self, name) -> Any:
        if name.startswith("__") or name not in self._FIELDS:
            raise AttributeError(name)
        kind = self._FIELDS[name]
        if kind is None:
            raise UnimplementedError(
                None, None, f"tf.compat.v1.{type(self).__name__}: {name} is not available in tfcompat: leave it out"
            )
        if isinstance(kind, type) and name not in self._set:
            self._set[name] = kind()
        return self._set.get(name, kind)

    def __setattr__(self, name, value):
        if name not in self._FIELDS:
            raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        kind = self._FIELDS[name]
        if kind is None or isinstance(kind, type):
            what = "message field" if kind is None or issubclass(kind, _Message) else "map, or repeated field"
            raise AttributeError(f'Assignment not allowed to {what} "{name}" in protocol message object.')
        self._set[name] = _checked(name, kind, value)

    def _present(self):
        """Yields (name, value) of all fields that are not at their default."""
        for name, kind in self._FIELDS.items():
            value = self._set.get(name, kind)
            is_set = any(value._present()) if isinstance(value, _Message) else bool(value)
            if is_set and not isinstance(value, type):
                yield name, value

    def _paths(self, before=""):
        """Yields (dotted name, value) of what is set in this message and those in it."""
        for name, value in self._present():
            if isinstance(value, _Message):
                yield from value._paths(f"{before}{name}.")
            else:
                yield before + name, value

    def _lines(self, indent=""):
        for name, value in self._present():
            if isinstance(value, _Message):
                yield from (f"{indent}{name} {{", *value._lines(indent + "  "), f"{indent}}}")
            elif isinstance(value, _Counts):
                for key, number in sorted(value.items()):
                    yield from (f"{indent}{name} {{", f"{indent}  key: {_shown(key)}", f"{indent}  value: {number}",
                                f"{indent}}}")  # fmt: skip
            else:
                names = self._ENUMS.get(name, {})
                for each in value if isinstance(value, list) else [value]:
                    yield f"{indent}{name}: {names.get(each) or _shown(each)}"

    def __str__(self):
        return "".join(f"{line}\n" for line in self._lines())

    __repr__ = __str__

    def __eq__(self, other):
        return type(self) is type(other) and dict(self._present()) == dict(other._present())

    __hash__ = None  # type: ignore[assignment]

    def Clear(self):
        """Sets all fields to their defaults."""
        self._set.clear()

    def ClearField(self, field_name):
        """Sets a field to its default."""
        self._checked_name(field_name)
        self._set.pop(field_name, None)

    def HasField(self, field_name):
        """Whether a field that is a message is set.

        Raises:
          ValueError: there is no such field, or it is no message.
        """
        self._checked_name(field_name)
        kind = self._FIELDS[field_name]
        if kind is not None and not (isinstance(kind, type) and issubclass(kind, _Message)):
            raise ValueError(f"Field tensorflow.{type(self).__name__}.{field_name} does not have presence.")
        return any(name == field_name for name, _ in self._present())

    def _checked_name(self, name):
        if name not in self._FIELDS:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')

    def CopyFrom(self, other):
        """Becomes equal to another message of its class."""
        if type(other) is not type(self):
            raise TypeError(f"Parameter to CopyFrom() must be instance of same class: got {type(other)}.")
        copied = {}
        for name, value in other._present():
            kind = self._FIELDS[name]
            if isinstance(value, _Message):
                copied[name] = kind()
                copied[name].CopyFrom(value)
            else:
                copied[name] = kind(value) if isinstance(kind, type) else value
        self.__dict__["_set"] = copied


def _checked(name, default, value):
    if isinstance(default, bool):
        return bool(operator.index(value))
    if isinstance(default, int):
        if isinstance(value, bool):
            raise TypeError(f"Field {name}: Expected an int, got a boolean.")
        number = operator.index(value)
        if not -(2**63) <= number < 2**63:
            raise ValueError(f"Value out of range: {number}")
        return number
    if isinstance(default, float):
        if isinstance(value, str | bytes):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        return float(value)
    if not isinstance(value, str | bytes):
        raise TypeError(f"bad argument type for built-in operation: {name} is text, got {value!r}")
    return value.decode() if isinstance(value, bytes) else value


def _shown(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(int(value)) if value == int(value) else str(value)


def _named(names, default):
    return dict.fromkeys(names.split(), default)


_TOGGLE = {0: "DEFAULT", 1: "ON", 2: "OFF", 3: "AGGRESSIVE", 4: "EXPERIMENTAL_MLIR", 5: "EXPERIMENTAL_BOTH"}
_LEVEL = {0: "L1", -1: "L0"}
_JIT_LEVEL = {0: "DEFAULT", -1: "OFF", 1: "ON_1", 2: "ON_2"}


class OptimizerOptions(_Message):
    """How graphs are optimized; said to be without effect, but for `global_jit_level`: all is compiled by XLA.

    TF: `tf.compat.v1.OptimizerOptions`.
    """

    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    _FIELDS = {
        **_named("do_common_subexpression_elimination do_constant_folding", False), "opt_level": 0,
        "do_function_inlining": False, "global_jit_level": 0, "max_folded_constant_in_bytes": 0,
        "cpu_global_jit": False,
    }  # fmt: skip
    _ENUMS = {"opt_level": _LEVEL, "global_jit_level": _JIT_LEVEL}


_TOGGLES = """implementation_selector auto_mixed_precision common_subgraph_elimination auto_mixed_precision_mkl
use_plugin_optimizers auto_mixed_precision_cpu experimental_conditional_code_motion
auto_mixed_precision_onednn_bfloat16 layout_optimizer constant_folding arithmetic_optimization dependency_optimization
loop_optimization function_optimization debug_stripper shape_optimization remapping scoped_allocator_optimization
pin_to_host_optimization"""


class RewriterConfig(_Message):
    """How graphs are rewritten; without effect. TF: `tensorflow.core.protobuf.rewriter_config_pb2.RewriterConfig`."""

    DEFAULT, ON, OFF, AGGRESSIVE, EXPERIMENTAL_MLIR, EXPERIMENTAL_BOTH = range(6)
    _FIELDS = {
        "layout_optimizer": 0, "disable_model_pruning": False, "constant_folding": 0, "memory_optimization": 0,
        "auto_parallel": None, "memory_optimizer_target_node_name_scope": "", "arithmetic_optimization": 0,
        **_named("dependency_optimization loop_optimization function_optimization debug_stripper", 0),
        **_named("meta_optimizer_iterations shape_optimization remapping scoped_allocator_optimization", 0),
        "scoped_allocator_opts": None, "min_graph_nodes": 0, "pin_to_host_optimization": 0,
        "disable_meta_optimizer": False, "meta_optimizer_timeout_ms": 0, "fail_on_optimizer_errors": False,
        **_named("implementation_selector auto_mixed_precision common_subgraph_elimination", 0),
        "auto_mixed_precision_mkl": 0, "experimental_disable_compressed_tensor_optimization": False,
        "experimental_disable_folding_quantization_emulation": False, "use_plugin_optimizers": 0,
        **_named("auto_mixed_precision_cpu experimental_conditional_code_motion", 0),
        "auto_mixed_precision_onednn_bfloat16": 0, "disable_tfg_optimizer": False, "cpu_layout_conversion": 0,
        "optimizers": list,
        **_named("custom_optimizers inter_optimizer_verifier_config post_optimization_verifier_config", None),
    }  # fmt: skip
    _ENUMS = dict.fromkeys(_TOGGLES.split(), _TOGGLE)


class GraphOptions(_Message):
    """What is done with graphs; without effect. TF: `tf.compat.v1.GraphOptions`."""

    _FIELDS = {
        "enable_recv_scheduling": False, "optimizer_options": OptimizerOptions, "build_cost_model": 0,
        **_named("infer_shapes place_pruned_graph enable_bfloat16_sendrecv", False), "timeline_step": 0,
        "build_cost_model_after": 0, "rewrite_options": RewriterConfig,
    }  # fmt: skip


class GPUOptions(_Message):
    """What is asked of GPUs. TF: `tf.compat.v1.GPUOptions`; see `ConfigProto`."""

    _FIELDS = {
        "per_process_gpu_memory_fraction": 0.0, "allocator_type": "", "deferred_deletion_bytes": 0,
        "allow_growth": False, "visible_device_list": "", "polling_active_delay_usecs": 0,
        "polling_inactive_delay_msecs": 0, "force_gpu_compatible": False, "experimental": None,
    }  # fmt: skip


class _Experimental(_Message):
    __qualname__ = "ConfigProto.Experimental"
    _FIELDS = {
        **_named("collective_group_leader executor_type", ""), "recv_buf_max_chunk": 0,
        **_named("use_numa_affinity collective_deterministic_sequential_execution collective_nccl", False),
        **_named("share_session_state_in_clusterspec_propagation disable_thread_spinning", False),
        "share_cluster_devices_in_session": False, "session_metadata": None,
        **_named("optimize_for_static_graph enable_mlir_bridge disable_output_partition_graphs", False),
        "xla_fusion_autotuner_thresh": 0, "enable_mlir_graph_optimization": False, "mlir_bridge_rollout": 0,
        **_named("use_tfrt disable_functional_ops_lowering xla_prefer_single_graph_cluster", False),
        "coordination_config": None,
    }  # fmt: skip


class ConfigProto(_Message):
    """What a program asks of TensorFlow's runtime, for a `Session`.

    Args:
      **kwargs: values of fields.

    Raises:
      ValueError: there is no such field.

    Fields with an effect: `gpu_options.allow_growth` and `gpu_options.per_process_gpu_memory_fraction`, if the session
    is made before the first operation: they set XLA_PYTHON_CLIENT_PREALLOCATE and XLA_PYTHON_CLIENT_MEM_FRACTION for
    JAX, unless the environment does. `allow_soft_placement` and `global_jit_level` ask for what holds already. Others
    have none, which is said on the logger "tensorflow", once for each.
    TF: `tf.compat.v1.ConfigProto`; fields that are messages and not about GPUs or graphs are not available.
    """

    _FIELDS = {
        "device_count": _Counts, "intra_op_parallelism_threads": 0, "placement_period": 0, "device_filters": list,
        "inter_op_parallelism_threads": 0, "gpu_options": GPUOptions,
        **_named("allow_soft_placement log_device_placement use_per_session_threads", False),
        "graph_options": GraphOptions, "operation_timeout_in_ms": 0,
        **_named("session_inter_op_thread_pool rpc_options cluster_def", None), "isolate_session_state": False,
        "experimental": _Experimental, "share_cluster_devices_in_session": False,
        "pluggable_device_options": GPUOptions,
    }  # fmt: skip


_HOLD_ALREADY = {"allow_soft_placement", "graph_options.optimizer_options.global_jit_level"}
_GROWTH, _FRACTION = "gpu_options.allow_growth", "gpu_options.per_process_gpu_memory_fraction"
_INSTEAD = {
    "gpu_options.visible_device_list": "set CUDA_VISIBLE_DEVICES in the environment",
    "device_count": "set JAX_PLATFORMS=cpu in the environment to use no GPU",
    "inter_op_parallelism_threads": "XLA uses the cores that the process may use",
    "intra_op_parallelism_threads": "XLA uses the cores that the process may use",
    "graph_options.rewrite_options.auto_mixed_precision":
        "tf.keras.mixed_precision.set_global_policy('mixed_float16')",
}  # fmt: skip
_said = set()


def _say(name, instead=None):
    if name not in _said:
        _said.add(name)
        advice = f": {instead}" if instead else ""
        logger.warning("tf.compat.v1.ConfigProto: %s has no effect in tfcompat%s", name, advice)


def _follow(config):
    """Does what the options ask for, where that can be done; says of the others that they have no effect."""
    for name, value in config._paths():
        if name in (_GROWTH, _FRACTION):
            key, wanted = "XLA_PYTHON_CLIENT_PREALLOCATE", "false"
            if name == _FRACTION:
                key, wanted = "XLA_PYTHON_CLIENT_MEM_FRACTION", _shown(value)
            if not _devices_are_in_use():
                os.environ.setdefault(key, wanted)
            elif jax.default_backend() != "cpu" and key not in os.environ:
                _say(name, f"set {key}={wanted} in the environment, or make the session before the first operation")
        elif name not in _HOLD_ALREADY:
            _say(name, _INSTEAD.get(name))


def _devices_are_in_use():
    """Whether JAX has taken its devices, of which it says nothing in its public interface."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return getattr(bridge, "backends_are_initialized", lambda: False)()


_default_sessions = []


class Session:
    """Takes a configuration, and does nothing else: operations run as they are called.

    Args:
      target: str, "" for this process.
      graph: None, or the default graph.
      config: ConfigProto, or None.

    Raises:
      TypeError: `target` is no str, `graph` no graph, or `config` no ConfigProto.
      tf.errors.UnimplementedError: another process, or a method that runs graphs.

    TF: `tf.compat.v1.Session`. In its context operations are eager, as they are outside; there they make a graph.
    """

    def __init__(self, target="", graph=None, config=None):
        if not isinstance(target, str | bytes):
            raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        if target:
            raise UnimplementedError(
                None, None, "tf.compat.v1.Session: `target` is not available in tfcompat: leave it out"
            )
        self._closed = False
        if config is not None:
            _follow(config)

    def __enter__(self):
        _default_sessions.append(self)
        return self

    def __exit__(self, *exception):
        if self in _default_sessions:
            _default_sessions.remove(self)
        self.close()

    def as_default(self):
        """A context in which `tf.compat.v1.get_default_session` returns this session."""
        return _AsDefault(self)

    def close(self):
        """Ends the session, which has nothing to end."""
        self._closed = True

    def list_devices(self):
        """The devices, as `tf.config.list_logical_devices`.

        Raises:
          tf.errors.CancelledError: the session is closed.
        """
        if self._closed:
            raise CancelledError(None, None, "Session has been closed.")
        return config.list_logical_devices()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Refused: there is no graph. Tensors have their values: `x.numpy()`.

        Raises:
          tf.errors.UnimplementedError: always.
        """
        raise UnimplementedError(
            None, None, f"tf.compat.v1.Session.run {_GRAPHS}; tensors have their values: x.numpy()"
        )

    def __getattr__(self, name):
        if name not in ("graph", "graph_def", "sess_str", "make_callable", "partial_run", "partial_run_setup"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name)
        raise UnimplementedError(None, None, f"tf.compat.v1.Session.{name} {_GRAPHS}")


class InteractiveSession(Session):
    """A `Session` that is the default one from the beginning. TF: `tf.compat.v1.InteractiveSession`."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        _default_sessions.append(self)

    def close(self):
        """Ends the session; it is the default one no longer."""
        super().close()
        if self in _default_sessions:
            _default_sessions.remove(self)


class _AsDefault:
    def __init__(self, session):
        self._session = session

    def __enter__(self):
        _default_sessions.append(self._session)
        return self._session

    def __exit__(self, *exception):
        if self._session in _default_sessions:
            _default_sessions.remove(self._session)


def get_default_session():
    """The session in whose context this is, or an InteractiveSession; None without. TF: as there."""
    return _default_sessions[-1] if _default_sessions else None


_of_keras: list = [None]


def set_session(session):
    """Makes a session that of Keras, which needs none. TF: `tf.compat.v1.keras.backend.set_session`."""
    _of_keras[0] = session


def get_session(op_input_list=()):
    """The session in whose context this is, else that of Keras. TF: `tf.compat.v1.keras.backend.get_session`."""
    session = get_default_session() or _of_keras[0]
    if session is None:
        session = _of_keras[0] = Session()
    return session
