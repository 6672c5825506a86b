"""Trains a small net for some steps, and prints as JSON what came of it.

    python tests/distribute/_steps.py REPLICAS WAY

WAY is eager, inside (the function of a replica is a tf.function), outside (the whole step is), or unequal (a batch that
does not go round). With several replicas the CPU is divided.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import tfcompat as tf  # noqa: E402
from tfcompat import engine  # noqa: E402


def main(replicas, way):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    random = np.random.RandomState(0)
    rows = 15 if way == "unequal" else 16
    x, y = random.randn(rows, 5).astype("f"), random.randn(rows, 1).astype("f")
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        shapes = [(5, 8), (8, 1)]
        first = [random.randn(*shape).astype("f") / 3 for shape in shapes]
        weights = [tf.Variable(value, aggregation=tf.VariableAggregation.SUM) for value in first]
        seen = tf.Variable(
            0.0, trainable=False, synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )  # fmt: skip
    calls = []

    def replica(x, y):
        calls.append(1)
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            h = x @ weights[0]
            total = context.all_reduce("SUM", tf.reduce_sum(h, 0)) / rows
            spread = context.all_reduce("SUM", tf.reduce_sum((h - total) ** 2, 0)) / rows
            h = tf.nn.relu((h - total) * tf.math.rsqrt(spread + 1e-3))
            loss = tf.reduce_sum((h @ weights[1] - y) ** 2) / rows
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.1 * gradient)
        seen.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
        return loss

    if way == "inside":
        replica = tf.function(replica)

    def step(batch):
        return strategy.reduce("SUM", strategy.run(replica, args=batch), axis=None)

    if way == "outside":
        step = tf.function(step)
    data = tf.data.Dataset.from_tensors((x, y))
    (batch,) = strategy.experimental_distribute_dataset(data)
    losses = [float(step(batch)) for _ in range(6)]
    exchanged = [each._asdict() for each in engine.last_program().collectives] if way == "outside" else None
    halves = strategy.experimental_local_results(strategy.run(lambda: weights[1][0, 0] * 2.0))
    places = [half.device for half in halves]  # while they are pending
    parts = getattr(weights[0], "values", [weights[0]])
    print(json.dumps({
        "losses": losses, "seen": float(seen), "calls": len(calls), "kinds": dict(engine.replicas.kinds),
        "exchanged": exchanged,
        "weights": [part.numpy().ravel().tolist() for part in parts],
        "devices": sorted({str(d) for part in parts for d in getattr(part._node.value, "devices", set)()}),
        "local": float(sum(halves)), "places": places,
    }))  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
