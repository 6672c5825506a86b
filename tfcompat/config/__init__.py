"""`tf.config`: devices, and how functions and operations run."""
import collections

import jax

from tfcompat import engine
from tfcompat._core import device as _device
from tfcompat._core.device import get_soft_device_placement as get_soft_device_placement
from tfcompat._core.device import set_soft_device_placement as set_soft_device_placement
from tfcompat._package.missing import missing
from tfcompat.config import experimental as experimental
from tfcompat.config import optimizer as optimizer
from tfcompat.config import threading as threading
from tfcompat.distribute.cluster_resolver import TPUClusterResolver as _TPUClusterResolver
from tfcompat.errors import UnimplementedError as _UnimplementedError
from tfcompat.function import functions_run_eagerly as functions_run_eagerly
from tfcompat.function import run_functions_eagerly as run_functions_eagerly

PhysicalDevice = collections.namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = collections.namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDeviceConfiguration = collections.namedtuple(
    "LogicalDeviceConfiguration",
    ["memory_limit", "experimental_priority", "experimental_device_ordinal"],
    defaults=(None, None, None),
)
experimental.VirtualDeviceConfiguration = LogicalDeviceConfiguration


def _devices(device_type):
    found = [(d.platform.upper(), d.id) for d in jax.devices()]
    if not any(platform == "CPU" for platform, _ in found):
        found = [("CPU", 0), *found]
    return [(platform, n) for platform, n in found if device_type in (None, platform)]


def _visible(device_type):
    return [device for device in _devices(device_type) if device not in _device.hidden]


def _as_physical(devices):
    return [PhysicalDevice(f"/physical_device:{platform}:{number}", platform) for platform, number in devices]


def list_physical_devices(device_type=None):
    """The devices of the host: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU').

    Args:
      device_type: "CPU", "GPU" or "TPU"; all by default.

    TF: `tf.config.list_physical_devices`.
    """
    return _as_physical(_devices(device_type))


def list_logical_devices(device_type=None):
    """The devices that operations run on: LogicalDevice(name='/device:CPU:0', device_type='CPU').

    Args:
      device_type: "CPU", "GPU" or "TPU"; all by default.

    TF: `tf.config.list_logical_devices`.
    """
    counts: collections.Counter = collections.Counter()
    found = []
    for platform, _ in _visible(device_type):
        found.append(LogicalDevice(f"/device:{platform}:{counts[platform]}", platform))
        counts[platform] += 1
    return found


def get_visible_devices(device_type=None):
    """The devices that are used, of those of the host.

    Args:
      device_type: "CPU", "GPU" or "TPU"; all by default.

    TF: `tf.config.get_visible_devices`.
    """
    return _as_physical(_visible(device_type))


def set_visible_devices(devices, device_type=None):
    """Chooses the devices that operations run on, by default the first accelerator that is left, or else the CPU.

    Args:
      devices: PhysicalDevice, or list of them; `[]` with "GPU" leaves the CPU.
      device_type: "CPU", "GPU" or "TPU"; all by default.

    Raises:
      ValueError: a device is of another type, or there is no such device.
      tf.errors.UnimplementedError: no CPU would be left.

    TF: `tf.config.set_visible_devices`, only before the first operation; here also later, and what is on a device stays
    there.
    """
    wanted = [devices] if isinstance(devices, PhysicalDevice) else list(devices or ())
    devices_of_host = _devices(None)
    of_host = dict(zip(_as_physical(devices_of_host), devices_of_host, strict=True))
    for device in wanted:
        if device_type not in (None, device.device_type) or device not in of_host:
            raise ValueError(f"Unrecognized device: {device!r}")
    chosen = {of_host[device] for device in wanted}
    hidden = {each for each in _device.hidden if device_type not in (None, each[0])}
    hidden |= {each for each in _devices(device_type) if each not in chosen}
    left = [each for each in devices_of_host if each not in hidden]
    if all(platform != "CPU" for platform, _ in left):
        raise _UnimplementedError(
            None, None,
            "tf.config.set_visible_devices: no CPU would be left; set JAX_PLATFORMS in the environment",
        )  # fmt: skip
    if hidden == _device.hidden:
        return
    engine.cut()
    _device.hidden.clear()
    _device.hidden.update(hidden)
    platform, number = next((each for each in left if each[0] != "CPU"), left[0])
    device = next(d for d in jax.devices(platform.lower()) if d.id == number)
    jax.config.update("jax_default_device", device if hidden else None)


def get_logical_device_configuration(device):
    """None: physical devices are not divided. TF: `tf.config.get_logical_device_configuration`."""


def set_logical_device_configuration(device, logical_devices):
    """Refuses to divide a device or to bound its memory.

    Args:
      device: PhysicalDevice.
      logical_devices: list of LogicalDeviceConfiguration; one without a memory limit is what holds already.

    Raises:
      tf.errors.UnimplementedError: anything else.

    TF: `tf.config.set_logical_device_configuration`.
    """
    if len(logical_devices) != 1:
        raise _UnimplementedError(
            None, None,
            "tf.config.set_logical_device_configuration: set XLA_FLAGS=--xla_force_host_platform_device_count=N in "
            "the environment",
        )  # fmt: skip
    if logical_devices[0].memory_limit is not None:
        raise _UnimplementedError(
            None, None,
            "tf.config.set_logical_device_configuration: set XLA_PYTHON_CLIENT_MEM_FRACTION in the environment to "
            "bound the memory of a device",
        )  # fmt: skip


def experimental_run_functions_eagerly(run_eagerly):
    """As `tf.config.run_functions_eagerly`."""
    run_functions_eagerly(run_eagerly)


def experimental_functions_run_eagerly():
    """As `tf.config.functions_run_eagerly`."""
    return functions_run_eagerly()


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
    if not isinstance(cluster_spec_or_resolver, _TPUClusterResolver):
        raise _UnimplementedError(
            None, None,
            "tf.config.experimental_connect_to_cluster is not available in tfcompat for other hosts: use "
            "jax.distributed.initialize",
        )  # fmt: skip


def get_execution():
    """The execution mode of this thread: `"deferred"` or `"immediate"`. TF: no equivalent."""
    return "immediate" if engine.immediate() else "deferred"


__getattr__ = missing(
    "tf.config",
    hints={
        "experimental_connect_to_host": "jax.distributed.initialize",
    },
)
