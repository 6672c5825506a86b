"""Keeps the garbage collector away from the package and from JAX.

Nearly everything that an import makes stays alive: 130,000 objects. A collection in between only costs time, a fifth of
the import. Later they would be looked at once in each of three generations, and at every full collection: 0.2 to 0.3 s
of a program's first seconds. So the collector pauses, and what there is at the end counts as permanent (`gc.freeze`).
Garbage that was there before is collected first, so that it does not stay. A program that has switched the collector
off finds it as it was. `tfcompat/__init__.py` imports this module first, which asks for the main interpreter and a new
JAX, and calls `over()` last.
"""

import contextlib
import gc

from tfcompat._package.interpreters import require_jax, require_main

require_main()
_was_enabled = gc.isenabled()
if _was_enabled:
    gc.collect()
gc.disable()
require_jax()


def over():
    """Ends the pause."""
    if _was_enabled:
        gc.freeze()
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
