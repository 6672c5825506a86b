"""`tf.config`: devices, and how functions and operations run."""
import collections

import jax

from tfcompat import engine
from tfcompat._missing import missing
from tfcompat.config import experimental as experimental
from tfcompat.engine import _executor
from tfcompat.function import functions_run_eagerly as functions_run_eagerly
from tfcompat.function import run_functions_eagerly as run_functions_eagerly

PhysicalDevice = collections.namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = collections.namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDeviceConfiguration = collections.namedtuple(
    "LogicalDeviceConfiguration",
    ["memory_limit", "experimental_priority", "experimental_device_ordinal"],
    defaults=(None, None, None),
)


def _devices(device_type):
    found = [(d.platform.upper(), d.id) for d in jax.devices()]
    if not any(platform == "CPU" for platform, _ in found):
        found = [("CPU", 0), *found]
    return [(platform, n) for platform, n in found if device_type in (None, platform)]


def list_physical_devices(device_type=None):
    """The devices of the host: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU').

    Args:
      device_type: "CPU", "GPU" or "TPU"; all by default.

    TF: `tf.config.list_physical_devices`.
    """
    return [PhysicalDevice(f"/physical_device:{p}:{n}", p) for p, n in _devices(device_type)]


def list_logical_devices(device_type=None):
    """The devices that operations run on: LogicalDevice(name='/device:CPU:0', device_type='CPU').

    Args:
      device_type: "CPU", "GPU" or "TPU"; all by default.

    TF: `tf.config.list_logical_devices`.
    """
    return [LogicalDevice(f"/device:{p}:{n}", p) for p, n in _devices(device_type)]


def get_visible_devices(device_type=None):
    """The devices that are used: all of them. TF: `tf.config.get_visible_devices`."""
    return list_physical_devices(device_type)


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
    _executor.default_immediate = mode == "immediate"


def get_execution():
    """The execution mode of this thread: `"deferred"` or `"immediate"`. TF: no equivalent."""
    return "immediate" if engine.immediate() else "deferred"


__getattr__ = missing(
    "tf.config",
    hints={
        "set_visible_devices": "JAX_PLATFORMS or CUDA_VISIBLE_DEVICES in the environment",
        "set_logical_device_configuration": "XLA_FLAGS=--xla_force_host_platform_device_count=N in the environment",
        "set_soft_device_placement": "nothing in its place: JAX places arrays",
    },
)
