"""`tf.device`: where operations run."""
import re

import jax

from tfcompat import engine
from tfcompat.errors import InvalidArgumentError

_NAME = re.compile(r"(?:.*/)?(?:device:)?(?P<type>[A-Za-z]+)(?::(?P<number>\d+|\*))?$")


class device:
    """Runs the operations in its context on a device.

    Args:
      device_name: such as "/CPU:0", "/device:GPU:0", "GPU", "/job:localhost/replica:0/task:0/device:CPU:0"; None or ""
        for the default device.

    Raises:
      ValueError: the name is malformed.
      tf.errors.InvalidArgumentError: there is no such device.

    TF: `tf.device`. What is pending when the context is entered or left runs where it was recorded.
    """

    def __init__(self, device_name):
        self._context = None
        self._device = None
        if not device_name:
            return
        match = _NAME.match(str(device_name))
        if match is None:
            raise ValueError(f"Failed to parse device name: '{device_name}'")
        platform = match["type"].lower()
        number = int(match["number"]) if match["number"] not in (None, "*") else 0
        try:
            self._device = jax.devices(platform)[number]
        except (RuntimeError, IndexError):
            known = ", ".join(f"{d.platform.upper()}:{d.id}" for d in jax.devices())
            raise InvalidArgumentError(
                None, None, f"Could not satisfy device specification '{device_name}'. All available devices [{known}]."
            ) from None

    def __enter__(self):
        if self._device is not None and self._device != _default():
            engine.cut()
            self._context = jax.default_device(self._device)
            self._context.__enter__()
        return self

    def __exit__(self, *exc):
        if self._context is not None:
            engine.cut()
            self._context.__exit__(*exc)
            self._context = None


def _default():
    configured = jax.config.jax_default_device
    return jax.devices()[0] if configured is None or isinstance(configured, str) else configured
