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
AT_ONCE = 200
THEIRS = """
import json, sys
sys.path[:0] = [sys.argv[1]]
from recording import _reference
from recording.fuzz import results
tf = _reference.tensorflow()
print(json.dumps([results(tf, seed) for seed in range(int(sys.argv[2]), int(sys.argv[3]))]))
"""


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

    end, seed, bad = time.monotonic() + options.seconds, options.first, 0
    while time.monotonic() < end:
        numbers = str(seed), str(seed + AT_ONCE)
        asked = [options.tensorflow, "-c", THEIRS, str(TESTS), *numbers]
        answer = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
        for recorded in json.loads(answer.splitlines()[-1]):
            found = differences(seed, recorded, [short(x) for x in run(tf, program(seed))])
            bad += bool(found)
            print(*found, sep="\n", end="\n" if found else "", flush=True)
            seed += 1
    print(f"{seed - options.first} programs, {bad} with a difference")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
