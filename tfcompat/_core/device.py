"""`tf.device`, which devices there are, and how CPUs are divided.

Nothing here starts JAX's backend before an operation runs: programs list devices first and divide them then. Until it
has started, accelerators are counted by what the operating system shows.
"""

import functools
import glob
import importlib.util
import os
import re
import sys
from typing import Any

import jax

from tfcompat import engine
from tfcompat._core.scopes import DeviceSpec
from tfcompat._package.thread_state import ThreadState
from tfcompat.errors import InvalidArgumentError

_soft_placement = True
hidden: set = set()  # (platform, number) of the devices that are not to be used, see `tf.config.set_visible_devices`
SPREAD = "/job:localhost/replica:0/task:0/device:CUSTOM:0"  # of a tensor on several devices, as in TF
divided: dict = {}  # (platform, number) of a physical device -> how many logical ones it was divided into

# Platforms of JAX -> modules that bring them, and the files by which Linux shows their devices.
_ACCELERATORS = {
    "gpu": (("jax_cuda13_plugin", "jax_cuda12_plugin"), "/dev/nvidia[0-9]*"),
    "tpu": (("libtpu",), "/dev/accel[0-9]*"),
}


# Versions of JAX whose XLA has the flag below. It ends a process that has a flag in XLA_FLAGS which it does not know.
_WITH_PATIENCE = {(0, 10), (0, 11), (0, 12)}
_PATIENCE = "--xla_cpu_collective_call_terminate_timeout_seconds=300"


def wait_long():
    """Lets XLA wait five minutes, in place of one, for devices that are late in a collective; then it ends the process.

    Devices that are parts of a CPU are late where the machine is busy. Called before JAX's backend starts; what
    XLA_FLAGS says goes first. XLA reads XLA_FLAGS once, which is here.
    """
    flags = os.environ.get("XLA_FLAGS")
    version = tuple(map(int, jax.__version__.split(".")[:2]))
    if version not in _WITH_PATIENCE or flags and not flags.lstrip().startswith("-"):  # the name of a file
        return
    options = getattr(getattr(sys.modules.get("jax._src.lib"), "xla_client", None), "CompileOptions", None)
    if options is None:
        return
    os.environ["XLA_FLAGS"] = f"{_PATIENCE} {flags or ''}"
    try:
        _ = options().executable_build_options.debug_options
    finally:
        if flags is None:
            del os.environ["XLA_FLAGS"]
        else:
            os.environ["XLA_FLAGS"] = flags


def has_started():
    """Whether JAX's backend has started, so that devices can no longer be divided."""
    bridge = sys.modules.get("jax._src.xla_bridge")  # JAX has no public question for it
    return bridge is not None and bridge.backends_are_initialized()


@functools.cache
def _shown(platform):
    """How many accelerators of a platform the operating system shows, if JAX can use them."""
    modules, files = _ACCELERATORS[platform]
    chosen = jax.config.jax_platforms  # pyright: ignore[reportAttributeAccessIssue]  # made at run time
    if chosen and not {platform, "cuda"}.intersection(chosen.split(",")):
        return 0
    if not any(importlib.util.find_spec(module) for module in modules):
        return 0
    count = len(glob.glob(files))
    limit = os.environ.get("CUDA_VISIBLE_DEVICES") if platform == "gpu" else None
    return count if limit is None else min(count, len([n for n in limit.split(",") if n and n[0] != "-"]))


def _n_cpus():
    """How many CPU devices JAX will have."""
    configured = jax.config.jax_num_cpu_devices  # pyright: ignore[reportAttributeAccessIssue]  # made at run time
    forced = re.search(r"--xla_force_host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", ""))
    return configured if configured > 0 else int(forced[1]) if forced else 1


def logical_devices():
    """[(platform in capitals, number)] of the devices of this process, those of a divided one each."""
    if has_started():
        local = [(d.platform.upper(), k) for _, k, d in _local()]
        return local if any(platform == "CPU" for platform, _ in local) else [("CPU", 0), *local]
    names = [("CPU", n) for n in range(_n_cpus())]
    accelerators = [(platform.upper(), n) for platform in _ACCELERATORS for n in range(_shown(platform))]
    return [names[0], *accelerators] if accelerators else names


def _local():
    """(platform, number among those of the platform in this process, JAX device)."""
    devices = jax.local_devices()
    return [(d.platform, [e for e in devices if e.platform == d.platform].index(d), d) for d in devices]


def physical_devices():
    """As `logical_devices`, but a divided device once."""
    return [(platform, n) for platform, n in logical_devices() if not (n and (platform, 0) in divided)]


def divide(platform, number, count):
    """Divides a physical CPU into `count` logical ones; see `tf.config.set_logical_device_configuration`.

    Raises:
      RuntimeError: JAX's backend has started.
    """
    if count == divided.get((platform, number), 1):
        return
    if has_started():
        raise RuntimeError("Virtual devices cannot be modified after being initialized")
    wait_long()
    jax.config.update("jax_num_cpu_devices", count)
    divided[platform, number] = count


