"""Compares new random programs with an installed TensorFlow.

    python -m tests.fuzz --tensorflow PYTHON [--seconds N] [--first SEED] [--variants N] [--ways N] [--interpreted]

PYTHON is an interpreter that has TensorFlow; it computes at the same time. Each seed is a structure; it is run as a
user's program runs, each value read at once, with as many sets of constants as --variants says. The runs of a structure
share its functions, and an exception that a step raised is not asked for again. One seed in N also runs immediately,
compiled, and with all values read at the end. TensorFlow runs a structure as one graph from the third set of constants
on, with the kernels of eager calls. Prints the first difference of each program, and counts at the end. With
TFCOMPAT_NATIVE=off all of it runs without the C twins.
"""

import argparse
import collections
import contextlib
import functools
import logging
import pathlib
import pickle
import queue
import subprocess
import sys
import threading
import time
import warnings

TESTS = pathlib.Path(__file__).resolve().parents[1]
THEIRS = """
import pickle, sys
sys.path[:0] = [sys.argv[1]]
from fuzz.programs import of_structure
from recording import _reference
from recording.fuzz import results
tf = _reference.tensorflow()
tf.get_logger().setLevel("ERROR")
tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})  # which would write x - x as 0
while True:
    try:
        seed, variants, nudges = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    answer = results(tf, seed, nudges) if nudges else of_structure(tf, seed, variants, 2)
    pickle.dump(answer, sys.stdout.buffer, 5)
    sys.stdout.buffer.flush()
"""
AHEAD = 8  # programs that TensorFlow may be ahead of us
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
    parser.add_argument("--variants", type=int, default=10, help="sets of constants for each seed")
    parser.add_argument("--ways", type=int, default=20, help="one seed in so many runs in all ways")
    parser.add_argument("--interpreted", action="store_true", help="compile no program, however often it runs")
    options = parser.parse_args()
    sys.path[:0] = [str(TESTS)]
    import jax
    from recording.fuzz import results

    import tfcompat as tf
    from fuzz.compare import differences, same, short
    from fuzz.programs import of_structure, program, run

    jax.config.update("jax_traceback_filtering", "off")  # 10 ms for each exception
    logging.getLogger("tensorflow").setLevel("ERROR")
    warnings.simplefilter("ignore")
    if options.interpreted:
        from tfcompat.engine import _policy

        _policy.interpreted_runs = lambda *_: 1 << 30
    theirs = _Theirs(options.tensorflow)

    def in_ways(seed):
        """What the program gives in other ways, for the first and the last set of constants: set, way and results."""
        for number in {0, options.variants - 1} if options.ways and seed % options.ways == 0 else ():
            for name, (context, reads) in ways(tf).items():
                with context():
                    found = run(tf, program(_named(seed, number)), reads=reads)
                if found is not None:
                    yield number, name, found

    end, first_new, count = time.monotonic() + options.seconds, options.first, collections.Counter()
    while time.monotonic() < end:
        while len(theirs.asked) < AHEAD:
            theirs.ask(first_new, options.variants)
            first_new += 1
        seed, doubtful, answer = theirs.answer()
        if doubtful:  # None where a result hangs on rounding, in TensorFlow's answer or here
            here = results(tf, seed, NUDGES)
            wants = [x if y is not None else None for x, y in zip(answer, here, strict=True)]
            different = [f"{name}: {line}" for name, found in doubtful for line in differences(seed, wants, found)]
            count["bad"] += bool(different)
            print(*different, sep="\n", end="\n" * bool(different), flush=True)
            continue
        mine = [(number, "usual", found) for number, found in enumerate(of_structure(tf, seed, options.variants))]
        doubts = {}
        for number, name, found in [*mine, *in_ways(seed)]:
            count["runs"] += 1
            if not same(found, answer[number]):
                each, found = _named(seed, number), [short(x) for x in found]
                if differences(each, [short(x) for x in answer[number]], found):
                    doubts.setdefault(each, []).append((name, found))
        count["doubts"] += len(doubts)
        for each, found in doubts.items():
            theirs.ask(each, 1, found)
        count["structures"] += 1
        count["results"] += sum(map(len, answer))
        count["numbers"] += sum(x.size for found in answer for x in found if not isinstance(x, str))
        if count["structures"] % 100 == 0:
            print(f"{count['structures']} structures", flush=True)
    theirs.end()
    print(
        f"{count['structures']} structures with {options.variants} sets of constants each, seeds {options.first} to "
        f"{options.first + count['structures'] - 1}: {count['runs']} runs, {count['results']} results of "
        f"{count['numbers']} numbers; {count['doubts']} programs looked at again, {count['bad']} with a difference"
    )
    return bool(count["bad"])


def _named(seed, number):
    """The name of a program with a set of constants."""
    return (seed, number) if number else seed


class _Theirs:
    """A process that runs programs on TensorFlow, some programs ahead of us."""

    def __init__(self, python):
        command = [python, "-c", THEIRS, str(TESTS)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asked, self.answers = collections.deque(), queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with contextlib.suppress(EOFError):
            while True:
                self.answers.put(pickle.load(self.process.stdout))
        self.answers.put(None)

    def ask(self, seed, variants, doubtful=()):
        """Asks for a structure; or whether results of a program that are doubtful hang on rounding."""
        self.asked.append((seed, doubtful))
        pickle.dump((seed, variants, NUDGES if doubtful else ()), self.process.stdin, 5)
        self.process.stdin.flush()

    def answer(self):
        """The seed of what was asked first, the doubtful results, and TensorFlow's answer."""
        found = self.answers.get()
        if found is None:
            raise RuntimeError(f"TensorFlow ended while it ran program {self.asked[0][0]}")
        return *self.asked.popleft(), found

    def end(self):
        self.process.stdin.close()
        self.process.terminate()


if __name__ == "__main__":
    sys.exit(main())
