"""`Mesh`: devices with a number along each of several named axes; one to one a `jax.sharding.Mesh`."""

import collections
import functools
import itertools
import math

import jax
import numpy as np
from jax.experimental import multihost_utils

from tfcompat import engine
from tfcompat._core import device as _device
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.scopes import DeviceSpec
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.experimental.dtensor import _clients

MeshDimension = collections.namedtuple("MeshDimension", ["name", "size"])

_of_jax: dict = {}  # jax.sharding.Mesh -> the Mesh of which it was made


class Mesh:
    """Devices, arranged along named axes.

    Args:
      dim_names: list of the names of the axes.
      global_device_ids: int array of the sizes of the axes; consecutive numbers.
      local_device_ids: list of the numbers of the devices of this process.
      local_devices: list of DeviceSpecs, or names, of the devices of this process.
      mesh_name: str.
      global_devices: list of DeviceSpecs, or names, of all devices.
      use_xla_spmd: must be False, though XLA divides the programs.

    Raises:
      ValueError: the arguments do not fit each other.

    TF: `tf.experimental.dtensor.Mesh`, without protocol buffers.
    """

    def __init__(self, dim_names, global_device_ids, local_device_ids, local_devices, mesh_name="",
                 global_devices=None, use_xla_spmd=False):  # fmt: skip
        if not isinstance(global_device_ids, np.ndarray):
            raise ValueError("Variable global_device_ids must be an ndarray.")
        if global_device_ids.size == 0:
            raise ValueError("Variable global_device_ids must be non-empty.")
        numbers = global_device_ids.ravel()
        if (numbers != np.arange(len(numbers)) + numbers[0]).any():
            raise ValueError(f"global_device_ids must sequentially increase: {global_device_ids}")
        if len(dim_names) != global_device_ids.ndim:
            raise ValueError("Number of mesh dimensions does not match number of dimension names.")
        if not isinstance(local_device_ids, list):
            raise ValueError("Variable local_device_ids must be a list of integers.")
        if not isinstance(local_devices, list):
            raise ValueError("Variable local_devices must be a list of DeviceSpecs.")
        if global_devices and not isinstance(global_devices, list):
            raise ValueError("Variable global_devices must be a list of DeviceSpecs.")
        if not local_devices and not global_devices:
            raise ValueError("Empty list of devices not allowed.")
        if len(local_device_ids) != len(local_devices):
            raise ValueError("Variable local_device_ids does not have same size as local_devices.")
        if len(local_device_ids) > len(numbers):
            raise ValueError("Cannot have more local than gobal device IDs.")
        kinds = {_spec(device).device_type for device in local_devices or global_devices}
        if None in kinds:
            raise ValueError("device_type is required")
        if len(kinds) > 1:
            raise ValueError(f"Devices containing multiple device_types : {kinds}")
        self._kind = kinds.pop()
        if self._kind != "CPU" and len(set(map(_name, local_devices))) < len(local_devices):
            raise ValueError(f"Duplicate devices found in mesh specification {local_devices}.")
        if use_xla_spmd:
            raise ValueError(f"XLA SPMD is not currently not supported for {self._kind} mesh.")
        self._names, self._ids = list(dim_names), np.array(global_device_ids, np.int64)
        self._local_ids, self._local_devices = list(map(int, local_device_ids)), list(map(_name, local_devices))
        self._name, self._global_devices = mesh_name, list(map(_name, global_devices or ()))
        self._single_device = ""

    @classmethod
    def from_device(cls, device):
        """The mesh of one device, without axes."""
        mesh = cls([], np.zeros((), np.int64), [0], [device])
        mesh._single_device = device
        return mesh

    @classmethod
    def from_string(cls, mesh_str):
        """The mesh of which `mesh_str` is the `to_string()`; ValueError for what is none."""
        parts = mesh_str.split("|")
        if len(parts) == 1 and "device:" in mesh_str.lower():
            return cls.from_device(mesh_str)
        if not 5 <= len(parts) <= 6:
            raise ValueError(f"Input string is invalid: {mesh_str}")
        name, axes, ids, local_ids, local_devices, *global_devices = parts
        axes = [axis.partition("=") for axis in axes.split(",") if axis]
        ids = np.array(list(map(int, ids.split(",")))).reshape([int(size) for _, _, size in axes])
        local = [int(n) for n in local_ids.split(",") if n]
        devices = [device.split(",") if device else [] for device in (local_devices, *global_devices)]
        return cls([axis for axis, _, _ in axes], ids, local, devices[0], name, *devices[1:])

    @classmethod
    def of(cls, mesh):
        """The Mesh of a `jax.sharding.Mesh`."""
        if mesh not in _of_jax:
            ids = np.arange(mesh.size).reshape(mesh.devices.shape)
            local = [(n, d) for n, d in enumerate(mesh.devices.flat) if d.process_index == jax.process_index()]
            _of_jax[mesh] = cls(
                mesh.axis_names, ids, [n for n, _ in local], [_device.named(d) for _, d in local]
            )
        return _of_jax[mesh]

    @functools.cached_property
    def jax_mesh(self):
        """The `jax.sharding.Mesh`.

        Raises:
          tf.errors.InvalidArgumentError: a device is not there.
          tf.errors.UnimplementedError: a device is there twice.
        """
        local = list(map(_device.jax_device, self._local_devices))
        for device, name in zip(local, self._local_devices, strict=True):
            if device is None:
                raise InvalidArgumentError(None, None, f"tf.experimental.dtensor: there is no device {name}")
        if len(set(local)) < len(local):
            raise UnimplementedError(
                None, None, f"tf.experimental.dtensor: {self} has a device twice, which is not available in tfcompat: "
                "divide it, with tf.config.set_logical_device_configuration"
            )  # fmt: skip
        if len(local) < self.size:  # the other processes have devices of the same numbers
            of_processes: dict = {}
            for device in sorted(jax.devices(local[0].platform), key=lambda d: d.id):
                of_processes.setdefault(device.process_index, []).append(device)
            places = [of_processes[jax.process_index()].index(device) for device in local]
            local = [of_processes[process][place] for process in sorted(of_processes) for place in places]
        mesh = jax.sharding.Mesh(np.array(local).reshape(self._ids.shape), tuple(self._names))
        _of_jax[mesh] = self
        return mesh

    dim_names = property(lambda self: list(self._names), doc="List of the names of the axes.")
    name = property(lambda self: self._name, doc="The name, a str.")
    size = property(lambda self: self._ids.size, doc="How many devices there are.")
    single_device = property(lambda self: self._single_device, doc="The name of the device of a mesh without axes.")

    @property
    def strides(self):
        """List of how far the numbers of neighbours along each axis are apart."""
        return [math.prod(self.shape()[axis + 1 :]) for axis in range(self._ids.ndim)]

    def shape(self):
        """List of the sizes of the axes."""
        return list(self._ids.shape)

    def dim_size(self, dim_name):
        """The size of an axis. Raises ValueError for an unknown one."""
        if dim_name not in self._names:
            raise ValueError(
                f"Dimension {dim_name} does not exist in mesh.Available dimensions: {','.join(self._names)}"
            )
        return self._ids.shape[self._names.index(dim_name)]

    def contains_dim(self, dim_name):
        """Whether there is an axis of this name."""
        return dim_name in self._names

    __contains__ = contains_dim

    def __getitem__(self, dim_name):
        return MeshDimension(dim_name, self.dim_size(dim_name))

    def coords(self, device_idx):
        """The numbers of a device along each axis, an int32 tensor."""
        return convert_to_tensor(np.array(self.device_location(device_idx), np.int32))

    def device_location(self, device_id):
        """As `coords`, a list."""
        return [int(n) for n in np.unravel_index(device_id, self._ids.shape)]

    def unravel_index(self):
        """Dict from the numbers of devices to dicts from axes to numbers along them."""
        places = itertools.product(*map(range, self._ids.shape))
        return {n: dict(zip(self._names, place, strict=True)) for n, place in enumerate(places)}

    def local_device_locations(self):
        """List of what `unravel_index` gives for the devices of this process."""
        return [self.unravel_index()[n] for n in self._local_ids]

    def device_type(self):
        """The kind of the devices, in capitals."""
        return self._kind

    def global_device_ids(self):
        """int64 array of the numbers of all devices, of the mesh's shape."""
        return self._ids.copy()

    def global_devices(self):
        """List of the names of all devices, if it was given."""
        return list(self._global_devices)

    def local_device_ids(self):
        """List of the numbers of the devices of this process."""
        return list(self._local_ids)

    def local_devices(self):
        """List of the names of the devices of this process."""
        return list(self._local_devices)

    def num_local_devices(self):
        """How many devices of this process there are."""
        return len(self._local_devices)

    def min_global_device_id(self):
        """The first number."""
        return int(self._ids.min())

    def host_mesh(self):
        """The mesh itself, of CPUs; of accelerators a mesh of as many CPUs."""
        if self._kind == "CPU":
            return self
        devices = [_spec(name).replace(device_type="CPU") for name in self._local_devices]
        return Mesh(self._names, self._ids, self._local_ids, devices, self._name)

    def is_remote(self):
        """Whether no device is in this process."""
        return not self._local_ids

    def is_single_device(self):
        """Whether it is a device without axes."""
        return bool(self._single_device)

    def use_xla_spmd(self):
        """False, as it was given."""
        return False

    def to_string(self):
        """The mesh as text, for `from_string`."""
        if self._single_device:
            return self._single_device
        axes = ",".join(f"{name}={size}" for name, size in zip(self._names, self._ids.shape, strict=True))
        ids, local = (",".join(map(str, numbers)) for numbers in (self._ids.flat, self._local_ids))
        text = f"{self._name}|{axes}|{ids}|{local}|{','.join(self._local_devices)}"
        return f"{text}|{','.join(self._global_devices)}" if self._global_devices else text

    def as_proto(self):
        """Not available: raises tf.errors.UnimplementedError, as `from_proto`."""
        raise UnimplementedError(
            None, None, "tf.experimental.dtensor: protocol buffers are not available in tfcompat: use to_string"
        )

    from_proto = classmethod(as_proto)

    def __eq__(self, other):
        return isinstance(other, Mesh) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return f"Mesh.from_string({self.to_string()})"

    def __reduce__(self):
        return Mesh.from_string, (self.to_string(),)


