"""Runs programs in processes of their own, and compares what they compute."""

import math
import pathlib
import tempfile

from benchmarks import peers, processes
from benchmarks.workloads import Failed, Missing

TOLERANCE = 2e-3  # of losses after training: last digits grow


def _title(path):
    text = path.read_text(encoding="utf-8").partition('"""')[2].partition('"""')[0]
    return " ".join(text.split()).rstrip(".")


# What each is, by name, in the order of their files.
PROGRAMS = {path.stem: _title(path) for path in sorted(pathlib.Path(__file__).with_name("programs").glob("*.py"))}

# By peer, its runs one after the other with the same cache on disk.
PEERS = {"tensorflow": ["tensorflow"], "tfcompat": ["first", "second"]}
RUNS = {"tensorflow": "TensorFlow, eager", "first": "first run", "second": "second run"}


def measured(name, pythons, rounds, limit):
    """One program on the peers of `pythons`, a dict of the interpreter of each.

    Returns:
      {"title", "runs": {run: {"seconds": [...], "processor": [...]}}, "missing": {peer: why}, "failed": {peer: why}}
    """
    found = {"title": PROGRAMS[name], "runs": {}, "missing": {}, "failed": {}}
    expected = None
    for _ in range(rounds):
        for peer in [peer for peer in PEERS if peer in pythons]:
            if peer in found["missing"] or peer in found["failed"]:
                continue
            try:
                with tempfile.TemporaryDirectory() as cache:
                    for run in PEERS[peer]:
                        answer = _run(pythons[peer], peer, name, cache, limit)
                        expected = expected or answer["report"]
                        compare(run, answer["report"], expected)
                        times = found["runs"].setdefault(run, {"seconds": [], "processor": []})
                        for kind in times:
                            times[kind].append(answer[kind])
            except Missing as reason:
                found["missing"][peer] = str(reason)
            except Failed as reason:
                found["failed"][peer] = str(reason)
                for run in PEERS[peer]:
                    found["runs"].pop(run, None)
    return found


def _run(python, peer, name, cache, limit):
    """What `child` says of one run."""
    command = [python, "-m", "benchmarks.first_runs.child", peer, name]
    variables = peers.environment() | {"TFCOMPAT_CACHE": cache}
    return processes.answer(command, variables, limit)


def compare(run, report, expected):
    """Raises `Failed` unless a run has computed what is expected."""
    different = list(differences(report, expected))
    if different:
        raise Failed(f"{RUNS[run]} computes something else: {'; '.join(different[:3])}")


def differences(report, expected, path="report"):
    """Yields a line for each place where two reports differ by more than rounding."""
    if isinstance(report, dict) and isinstance(expected, dict) and report.keys() == expected.keys():
        for key in report:
            yield from differences(report[key], expected[key], f"{path}.{key}")
    elif isinstance(report, list) and isinstance(expected, list) and len(report) == len(expected):
        for at, (one, other) in enumerate(zip(report, expected, strict=True)):
            yield from differences(one, other, f"{path}[{at}]")
    elif isinstance(report, float) and isinstance(expected, float):
        if not math.isclose(report, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE / 10):
            yield f"{path}: {report}, not {expected}"
    elif report != expected or type(report) is not type(expected):
        yield f"{path}: {report}, not {expected}"
