"""What JAX runs on, under TensorFlow's names."""

import collections
import importlib.metadata
import re


def get_build_info():
    """What JAX runs on here, under TensorFlow's names.

    Returns:
      Dict: `is_cuda_build`, `is_rocm_build`, `is_tensorrt_build` (bool) say which kind of GPU JAX has found; the last
      is never. With CUDA, `cuda_version`, `cudnn_version` and `cuda_compute_capabilities` are those of the libraries
      and GPUs in use, as far as JAX tells them.

    TF: `tf.sysconfig.get_build_info`, which says what the package was compiled with, whatever the machine has.
    """
    import jax

    try:
        devices = jax.local_devices(backend="gpu")
    except RuntimeError:  # no such backend
        devices = []
    version = devices[0].client.platform_version.lower() if devices else ""
    rocm = "rocm" in version
    info: dict = {"is_cuda_build": bool(devices) and not rocm, "is_rocm_build": rocm, "is_tensorrt_build": False}
    if info["is_cuda_build"]:
        info.update(_of_cuda(devices))
    return collections.OrderedDict(sorted(info.items()))


def _of_cuda(devices):
    capabilities = {str(getattr(device, "compute_capability", "")) for device in devices} - {""}
    info: dict = {"cuda_compute_capabilities": [f"sm_{each.replace('.', '')}" for each in sorted(capabilities)]}
    version = re.search(r"cuda (\d+)", devices[0].client.platform_version.lower())
    if version:
        major, rest = divmod(int(version[1]), 1000)
        info["cuda_version"] = f"{major}.{rest // 10}"
    for package in ("nvidia-cudnn-cu13", "nvidia-cudnn-cu12"):
        try:
            info["cudnn_version"] = importlib.metadata.version(package).split(".")[0]
        except importlib.metadata.PackageNotFoundError:
            continue
        break
    return info
