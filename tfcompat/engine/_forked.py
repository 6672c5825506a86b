"""Processes that were forked after XLA was used: its threads are not in them, and code that waits for them hangs.

NumPy computes in such a process. What NumPy has no rule for is refused.
"""
import contextlib
import functools
import os
import sys
import threading

import jax

is_child = False  # whether this is such a process
MESSAGE = (
    "{} cannot be computed in this process: it was forked after XLA was used, whose threads are not in it. Fork before "
    "the first operation, or start processes by multiprocessing.get_context('spawn') or 'forkserver'."
)


def is_forked():
    """Whether this process was forked after XLA was used."""
    return is_child


def when_forked(function):
    """Decorator of a function that is called in the child."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)
    return function


@when_forked
def _look():
    global is_child
    bridge = sys.modules.get("jax._src.xla_bridge")
    is_child = is_child or bridge is None or bridge.backends_are_initialized()


if sys.version_info < (3, 12):  # where a `functools.cached_property` has a lock

    @when_forked
    def _renew_locks():
        """A thread that compiles may have held the lock of a property of JAX: nobody would release it here."""
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] in ("jax", "tfcompat"):
                for kind in [x for x in vars(module).values() if isinstance(x, type)]:
                    for x in vars(kind).values():
                        if type(x) is functools.cached_property:
                            x.lock = threading.RLock()  # pyright: ignore[reportAttributeAccessIssue]


def _wait():
    """In the parent: nobody would compute in the child what is being computed."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    if bridge is not None and bridge.backends_are_initialized():
        for array in jax.live_arrays():
            with contextlib.suppress(Exception):  # deleted, or failed: whoever reads it is told
                array.block_until_ready()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait)
