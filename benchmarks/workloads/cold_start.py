"""Cold start, from the start of the process to its end: an import; a tour of gradient tapes; the tour once more.

`cold_start_program` runs `programs/tour.py` with nothing compiled before, `cold_start_again` a second time with what
the first run left in the compilation cache on disk.
"""

import json
import pathlib
import sys
import tempfile
import time

from benchmarks import peers, processes
from benchmarks.workloads import Missing

SIZES = {
    "cold_start_import": {"form": "import"},
    "cold_start_program": {"form": "program"},
    "cold_start_again": {"form": "again"},
}
TITLES = {
    "cold_start_import": "Start of the process, import, end (jax: `import jax`)",
    "cold_start_program": "A tour of gradient tapes, from the start of the process to its end, nothing compiled before",
    "cold_start_again": "The same tour a second time, with the compilation cache on disk",
}
UNIT = "s"
MOST_ROUNDS = 5
_ONCE = "a whole program: it says itself what is a function"
NOT_ON = {"tfcompat-function": _ONCE, "tf-function": _ONCE, "tf-xla": _ONCE}
PROGRAM = pathlib.Path("benchmarks", "programs", "tour.py")


def measure(peer, limit, form):
    framework = peers.PEERS[peer].framework
    with tempfile.TemporaryDirectory() as cache:
        variables = peers.environment() | {"TFCOMPAT_CACHE": cache}
        if form == "import":
            seconds, _ = _timed([sys.executable, "-c", f"import {framework}"], variables, limit)
            return {"value": seconds, "results": []}
        if framework not in ("tfcompat", "tensorflow"):
            raise Missing("the program is written for gradient tapes")
        runner = ["-m", "tfcompat", "run"] if framework == "tfcompat" else []
        command = [sys.executable, *runner, str(PROGRAM)]
        for _ in range(2 if form == "again" else 1):
            seconds, printed = _timed(command, variables, limit)
    report = json.loads(printed.splitlines()[-1])
    return {"value": seconds, "results": list(_numbers(report))}


def _timed(command, variables, limit):
    begin = time.perf_counter()
    done = processes.ended(command, variables, limit)
    seconds = time.perf_counter() - begin
    if done.returncode and "ModuleNotFoundError" in done.stderr:
        raise Missing(done.stderr.strip().splitlines()[-1].partition(": ")[2])
    processes.check(done)
    return seconds, done.stdout


def _numbers(report):
    """All numbers of a report, None as -1."""
    if isinstance(report, dict):
        report = [report[key] for key in sorted(report)]
    if isinstance(report, list):
        for part in report:
            yield from _numbers(part)
    else:
        yield -1.0 if report is None else float(report)