def _spec(device):
    return device if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device)


def _name(device):
    return device.to_string() if isinstance(device, DeviceSpec) else device


def _specs(devices, device_type, task):
    """The DeviceSpecs of devices, or of all of a kind, in a process."""
    if devices is None:
        device_type = device_type or "CPU"
        devices = _clients.local_devices(device_type)
    else:
        devices = list(map(_spec, devices))
        device_type = device_type or devices[0].device_type
        if device_type.upper() != devices[0].device_type:
            raise ValueError(f"Conflicting devices {devices!s} and device_type {device_type}")
    here = DeviceSpec(job=_clients.job_name(), replica=0, task=task)
    return [here.make_merged_spec(device) for device in devices]


def create_mesh(mesh_dims=None, mesh_name="", devices=None, device_type=None, use_xla_spmd=False):
    """The mesh of devices of this process.

    Args:
      mesh_dims: dict from names of axes to sizes, or list of pairs; -1 for the size of a single axis stands for all
        devices. By default one axis, "x".
      mesh_name: str.
      devices: list of names, or DeviceSpecs; by default all of the kind.
      device_type: the kind, by default "CPU".
      use_xla_spmd: must be False.

    Raises:
      ValueError: the sizes do not fit the devices; the devices are not of the kind.

    TF: `tf.experimental.dtensor.create_mesh`.
    """
    devices = _specs(devices, device_type, 0)
    dims = [("x", -1)] if mesh_dims is None else list(dict(mesh_dims).items())
    if len(dims) == 1 and dims[0][1] == -1:
        dims = [(dims[0][0], len(devices))]
    shape = [size for _, size in dims]
    if not dims or math.prod(shape) != len(devices):
        raise ValueError(
            f"length of devices ({len(devices)}) must be equal to total size of the mesh of shape {shape}"
        )
    ids = np.arange(len(devices)).reshape(shape)
    return Mesh([name for name, _ in dims], ids, ids.ravel().tolist(), devices, mesh_name, None, use_xla_spmd)


