"""tensorflow/python/client/device_lib.py: the devices of this process."""
import dataclasses

import jax


@dataclasses.dataclass(repr=False)
class DeviceAttributes:
    """What is known of a device.

    Attributes:
      name: "/device:GPU:0".
      device_type: "CPU", "GPU" or "TPU".
      memory_limit: bytes that may be used; 268435456 for a CPU, as TensorFlow says.
      physical_device_desc: text about a GPU or TPU; "" for a CPU.
      incarnation, xla_global_id: numbers without meaning here.
    """

    name: str
    device_type: str
    memory_limit: int
    physical_device_desc: str = ""
    incarnation: int = 0
    xla_global_id: int = -1

    def __repr__(self):
        described = f'physical_device_desc: "{self.physical_device_desc}"\n' if self.physical_device_desc else ""
        return (
            f'name: "{self.name}"\ndevice_type: "{self.device_type}"\nmemory_limit: {self.memory_limit}\n'
            f"locality {{\n}}\nincarnation: {self.incarnation}\n{described}xla_global_id: {self.xla_global_id}\n"
        )


def list_local_devices(session_config=None):
    """The devices of this process, the CPU first.

    Args:
      session_config: ConfigProto, of which nothing changes the devices.

    Returns:
      List of DeviceAttributes.
    """
    devices = [DeviceAttributes("/device:CPU:0", "CPU", 268435456, incarnation=1)]
    for device in jax.devices():
        if device.platform == "cpu":
            continue
        limit = (device.memory_stats() or {}).get("bytes_limit", 0)
        name, kind = f"{device.platform.upper()}:{device.id}", device.device_kind
        description = f"device: {device.id}, name: {kind}"
        devices.append(DeviceAttributes(f"/device:{name}", device.platform.upper(), limit, description, device.id + 2))
    return devices
