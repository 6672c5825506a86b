"""The devices of the host: which there are, which are used, and what memory they have."""

import collections

import jax

from tfcompat import engine
from tfcompat._core import device as _device
from tfcompat.errors import NotFoundError, UnimplementedError

PhysicalDevice = collections.namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = collections.namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDeviceConfiguration = collections.namedtuple(
    "LogicalDeviceConfiguration",
    ["memory_limit", "experimental_priority", "experimental_device_ordinal"],
    defaults=(None, None, None),
)


def _devices(device_type):
    return [(platform, n) for platform, n in _device.physical_devices() if device_type in (None, platform)]


def _visible(device_type):
    return [device for device in _devices(device_type) if device not in _device.hidden]


def _visible_logical(device_type):
    devices = [(platform, n) for platform, n in _device.logical_devices() if device_type in (None, platform)]
    return [each for each in devices if each not in _device.hidden]


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
    logical_devices = []
    for platform, _ in _visible_logical(device_type):
        logical_devices.append(LogicalDevice(f"/device:{platform}:{counts[platform]}", platform))
        counts[platform] += 1
    return logical_devices


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
      tf.errors.NotFoundError: no CPU would be left. TF raises it when the first operation runs.
      RuntimeError: no CPU would be left, and operations have run.

    TF: `tf.config.set_visible_devices`, only before the first operation; here also later, and what is on a device stays
    there.
    """
    several = isinstance(devices, list | tuple) and not isinstance(devices, PhysicalDevice)
    requested = list(devices) if several else [devices]
    devices_of_host = _devices(None)
    of_host = dict(zip(_as_physical(devices_of_host), devices_of_host, strict=True))
    for device in requested:
        if not isinstance(device, PhysicalDevice) or device not in of_host or (
            device_type not in (None, device.device_type)
        ):
            raise ValueError(f"Unrecognized device: {device!r}")
    chosen = {of_host[device] for device in requested}
    hidden = {each for each in _device.hidden if device_type not in (None, each[0])}
    hidden |= {each for each in _devices(device_type) if each not in chosen}
    hosts_left = [each for each in devices_of_host if each not in hidden]
    if all(platform != "CPU" for platform, _ in hosts_left):
        if _device.has_started():
            raise RuntimeError("Visible devices cannot be modified after being initialized")
        raise NotFoundError(
            None, None,
            "No CPU devices are available in this process: tf.config.set_visible_devices would leave none, and "
            "operations need one",
        )  # fmt: skip
    if hidden == _device.hidden:
        return
    engine.cut()
    _device.hidden.clear()
    _device.hidden.update(hidden)
    platform, number = next((each for each in hosts_left if each[0] != "CPU"), hosts_left[0])
    device = jax.local_devices(backend=platform.lower())[number]
    jax.config.update("jax_default_device", device if hidden else None)


def get_logical_device_configuration(device):
    """The LogicalDeviceConfigurations that a physical device is divided into; [] for one that is not divided.

    Raises:
      ValueError: there is no such device.

    TF: `tf.config.get_logical_device_configuration`.
    """
    return [LogicalDeviceConfiguration()] * _device.divided.get(_of_host(device), 0)


def set_logical_device_configuration(device, logical_devices):
    """Divides a CPU into several devices, before anything has run.

    Args:
      device: PhysicalDevice.
      logical_devices: list of LogicalDeviceConfiguration, one for each part.

    Raises:
      RuntimeError: operations have run, so that the devices are fixed.
      ValueError: there is no such device; a part of a CPU has a memory limit or a priority.
      tf.errors.UnimplementedError: an accelerator is to be divided, or its memory bounded.

    TF: `tf.config.set_logical_device_configuration`. The parts are JAX's `jax_num_cpu_devices`.
    """
    platform, number = _of_host(device)
    for part in logical_devices:
        for name in ("memory_limit", "experimental_priority"):
            if platform == "CPU" and getattr(part, name) is not None:
                what = "memory limit" if name == "memory_limit" else name
                raise ValueError(f"Setting {what} on CPU virtual devices is currently not supported")
        if part.memory_limit is not None:
            raise UnimplementedError(
                None, None,
                "tf.config.set_logical_device_configuration: set XLA_PYTHON_CLIENT_MEM_FRACTION in the environment to "
                "bound the memory of a device",
            )  # fmt: skip
    if platform != "CPU" and len(logical_devices) > 1:
        raise UnimplementedError(
            None, None,
            "tf.config.set_logical_device_configuration: JAX cannot divide an accelerator; divide the CPU to try out a "
            "program for several devices",
        )  # fmt: skip
    if platform == "CPU" and logical_devices:
        _device.divide(platform, number, len(logical_devices))


def _of_host(device):
    """(platform, number) of a PhysicalDevice."""
    devices = _devices(None)
    of_host = dict(zip(_as_physical(devices), devices, strict=True))
    if device not in of_host:
        raise ValueError(f"Unrecognized device: {device!r}")
    return of_host[device]


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


def get_device_details(device):
    """What is known of a physical device: `{"device_name": ...}`; of a CPU nothing.

    TF: `tf.config.experimental.get_device_details`, which adds the compute capability.
    """
    if device.device_type == "CPU":
        return {}
    matching = [d for d in jax.devices() if device.name.endswith(f"{d.platform.upper()}:{d.id}")]
    return {"device_name": matching[0].device_kind} if matching else {}


def get_memory_info(device):
    """The bytes in use on a device, e.g. "GPU:0": `{"current": ..., "peak": ...}`; zeros where JAX does not tell.

    Raises:
      ValueError: there is no such device.

    TF: `tf.config.experimental.get_memory_info`.
    """
    matching = [d for d in jax.devices() if str(device).upper().endswith(f"{d.platform.upper()}:{d.id}")]
    if not matching and not str(device).upper().endswith("CPU:0"):
        raise ValueError(f"Failed parsing device name: '{device}'. Note a single device, like 'GPU:0', is needed.")
    stats = (matching[0].memory_stats() if matching else None) or {}
    return {"current": stats.get("bytes_in_use", 0), "peak": stats.get("peak_bytes_in_use", 0)}
