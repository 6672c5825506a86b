"""The files of models in golden/models, which tests of tfcompat read."""

import numpy as np
from functional._adapted import adapted
from rows import GOLDEN


def write(tf):
    """Writes them all."""
    _trained(tf)
    _adapted(tf)
    _of_keras_3()


def _of_keras_3():
    """Writes the files of a model of Keras 3, into `golden/models`."""
    import keras

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.set_weights([np.arange(6.0).reshape(3, 2), np.array([7.0, 8.0])])
    for name in ("keras_3.keras", "keras_3.h5"):
        model.save(GOLDEN / "models" / name)


def _trained(tf):
    """Writes the files of a trained model, and its outputs, into `golden/models`."""
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(5)
    layers = tf.keras.layers
    inputs = tf.keras.Input((4,), name="x")
    x = layers.BatchNormalization()(layers.Dense(3, activation="relu")(inputs))
    stack = tf.keras.Sequential([layers.Dense(3), layers.Dropout(0.5), layers.Dense(2)])
    model = tf.keras.Model(inputs, layers.Add()([stack(x), layers.Dense(2)(inputs) * x[:, 1:]]))
    model.compile(tf.keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    data = np.linspace(-1, 1, 24, dtype="float32").reshape(6, 4)
    model.fit(data, data[:, :2], batch_size=3, epochs=2, verbose=0)
    (GOLDEN / "models").mkdir(exist_ok=True)
    for name in ("model.keras", "model.h5"):
        model.save(GOLDEN / "models" / name)
    model.save_weights(GOLDEN / "models" / "model.weights.h5")
    np.save(GOLDEN / "models" / "outputs.npy", model.predict(data, verbose=0))


def _adapted(tf):
    """Writes the files of models with adapted layers, into `golden/models`."""
    tf.keras.backend.clear_session()  # their names do not depend on the models made before
    folder = GOLDEN / "models"
    for name, model, inputs in adapted(tf):
        model(inputs)
        model.save(folder / f"{name}.keras")
