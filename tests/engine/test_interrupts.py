"""Interrupts arrive, and leave everything consistent; `interrupts.py` tries more moments."""

import pathlib
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import _native
from tfcompat._core.tensor import EagerTensor
from tfcompat.engine import _interrupts

IN_FINALIZERS = """
import signal, time
import tfcompat

class Finalized:
    def __del__(self):
        for _ in range(300):
            pass

def turns():
    end = time.monotonic() + 10
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    while time.monotonic() < end:
        Finalized()

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
signal.signal(signal.SIGALRM, signal.default_int_handler)
for _ in range(50):
    try:
        turns()
        print("lost")
    except KeyboardInterrupt:
        pass
print("done")
"""


def test_interrupts_leave_everything_consistent():
    script = pathlib.Path(__file__).parent / "interrupts.py"
    subprocess.run([sys.executable, str(script), "--moments", "24", "--seed", "3"], check=True, timeout=600)


def test_interrupts_in_finalizers_come_again():
    done = subprocess.run([sys.executable, "-c", IN_FINALIZERS], capture_output=True, text=True, timeout=600)
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_other_exceptions_that_are_ignored_are_told_as_before():
    program = "import tfcompat\nclass X:\n    def __del__(self): 1 / 0\nX()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert "Exception ignored in" in done.stderr
    assert "ZeroDivisionError" in done.stderr


def test_an_interrupted_wait_leaves_the_lock_held():
    class Interrupted(threading.Condition):
        def wait(self, timeout=None):
            self.release()
            raise KeyboardInterrupt

    lock = threading.RLock()
    with pytest.raises(KeyboardInterrupt), lock:
        _interrupts.wait(Interrupted(lock))
    assert not lock._is_owned()


def test_a_thread_ends_whose_start_was_interrupted(monkeypatch):
    def interrupted(thread):
        start(thread)
        threads.append(thread)
        raise KeyboardInterrupt

    threads, start = [], threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        next(iter(tf.data.Dataset.range(100).prefetch(2)))
    (thread,) = threads
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.skipif(_native.compiled is None and sys.version_info < (3, 12), reason="tensors have no buffers")
@pytest.mark.parametrize("kind", [KeyboardInterrupt, TimeoutError])  # the second as test runners stop a test
def test_an_interrupt_is_not_lost_while_numpy_asks_for_memory(kind, monkeypatch):
    computed, interrupts, asked = EagerTensor._value, iter([True]), tf.constant([1.0, 2.0]) + 1.0

    def value(tensor):
        if next(interrupts, False):
            signal.raise_signal(signal.SIGINT)
        return computed(tensor)

    monkeypatch.setattr(EagerTensor, "_value", value)

    def interrupt(number, frame):
        raise kind

    outer = signal.signal(signal.SIGINT, interrupt)  # a shell may have it ignored
    try:
        with pytest.raises(kind):
            np.asarray(asked)
    finally:
        signal.signal(signal.SIGINT, outer)
