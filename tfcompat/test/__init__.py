"""`tf.test`: what the machine has, and a base class of tests that compare tensors."""

from tfcompat._package.missing import missing as _missing
from tfcompat.test import experimental as experimental
from tfcompat.test._devices import gpu_device_name as gpu_device_name
from tfcompat.test._devices import is_built_with_cuda as is_built_with_cuda
from tfcompat.test._devices import is_built_with_gpu_support as is_built_with_gpu_support
from tfcompat.test._devices import is_built_with_rocm as is_built_with_rocm
from tfcompat.test._devices import is_built_with_xla as is_built_with_xla
from tfcompat.test._devices import is_gpu_available as is_gpu_available
from tfcompat.test._gradient import compute_gradient as compute_gradient
from tfcompat.test._test_case import TestCase as TestCase
from tfcompat.test._test_case import disable_with_predicate as disable_with_predicate
from tfcompat.test._test_case import main as main

__getattr__ = _missing(
    "tf.test",
    hints={
        "Benchmark": "timeit",
        "assert_equal_graph_def": "the values of functions",
        "create_local_cluster": "jax.distributed",
        "is_cpu_target_available": "tf.config.list_physical_devices",
    },
)