def create_distributed_mesh(mesh_dims, mesh_name="", local_devices=None, device_type=None, use_xla_spmd=False):
    """The mesh of devices of all processes, of which each has equally many.

    Args:
      mesh_dims: dict from names of axes to sizes, or list of pairs.
      mesh_name: str.
      local_devices: list of names, or DeviceSpecs, of this process's devices; by default all of the kind.
      device_type: the kind, by default "CPU".
      use_xla_spmd: must be False.

    Raises:
      ValueError: before `initialize_accelerator_system`; the sizes do not fit the devices.

    TF: `tf.experimental.dtensor.create_distributed_mesh`.
    """
    _clients.require_initialized()
    dims = list(dict(mesh_dims).items())
    shape = tuple(size for _, size in dims)
    devices, clients = _specs(local_devices, device_type, _clients.client_id()), _clients.num_clients()
    count = len(devices) * clients
    if math.prod(shape) != count:
        raise ValueError(
            f"Global number of devices ({len(devices)} per client * {clients} clients = {count}) must be equal to "
            f"total size of the mesh of shape {shape}"
        )
    first = len(devices) * _clients.client_id()
    return Mesh(
        [name for name, _ in dims], np.arange(count).reshape(shape), list(range(first, first + len(devices))), devices,
        mesh_name, None, use_xla_spmd,
    )  # fmt: skip


def barrier(mesh, barrier_name=None, timeout_in_ms=None):
    """Waits until what was recorded has been computed, in all processes.

    Args:
      mesh: Mesh.
      barrier_name: str, the same in all processes.
      timeout_in_ms: must be None where there are several processes: JAX's own applies.

    Raises:
      tf.errors.UnimplementedError: a timeout for several processes.

    TF: `tf.experimental.dtensor.barrier`.
    """
    engine.cut()
    if len(mesh.local_device_ids()) == mesh.size:
        return
    if timeout_in_ms is not None:
        raise UnimplementedError(
            None, None, "tf.experimental.dtensor.barrier: timeout_in_ms is not available in tfcompat: set "
            "TFCOMPAT_CLUSTER_TIMEOUT, after which JAX ends the processes"
        )  # fmt: skip
    multihost_utils.sync_global_devices(barrier_name or "(barrier)")
