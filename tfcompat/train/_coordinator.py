"""`tf.train.Coordinator`: ends several threads together."""

import contextlib
import sys
import threading
import time

from tfcompat.errors import OutOfRangeError


class Coordinator:
    """Ends several threads together.

    Args:
      clean_stop_exception_types: exceptions that end threads without being raised by `join`; by default
        `tf.errors.OutOfRangeError`.

    TF: `tf.train.Coordinator`.
    """

    def __init__(self, clean_stop_exception_types=None):
        self._clean = (OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        self._lock, self._stopping = threading.Lock(), threading.Event()
        self._raised, self._threads, self._joined = None, set(), False

    joined = property(lambda self: self._joined, doc="Whether `join` has returned.")

    def should_stop(self):
        """Whether threads are to end."""
        return self._stopping.is_set()

    def request_stop(self, ex=None):
        """Asks all threads to end; `ex`, an exception or `sys.exc_info()`, is what `join` raises."""
        error = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if not self._stopping.is_set():
                if error is not None and not isinstance(error, self._clean):
                    self._raised = error
                self._stopping.set()

    def clear_stop(self):
        """Lets threads go on."""
        with self._lock:
            self._joined, self._raised = False, None
            self._stopping.clear()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A context in which an exception asks all threads to end, and is not raised."""
        try:
            yield
        except Exception:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout=None):
        """Waits until threads are asked to end; whether they are."""
        return self._stopping.wait(timeout)

    def register_thread(self, thread):
        """Notes a thread that `join` waits for."""
        with self._lock:
            self._threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits for threads, and raises what ended them.

        Args:
          threads: list of threads, beside those that are registered.
          stop_grace_period_secs: how long threads may live on after they were asked to end.
          ignore_live_threads: whether threads that live on are no error.

        Raises:
          RuntimeError: a thread lives on.
          what was given to `request_stop`.
        """
        threads = self._threads.union(threads or ())
        while any(thread.is_alive() for thread in threads) and not self.wait_for_stop(0.1):
            pass
        until = time.monotonic() + stop_grace_period_secs
        while any(thread.is_alive() for thread in threads) and time.monotonic() < until:
            time.sleep(0.01)
        self._joined, self._threads = True, set()
        if self._raised is not None:
            raise self._raised
        alive = [thread.name for thread in threads if thread.is_alive()]
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    def raise_requested_exception(self):
        """Raises what was given to `request_stop`."""
        if self._raised is not None:
            raise self._raised
