"""Compares new random programs with an installed TensorFlow.

    python -m tests.fuzz --tensorflow PYTHON [--seconds N] [--first SEED]

PYTHON is an interpreter that has TensorFlow. Prints the first difference of each program, and a count at the end.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
THEIRS = """
import json, sys
sys.path[:0] = [sys.argv[1]]
from recording import _reference
from recording.fuzz import results
tf = _reference.tensorflow()
for line in sys.stdin:
    print(json.dumps(results(tf, *json.loads(line))), flush=True)
"""
NUDGES = 1e-7, -3e-7, 1e-6, -2e-6, 4e-6  # of a program that differs: its results may hang on rounding


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--first", type=int, default=1000)
    options = parser.parse_args()
    sys.path[:0] = [str(TESTS)]
    import tfcompat as tf
    from fuzz.compare import differences, short
    from fuzz.programs import program, run

    command = [options.tensorflow, "-c", THEIRS, str(TESTS)]
    theirs = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def recorded(nudges=()):
        print(json.dumps([seed, nudges]), file=theirs.stdin, flush=True)
        return json.loads(theirs.stdout.readline())

    end, seed, bad = time.monotonic() + options.seconds, options.first, 0
    while time.monotonic() < end:
        mine = [short(x) for x in run(tf, program(seed))]
        if differences(seed, recorded(), mine):
            different = differences(seed, recorded(NUDGES), mine)
            bad += bool(different)
            print(*different, sep="\n", end="\n" if different else "", flush=True)
        seed += 1
    theirs.stdin.close()
    print(f"{seed - options.first} programs, {bad} with a difference")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
