"""A model of Keras 3 whose variables are spread as a ModelParallel says; prints as JSON what came of it."""

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


def main():
    tf.experimental.dtensor.initialize_accelerator_system("CPU", num_logical_cpu_devices=4)
    import keras

    distribution = keras.distribution
    mesh = distribution.DeviceMesh((2, 2), ["batch", "model"], distribution.list_devices())
    layouts = distribution.LayoutMap(mesh)
    layouts[".*kernel"] = (None, "model")
    parallel = distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch")

    random = np.random.RandomState(0)
    x, y = random.randn(16, 3).astype("f"), random.randn(16, 2).astype("f")

    def trained(spread):
        keras.utils.set_random_seed(3)
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(2)])
        model.compile("sgd", "mse")
        if spread:
            for variable in model.variables:
                layout = parallel.get_variable_layout(variable)
                tf.distribute.shard(variable.value, layout.axes, layout.device_mesh.backend_mesh.jax_mesh)
        history = model.fit(x, y, batch_size=8, epochs=2, verbose=0).history["loss"]
        dtensor = tf.experimental.dtensor
        values = [weight.value for weight in model.weights]
        return history, [dtensor.fetch_layout(v).sharding_specs if dtensor.is_dtensor(v) else None for v in values]

    distribution.set_distribution(parallel)
    ignored = trained(False)
    print(json.dumps({"devices": distribution.list_devices(), "ignored": ignored, "spread": trained(True)}))


if __name__ == "__main__":
    main()
