"""`python -m benchmarks`: every workload on every peer that is installed, in interleaved rounds."""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import sys

from benchmarks import measure, peers, report, workloads


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--workloads", nargs="+", choices=workloads.names(), default=workloads.names(), metavar="NAME")
    parser.add_argument("--peers", nargs="+", choices=list(peers.PEERS), default=list(peers.PEERS), metavar="PEER")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a peer may take for one answer")
    parser.add_argument("--quick", action="store_true", help="small sizes, 2 rounds: does everything work?")
    parser.add_argument("--json", metavar="FILE", help="write everything measured to this file")
    parser.add_argument("--markdown", metavar="FILE", help="write one table of ratios to this file")
    parser.add_argument("--picture", metavar="FILE", help="draw the ratios, on a logarithmic scale")
    parser.add_argument("--list", action="store_true", help="say what there is, and stop")
    options = parser.parse_args(arguments)
    if options.list:
        width = max(map(len, [*workloads.names(), *peers.PEERS])) + 2
        for name in workloads.names():
            print(f"{name:{width}}{workloads.title(name)}")
        print()
        for name, peer in peers.PEERS.items():
            print(f"{name:{width}}{peer.title}")
        return 0
    if options.picture and not importlib.util.find_spec("matplotlib"):
        parser.error("--picture needs matplotlib: pip install matplotlib")
    rounds = min(options.rounds, 2) if options.quick else options.rounds

    everything = {
        "machine": measure.machine(),
        "python": platform.python_version(),
        "versions": peers.versions(),
        "peers": options.peers,
        "rounds": rounds,
        "workloads": {},
    }
    versions = ", ".join(f"{package} {version}" for package, version in everything["versions"].items())
    print(f"{os.cpu_count()} cores, Python {everything['python']}, {versions}\n", flush=True)
    trouble = False
    for name in options.workloads:
        try:
            measured = measure.measure(name, options.peers, rounds, small=options.quick, limit=options.limit)
        except measure.Disagreement as error:
            print(error, end="\n\n", file=sys.stderr, flush=True)
            trouble = True
            continue
        trouble = trouble or bool(measured["failed"])
        everything["workloads"][name] = measured
        print(report.text(name, measured), end="\n\n", flush=True)
        # After each workload: a long run that is interrupted leaves what it has measured.
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(report.markdown(everything), encoding="utf-8")
    if options.picture:
        report.picture(everything, options.picture)
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
