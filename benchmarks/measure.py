"""Runs one workload on all peers in interleaved rounds, after comparing what they compute."""

import contextlib
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import threading

import numpy as np

from benchmarks import peers, workloads

TOLERANCE = 1e-3
SECONDS_PER_TURN = 0.2
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Disagreement(Exception):
    """Peers compute different things; says which."""


class Child:
    """A peer in its own process, kept alive through all rounds of one workload."""

    def __init__(self, peer, name, small, limit):
        self.peer, self.limit = peer, limit
        self.times, self.steps = [], 1
        self.compiled = []  # programs compiled by the end of warming up and of each turn; None: not known
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.child", peer, name, "small" if small else "full"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            cwd=ROOT, env=peers.environment(),
        )  # fmt: skip
        assert self.process.stdin and self.process.stdout
        self.orders, self.answers = self.process.stdin, self.process.stdout

    def answer(self):
        """The next answer; raises `Missing` or `Failed` if that is what it says."""
        late = threading.Timer(self.limit, self.process.kill)
        late.start()
        try:
            line = self.answers.readline()
        finally:
            in_time = late.is_alive()
            late.cancel()
        if not line and not in_time:
            raise workloads.Failed(f"no answer within {self.limit:.0f} seconds")
        if not line:
            self.process.wait()
            self.errors.seek(0)
            raise workloads.Failed(f"stopped:\n{self.errors.read()[-3000:]}")
        found = json.loads(line)
        if "missing" in found:
            raise workloads.Missing(found["missing"])
        if "failed" in found:
            raise workloads.Failed(found["failed"])
        return found

    def warm_up(self):
        """Reads what the child says of itself after its first steps and once it is warm."""
        begun = self.answer()
        warm = self.answer()
        self.steps = max(1, round(SECONDS_PER_TURN / warm["seconds_per_step"]))
        self.compiled.append(warm["compiled"])
        return begun

    def time(self):
        print(json.dumps({"steps": self.steps}), file=self.orders, flush=True)
        found = self.answer()
        self.times.append(found["seconds"] / self.steps)
        self.compiled.append(found["compiled"])

    def close(self):
        self.process.kill()
        self.process.wait()
        self.orders.close()
        self.answers.close()
        self.errors.close()


def measure(name, chosen, rounds, *, small=False, limit=600.0):
    """One workload on the peers `chosen`.

    Returns:
      {"title", "unit", "peers": {peer: row}, "missing": {peer: why}, "failed": {peer: why}}. A row has `times`, in
      seconds a step or in the unit of the workload; their `median`, `low` and `high`; and `ratio`, the median over
      the rounds of its time by that of the limit in the same round.

    Raises:
      Disagreement: two peers computed different things; nothing was timed.
    """
    workload = workloads.load(name, small)
    rounds = min(rounds, workload.most_rounds)
    way = _by_step if workload.unit is None else _by_process
    rows, missing, failed = way(workload, chosen, rounds, small, limit)
    reference = rows[peers.LIMIT]["times"] if peers.LIMIT in rows else []
    for row in rows.values():
        times = row["times"]
        row.update({"median": statistics.median(times), "low": min(times), "high": max(times)})
        # Growth in per cent is near zero: no ratio.
        if reference and min(reference) > 0 and workload.unit != "%":
            row["ratio"] = statistics.median(t / r for t, r in zip(times, reference, strict=True))
    return {
        "title": workload.title, "unit": workload.unit, "peers": rows, "missing": missing, "failed": failed,
    }  # fmt: skip


def _by_step(workload, chosen, rounds, small, limit):
    children, missing, failed, first = {}, {}, {}, {}
    try:
        for peer in chosen:
            # One after the other: starting up, comparing and warming up disturb nobody.
            child = children[peer] = Child(peer, workload.name, small, limit)
            with _trouble_noted(children, peer, missing, failed):
                first[peer] = child.warm_up()
        compare(workload.name, {peer: first[peer]["results"] for peer in children})
        for _ in range(rounds):
            for peer, child in list(children.items()):
                with _trouble_noted(children, peer, missing, failed):
                    child.time()
    finally:
        for child in children.values():
            child.close()
    rows = {
        peer: {
            "device": first[peer]["device"],
            "steps_per_turn": child.steps,
            "first_step_seconds": first[peer]["first_step_seconds"],
            "times": child.times,
        }
        | _compiled(child.compiled)
        for peer, child in children.items()
    }
    return rows, missing, failed


def _by_process(workload, chosen, rounds, small, limit):
    found, missing, failed = {peer: [] for peer in chosen}, {}, {}
    for _ in range(rounds):
        for peer in list(found):
            try:
                workload.check(peer)
                found[peer].append(workload.measure(peer, limit))
            except (workloads.Missing, workloads.Failed) as error:
                (missing if isinstance(error, workloads.Missing) else failed)[peer] = str(error)
                del found[peer]
        compare(workload.name, {peer: turns[-1]["results"] for peer, turns in found.items()})
    rows = {
        peer: {"times": [turn["value"] for turn in turns], "details": [_details(turn) for turn in turns]}
        for peer, turns in found.items()
    }
    return rows, missing, failed


def _compiled(counts):
    if counts[0] is None:
        return {}
    return {"compiled_before": counts[0], "compiled_while_timed": counts[-1] - counts[0]}


def _details(turn):
    return {name: value for name, value in turn.items() if name not in ("value", "results")}


@contextlib.contextmanager
def _trouble_noted(children, peer, missing, failed):
    try:
        yield
    except (workloads.Missing, workloads.Failed) as error:
        (missing if isinstance(error, workloads.Missing) else failed)[peer] = str(error)
        children.pop(peer).close()


def compare(name, results):
    """Raises `Disagreement` unless all peers computed the same."""
    reference = peers.LIMIT if peers.LIMIT in results else next(iter(results), None)
    for peer, values in results.items():
        expected = np.asarray(results[reference])
        if not np.allclose(values, expected, rtol=TOLERANCE, atol=TOLERANCE * np.abs(expected).max(initial=0.0)):
            raise Disagreement(f"{name}: {peer} computes {values}, {reference} {results[reference]}: nothing timed")


def machine():
    """What can be said of the machine without naming it."""
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}
