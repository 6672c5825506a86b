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
    }))  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
