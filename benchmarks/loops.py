"""Gradients through loops whose number of turns is known only when they run: time and memory, beside TensorFlow.

    python -m benchmarks.loops [--turns 100 1000 10000] [--rounds 3]

A state of 64 x 64 is multiplied by a matrix and bounded by tanh in each turn of a `tf.while_loop` inside a
`tf.function`; the gradient is that of the final sum with respect to the matrix. Each measurement is a process of its
own; memory is what the process grows by at most over what it had before the loop was compiled.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

_CHILD = """
import json, os, resource, sys, time
name, kind, turns, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if name == "tensorflow":
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_USE_LEGACY_KERAS="1")
    import tensorflow as tf
else:
    import tfcompat as tf
import numpy as np

w = tf.Variable(np.random.RandomState(0).randn(64, 64).astype(np.float32) / 8)
x = tf.constant(np.random.RandomState(1).randn(64, 64).astype(np.float32))

@tf.function
def gradient(x, n):
    with tf.GradientTape() as tape:
        if kind == "bounded":
            state = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.tanh(s @ w)), [0, x],
                                  maximum_iterations=turns)[1]
        else:
            state = x
            for _ in tf.range(n):
                state = tf.tanh(state @ w)
        loss = tf.reduce_sum(state)
    return tape.gradient(loss, w)

n = tf.constant(turns)
float(tf.reduce_sum(x))
for _ in range(3):  # the second and third have their last turns of compiling
    gradient(x, tf.constant(1)).numpy()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
value = gradient(x, n).numpy()
first = time.perf_counter() - start
times = []
for _ in range(rounds):
    start = time.perf_counter()
    gradient(x, n).numpy()
    times.append(time.perf_counter() - start)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps({"seconds": min(times), "MiB": grown / 1024, "norm": float(np.linalg.norm(value))}))
"""


def measured(name, kind, turns, rounds):
    """What one process says, or None where it failed."""
    with tempfile.TemporaryDirectory() as folder:  # AutoGraph wants a file
        path = os.path.join(folder, "child.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_CHILD)
        command = [sys.executable, path, name, kind, str(turns), str(rounds)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=os.environ)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", default=["unknown", "bounded"], choices=["unknown", "bounded"])
    options = parser.parse_args(argv)
    print("| loop | turns | tfcompat | | TensorFlow | |\n|---|---|---|---|---|---|")
    for kind in options.kinds:
        for turns in options.turns:
            cells, norms = [], []
            for name in ("tfcompat", "tensorflow"):
                found = measured(name, kind, turns, options.rounds)
                cells += ["failed", ""] if found is None else [f"{found['seconds']:.4g} s", f"{found['MiB']:.0f} MiB"]
                norms += [] if found is None else [found["norm"]]
            same = len(norms) == 2 and abs(norms[0] - norms[1]) <= 1e-3 * abs(norms[1])
            print(f"| {kind} | {turns} | {' | '.join(cells)} |" + ("" if same else f" gradients differ: {norms}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
