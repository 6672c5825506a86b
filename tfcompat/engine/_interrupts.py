"""Interrupts that come where Python ignores exceptions: they come again.

A KeyboardInterrupt is raised wherever Python code happens to run. It is lost in a callback of the garbage collector or
of a weak reference, and in a finalizer. JAX has such a callback at each collection
(https://github.com/jax-ml/jax/issues/14882), and so have weak sets.
"""
import _thread
import operator
import sys


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
