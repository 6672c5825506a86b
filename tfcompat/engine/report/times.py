"""Where the time of a compiled program goes, by the operations that were recorded: measured with JAX's profiler."""

import collections
import pathlib
import re
import tempfile
import warnings

import jax
import numpy as np

from tfcompat.engine._policy import REPORTING

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?(?P<name>[\w.\-]+) \(.*?\{\n(?P<body>.*?)^\}", re.MULTILINE | re.DOTALL)
_INSTRUCTION = re.compile(
    r"^\s+(?:ROOT )?%?(?P<name>[\w.\-]+) = .*? (?P<kind>[a-z][\w\-]*)\((?P<rest>.*)$", re.MULTILINE
)
_CALLED = re.compile(r"calls=%?([\w.\-]+)")
_NAMED = re.compile(r'op_name="([^"]*)"')
# Kernels that other kernels run in: counting them, too, would count these twice.
_AROUND = frozenset({"while", "conditional", "call", "async-start", "async-done"})
_OF_LOOPS = frozenset({"while", "body", "cond", "closed_call", "branch", "checkpoint", "remat"})


class Times(dict):
    """Dict from the names of operations that run in one kernel to seconds of a run, the longest first; prints as a
    table."""

    def __repr__(self):
        total, shown = sum(self.values()), dict(list(self.items())[:REPORTING.table_rows])
        if len(self) > len(shown):
            shown[f"{len(self) - len(shown)} others"] = sum(list(self.values())[REPORTING.table_rows:])
        width = max(map(len, shown), default=0)
        return "\n".join(f"{name:<{width}}  {_seconds(t):>8}  {t / total:4.0%}" for name, t in shown.items())


def measured(executable, runs):
    """The Times of a compiled program on zeros, one after another in processor time.

    Args:
      executable: jax.stages.Compiled.
      runs: int, over which times are averaged.
    """
    # Of NumPy, as a program may overwrite arrays of JAX's.
    arguments = [np.zeros(each.shape, each.dtype) for each in jax.tree.leaves(executable.in_avals)]
    jax.block_until_ready(executable(*arguments))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder, profiler_options=options):
            for _ in range(runs):
                jax.block_until_ready(executable(*arguments))
        files = list(pathlib.Path(folder).rglob("*.xplane.pb"))
        names, spent = _names(executable.as_text()), collections.Counter()
        with warnings.catch_warnings():
            # jaxlib 0.12 makes a class without a module. Python 3.13 warns of it, and an error here ends the process.
            warnings.simplefilter("ignore", DeprecationWarning)
            for file in files:
                for kernel, nanoseconds in _kernels(jax.profiler.ProfileData.from_file(str(file))):
                    if kernel in names:
                        spent[names[kernel]] += nanoseconds
    return Times({name: spent[name] / 1e9 / runs for name, _ in spent.most_common()})


def _kernels(profile):
    """Yields (name of the instruction, nanoseconds) of what ran."""
    for plane in profile.planes:
        for line in plane.lines:
            for event in line.events:
                kernel = next((value for key, value in event.stats if key == "hlo_op"), None)
                if kernel is not None and event.name == kernel:
                    yield kernel, event.duration_ns


def _names(hlo):
    """Dict from the instructions of a program that are kernels to the names of the operations that they come from."""
    bodies = {match["name"]: match["body"] for match in _COMPUTATION.finditer(hlo)}
    shown_as = {}
    for body in bodies.values():
        for match in _INSTRUCTION.finditer(body):
            if match["kind"] in _AROUND:
                continue
            called = _CALLED.search(match["rest"])
            text = match["rest"] + (bodies.get(called[1], "") if called else "")
            paths = [path for each in _NAMED.findall(text) for path in each.split(";")]
            named = dict.fromkeys(name for path in paths if (name := _name(path)))
            shown = ", ".join(list(named)[:4]) + (", ..." if len(named) > 4 else "")
            shown_as[match["name"]] = shown or match["name"].rstrip(".0123456789")  # XLA's own: copies, slices
    return shown_as


def _name(path):
    """The recorded operation in `jit(replay)/MatMul/dot_general`; None if there is none."""
    parts = [part for part in path.split("/") if not part.startswith("jit(") and part not in _OF_LOOPS]
    return parts[0] if len(parts) > 1 else None


def _seconds(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
