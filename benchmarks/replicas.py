"""Steps on several devices, beside the same steps written for JAX by hand: `python -m benchmarks.replicas`.

The CPU is divided into virtual devices, so what is measured is processor time: what the program costs beside the
hand-written one, not how it scales. Each pair runs in one process, in turns; the better half of the turns counts.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

STEPS = {"tiny": (64, 32, 64), "wide": (512, 256, 512)}  # rows, inputs, hidden units
WAYS = ("function", "eager")


def measured(replicas, size, way, turns=10, steps=20):
    """Milliseconds of processor time of a step: (tfcompat, by hand), and how far the losses differ."""
    import jax

    import tfcompat as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    rows, inputs, hidden = STEPS[size]
    random = np.random.RandomState(0)
    x, y = random.randn(rows, inputs).astype("f"), random.randn(rows, 1).astype("f")
    shapes = [(inputs, hidden), (hidden, hidden), (hidden, 1)]
    first = [random.randn(*shape).astype("f") / shape[0] ** 0.5 for shape in shapes]

    ours = _ours(tf, rows, x, y, first, way)
    limit = _by_hand(jax, replicas, rows, x, y, first)
    differences = [abs(float(ours()) - float(limit())) for _ in range(10)]
    times: list = [[], []]
    for _ in range(turns):
        for of_one, step in zip(times, (ours, limit), strict=True):
            begin = time.process_time()
            for _ in range(steps):
                np.asarray(step())
            of_one.append((time.process_time() - begin) / steps * 1e3)
    return [statistics.median(sorted(of_one)[: turns // 2]) for of_one in times], max(differences)


def _ours(tf, rows, x, y, first, way):
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        weights = [tf.Variable(w, aggregation=tf.VariableAggregation.SUM) for w in first]

    def replica(x, y):
        with tf.GradientTape() as tape:
            h = tf.tanh(tf.tanh(x @ weights[0]) @ weights[1])
            loss = tf.reduce_sum((h @ weights[2] - y) ** 2) / rows
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.01 * gradient)
        return loss

    def step(batch):
        return strategy.reduce("SUM", strategy.run(replica, args=batch), axis=None)

    step = tf.function(step) if way == "function" else step
    (batch,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors((x, y)))
    return lambda: step(batch).numpy()


def _by_hand(jax, replicas, rows, x, y, first):
    jnp, sharding = jax.numpy, jax.sharding
    mesh = jax.make_mesh((replicas,), ("replica",))
    whole, divided = (
        sharding.NamedSharding(mesh, sharding.PartitionSpec(*names)) for names in ((), ("replica",))
    )
    state = [jax.device_put(w, whole) for w in first]
    batch = [jax.device_put(a, divided) for a in (x, y)]

    @jax.jit
    def step(weights, x, y):
        def loss_of(weights):
            h = jnp.tanh(jnp.tanh(x @ weights[0]) @ weights[1])
            return jnp.sum((h @ weights[2] - y) ** 2) / rows

        loss, gradients = jax.value_and_grad(loss_of)(weights)
        return loss, [w - 0.01 * g for w, g in zip(weights, gradients, strict=True)]

    def run():
        loss, state[:] = step(state, *batch)
        return loss

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicas", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        replicas, size, way = options.child
        print(json.dumps(measured(int(replicas), size, way)))
        return
    print("| step | replicas | way | ms | by hand | ratio | losses differ by |\n|---|---|---|---|---|---|---|")
    for size in STEPS:
        for replicas in options.replicas:
            for way in WAYS:
                command = [sys.executable, "-m", "benchmarks.replicas", "--child", str(replicas), size, way]
                done = subprocess.run(
                    command, env=os.environ | {"JAX_PLATFORMS": "cpu"}, capture_output=True, text=True, check=True
                )
                (ours, limit), difference = json.loads(done.stdout.splitlines()[-1])
                print(f"| {size} | {replicas} | {way} | {ours:.2f} | {limit:.2f} | {ours / limit:.2f} | "
                      f"{difference:.0e} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
