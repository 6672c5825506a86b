"""Trains a model of Keras 3 on some replicas, and prints as JSON what came of it: `_keras3.py REPLICAS`."""

import json
import os
import pathlib
import sys

import numpy as np

os.environ["KERAS_BACKEND"] = "tensorflow"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import tfcompat  # noqa: E402

tfcompat.install()
import tensorflow as tf  # noqa: E402


def main(replicas):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    import keras  # after the devices are divided

    random = np.random.RandomState(0)
    x, y = random.randn(16, 3).astype("f"), random.randn(16, 2).astype("f")
    strategy = tf.distribute.MirroredStrategy()
    keras.utils.set_random_seed(3)
    with strategy.scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(2)])
        model.compile("adam", "mse", metrics=["mae"])
    history = model.fit(x, y, batch_size=8, epochs=2, verbose=0).history
    evaluated = model.evaluate(x, y, batch_size=8, verbose=0)
    predicted = model.predict(x[:4], verbose=0).tolist()
    print(json.dumps({"replicas": strategy.num_replicas_in_sync, "results": [history, evaluated, predicted]}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
