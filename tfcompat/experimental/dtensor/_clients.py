"""Which processes and devices there are. The environment says so: `DTENSOR_JOBS`, `DTENSOR_CLIENT_ID`."""

import os

from tfcompat._core import device as _device
from tfcompat._core.scopes import DeviceSpec
from tfcompat.distribute import _cluster
from tfcompat.errors import UnimplementedError

_KINDS = ("CPU", "GPU", "TPU")
_initialized = False


def jobs():
    """List of the addresses of all processes, from `DTENSOR_JOBS`; empty for a program of one process.

    Raises:
      ValueError: addresses that begin with /bns/ are not in the order of their numbers.

    TF: `tf.experimental.dtensor.jobs`.
    """
    text = os.environ.get("DTENSOR_JOBS")
    addresses = [] if text is None else text.split(",")
    if any(address.startswith("/bns/") for address in addresses) and addresses != sorted(addresses, key=_bns_number):
        raise ValueError(
            f"Unexpected DTENSOR_JOBS content {text}. Sort entries in DTENSOR_JOBS because cluster construction relies "
            "on the order."
        )
    return addresses


def _bns_number(address):
    number = address.rsplit("/")[-1].rsplit(":")[0]
    return int(number) if number.isdigit() else address


def num_clients():
    """How many processes there are. TF: `tf.experimental.dtensor.num_clients`."""
    return len(jobs()) or 1


def client_id():
    """The number of this process, from `DTENSOR_CLIENT_ID`; ValueError if there is no such process.

    TF: `tf.experimental.dtensor.client_id`.
    """
    number = int(os.environ.get("DTENSOR_CLIENT_ID", "0"))
    if number < 0:
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be >= 0, got {number}. ")
    if number >= num_clients():
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be < {num_clients()}, got {number}")
    return number


def job_name():
    """The job of the processes, from `DTENSOR_JOB_NAME`: by default "localhost", or "worker" if there are several.

    TF: `tf.experimental.dtensor.job_name`.
    """
    return os.environ.get("DTENSOR_JOB_NAME", "localhost" if num_clients() == 1 else "worker")


def full_job_name(task_id=None):
    """The name of a process, by default of this one; ValueError for another one where there is one.

    TF: `tf.experimental.dtensor.full_job_name`.
    """
    task_id = client_id() if task_id is None else task_id
    if num_clients() == 1 and task_id != 0:
        raise ValueError(f"Unexpected task ID {task_id} in local runs")
    return f"{job_name()}/replica:0/task:{task_id}"


def heartbeat_enabled():
    """Whether `DTENSOR_ENABLE_HEARTBEAT` is true, as by default. JAX's distributed runtime watches in either case.

    TF: `tf.experimental.dtensor.heartbeat_enabled`.
    """
    return os.environ.get("DTENSOR_ENABLE_HEARTBEAT", "true").lower() in ("true", "1")


def num_local_devices(device_type):
    """How many devices of a kind this process has. TF: `tf.experimental.dtensor.num_local_devices`."""
    return sum(platform == device_type.upper() for platform, _ in _device.logical_devices())


def num_global_devices(device_type):
    """How many devices of a kind all processes have. TF: `tf.experimental.dtensor.num_global_devices`."""
    return num_local_devices(device_type) * num_clients()


def local_devices(device_type, for_client_id=None):
    """List of DeviceSpecs of a process, by default this one; ValueError for a kind that is none.

    TF: `tf.experimental.dtensor.local_devices`.
    """
    if device_type.upper() not in _KINDS:
        raise ValueError(f"Device type {device_type} is not CPU, GPU, or TPU.")
    task = client_id() if for_client_id is None else for_client_id
    return [DeviceSpec(job_name(), 0, task, device_type, n) for n in range(num_local_devices(device_type))]


def preferred_device_type():
    """The first of "TPU", "GPU" and "CPU" of which there is a device.

    TF: `tf.experimental.dtensor.preferred_device_type`.
    """
    kinds = {platform for platform, _ in _device.logical_devices()}
    return next(kind for kind in reversed(_KINDS) if kind in kinds)


def initialize_accelerator_system(device_type=None, enable_coordination_service=True, num_logical_cpu_devices=None,
                                  experimental_reset_context=False, experimental_enable_megcore=False):  # fmt: skip
    """Divides the CPU, and connects the processes if there are several.

    Args:
      device_type: "CPU", "GPU" or "TPU"; by default the preferred one.
      enable_coordination_service: JAX's is always there.
      num_logical_cpu_devices: int, into how many the CPU is divided.
      experimental_reset_context, experimental_enable_megcore: must be False.

    Returns:
      The kind of device, in capitals.

    Raises:
      ValueError: it was called before, operations have run, or the kind is none.
      tf.errors.UnimplementedError: an experimental argument is given.

    TF: `tf.experimental.dtensor.initialize_accelerator_system`.
    """
    global _initialized
    if _initialized:
        raise ValueError(
            "Accelerator system has already been initialized. Call "
            "tf.experimental.dtensor.shutdown_accelerator_system() first."
        )
    if experimental_reset_context or experimental_enable_megcore:
        raise UnimplementedError(
            None, None,
            "tf.experimental.dtensor.initialize_accelerator_system: experimental_reset_context and "
            "experimental_enable_megcore are not available in tfcompat: JAX's backend starts once, so begin with this",
        )  # fmt: skip
    if _device.has_started():
        raise ValueError(
            "TensorFlow has already been initialized. tf.experimental.dtensor.initialize_accelerator_system() must be "
            "called before TensorFlow is initialized."
        )
    kind = preferred_device_type() if device_type is None else device_type.upper()
    if kind not in _KINDS:
        raise ValueError(f"Unknown device_type {kind}. Allowed values are CPU, GPU, or TPU")
    if num_logical_cpu_devices is not None:
        _device.divide("CPU", 0, num_logical_cpu_devices)
    if num_clients() > 1:
        _cluster.connect(jobs(), client_id())
    _initialized = True
    return kind


def require_initialized():
    """Raises ValueError before `initialize_accelerator_system`."""
    if not _initialized:
        raise ValueError(
            "Accelerators are uninitialized, please run dtensor.initialize_accelerator_system() first."
        )


def shutdown_accelerator_system():
    """Takes `initialize_accelerator_system` back, of a program of one process; devices stay divided.

    Raises:
      ValueError: that was not called, or there are several processes.

    TF: `tf.experimental.dtensor.shutdown_accelerator_system`.
    """
    global _initialized
    if not _initialized:
        raise ValueError(
            "Accelerator system is not initialized. Call tf.experimental.dtensor.initialize_accelerator_system first."
        )
    if num_clients() > 1:
        raise ValueError("Shutting down accelerator system under multi-client mode is not supported.")
    _initialized = False
