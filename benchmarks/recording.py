"""What it takes to record: one operation of each kind, a tape, a gradient; with the compiled parts and without.

    python -m benchmarks.recording [--rounds 30]

Nothing is computed while time is taken. Each way runs in a process of its own (`TFCOMPAT_NATIVE`).
Figures are the least of all rounds, in nanoseconds.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np

TURNS = 40  # in a round: fewer operations than after which a loop is looked for
ROOT = pathlib.Path(__file__).resolve().parent.parent


def programs(tf):
    """(name, function to be timed) of each row."""
    x = tf.constant(np.full((8, 8), 0.5, np.float32))
    v = tf.Variable(x)

    def network(x):
        return tf.reduce_sum(tf.tanh(tf.tanh(x @ v + 0.5) @ v) ** 2)

    def forward():
        with tf.GradientTape() as tape:
            network(x)
        return tape

    def backward():
        with tf.GradientTape() as tape:
            y = network(x)
        return tape.gradient(y, v)

    return [
        ("x + y", lambda: x + x), ("x + 2.0", lambda: x + 2.0), ("x + variable", lambda: x + v),
        ("x ** 2", lambda: x**2), ("x[1:3]", lambda: x[1:3]), ("tf.tanh(x)", lambda: tf.tanh(x)),
        ("tf.add(x, y)", lambda: tf.add(x, x)), ("tf.reduce_sum(x, axis=1)", lambda: tf.reduce_sum(x, axis=1)),
        ("tf.matmul(a=x, b=y)", lambda: tf.matmul(a=x, b=x)), ("7 operations", lambda: network(x)),
        ("7 operations under a tape, and the tape", forward), ("the same, and their gradient", backward),
    ]  # fmt: skip


def measured(rounds):
    """dict from the name of a row to nanoseconds."""
    import tfcompat as tf
    from tfcompat import engine

    found = {}
    for name, program in programs(tf):
        times = []
        for _ in range(rounds):
            with tf.GradientTape(watch_accessed_variables=False):  # so that tapes inside do not begin another turn
                begin = time.perf_counter()
                for _ in range(TURNS):
                    program()
                times.append((time.perf_counter() - begin) / TURNS)
            engine.cut()
        found[name] = round(1e9 * min(times[1:]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return print(json.dumps(measured(options.rounds)))
    ways = {}
    for way in ("", "off"):
        command = [sys.executable, "-m", "benchmarks.recording", "--child", "--rounds", str(options.rounds)]
        done = subprocess.run(
            command, env={**os.environ, "TFCOMPAT_NATIVE": way}, cwd=ROOT, capture_output=True, text=True, check=True
        )
        ways[way] = json.loads(done.stdout.splitlines()[-1])
    print("| recorded | compiled parts | Python |\n|---|---|---|")
    for name, compiled in ways[""].items():
        print(f"| {name} | {compiled:,} ns | {ways['off'][name]:,} ns |")


if __name__ == "__main__":
    main()
