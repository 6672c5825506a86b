"""A training step of Keras 3's MobileNetV2, as a guest and on its own JAX backend: `python -m benchmarks.keras_guest`.

Two processes build the same model with equal weights, compare the losses of a few steps, and are timed in turns: the
table has the median of the rounds, and of the ratios of one round, since other programs may use the machine meanwhile.
With `--peer` real TensorFlow is a third. Beside the step: seconds to import and build, and to the end of the first step
(which compiles), and whether the model comes back from a `.keras` file with its predictions.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

PEERS = {"tfcompat": "tensorflow", "keras on JAX": "jax", "keras on TensorFlow": "tensorflow"}
COMPARED = 3


def serve(peer, size, batch):
    """One peer: says what it has built, then times as many steps as each line of its input asks for."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    begin = time.perf_counter()
    if peer == "tfcompat":
        import tfcompat

        tfcompat.install()
    import keras as _keras

    keras: Any = _keras

    generator = np.random.default_rng(0)
    x = generator.normal(size=(batch, size, size, 3)).astype(np.float32)
    y = generator.integers(0, 10, batch)
    model = keras.applications.MobileNetV2(input_shape=(size, size, 3), weights=None, classes=10)
    for weight in model.weights:
        value = np.asarray(weight)
        if value.ndim > 1:
            inputs = value.shape[:2] if "depthwise" in weight.path else value.shape[:-1]
            weight.assign(generator.normal(size=value.shape) * (2 / np.prod(inputs)) ** 0.5)
    model.compile(keras.optimizers.SGD(1e-4), "sparse_categorical_crossentropy", jit_compile="auto")
    built = time.perf_counter() - begin

    def steps(count):
        start = time.perf_counter()
        losses = [model.train_on_batch(x, y) for _ in range(count)]
        found = [float(np.asarray(loss)) for loss in losses]
        return found, time.perf_counter() - start

    losses = steps(1)[0]
    first = time.perf_counter() - begin
    losses += steps(COMPARED - 1)[0]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "model.keras")
        model.save(file)
        again = keras.saving.load_model(file)
        off = float(np.abs(again.predict(x, verbose=0) - model.predict(x, verbose=0)).max())
    steps(COMPARED)
    print(json.dumps({"losses": losses, "built": built, "first": first, "off": off}), file=answers, flush=True)
    for line in sys.stdin:
        count = int(line)
        print(json.dumps(steps(count)[1] / count), file=answers, flush=True)


def started(peer, size, batch):
    environment = {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ, "KERAS_BACKEND": PEERS[peer]}
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.keras_guest", "--serve", peer, "--size", str(size), "--batch", str(batch)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        cwd=pathlib.Path(__file__).resolve().parent.parent,
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=96, help="width and height of a picture")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=3, help="steps in a round")
    parser.add_argument("--peer", action="store_true", help="measure Keras on TensorFlow, too")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve, options.size, options.batch)
    children: dict[str, Any] = {}
    said: dict[str, Any] = {}
    try:
        for peer in list(PEERS)[: 3 if options.peer else 2]:  # one after the other: starting disturbs nobody
            child: Any = started(peer, options.size, options.batch)
            children[peer] = child
            said[peer] = json.loads(child.stdout.readline())
        for peer, found in said.items():
            # Rounding grows from step to step, through fifty batch normalizations.
            np.testing.assert_allclose(found["losses"], said["keras on JAX"]["losses"], rtol=2e-3, err_msg=peer)
            drops = [np.diff(said[name]["losses"])[0] for name in (peer, "keras on JAX")]
            np.testing.assert_allclose(*drops, rtol=0.02, err_msg=peer)
            assert found["off"] < 1e-5, (peer, found["off"])
        times = {peer: [] for peer in children}
        for _ in range(options.rounds):
            for peer, child in children.items():
                print(options.steps, file=child.stdin, flush=True)
                times[peer].append(json.loads(child.stdout.readline()))
    finally:
        for child in children.values():
            child.kill()
            child.wait()
    print(f"MobileNetV2, pictures {options.size} wide, batch {options.batch}, {options.rounds} rounds in turns")
    for peer, turns in times.items():
        begun = said[peer]
        ratio = statistics.median(a / b for a, b in zip(turns, times["keras on JAX"], strict=True))
        print(
            f"{peer}: {1e3 * statistics.median(turns):.0f} ms a step (least {1e3 * min(turns):.0f}), "
            f"{ratio:.2f} x JAX; built after {begun['built']:.1f} s, first step done after {begun['first']:.1f} s"
        )


if __name__ == "__main__":
    main()
