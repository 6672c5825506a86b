"""The compiled parts of the recorder (`native/`), where they were built; `native` is None elsewhere.

What they do, the Python functions that they stand for do too: those say what is right, and take over wherever
something is not plain. TFCOMPAT_NATIVE=off leaves the compiled parts out.
"""
import importlib
import os

VERSION = 4  # of what the modules here expect of them, as in `native/native.h`


def _compiled_parts():
    """(module, why there is none)."""
    if os.environ.get("TFCOMPAT_NATIVE", "") in ("off", "0"):
        return None, "switched off by TFCOMPAT_NATIVE"
    try:
        module = importlib.import_module("tfcompat.engine._native")
    except ImportError as error:
        return None, f"not built: {error}"
    if module.VERSION != VERSION:
        return None, "of another version of tfcompat: install it again"
    return module, None


native, missing = _compiled_parts()
