"""`tf.compat.v1.ConfigProto` and the messages in it."""

import enum

from tfcompat._formats.protobuf import Message
from tfcompat.errors import UnimplementedError

Toggle = enum.IntEnum("Toggle", "DEFAULT ON OFF AGGRESSIVE EXPERIMENTAL_MLIR EXPERIMENTAL_BOTH", start=0)
OptimizationLevel = enum.IntEnum("OptimizationLevel", {"L1": 0, "L0": -1})
JitLevel = enum.IntEnum("JitLevel", {"DEFAULT": 0, "OFF": -1, "ON_1": 1, "ON_2": 2})
CpuLayout = enum.IntEnum("CpuLayout", "NO_CONVERSION_ON_CPU NCHW_TO_NHWC NHWC_TO_NCHW", start=0)
Iterations = enum.IntEnum("Iterations", "DEFAULT_NUM_ITERS ONE TWO", start=0)
MemoryOptimization = enum.IntEnum(
    "MemoryOptimization",
    "DEFAULT_MEM_OPT NO_MEM_OPT MANUAL HEURISTICS SWAPPING_HEURISTICS RECOMPUTATION_HEURISTICS SCHEDULING_HEURISTICS",
    start=0,
)
MlirBridgeRollout = enum.IntEnum(
    "MlirBridgeRollout", [f"MLIR_BRIDGE_ROLLOUT_{name}" for name in ("UNSPECIFIED", "ENABLED", "DISABLED")], start=0
)


def _rows(kind, text):
    """The rows of fields of one kind, written as "number name number name ..."."""
    words = text.split()
    return [(int(number), name, kind) for number, name in zip(words[::2], words[1::2], strict=True)]


class _Options(Message):
    """Base of messages some of whose fields are not available: they need a runtime that is not here."""

    _UNAVAILABLE = frozenset()

    def __getattr__(self, name):
        if name in self._UNAVAILABLE:
            raise self._no_field(name)
        return super().__getattr__(name)

    def _no_field(self, name, error: type[Exception] = ValueError):
        if name in self._UNAVAILABLE:
            return UnimplementedError(
                None, None, f"tf.compat.v1.{type(self).__name__}: {name} is not available in tfcompat: leave it out"
            )
        return super()._no_field(name, error)


TraceLevel = enum.IntEnum("TraceLevel", "NO_TRACE SOFTWARE_TRACE HARDWARE_TRACE FULL_TRACE", start=0)


class RunOptions(_Options):
    """How a run is done; said to be without effect: JAX has a profiler. TF: `tf.compat.v1.RunOptions`."""

    NAME = "tensorflow.RunOptions"
    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3
    TraceLevel = TraceLevel
    FIELDS = (
        (1, "trace_level", TraceLevel), (2, "timeout_in_ms", "int64"), (3, "inter_op_thread_pool", "int32"),
        (5, "output_partition_graphs", "bool"), (7, "report_tensor_allocations_upon_oom", "bool"),
    )  # fmt: skip
    _UNAVAILABLE = frozenset(("debug_options", "experimental"))


class RunMetadata(_Options):
    """What a run measures: here nothing, as a message says. TF: `tf.compat.v1.RunMetadata`."""

    NAME = "tensorflow.RunMetadata"
    _UNAVAILABLE = frozenset(("step_stats", "cost_graph", "partition_graphs", "function_graphs", "session_metadata"))


class OptimizerOptions(_Options):
    """How graphs are optimized; said to be without effect, but for `global_jit_level`: all is compiled by XLA.

    TF: `tf.compat.v1.OptimizerOptions`.
    """

    NAME = "tensorflow.OptimizerOptions"
    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    FIELDS = (
        *_rows("bool", """1 do_common_subexpression_elimination 2 do_constant_folding 4 do_function_inlining
                          7 cpu_global_jit"""),
        (3, "opt_level", OptimizationLevel), (5, "global_jit_level", JitLevel),
        (6, "max_folded_constant_in_bytes", "int64"),
    )  # fmt: skip


class RewriterConfig(_Options):
    """How graphs are rewritten; without effect. TF: `tensorflow.core.protobuf.rewriter_config_pb2.RewriterConfig`."""

    NAME = "tensorflow.RewriterConfig"
    DEFAULT, ON, OFF, AGGRESSIVE, EXPERIMENTAL_MLIR, EXPERIMENTAL_BOTH = range(6)
    FIELDS = (
        *_rows(Toggle, """1 layout_optimizer 3 constant_folding 7 arithmetic_optimization 8 dependency_optimization
                          9 loop_optimization 10 function_optimization 11 debug_stripper 13 shape_optimization
                          14 remapping 15 scoped_allocator_optimization 18 pin_to_host_optimization
                          22 implementation_selector 23 auto_mixed_precision 24 common_subgraph_elimination
                          25 auto_mixed_precision_mkl 28 use_plugin_optimizers 29 auto_mixed_precision_cpu
                          30 experimental_conditional_code_motion 31 auto_mixed_precision_onednn_bfloat16"""),
        *_rows("bool", """2 disable_model_pruning 19 disable_meta_optimizer 21 fail_on_optimizer_errors
                          26 experimental_disable_compressed_tensor_optimization
                          27 experimental_disable_folding_quantization_emulation 32 disable_tfg_optimizer"""),
        (4, "memory_optimization", MemoryOptimization), (6, "memory_optimizer_target_node_name_scope", "string"),
        (12, "meta_optimizer_iterations", Iterations), (17, "min_graph_nodes", "int32"),
        (20, "meta_optimizer_timeout_ms", "int64"), (50, "cpu_layout_conversion", CpuLayout),
        (100, "optimizers", ["string"]),
    )  # fmt: skip
    _UNAVAILABLE = frozenset(
        """
        auto_parallel scoped_allocator_opts custom_optimizers inter_optimizer_verifier_config
        post_optimization_verifier_config
        """.split()
    )


