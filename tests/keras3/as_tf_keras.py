"""A program whose `tf.keras` is Keras 3, as in TensorFlow 2.16 and later; prints what it computed as JSON.

    python as_tf_keras.py OUT                              with TensorFlow
    TF_USE_LEGACY_KERAS=0 python -m tfcompat run as_tf_keras.py OUT
"""

import json
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers, ops
from tensorflow.keras.preprocessing.sequence import pad_sequences

result = {"version": keras.__version__.split(".")[0], "name": tf.keras.Layer.__module__.partition(".")[0]}
keras.utils.set_random_seed(1)


class Sampling(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seed_generator = keras.random.SeedGenerator(1337)

    def call(self, inputs):
        mean, log_var = inputs
        noise = keras.random.normal(shape=ops.shape(mean), seed=self.seed_generator)
        return mean + ops.exp(0.5 * log_var) * noise


class CustomModel(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(y=y, y_pred=y_pred)
        variables = self.trainable_variables
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred)
        return {metric.name: metric.result() for metric in self.metrics}


inputs = keras.Input((4,))
hidden = layers.Dense(3, activation="silu")(inputs)
sampled = Sampling()([layers.Dense(2)(hidden), layers.Dense(2)(hidden)])
model = CustomModel(inputs, layers.Dense(1)(sampled))
model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
x = np.random.RandomState(0).randn(32, 4).astype("float32")
y = x.sum(1, keepdims=True)
history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0).history
result["fit"] = {name: history[name] for name in sorted(history)}

with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(tf.constant(x)) ** 2)
result["gradient"] = [np.ravel(g).tolist() for g in tape.gradient(loss, model.trainable_variables)]
result["padded"] = pad_sequences([[1, 2], [3]]).tolist()

# What TensorFlow has of Keras outside of `tf.keras`.
result["aliases"] = [
    getattr(tf, name) is getattr(tf.keras, name) or getattr(tf, name).get is getattr(tf.keras, name).get
    for name in ("losses", "metrics", "optimizers", "initializers")
]
dense = layers.Dense(2, kernel_initializer=tf.initializers.Constant(0.5))
optimizer, mean = tf.optimizers.Adam(0.1), tf.metrics.Mean()


@tf.function
def penalized(x):
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.tanh(dense(x))
        loss = tf.losses.MeanSquaredError()(tf.zeros_like(y), y)
        loss += tf.reduce_mean((tf.norm(inner.gradient(y, x), axis=1) - 1.0) ** 2)
    variables = dense.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    mean.update_state(loss)
    return loss


result["penalized"] = [float(penalized(tf.constant(x[:8]))) for _ in range(3)] + [float(mean.result())]

# A tensor before a KerasTensor; indices of an embedding as gradient, divided by what is dense.
shifted = tf.ones((4,)) + keras.Input((4,))
result["shifted"] = [type(shifted).__name__, list(shifted.shape)]
words = keras.Sequential([keras.Input((3,)), layers.Embedding(9, 2), layers.GlobalAveragePooling1D(), layers.Dense(1)])
words.compile("rmsprop", "mse")
numbers = np.arange(24).reshape(8, 3) % 9
result["words"] = words.fit(numbers, y[:8], batch_size=4, epochs=2, shuffle=False, verbose=0).history["loss"]

# A SavedModel as a layer.
exported = keras.Sequential([keras.Input((4,)), layers.Dense(2, kernel_initializer=keras.initializers.Constant(0.5))])
exported.export(sys.argv[1] + ".exported", verbose=False)
served = layers.TFSMLayer(sys.argv[1] + ".exported")
trained = keras.Sequential([keras.Input((4,)), served, layers.Dense(1, kernel_initializer="ones")])
trained.compile("sgd", "mse")
trained.fit(x, y, batch_size=8, epochs=1, shuffle=False, verbose=0)
result["served"] = [np.ravel(w.numpy()).tolist() for w in served.trainable_weights]
by_name = layers.TFSMLayer(sys.argv[1] + ".exported", "serving_default")(x)
result["served"].append(np.ravel(by_name["output_0"]).tolist())

if tf.__name__ == "tfcompat":  # TensorFlow does not find the first kernel of such a model
    class Late(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = layers.Dense(3), layers.Dense(1)

        def call(self, x):
            return self.second(self.first(x))

    late, again = Late(), Late()
    expected, optimizer = late(x), keras.optimizers.Adam(0.03)
    optimizer.build(late.trainable_variables)
    optimizer.variables[2].assign(tf.ones_like(optimizer.variables[2]))
    path = tf.train.Checkpoint(model=late, optimizer=optimizer).write(sys.argv[1] + ".late")
    other = keras.optimizers.Adam(0.5)
    tf.train.Checkpoint(model=again, optimizer=other).read(path)
    result["late"] = [bool(np.array_equal(again(x), expected))]
    other.build(again.trainable_variables)
    result["late"] += [float(np.min(other.variables[2])), float(other.learning_rate)]

with open(sys.argv[1], "w") as out:
    json.dump(result, out)
