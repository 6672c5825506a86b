"""Which devices a test may use."""

from tfcompat.config._devices import list_physical_devices
from tfcompat.sysconfig._build import get_build_info


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Whether JAX has found a GPU.

    Args:
      cuda_only: whether only one of CUDA counts.
      min_cuda_compute_capability: (major, minor), the least compute capability that counts; or None.

    TF: `tf.test.is_gpu_available`, which advises `tf.config.list_physicallist_physical_devices("GPU")`.
    """
    if not list_physical_devices("GPU"):
        return False
    info = get_build_info()
    if cuda_only and not info["is_cuda_build"]:
        return False
    if min_cuda_compute_capability is None:
        return True
    capabilities = [each.removeprefix("sm_") for each in info.get("cuda_compute_capabilities", ())]
    return any((int(each[:-1]), int(each[-1])) >= tuple(min_cuda_compute_capability) for each in capabilities)


def gpu_device_name():
    """`"/device:GPU:0"`, or the empty text without a GPU. TF: `tf.test.gpu_device_name`."""
    return "/device:GPU:0" if is_gpu_available() else ""


def is_built_with_cuda():
    """Whether JAX has found CUDA. TF: `tf.test.is_built_with_cuda`, which tells of the package."""
    return get_build_info()["is_cuda_build"]


def is_built_with_rocm():
    """Whether JAX has found ROCm. TF: `tf.test.is_built_with_rocm`, which tells of the package."""
    return get_build_info()["is_rocm_build"]


def is_built_with_gpu_support():
    """Whether JAX has found CUDA or ROCm. TF: `tf.test.is_built_with_gpu_support`, which tells of the package."""
    return is_built_with_cuda() or is_built_with_rocm()


def is_built_with_xla():
    """True. TF: `tf.test.is_built_with_xla`."""
    return True
