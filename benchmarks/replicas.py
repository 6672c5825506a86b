"""Steps on several devices, beside the same steps written for JAX by hand: `python -m benchmarks.replicas`.

    python -m benchmarks.replicas [--steps tiny cnn] [--replicas 2 4] [--processes 2]
    python -m benchmarks.replicas --exchanged      what devices send each other, read from the compiled programs

The CPU is divided into virtual devices, so what is measured is processor time: what the program costs beside the
hand-written one, not how it scales. Each pair runs in one process, in turns; the better half of the turns counts. With
several processes, which talk over loopback, each has that part of the replicas, and the first one is measured.
"""

import argparse
import json
import math
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

WAYS = ("function", "eager", "fit")
RATE = 0.01


class Workload(NamedTuple):
    """A step to train.

    Attributes:
      rows: of a batch, of all replicas together.
      x, y: shapes of a row.
      weights: their shapes.
      outputs: function of (operations, weights, x) that gives what is compared with y.
    """

    rows: int
    x: tuple
    y: tuple
    weights: list
    outputs: Callable


def _layers(op, weights, x):
    h = op.tanh(op.tanh(x @ weights[0]) @ weights[1])
    return h @ weights[2]


def _cnn(op, weights, x):
    kernel, scale, offset, second, dense = weights
    h = op.conv(x, kernel)
    mean = op.mean_of_all(h, (0, 1, 2))
    spread = op.mean_of_all((h - mean) ** 2, (0, 1, 2))
    h = op.relu((h - mean) * op.rsqrt(spread + 1e-3) * scale + offset)
    return op.mean(op.relu(op.conv(h, second)), (1, 2)) @ dense


def _block(op, weights, x):
    query, key, value, out, up, down = weights
    h = _normalized(op, x)
    scores = op.softmax((h @ query) @ op.transposed(h @ key) * query.shape[-1] ** -0.5)
    x = x + scores @ (h @ value) @ out
    return x + op.relu(_normalized(op, x) @ up) @ down


def _normalized(op, x):
    x = x - op.mean(x, -1, True)
    return x * op.rsqrt(op.mean(x * x, -1, True) + 1e-6)


STEPS = {
    "tiny": Workload(64, (32,), (1,), [(32, 64), (64, 64), (64, 1)], _layers),
    "wide": Workload(512, (256,), (1,), [(256, 512), (512, 512), (512, 1)], _layers),
    "cnn": Workload(64, (16, 16, 3), (10,), [(3, 3, 3, 16), (16,), (16,), (3, 3, 16, 32), (32, 10)], _cnn),
    "block": Workload(16, (32, 64), (32, 64), [(64, 64)] * 4 + [(64, 256), (256, 64)], _block),
    "large block": Workload(16, (128, 256), (128, 256), [(256, 256)] * 4 + [(256, 1024), (1024, 256)], _block),
}


class _OfTensorFlow:
    def __init__(self, tf):
        self.tanh, self.relu, self.softmax, self.rsqrt = tf.tanh, tf.nn.relu, tf.nn.softmax, tf.math.rsqrt
        self.mean = tf.reduce_mean
        self.mean_of_all = lambda x, axes: tf.distribute.get_replica_context().all_reduce(
            "MEAN", tf.reduce_mean(x, axes)
        )
        self.conv = lambda x, kernel: tf.nn.conv2d(x, kernel, 1, "SAME")
        self.transposed = lambda x: tf.linalg.matrix_transpose(x)


class _OfJax:
    def __init__(self, jax):
        jnp = jax.numpy
        self.tanh, self.relu, self.softmax, self.rsqrt = jnp.tanh, jax.nn.relu, jax.nn.softmax, jax.lax.rsqrt
        self.mean = self.mean_of_all = lambda x, axes, keepdims=False: jnp.mean(x, axes, keepdims=keepdims)
        self.conv = lambda x, kernel: jax.lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        self.transposed = lambda x: jnp.swapaxes(x, -1, -2)


