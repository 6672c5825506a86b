"""The compiled parts of the recorder (`native/`), where they were built; `native` is None elsewhere.

What they do, the Python functions that they stand for do too: those say what is right, and take over wherever
something is not plain. TFCOMPAT_NATIVE=off leaves the compiled parts out.
"""
import contextlib
import importlib
import os

native = None
if os.environ.get("TFCOMPAT_NATIVE", "") not in ("off", "0"):
    with contextlib.suppress(ImportError):  # there was no compiler, or it was built for another Python
        native = importlib.import_module("tfcompat.engine._native")
