"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

VirtualDeviceConfiguration = _tf.config.LogicalDeviceConfiguration
def enable_op_determinism(): ...
def enable_tensor_float_32_execution(enabled): ...
def get_device_details(device): ...
def get_memory_growth(device): ...
def get_memory_info(device): ...
get_virtual_device_configuration = _tf.config.get_logical_device_configuration
from tfcompat.config import get_visible_devices as get_visible_devices
from tfcompat.config import list_logical_devices as list_logical_devices
from tfcompat.config import list_physical_devices as list_physical_devices
def set_memory_growth(device, enable): ...
set_virtual_device_configuration = _tf.config.set_logical_device_configuration
from tfcompat.config import set_visible_devices as set_visible_devices
def tensor_float_32_execution_enabled(): ...
