"""Interrupts that come where they would be lost: they come again, or later.

A KeyboardInterrupt is raised wherever Python code happens to run. It is lost in a callback of the garbage collector or
of a weak reference, and in a finalizer. JAX has such a callback at each collection
(https://github.com/jax-ml/jax/issues/14882), and so have weak sets. While JAX traces, it has places that ignore every
exception, such as `FlatTree.paths` in
https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/tree_util.py.
"""
import _thread
import contextlib
import operator
import signal
import sys
import threading


class _Again:
    """To read the attribute `interrupt` is to interrupt the main thread.

    Python looks for interrupts after each call, also in the hook below, where another would be lost. It does not look
    after reading an attribute, and functions in C do all of the rest.
    """

    call = staticmethod(_thread.interrupt_main)
    interrupt = property(operator.methodcaller("call"))


_again = _Again()


def keep():
    """Has ignored interrupts raised again."""
    before = sys.unraisablehook

    def hook(unraisable):
        if unraisable.exc_type is KeyboardInterrupt:
            return _again.interrupt
        return before(unraisable)

    sys.unraisablehook = hook


@contextlib.contextmanager
def delayed():
    """An interrupt comes at the end of the context, a second one at once. Handlers of the user's are left alone."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    interrupts = []

    def note(number, frame):
        interrupts.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if interrupts:
            raise KeyboardInterrupt


def wait(condition):
    """`condition.wait()`, whose lock the thread has also after an interrupt.

    `Condition.wait` does not see to it between releasing the lock and waiting
    (https://github.com/python/cpython/blob/3.11/Lib/threading.py). For the same reason enter the lock that the
    condition was made of, by `with`, rather than the condition: that takes a single step.
    """
    try:
        condition.wait()
    except KeyboardInterrupt:
        try:
            condition.notify_all()  # fails without the lock, and does no harm with it
        except RuntimeError:
            condition.acquire()
        raise
