"""`python -m benchmarks`: every workload on every peer that is installed, in interleaved rounds."""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

import numpy as np

from benchmarks import peers, workloads

TOLERANCE = 1e-3
SECONDS_PER_TURN = 0.2


class Child:
    """A peer in its own process, kept alive through all rounds of one workload."""

    def __init__(self, peer, workload):
        self.peer = peer
        self.times, self.steps = [], 1
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.child", peer, workload],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            cwd=pathlib.Path(__file__).resolve().parent.parent,
            env={"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ},
        )  # fmt: skip
        assert self.process.stdin and self.process.stdout
        self.orders, self.answers = self.process.stdin, self.process.stdout

    def answer(self):
        line = self.answers.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            sys.exit(f"{self.peer} stopped:\n{self.errors.read()[-3000:]}")
        return json.loads(line)

    def time(self):
        print(json.dumps({"steps": self.steps}), file=self.orders, flush=True)
        self.times.append(self.answer()["seconds"] / self.steps)

    def close(self):
        self.orders.close()
        self.answers.close()
        self.process.wait()
        self.errors.close()


def measure(workload, chosen, rounds):
    """Results and times of one workload by peer, and why each missing peer is missing."""
    children, missing, first = [], {}, {}
    for peer in chosen:
        # One after the other: starting up, comparing and warming up disturb nobody.
        child = Child(peer, workload)
        begun = child.answer()
        if "missing" in begun:
            missing[peer] = begun["missing"]
            child.close()
            continue
        first[peer] = begun
        child.steps = max(1, round(SECONDS_PER_TURN / child.answer()["seconds_per_step"]))
        children.append(child)
    compare(workload, {peer: begun["results"] for peer, begun in first.items()})
    for _ in range(rounds):
        for child in children:
            child.time()
    for child in children:
        child.close()
    return {
        "peers": {
            child.peer: {
                "median": statistics.median(child.times),
                "low": min(child.times),
                "high": max(child.times),
                "steps_per_turn": child.steps,
                "first_steps_seconds": first[child.peer]["first_seconds"],
                "times": child.times,
            }
            for child in children
        },
        "missing": missing,
    }


def compare(workload, results):
    """Stops unless all peers computed the same."""
    reference = peers.LIMIT if peers.LIMIT in results else next(iter(results), None)
    for peer, values in results.items():
        expected = np.asarray(results[reference])
        if not np.allclose(values, expected, rtol=TOLERANCE, atol=TOLERANCE * np.abs(expected).max()):
            sys.exit(f"{workload}: {peer} computes {values}, {reference} {results[reference]}: nothing timed")


def table(workload, measured, rounds):
    """Text of one workload's results."""
    by_peer = measured["peers"]
    limit = by_peer.get(peers.LIMIT, {}).get("median")
    lines = [
        f"{workload}: {workloads.title(workload)}",
        f"{f'median of {rounds} rounds, µs a step':44}{'median':>10}{'lowest':>10}{'highest':>10}"
        + (f"{'/ jax.jit':>11}" if limit else ""),
    ]
    for peer, row in by_peer.items():
        times = "".join(f"{1e6 * row[key]:10,.0f}" for key in ("median", "low", "high"))
        ratio = f"{row['median'] / limit:11.1f}" if limit else ""
        lines.append(f"{peers.PEERS[peer][0]:44}{times}{ratio}")
    lines += [f"{peers.PEERS[peer][0]:44}    not here: {why}" for peer, why in measured["missing"].items()]
    return "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--workloads", nargs="+", choices=workloads.names(), default=workloads.names())
    parser.add_argument("--peers", nargs="+", choices=list(peers.PEERS), default=list(peers.PEERS))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", metavar="FILE", help="write everything measured to this file")
    options = parser.parse_args(arguments)

    everything = {
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
        "python": platform.python_version(),
        "versions": peers.versions(),
        "rounds": options.rounds,
        "workloads": {},
    }
    versions = ", ".join(f"{package} {version}" for package, version in everything["versions"].items())
    print(f"{os.cpu_count()} cores, Python {everything['python']}, {versions}\n")
    for workload in options.workloads:
        measured = measure(workload, options.peers, options.rounds)
        everything["workloads"][workload] = measured
        print(table(workload, measured, options.rounds), end="\n\n", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
