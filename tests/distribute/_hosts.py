"""Trains a small model in one of several processes, and prints as JSON what came of it.

    python tests/distribute/_hosts.py DEVICES [FOLDER]

TF_CONFIG says which processes there are, if there are several. The CPU is divided into DEVICES. With a FOLDER, `fit`
keeps its state there, and goes on from there; the process ends itself in the third epoch if DIES is set.
"""

import json
import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import tfcompat as tf  # noqa: E402
from tfcompat import engine  # noqa: E402


class _Dies(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print("epoch", epoch, flush=True)
        if epoch == 2:
            os._exit(7)


def _divided(strategy):
    """What the replicas of this process get of two batches of four, by policy."""
    divided = {}
    for policy in ("AUTO", "DATA", "OFF"):
        options = tf.data.Options()
        options.experimental_distribute.auto_shard_policy = getattr(tf.data.experimental.AutoShardPolicy, policy)
        data = tf.data.Dataset.range(8).batch(4, drop_remainder=True).with_options(options)
        batches = strategy.experimental_distribute_dataset(data)
        divided[policy] = [
            [part.numpy().tolist() for part in strategy.experimental_local_results(batch)] for batch in batches
        ]
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
    try:
        strategy.experimental_distribute_dataset(data.with_options(options))
    except tf.errors.NotFoundError as error:
        divided["FILE"] = error.message

    def numbers(context):
        return tf.data.Dataset.range(4 - 2 * context.input_pipeline_id).batch(1)

    batches = strategy.distribute_datasets_from_function(numbers)
    divided["function"] = [
        [part.numpy().tolist() for part in strategy.experimental_local_results(batch)] for batch in batches
    ]
    kinds = tf.distribute.InputReplicationMode
    try:
        strategy.distribute_datasets_from_function(numbers, tf.distribute.InputOptions(
            experimental_replication_mode=kinds.PER_REPLICA
        ))  # fmt: skip
    except NotImplementedError as error:
        divided["PER_REPLICA"] = str(error)
    return divided


def _looked_up(strategy):
    """What becomes of an index that is out of range in one replica, and of good ones after it.

    Of the first batch only the first process has a row, and looks at it.
    """
    with strategy.scope():
        table = tf.Variable(tf.ones([5]), aggregation=tf.VariableAggregation.SUM)

    def replica(rows):
        table.assign_add(tf.fill([5], tf.reduce_sum(tf.gather(table, rows))))
        return table[0] + 0.0

    step = tf.function(lambda rows: strategy.reduce("MEAN", strategy.run(replica, args=(rows,)), axis=None))
    results = []
    for rows in ([9], [0, 0, 0, 0], [0, 0, 0, 7], [0, 1, 2, 3]):
        (batch,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors(rows))
        try:
            results.append(float(step(batch)))
        except tf.errors.InvalidArgumentError as error:
            results.append(error.message)
    return results


def main(devices, folder=None):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * devices)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    random = np.random.RandomState(0)
    x, y = random.randn(16, 5).astype("f"), random.randn(16, 2).astype("f")
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        layers = tf.keras.layers
        model = tf.keras.Sequential([
            layers.Dense(4, "relu"), layers.BatchNormalization(synchronized=True), layers.Dense(2)
        ])  # fmt: skip
        model.compile(tf.keras.optimizers.Adam(0.1), "mse", metrics=["mae"])
    model.predict(x[:8], verbose=0)
    callbacks = [] if folder is None else [tf.keras.callbacks.BackupAndRestore(folder)]
    if folder is not None:
        callbacks.append(tf.keras.callbacks.ModelCheckpoint(f"{folder}/weights", save_weights_only=True))
    if "DIES" in os.environ:
        callbacks.append(_Dies())
    history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=callbacks).history
    context = strategy.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group + 0)
    total = strategy.reduce("SUM", strategy.run(lambda x: tf.reduce_sum(x), args=next(iter(
        strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors((x,)))
    ))), axis=None)  # fmt: skip
    print(json.dumps({
        "history": history, "replicas": strategy.num_replicas_in_sync,
        "predicted": model.predict(x[:8], verbose=0).tolist(),
        "ids": [int(part) for part in strategy.experimental_local_results(context)], "total": float(total),
        "kinds": dict(engine.replicas.kinds), "evaluated": model.evaluate(x, y, batch_size=8, verbose=0),
        **({} if folder or devices == 1 else {"divided": _divided(strategy), "looked_up": _looked_up(strategy)}),
    }))  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
