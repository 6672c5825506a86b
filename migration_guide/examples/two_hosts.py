"""`fit` in several processes, which need not be on one machine: each takes its part of a batch.

Without TF_CONFIG the program starts itself several times on this machine:

    python -m tfcompat run two_hosts.py [--processes 2] [--epochs 3]

On two machines, start it on each with the same cluster and its own number:

    TF_CONFIG='{"cluster": {"worker": ["10.0.0.1:2222", "10.0.0.2:2222"]}, "task": {"type": "worker", "index": 0}}' \\
        python -m tfcompat run two_hosts.py
"""

import argparse
import json
import os
import socket
import subprocess
import sys

import numpy as np
import tensorflow as tf

BATCH = 32  # of all processes together


def start(processes):
    """Runs this program in several processes, which find each other by TF_CONFIG."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(processes)]
    workers = [f"127.0.0.1:{server.getsockname()[1]}" for server in servers]
    for server in servers:
        server.close()
    tasks = [
        {"cluster": {"worker": workers}, "task": {"type": "worker", "index": number}} for number in range(processes)
    ]
    children = [subprocess.Popen(sys.orig_argv, env=os.environ | {"TF_CONFIG": json.dumps(task)}) for task in tasks]
    return max(child.wait() for child in children)


def train(epochs):
    strategy = tf.distribute.MultiWorkerMirroredStrategy()  # before anything runs; it waits for the others
    numbers = np.random.RandomState(0)
    x = numbers.randn(512, 8).astype("float32")
    y = np.sin(x @ numbers.randn(8, 1)).astype("float32")
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True)
    tf.keras.utils.set_random_seed(1)
    with strategy.scope():
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(32, "tanh"), tf.keras.layers.Dense(32, "tanh"), tf.keras.layers.Dense(1)
        ])  # fmt: skip
        model.compile("adam", "mse")
    history = model.fit(data, epochs=epochs, verbose=0).history["loss"]
    if strategy.cluster_resolver.task_id in (None, 0):
        print(f"{strategy.num_replicas_in_sync} replicas")
        for epoch, loss in enumerate(history, 1):
            print(f"epoch {epoch}: loss {loss:.5f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    if "TF_CONFIG" in os.environ:
        train(options.epochs)
    else:
        sys.exit(start(options.processes))


if __name__ == "__main__":
    main()
