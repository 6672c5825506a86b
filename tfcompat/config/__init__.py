"""`tf.config`: devices, and how functions and operations run."""

from tfcompat._core.device import get_soft_device_placement as get_soft_device_placement
from tfcompat._core.device import set_soft_device_placement as set_soft_device_placement
from tfcompat._package.missing import missing as _missing
from tfcompat.config import experimental as experimental
from tfcompat.config import optimizer as optimizer
from tfcompat.config import threading as threading
from tfcompat.config._devices import LogicalDevice as LogicalDevice
from tfcompat.config._devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from tfcompat.config._devices import PhysicalDevice as PhysicalDevice
from tfcompat.config._devices import get_logical_device_configuration as get_logical_device_configuration
from tfcompat.config._devices import get_visible_devices as get_visible_devices
from tfcompat.config._devices import list_logical_devices as list_logical_devices
from tfcompat.config._devices import list_physical_devices as list_physical_devices
from tfcompat.config._devices import set_logical_device_configuration as set_logical_device_configuration
from tfcompat.config._devices import set_visible_devices as set_visible_devices
from tfcompat.config._execution import experimental_connect_to_cluster as experimental_connect_to_cluster
from tfcompat.config._execution import experimental_functions_run_eagerly as experimental_functions_run_eagerly
from tfcompat.config._execution import experimental_run_functions_eagerly as experimental_run_functions_eagerly
from tfcompat.config._execution import get_execution as get_execution
from tfcompat.config._execution import set_execution as set_execution
from tfcompat.function import functions_run_eagerly as functions_run_eagerly
from tfcompat.function import run_functions_eagerly as run_functions_eagerly

__getattr__ = _missing("tf.config", hints={"experimental_connect_to_host": "jax.distributed.initialize"})
