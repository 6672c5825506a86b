"""Products of matrices by NumPy, those of middle size on one thread.

OpenBLAS divides products among threads that spin while they wait for each other. Where another process uses a core, a
product of 30 µs takes 10 ms then.
"""

import ctypes
import functools
import importlib
import threading

import numpy as np

from tfcompat.engine._policy import HOST

_PREFIXES = [f"{name}openblas_{{}}_num_threads{ending}" for name in ("scipy_", "") for ending in ("64_", "")]


class _Threads:
    """The threads that OpenBLAS may use: one, as long as a product runs that is to have one."""

    def __init__(self, library, name):
        self._get, self._set = (getattr(library, name.format(verb)) for verb in ("get", "set"))
        self._lock, self._products, self._usual = threading.Lock(), 0, 0

    def product(self, a, b):
        """The product of two matrices, or of batches of them."""
        with self._lock:
            if not self._products:
                self._usual = self._get()
                self._set(1)
            self._products += 1
        try:
            return np.matmul(a, b)
        finally:
            with self._lock:
                self._products -= 1
                if not self._products:
                    self._set(self._usual)


@functools.cache
def _threads():
    """The `_Threads` of the library that NumPy was linked with; None if it is not OpenBLAS or cannot be asked."""
    of_products = importlib.import_module("numpy._core._multiarray_umath")
    library = ctypes.CDLL(of_products.__file__)  # symbols of what it is linked with are visible, too
    name = next((name for name in _PREFIXES if hasattr(library, name.format("set"))), None)
    return None if name is None else _Threads(library, name)


def matmul_of(rows, columns, length):
    """`np.matmul` for matrices of these sizes."""
    if not HOST.least_product <= rows * columns * length <= HOST.most_product:
        return np.matmul
    threads = _threads()
    return np.matmul if threads is None else threads.product
