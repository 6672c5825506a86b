"""Compares new random programs with an installed TensorFlow.

    python -m tests.fuzz --tensorflow PYTHON [--seconds N] [--first SEED] [--variants N] [--ways N] [--interpreted]

PYTHON is an interpreter that has TensorFlow; it computes at the same time. Each seed is run as a user's program runs,
each value read at once. One seed in N also runs immediately, compiled, and with all values read at the end. Prints the
first difference of each program, and counts at the end. With TFCOMPAT_NATIVE=off all of it runs without the C twins.
"""

import argparse
import contextlib
import functools
import json
import logging
import pathlib
import subprocess
import sys
import time
import warnings

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
AT_ONCE = 20  # seeds, while TensorFlow computes the same ones
NUDGES = 1e-7, -3e-7, 1e-6, -2e-6, 4e-6  # of a program that differs: its results may hang on rounding


def ways(tf):
    """The ways to run a program besides the usual one: the context, and whether each value is read at once, by name."""
    from _steering import interpreted_for

    def compiled():
        return interpreted_for(0)

    return {
        "immediate": (functools.partial(tf.engine.execution_mode, "immediate"), True),
        "compiled": (compiled, True),
        "read at the end": (contextlib.nullcontext, False),
        "compiled, read at the end": (compiled, False),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--variants", type=int, default=1, help="sets of constants for each seed")
    parser.add_argument("--ways", type=int, default=20, help="one seed in so many runs in all ways")
    parser.add_argument("--interpreted", action="store_true", help="compile no program, however often it runs")
    options = parser.parse_args()
    sys.path[:0] = [str(TESTS)]
    import jax
    from recording.fuzz import results

    import tfcompat as tf
    from fuzz.compare import differences, short
    from fuzz.programs import program, run

    jax.config.update("jax_traceback_filtering", "off")  # 10 ms for each exception
    logging.getLogger("tensorflow").setLevel("ERROR")
    warnings.simplefilter("ignore")
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

    def in_ways(seed):
        yield "usual", run(tf, program(seed))
        if options.ways and (seed if isinstance(seed, int) else sum(seed)) % options.ways == 0:
            for name, (context, reads) in ways(tf).items():
                with context():
                    found = run(tf, program(seed), reads=reads)
                if found is not None:
                    yield name, found

    end, seed, count, runs, bad = time.monotonic() + options.seconds, options.first, 0, 0, 0
    while time.monotonic() < end:
        seeds = [each for first in range(seed, seed + AT_ONCE) for each in [
            first, *[(first, number) for number in range(1, options.variants)]]]  # fmt: skip
        ask(seeds)
        mine = [(each, name, [short(x) for x in found]) for each in seeds for name, found in in_ways(each)]
        wanted = {each: answer() for each in seeds}
        for each, name, found in mine:
            if differences(each, wanted[each], found):
                ask([each], NUDGES)
                here = results(tf, each, NUDGES)  # None where a result hangs on rounding, as in TensorFlow's answer
                wants = [x if y is not None else None for x, y in zip(answer(), here, strict=True)]
                different = differences(each, wants, found)
                bad += bool(different)
                print(*[f"{name}: {line}" for line in different], sep="\n", end="\n" * bool(different), flush=True)
        seed, count, runs = seed + AT_ONCE, count + len(seeds), runs + len(mine)
        if count % 500 < len(seeds):
            print(f"{count} programs", flush=True)
    theirs.stdin.close()
    print(f"{count} programs, seeds {options.first} to {seed - 1}, in {runs} runs; {bad} with a difference")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