class GraphOptions(_Options):
    """What is done with graphs; without effect. TF: `tf.compat.v1.GraphOptions`."""

    NAME = "tensorflow.GraphOptions"
    FIELDS = (
        *_rows("bool", "2 enable_recv_scheduling 5 infer_shapes 6 place_pruned_graph 7 enable_bfloat16_sendrecv"),
        (3, "optimizer_options", OptimizerOptions), (4, "build_cost_model", "int64"), (8, "timeline_step", "int32"),
        (9, "build_cost_model_after", "int64"), (10, "rewrite_options", RewriterConfig),
    )  # fmt: skip


class GPUOptions(_Options):
    """What is asked of GPUs. TF: `tf.compat.v1.GPUOptions`; see `ConfigProto`."""

    NAME = "tensorflow.GPUOptions"
    FIELDS = (
        (1, "per_process_gpu_memory_fraction", "double"), (2, "allocator_type", "string"),
        (3, "deferred_deletion_bytes", "int64"), (4, "allow_growth", "bool"), (5, "visible_device_list", "string"),
        (6, "polling_active_delay_usecs", "int32"), (7, "polling_inactive_delay_msecs", "int32"),
        (8, "force_gpu_compatible", "bool"),
    )  # fmt: skip
    _UNAVAILABLE = frozenset(["experimental"])


class _Experimental(_Options):
    __qualname__ = "ConfigProto.Experimental"
    NAME = "tensorflow.ConfigProto.Experimental"
    FIELDS = (
        *_rows("bool", """5 use_numa_affinity 6 collective_deterministic_sequential_execution 7 collective_nccl
                          8 share_session_state_in_clusterspec_propagation 9 disable_thread_spinning
                          10 share_cluster_devices_in_session 12 optimize_for_static_graph 13 enable_mlir_bridge
                          14 disable_output_partition_graphs 16 enable_mlir_graph_optimization 18 use_tfrt
                          21 disable_functional_ops_lowering 22 xla_prefer_single_graph_cluster"""),
        (1, "collective_group_leader", "string"), (3, "executor_type", "string"), (4, "recv_buf_max_chunk", "int32"),
        (15, "xla_fusion_autotuner_thresh", "int64"), (17, "mlir_bridge_rollout", MlirBridgeRollout),
    )  # fmt: skip
    _UNAVAILABLE = frozenset(["session_metadata", "coordination_config"])


class ConfigProto(_Options):
    """What a program asks of TensorFlow's runtime, for a `Session`.

    Args:
      **kwargs: values of fields.

    Raises:
      ValueError: there is no such field.
      tf.errors.UnimplementedError: the field is not available.

    Fields with an effect: `gpu_options.allow_growth` and `gpu_options.per_process_gpu_memory_fraction`, if the session
    is made before the first operation: they set XLA_PYTHON_CLIENT_PREALLOCATE and XLA_PYTHON_CLIENT_MEM_FRACTION for
    JAX, unless the environment does. `allow_soft_placement` and `global_jit_level` ask for what holds already. Others
    have none, which is said on the logger "tensorflow", once for each.
    TF: `tf.compat.v1.ConfigProto`; fields that are messages and not about GPUs or graphs are not available.
    """

    NAME = "tensorflow.ConfigProto"
    FIELDS = (
        (1, "device_count", {"string": "int32"}), (4, "device_filters", ["string"]),
        *_rows("int32", "2 intra_op_parallelism_threads 3 placement_period 5 inter_op_parallelism_threads"),
        *_rows("bool", """7 allow_soft_placement 8 log_device_placement 9 use_per_session_threads
                          15 isolate_session_state 17 share_cluster_devices_in_session"""),
        (6, "gpu_options", GPUOptions), (10, "graph_options", GraphOptions), (11, "operation_timeout_in_ms", "int64"),
        (16, "experimental", _Experimental), (18, "pluggable_device_options", GPUOptions),
    )  # fmt: skip
    _UNAVAILABLE = frozenset(["session_inter_op_thread_pool", "rpc_options", "cluster_def"])
