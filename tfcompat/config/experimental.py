"""`tf.config.experimental`: what scripts call first."""
from tfcompat._missing import missing

_memory_growth: dict = {}


def set_memory_growth(device, enable):
    """Accepts the request: how JAX takes memory is set by XLA_PYTHON_CLIENT_PREALLOCATE in the environment.

    TF: `tf.config.experimental.set_memory_growth`.
    """
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


__getattr__ = missing("tf.config.experimental")
