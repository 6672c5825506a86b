"""`tf.config.experimental`: what scripts call first."""

from tfcompat._package.missing import missing as _missing
from tfcompat.config._devices import LogicalDeviceConfiguration as VirtualDeviceConfiguration  # noqa: F401
from tfcompat.config._devices import get_device_details as get_device_details
from tfcompat.config._devices import get_logical_device_configuration as get_virtual_device_configuration  # noqa: F401
from tfcompat.config._devices import get_memory_growth as get_memory_growth
from tfcompat.config._devices import get_memory_info as get_memory_info
from tfcompat.config._devices import get_visible_devices as get_visible_devices
from tfcompat.config._devices import list_logical_devices as list_logical_devices
from tfcompat.config._devices import list_physical_devices as list_physical_devices
from tfcompat.config._devices import set_logical_device_configuration as set_virtual_device_configuration  # noqa: F401
from tfcompat.config._devices import set_memory_growth as set_memory_growth
from tfcompat.config._devices import set_visible_devices as set_visible_devices
from tfcompat.config._execution import enable_op_determinism as enable_op_determinism
from tfcompat.config._execution import enable_tensor_float_32_execution as enable_tensor_float_32_execution
from tfcompat.config._execution import tensor_float_32_execution_enabled as tensor_float_32_execution_enabled

__getattr__ = _missing("tf.config.experimental")