class _Within(ThreadState):
    replica: Any = None  # the context of the replica whose function is running


within = _Within()


def of_replica():
    """The name of the device of the replica whose function is running, unless `tf.device` says another; or None."""
    return None if within.replica is None else within.replica.device_of_operations()


def visible(platform):
    """The JAX devices of a platform in this process that the program may use."""
    devices = jax.local_devices(backend=platform)
    if not hidden:
        return devices
    return [d for n, d in enumerate(devices) if (d.platform.upper(), n) not in hidden]


def jax_device(name):
    """The JAX device of TF's name for it; None if there is no such device in this process."""
    platform, number = parsed(name)
    if not has_started() and (platform.upper(), number) not in logical_devices():
        return None
    try:
        return visible(platform)[number]
    except (RuntimeError, IndexError):
        return None


def full_name(name):
    """A device's name in full: /job:localhost/replica:0/task:0/device:CPU:0."""
    platform, number = parsed(name)
    return f"/job:localhost/replica:0/task:0/device:{platform.upper()}:{number}"


def named(device):
    """TF's name of a JAX device. Hidden devices are not counted."""
    platform = device.platform.upper()
    own = device.local_hardware_id if platform == "GPU" and jax.process_count() > 1 else device.id
    own = own if own is not None and own < 1 << 10 else _number_in_process(device)
    number = own - sum(1 for other, n in hidden if other == platform and n < own)
    return f"/job:localhost/replica:0/task:0/device:{platform}:{number}"


def _number_in_process(device):
    """The number of a device among those of its process; of another process, its global one."""
    return next((n for _, n, d in _local() if d == device), device.id)


def get_soft_device_placement():
    """Whether the default device stands in for missing ones. TF: `tf.config.get_soft_device_placement`."""
    return _soft_placement


def set_soft_device_placement(enabled):
    """Sets whether the default device stands in for missing ones. TF: `tf.config.set_soft_device_placement`."""
    global _soft_placement
    _soft_placement = bool(enabled)


class device:  # noqa: N801
    """Runs the operations in its context on a device.

    Args:
      device_name: such as "/CPU:0", "/device:GPU:0", "GPU", "/job:localhost/replica:0/task:0/device:CPU:0"; None or ""
        for the default device. A name without a device, such as "/job:localhost", changes nothing.

    Raises:
      ValueError: the name is malformed.
      tf.errors.InvalidArgumentError: there is no such device, and soft placement is off.

    TF: `tf.device`. What is pending when the context is entered or left runs where it was recorded.
    """

    def __init__(self, device_name):
        self._contexts = []
        self._device = None
        if not device_name or _spec(device_name).device_type is None:
            return
        platform, number = parsed(device_name)
        if is_first(platform, number):
            return
        self._device = jax_device(device_name)
        if self._device is None and not _soft_placement:
            raise missing(device_name)

    def __enter__(self):
        context = None
        if self._device is not None and self._device != default():
            engine.cut()
            context = jax.default_device(self._device)
            context.__enter__()
        self._contexts.append(context)
        return self

    def __exit__(self, *exc):
        context = self._contexts.pop()
        if context is not None:
            engine.cut()
            context.__exit__(*exc)


def is_first(platform, number):
    """Whether operations run on this device anyhow; before the backend has started only."""
    if has_started() or jax.config.jax_default_device is not None:  # pyright: ignore[reportAttributeAccessIssue]
        return False
    accelerators = [name for name, n in logical_devices() if name != "CPU"]
    return (platform.upper(), number) == ((accelerators[0] if accelerators else "CPU"), 0)


def missing(name):
    """The error that there is no device of this name."""
    known = ", ".join(f"/job:localhost/replica:0/task:0/device:{platform}:{n}" for platform, n in logical_devices())
    return InvalidArgumentError(
        None, None,
        f"Could not satisfy device specification '{full_name(name)}'. enable_soft_placement=0. "
        f"All available devices [{known}].",
    )  # fmt: skip


def parsed(name):
    """(platform in lower case, number) of a device's name."""
    spec = _spec(name)
    return (spec.device_type or "CPU").lower(), spec.device_index or 0


def _spec(name):
    if not isinstance(name, str):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
    return _cached_spec(name)


@functools.lru_cache(256)
def _cached_spec(name):
    spec = DeviceSpec.from_string(name)
    if (spec.device_index or 0) < 0:
        raise InvalidArgumentError(None, None, f"Malformed device specification '{name}'")
    return spec


def is_default():
    """Whether operations run on the first JAX device, since nothing else was said."""
    return jax.config.jax_default_device is None  # pyright: ignore[reportAttributeAccessIssue]  # made at run time


def default():
    """The JAX device that operations run on."""
    configured = jax.config.jax_default_device  # pyright: ignore[reportAttributeAccessIssue]  # made at run time
    return jax.local_devices()[0] if configured is None or isinstance(configured, str) else configured
