"""How a program is to run: the options of `python -m tfcompat run`, set in this process and for its children."""

import os

import jax
import numpy as np

from tfcompat import config, dtypes, engine
from tfcompat._core import device

_NARROW = {"float64": np.dtype(np.float32), "complex128": np.dtype(np.complex64)}
_narrowed = False


def apply(immediate=False, x32=False, debug=False, devices=None):
    """Sets modes of execution.

    Args:
      immediate: every operation runs when it is called (TFCOMPAT_EXECUTION=immediate).
      x32: float64 and complex128 become float32 and complex64 (TFCOMPAT_X32=1).
      debug: the line of each operation is kept (TFCOMPAT_DEBUG=1).
      devices: into how many devices the CPU is divided (XLA_FLAGS, which JAX reads); None leaves them as they are.
    """
    if devices is not None:
        # Children see it, too. It counts as that many CPUs, which a program may list and name.
        flags = os.environ.get("XLA_FLAGS", "").split()
        flags = [flag for flag in flags if "xla_force_host_platform_device_count" not in flag]
        os.environ["XLA_FLAGS"] = " ".join([*flags, f"--xla_force_host_platform_device_count={devices}"])
        os.environ["JAX_PLATFORMS"] = "cpu"
        device.wait_long()
        jax.config.update("jax_platforms", "cpu")
    if immediate:
        os.environ["TFCOMPAT_EXECUTION"] = "immediate"
        config.set_execution("immediate")
    if debug:
        os.environ["TFCOMPAT_DEBUG"] = "1"
        engine.debug()
    if x32 or os.environ.get("TFCOMPAT_X32", "") not in ("", "0"):
        os.environ["TFCOMPAT_X32"] = "1"
        narrow()


def narrow():
    """Makes float64 mean float32, and complex128 complex64, wherever values and dtypes come in; for good."""
    global _narrowed
    if _narrowed:
        return
    _narrowed = True
    for name, dtype in _NARROW.items():
        getattr(dtypes, name).np = dtype
    engine.leaf = _narrowing(engine.leaf)
    engine.shared_leaf = _narrowing(engine.shared_leaf)


def _narrowing(make):
    def leaf(array):
        dtype = _NARROW.get(np.dtype(array.dtype).name)
        if dtype is None:
            return make(array)
        with jax.enable_x64(True):
            return make(array.astype(dtype))

    return leaf
