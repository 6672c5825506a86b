"""`run --stats`: what was compiled, and where the time went."""

import time

import jax

from tfcompat.engine import _program

COMPILED = "/jax/core/compile/backend_compile_duration"


class Statistics:
    """Measures from its making on. Each program is waited for, so Python and XLA no longer overlap."""

    def __init__(self):
        self.compiling = self.running = 0.0
        self._compiles = 0
        self._before = _program.stats()
        self._run = _program.execute
        _program.execute = self._timed
        jax.monitoring.register_event_duration_secs_listener(self._listen)
        self._start = time.perf_counter()

    def _listen(self, event, seconds, **_):
        self._compiles += event == COMPILED

    def _timed(self, function, arrays, kept=None):
        known, start = self._compiles, time.perf_counter()
        results = self._run(function, arrays, kept)
        called = time.perf_counter()
        if self._compiles > known:
            self.compiling += called - start
        else:
            self.running += called - start
        jax.block_until_ready(results)
        self.running += time.perf_counter() - called
        return results

    def text(self):
        """One line of what has happened."""
        total = time.perf_counter() - self._start
        now = _program.stats()
        count = {name: now[name] - self._before[name] for name in now}
        python = max(0.0, total - self.compiling - self.running)
        return (
            f"tfcompat: {total:.2f} s: {self.compiling:.2f} s compiling ({count['programs_compiled']} programs, "
            f"{count['kernels_compiled']} single operations), {self.running:.2f} s running "
            f"({count['programs_run']} programs), {python:.2f} s Python ({count['ops_recorded']} operations recorded)"
        )


_current = None


def start():
    """Starts measuring this process."""
    global _current
    _current = Statistics()


def text():
    """What was measured since `start`."""
    return "" if _current is None else _current.text()
