"""Compares new random programs with an installed TensorFlow.

    python -m tests.fuzz --tensorflow PYTHON [--seconds N] [--first SEED] [--variants N] [--interpreted]

PYTHON is an interpreter that has TensorFlow. Prints the first difference of each program, and a count at the end. Most
of the time goes into ops of new dtypes and shapes, so each program runs with several sets of constants, and TensorFlow
runs them at the same time.
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
    parser.add_argument("--variants", type=int, default=20, help="sets of constants for each program")
    parser.add_argument("--interpreted", action="store_true", help="compile no program, however often it runs")
    options = parser.parse_args()
    sys.path[:0] = [str(TESTS)]
    import tfcompat as tf
    from fuzz.compare import differences, short
    from fuzz.programs import program, run

    if options.interpreted:
        from tfcompat.engine import _policy

        _policy.interpreted_runs = lambda *_: 1 << 30
    command = [options.tensorflow, "-c", THEIRS, str(TESTS)]
    theirs = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(seeds, nudges=()):
        theirs.stdin.writelines([json.dumps([seed, nudges]) + "\n" for seed in seeds])
        theirs.stdin.flush()

    def answer():
        return json.loads(theirs.stdout.readline())

    end, seed, count, bad = time.monotonic() + options.seconds, options.first, 0, 0
    while time.monotonic() < end:
        seeds = [seed, *[(seed, number) for number in range(1, options.variants)]]
        ask(seeds)
        mine = [[short(x) for x in run(tf, program(each))] for each in seeds]
        doubtful = [(each, found) for each, found in zip(seeds, mine, strict=True)
                    if differences(each, answer(), found)]  # fmt: skip
        for each, found in doubtful:
            ask([each], NUDGES)
            different = differences(each, answer(), found)
            bad += bool(different)
            print(*different, sep="\n", end="\n" if different else "", flush=True)
        seed, count = seed + 1, count + len(seeds)
    theirs.stdin.close()
    print(f"{count} programs, seeds {options.first} to {seed - 1}, {bad} with a difference")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