def _strategy(tf, replicas):
    """The strategy of this process, whose CPU is divided."""
    config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    count = len(config["cluster"]["worker"]) if config else 1
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * (replicas // count))
    return tf.distribute.MultiWorkerMirroredStrategy() if count > 1 else tf.distribute.MirroredStrategy()


def _data(workload):
    random = np.random.RandomState(0)
    x, y = (random.randn(workload.rows, *shape).astype("f") for shape in (workload.x, workload.y))
    fans = [float(np.prod(shape[:-1])) for shape in workload.weights]
    return x, y, [random.randn(*s).astype("f") / fan**0.5 for s, fan in zip(workload.weights, fans, strict=True)]


def measured(replicas, name, way, turns=10, steps=20):
    """Milliseconds of processor time of a step: (tfcompat, by hand), and how far the losses differ."""
    import jax

    import tfcompat as tf

    strategy, workload = _strategy(tf, replicas), STEPS[name]
    data = _data(workload)
    if way == "fit":
        ours = _fit(tf, strategy, workload, data, steps)
        limit = _by_hand(jax, workload, data, steps)
    else:
        ours, limit = _ours(tf, strategy, workload, data, way), _by_hand(jax, workload, data, 1)
    differences = [abs(float(ours()) - float(limit())) for _ in range(10)]
    times: list = [[], []]
    calls = 1 if way == "fit" else steps
    for _ in range(turns):
        for of_one, step in zip(times, (ours, limit), strict=True):
            begin = time.process_time()
            for _ in range(calls):
                np.asarray(step())
            of_one.append((time.process_time() - begin) / steps * 1e3)
    return [statistics.median(sorted(of_one)[: turns // 2]) for of_one in times], max(differences)


def _loss(op_sum, outputs, y, workload):
    return op_sum((outputs - y) ** 2) / (workload.rows * math.prod(workload.y))


def _ours(tf, strategy, workload, data, way):
    x, y, first = data
    op = _OfTensorFlow(tf)
    with strategy.scope():
        weights = [tf.Variable(w, aggregation=tf.VariableAggregation.SUM) for w in first]

    def replica(x, y):
        with tf.GradientTape() as tape:
            loss = _loss(tf.reduce_sum, workload.outputs(op, weights, x), y, workload)
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(RATE * gradient)
        return loss

    def step(batch):
        return strategy.reduce("SUM", strategy.run(replica, args=batch), axis=None)

    step = tf.function(step) if way == "function" else step
    (batch,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors((x, y)))
    return lambda: step(batch).numpy()


def _fit(tf, strategy, workload, data, steps):
    x, y, first = data
    op = _OfTensorFlow(tf)

    class Model(tf.keras.Model):
        def build(self, shape):
            self.parts = [
                self.add_weight(name=str(n), shape=w.shape, initializer=tf.keras.initializers.Constant(w))
                for n, w in enumerate(first)
            ]

        def call(self, x):
            return workload.outputs(op, self.parts, x)

    with strategy.scope():
        model = Model()
        model.compile(tf.keras.optimizers.SGD(RATE), "mse")
    dataset = tf.data.Dataset.from_tensors((x, y)).repeat(steps)
    return lambda: model.fit(dataset, epochs=1, verbose=0).history["loss"][0]


def _by_hand(jax, workload, data, steps):
    """A function that does steps; it gives the mean of the losses."""
    x, y, first = data
    jnp, sharding, op = jax.numpy, jax.sharding, _OfJax(jax)
    mesh = sharding.Mesh(np.array(jax.devices()), ("replica",))
    whole, divided = (
        sharding.NamedSharding(mesh, sharding.PartitionSpec(*names)) for names in ((), ("replica",))
    )
    rows = workload.rows // jax.process_count()
    own = slice(jax.process_index() * rows, (jax.process_index() + 1) * rows)
    state = [jax.make_array_from_process_local_data(whole, w) for w in first]
    batch = [jax.make_array_from_process_local_data(divided, a[own]) for a in (x, y)]

    @jax.jit
    def step(weights, x, y):
        def loss_of(weights):
            return _loss(jnp.sum, workload.outputs(op, weights, x), y, workload)

        loss, gradients = jax.value_and_grad(loss_of)(weights)
        return loss, [w - RATE * g for w, g in zip(weights, gradients, strict=True)]

    def run():
        total = 0.0
        for _ in range(steps):
            loss, state[:] = step(state, *batch)
            total += float(loss)  # one by one: programs of several processes that are queued on a CPU may block it
        return total / steps

    return run


def exchanged(replicas, name):
    """What devices exchange in a step: list of `Collective`s, and the bytes of the weights."""
    import tfcompat as tf

    data = _data(STEPS[name])
    step = _ours(tf, _strategy(tf, replicas), STEPS[name], data, "function")
    step()
    return tf.engine.last_program().collectives, sum(w.nbytes for w in data[2])


def _children(arguments, processes):
    """What the first of some processes prints last, from JSON."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(processes)]
    workers = [f"127.0.0.1:{server.getsockname()[1]}" for server in servers]
    for server in servers:
        server.close()
    children = []
    for number in range(processes):
        environment = os.environ | {"JAX_PLATFORMS": "cpu"}
        if processes > 1:
            config = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": number}}
            environment["TF_CONFIG"] = json.dumps(config)
        command = [sys.executable, "-m", "benchmarks.replicas", "--child", *map(str, arguments)]
        children.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    outputs = [child.communicate()[0] for child in children]
    if any(child.returncode for child in children):
        raise RuntimeError(f"{arguments}: a process failed")
    return json.loads(outputs[0].splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--replicas", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--exchanged", action="store_true", help="print what devices exchange, measure nothing")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        replicas, name, way = options.child
        print(json.dumps(exchanged(int(replicas), name) if way == "exchanged" else measured(int(replicas), name, way)))
    elif options.exchanged:
        print("| step | replicas | bytes of weights | collectives | bytes of their results | a device sends |")
        print("|---|---|---|---|---|---|")
        for name in options.steps:
            for replicas in options.replicas:
                collectives, weights = _children((replicas, name, "exchanged"), options.processes)
                kinds = ", ".join(f"{count} {kind}" for kind, _, count, _, _ in collectives)
                size, sent = (sum(each[n] for each in collectives) for n in (3, 4))
                print(f"| {name} | {replicas} | {weights:,} | {kinds} | {size:,} | {sent:,} |", flush=True)
    else:
        print("| step | replicas | way | ms | by hand | ratio | losses differ by |\n|---|---|---|---|---|---|---|")
        for name in options.steps:
            for replicas in options.replicas:
                for way in options.ways:
                    (ours, limit), difference = _children((replicas, name, way), options.processes)
                    print(f"| {name} | {replicas} | {way} | {ours:.2f} | {limit:.2f} | {ours / limit:.2f} | "
                          f"{difference:.0e} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
