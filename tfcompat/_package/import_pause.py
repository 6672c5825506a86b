"""Pauses the garbage collector while the package is imported.

Nearly everything that an import makes stays alive, so a collection in between only costs time: a fifth of the import.
The collector is left as it was found: `over()` enables it again where it was enabled. Its thresholds and its list of
permanent objects are not touched. `tfcompat/__init__.py` imports this module first, which asks for the main
interpreter and a new JAX, and calls `over()` last.
"""

import contextlib
import gc

from tfcompat._package.interpreters import require_jax, require_main

require_main()
_was_enabled = gc.isenabled()
gc.disable()
require_jax()


def over():
    """Ends the pause."""
    if _was_enabled:
        gc.enable()


@contextlib.contextmanager
def paused():
    """The same for what is imported in the context: a fourth of the time that `tf.keras` takes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
