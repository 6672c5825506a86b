"""How operations and functions run: deferred or immediate, how exactly, and on which hosts."""

import jax

from tfcompat import engine
from tfcompat.distribute._tpu_cluster import TPUClusterResolver
from tfcompat.errors import UnimplementedError
from tfcompat.function import functions_run_eagerly, run_functions_eagerly


def set_execution(mode):
    """Sets how operations run, in all threads: `"deferred"` (the default) or `"immediate"`.

    Args:
      mode: "deferred" records operations and computes values when they are looked at; "immediate" runs each
        operation as it is called, slower, with errors at the very line, for debugging.

    Raises:
      ValueError: another mode.

    TF: no equivalent. The environment variable TFCOMPAT_EXECUTION sets the same.
    """
    if mode not in ("deferred", "immediate"):
        raise ValueError(f"execution mode must be 'deferred' or 'immediate', got {mode!r}")
    engine.flush(engine.state.pending)
    engine.set_default_mode(mode)


def get_execution():
    """The execution mode of this thread: `"deferred"` or `"immediate"`. TF: no equivalent."""
    return "immediate" if engine.immediate() else "deferred"


def experimental_run_functions_eagerly(run_eagerly):
    """As `tf.config.run_functions_eagerly`."""
    run_functions_eagerly(run_eagerly)


def experimental_functions_run_eagerly():
    """As `tf.config.functions_run_eagerly`."""
    return functions_run_eagerly()


def experimental_connect_to_cluster(
    cluster_spec_or_resolver, job_name="localhost", task_index=0, protocol=None, make_master_device_default=True,
    cluster_device_filters=None,
):  # fmt: skip
    """Connects to a TPU, which is in this machine: nothing is left to do.

    Args:
      cluster_spec_or_resolver: TPUClusterResolver.
      job_name, task_index, protocol, make_master_device_default, cluster_device_filters: unused.

    Raises:
      tf.errors.UnimplementedError: another cluster.

    TF: `tf.config.experimental_connect_to_cluster`.
    """
    if not isinstance(cluster_spec_or_resolver, TPUClusterResolver):
        raise UnimplementedError(
            None, None,
            "tf.config.experimental_connect_to_cluster is not available in tfcompat for other hosts: use "
            "jax.distributed.initialize",
        )  # fmt: skip


def enable_op_determinism():
    """Accepted on CPUs, where XLA is deterministic.

    Raises:
      tf.errors.UnimplementedError: there is a GPU.

    TF: `tf.config.experimental.enable_op_determinism`.
    """
    if jax.default_backend() != "cpu":
        raise UnimplementedError(
            None, None,
            "tf.config.experimental.enable_op_determinism: set XLA_FLAGS=--xla_gpu_deterministic_ops=true in the "
            "environment",
        )  # fmt: skip


def tensor_float_32_execution_enabled():
    """Whether float32 products may be computed with TensorFloat-32: where JAX's matmul precision is not raised.

    TF: `tf.config.experimental.tensor_float_32_execution_enabled`.
    """
    return jax.config.jax_default_matmul_precision in (None, "default", "tensorfloat32")


def enable_tensor_float_32_execution(enabled):
    """Accepted where it changes nothing: on CPUs, or if things are so already.

    Raises:
      tf.errors.UnimplementedError: the setting differs from JAX's, which is the user's to make.

    TF: `tf.config.experimental.enable_tensor_float_32_execution`.
    """
    if jax.default_backend() != "cpu" and bool(enabled) != tensor_float_32_execution_enabled():
        precision = "default" if enabled else "highest"
        raise UnimplementedError(
            None, None,
            "tf.config.experimental.enable_tensor_float_32_execution: call "
            f'jax.config.update("jax_default_matmul_precision", "{precision}")',
        )  # fmt: skip
