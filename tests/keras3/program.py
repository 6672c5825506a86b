"""A program of Keras 3's, run on tfcompat and on TensorFlow; prints what it computed as JSON.

    python program.py OUT                with TensorFlow
    python -m tfcompat run program.py OUT
"""

import json
import os
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras
import numpy as np
import tensorflow as tf

result = {}


def note(name, *values):
    result[name] = [np.asarray(value, np.float64).ravel().tolist() for value in values]


rng = np.random.RandomState(0)
x = rng.randn(12, 6).astype("float32")
y = rng.randint(0, 3, 12)
folder = sys.argv[1] + ".d"
os.makedirs(folder, exist_ok=True)

# Sequential and fit with arrays.
keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.layers.Dense(5, activation="relu"), keras.layers.Dropout(0.4), keras.layers.Dense(3, activation="softmax"),
])  # fmt: skip
model.compile(keras.optimizers.Adam(0.05), "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, batch_size=3, epochs=2, validation_split=0.25, verbose=0).history
note("fit", *(history[name] for name in sorted(history)))
note("evaluate", model.evaluate(x, y, batch_size=3, verbose=0), model.predict(x, batch_size=3, verbose=0))

# Functional, with a layer of one's own of unknown batch size, and fit with a dataset.


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.factor = self.add_weight(shape=shape[-1:], initializer="ones")

    def call(self, inputs):
        size = keras.ops.shape(inputs)[0]
        return keras.ops.reshape(inputs * self.factor, (size, 2, 3))


inputs = keras.Input((6,))
hidden = Scale()(inputs)
hidden = keras.layers.Conv1D(4, 2, padding="same")(hidden)
hidden = keras.layers.BatchNormalization()(hidden)
outputs = keras.layers.Dense(1)(keras.layers.GlobalAveragePooling1D()(hidden))
functional = keras.Model(inputs, outputs)
result["shapes"] = [list(hidden.shape), list(outputs.shape)]
functional.compile(keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True), "mse")
data = tf.data.Dataset.from_tensor_slices((x, x[:, :1] ** 2)).batch(4)
note("dataset", functional.fit(data, epochs=3, verbose=0).history["loss"], functional.evaluate(data, verbose=0))

# Files.
model.save(f"{folder}/model.keras")
again = keras.saving.load_model(f"{folder}/model.keras")
functional.save_weights(f"{folder}/functional.weights.h5")
copy = keras.models.clone_model(functional, call_function=lambda layer, *args, **kwargs: Scale()(*args, **kwargs)
                                if isinstance(layer, Scale) else layer.__class__.from_config(layer.get_config())(*args))
copy.load_weights(f"{folder}/functional.weights.h5")
note("files", again(x) - model(x), copy(x) - functional(x))
checkpoint = tf.train.Checkpoint(model=functional).save(f"{folder}/checkpoint")
before = functional(x).numpy()
functional.layers[1].factor.assign([0.0] * 6)
tf.train.Checkpoint(model=functional).restore(checkpoint)
note("checkpoint", functional(x) - before)

# A loop of one's own; Keras's variables as sources.
keras.utils.set_random_seed(1)
dense = keras.layers.Dense(2, activation="tanh")
optimizer = keras.optimizers.RMSprop(0.01)
losses = []


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(dense(batch) ** 2)
    gradients = tape.gradient(loss, dense.trainable_variables)
    optimizer.apply_gradients(zip(gradients, dense.trainable_variables, strict=True))
    return loss


dense(x)
for _ in range(3):
    losses.append(step(x))
with tf.GradientTape(persistent=True) as tape:
    with tf.GradientTape() as inner:
        value = tf.reduce_sum(dense(x[:2]) ** 2)
    gradient = inner.gradient(value, dense.kernel)
    squared = tf.reduce_sum(gradient**2)
note("loop", losses, gradient, tape.gradient(squared, dense.kernel), tape.jacobian(value, dense.bias))

# Random numbers, preprocessing and ops.
seeds = keras.random.SeedGenerator(3)
note("random", keras.random.normal((4,), seed=seeds), keras.random.randint((4,), 0, 99, seed=5),
     keras.layers.RandomFlip(seed=7)(x.reshape(1, 6, 6, 2)))  # fmt: skip
note("preprocessing", keras.layers.Discretization([0.0, 1.0])(x[0]), keras.layers.Rescaling(2.0, 1.0)(x[0]))
image = x[:8].reshape(1, 4, 6, 2)
note("ops", keras.ops.image.affine_transform(image, np.array([[1, 0.5, 0, 0, 1, 1, 0, 0]], "float32")),
     keras.ops.segment_sum(x[:, 0], np.sort(y), 3),
     keras.ops.slice_update(x, (1, 1), x[:2, :2]))  # fmt: skip

if tf.__name__ == "tfcompat":  # what real TensorFlow does not do with Keras 3's variables
    with tf.autodiff.ForwardAccumulator(dense.bias, tf.ones(2)) as accumulator:
        value = dense(x[:1])
    note("forward", accumulator.jvp(value), 1 - value**2)
    result["who"] = [keras.__version__, tf.keras.__name__, type(dense.kernel.value).__name__]

with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(result, file)
