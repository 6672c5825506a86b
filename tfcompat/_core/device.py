"""`tf.device`: where operations run."""

import re

import jax

from tfcompat import engine
from tfcompat.errors import InvalidArgumentError

_PARTS = {"job": r"[A-Za-z][\w]*", "replica": r"\d+|\*", "task": r"\d+|\*", "device": r"[A-Za-z]\w*(?::(?:\d+|\*))?"}
_soft_placement = True
hidden: set = set()  # (platform, number) of the devices that are not to be used, see `tf.config.set_visible_devices`


def visible(platform):
    """The devices of a JAX platform that the program may use."""
    return [d for d in jax.devices(platform) if (d.platform.upper(), d.id) not in hidden]


def named(device):
    """TF's name of a JAX device. Hidden devices are not counted."""
    platform = device.platform.upper()
    number = device.id - sum(1 for other, n in hidden if other == platform and n < device.id)
    return f"/job:localhost/replica:0/task:0/device:{platform}:{number}"


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
        for the default device.

    Raises:
      ValueError: the name is malformed.
      tf.errors.InvalidArgumentError: there is no such device, and soft placement is off.

    TF: `tf.device`. What is pending when the context is entered or left runs where it was recorded.
    """

    def __init__(self, device_name):
        self._contexts = []
        self._device = None
        if not device_name:
            return
        platform, number = _parsed(device_name)
        try:
            self._device = visible(platform)[number]
        except (RuntimeError, IndexError):
            if _soft_placement:
                return
            known = ", ".join(f"{d.platform.upper()}:{d.id}" for d in jax.devices())
            raise InvalidArgumentError(
                None, None, f"Could not satisfy device specification '{device_name}'. All available devices [{known}]."
            ) from None

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


def _parsed(name):
    """(platform in lower case, number) of a device's name."""
    if not isinstance(name, str):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
    short = None
    for part in name.strip("/").split("/"):
        key, _, value = part.partition(":")
        if key in _PARTS and re.fullmatch(_PARTS[key], value):
            short = value if key == "device" else short
        elif re.fullmatch(r"(cpu|gpu|tpu)(:(\d+|\*))?", part, re.IGNORECASE):
            short = part
        else:
            raise ValueError(f"Unknown attribute '{key}' is encountered while parsing the device spec: '{name}'.")
    kind, _, number = (short or "CPU:0").partition(":")
    return kind.lower(), int(number) if number not in ("", "*") else 0


def default():
    """The JAX device that operations run on."""
    configured = jax.config.jax_default_device  # pyright: ignore[reportAttributeAccessIssue]  # made at run time
    return jax.devices()[0] if configured is None or isinstance(configured, str) else configured
