"""`tf.config.experimental`: what scripts call first."""

import jax

from tfcompat._package.missing import missing
from tfcompat.errors import UnimplementedError

_memory_growth: dict = {}


def set_memory_growth(device, enable):
    """Accepts the request: how JAX takes memory is set by XLA_PYTHON_CLIENT_PREALLOCATE in the environment.

    Raises:
      ValueError: `device` is a CPU.

    TF: `tf.config.experimental.set_memory_growth`.
    """
    if getattr(device, "device_type", None) == "CPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    _memory_growth[device] = bool(enable)


def get_memory_growth(device):
    """What was asked for. TF: `tf.config.experimental.get_memory_growth`."""
    return _memory_growth.get(device, False)


def list_physical_devices(device_type=None):
    """As `tf.config.list_physical_devices`."""
    from tfcompat import config

    return config.list_physical_devices(device_type)


def list_logical_devices(device_type=None):
    """As `tf.config.list_logical_devices`."""
    from tfcompat import config

    return config.list_logical_devices(device_type)


def set_visible_devices(devices, device_type=None):
    """As `tf.config.set_visible_devices`."""
    from tfcompat import config

    config.set_visible_devices(devices, device_type)


def get_visible_devices(device_type=None):
    """As `tf.config.get_visible_devices`."""
    from tfcompat import config

    return config.get_visible_devices(device_type)


def get_device_details(device):
    """What is known of a physical device: `{"device_name": ...}`; of a CPU nothing.

    TF: `tf.config.experimental.get_device_details`, which adds the compute capability.
    """
    found = [d for d in jax.devices() if device.name.endswith(f"{d.platform.upper()}:{d.id}")]
    return {"device_name": found[0].device_kind} if found and found[0].platform != "cpu" else {}


def get_memory_info(device):
    """The bytes in use on a device, e.g. "GPU:0": `{"current": ..., "peak": ...}`; zeros where JAX does not tell.

    Raises:
      ValueError: there is no such device.

    TF: `tf.config.experimental.get_memory_info`.
    """
    found = [d for d in jax.devices() if str(device).upper().endswith(f"{d.platform.upper()}:{d.id}")]
    if not found and not str(device).upper().endswith("CPU:0"):
        raise ValueError(f"Failed parsing device name: '{device}'. Note a single device, like 'GPU:0', is needed.")
    stats = (found[0].memory_stats() if found else None) or {}
    return {"current": stats.get("bytes_in_use", 0), "peak": stats.get("peak_bytes_in_use", 0)}


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


__getattr__ = missing("tf.config.experimental")
