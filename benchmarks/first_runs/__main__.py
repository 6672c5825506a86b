"""Runs short programs on tfcompat with nothing compiled before, then a second time, and on TensorFlow.

    python -m benchmarks.first_runs [--programs graphs checks] [--peers tfcompat] [--tensorflow PYTHON] [--rounds 3]

Each run is a process of its own, and seconds count from the end of `import tensorflow`. The first run of tfcompat finds
an empty cache on disk, the second what the first has left there. Runs take turns, and the least of several rounds
counts. A program that computes something else than TensorFlow does is not a result.
"""

import argparse
import json
import pathlib
import platform
import sys

from benchmarks import measure, peers
from benchmarks.first_runs import report, runs


def main(arguments=None):
    parser = argparse.ArgumentParser(
        "python -m benchmarks.first_runs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", nargs="+", choices=runs.PROGRAMS, default=list(runs.PROGRAMS), metavar="NAME")
    parser.add_argument("--peers", nargs="+", choices=runs.PEERS, default=list(runs.PEERS), metavar="PEER")
    parser.add_argument("--tensorflow", default=sys.executable, metavar="PYTHON", help="a Python that has TensorFlow")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a run may take")
    parser.add_argument("--json", metavar="FILE", help="write everything measured to this file")
    parser.add_argument("--markdown", metavar="FILE", help="write the table to this file")
    parser.add_argument("--list", action="store_true", help="say what there is, and stop")
    options = parser.parse_args(arguments)
    if options.list:
        for name, title in runs.PROGRAMS.items():
            print(f"{name:16}{title}")
        return 0
    everything = {
        "machine": measure.machine(), "python": platform.python_version(), "versions": peers.versions(),
        "rounds": options.rounds, "programs": {},
    }  # fmt: skip
    pythons = {"tfcompat": sys.executable, "tensorflow": options.tensorflow}
    for name in options.programs:
        measured = runs.measured(name, {peer: pythons[peer] for peer in options.peers}, options.rounds, options.limit)
        everything["programs"][name] = measured
        print(report.text(name, measured), flush=True)
        # After each program: a long run that is interrupted leaves what it has measured.
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
        if options.markdown:
            pathlib.Path(options.markdown).write_text(report.markdown(everything), encoding="utf-8")
    return 1 if any(measured["failed"] for measured in everything["programs"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
