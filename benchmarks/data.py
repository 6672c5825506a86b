"""`python -m benchmarks.data`: elements a second of five input pipelines, on tfcompat and on TensorFlow's tf.data.

Each runs in a process of its own; the fastest of some passes counts, after one pass to compile and to fill caches.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

PEERS = {"tfcompat": "tfcompat", "tensorflow": "tensorflow"}
PASSES = 3


def pipelines(tf, count, folder):
    """Yields (name, elements in it, dataset)."""
    Dataset = tf.data.Dataset
    rng = np.random.default_rng(0)
    x, y = rng.random((count, 28, 28, 1), dtype=np.float32), rng.integers(0, 10, count)

    def augmented(image, label):
        return tf.image.flip_left_right(image) * 2.0 - 1.0, tf.one_hot(label, 10)

    def generate():
        for i in range(count // 4):
            yield x[i], y[i]

    slices = Dataset.from_tensor_slices((x, y))
    yield "shuffled batches of arrays", count, slices.shuffle(count, seed=1).batch(64).prefetch(2)
    yield "map, batch", count, slices.map(augmented, num_parallel_calls=tf.data.AUTOTUNE).batch(64).prefetch(2)
    yield "scalars: map, filter", count, Dataset.range(count).map(lambda v: v * 2).filter(lambda v: v % 3 == 0)
    signature = tf.TensorSpec([28, 28, 1], tf.float32), tf.TensorSpec([], tf.int64)
    yield "generator, batch", count // 4, Dataset.from_generator(generate, output_signature=signature).batch(64)
    path = os.path.join(folder, "records")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(count // 8):
            writer.write(_example(tf.train, x[i].ravel()[:100], int(y[i])))
    features = {"x": tf.io.FixedLenFeature([100], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
    records = tf.data.TFRecordDataset(path).batch(64)
    yield "records: batch, parse", count // 8, records.map(lambda batch: tf.io.parse_example(batch, features))


def _example(train, x, y):
    feature = {
        "x": train.Feature(float_list=train.FloatList(value=x)),
        "y": train.Feature(int64_list=train.Int64List(value=[y])),
    }
    return train.Example(features=train.Features(feature=feature)).SerializeToString()


def measure(tf, count):
    """Elements a second of each pipeline, by name."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, size, dataset in pipelines(tf, count, folder):
            times = []
            for _ in range(1 + PASSES):
                start = time.perf_counter()
                for _ in dataset:
                    pass
                times.append(time.perf_counter() - start)
            found[name] = size / min(times[1:])
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.data", description=__doc__)
    parser.add_argument("--count", type=int, default=16000, help="elements in the largest pipelines")
    parser.add_argument("--peer", choices=list(PEERS), help="measure one in this process, and print JSON")
    options = parser.parse_args(arguments)
    if options.peer:
        os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
        import importlib

        print(json.dumps(measure(importlib.import_module(PEERS[options.peer]), options.count)))
        return 0
    found = {}
    for peer in PEERS:
        command = [sys.executable, "-m", "benchmarks.data", "--peer", peer, "--count", str(options.count)]
        root = pathlib.Path(__file__).resolve().parents[1]
        done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
        if done.returncode:
            print(f"{peer}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        else:
            found[peer] = json.loads(done.stdout.splitlines()[-1])
    names = {name: None for rates in found.values() for name in rates}
    print(f"{'elements a second':30}" + "".join(f"{peer:>14}" for peer in found))
    for name in names:
        print(f"{name:30}" + "".join(f"{rates[name]:14,.0f}" for rates in found.values()))
    return 0 if len(found) == len(PEERS) else 1


if __name__ == "__main__":
    sys.exit(main())
