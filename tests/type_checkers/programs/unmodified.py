"""A program as it was written for TensorFlow."""

from typing import reveal_type

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.models import Sequential

tf.random.set_seed(1)
x = tf.linspace(0.0, 1.0, 5)
model = Sequential([layers.Dense(4, activation="tanh"), layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(), loss="mse")
model.fit(x[:, tf.newaxis], x, epochs=1)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.exp(x) * tf.math.log1p(x)
print(tape.gradient(y, x), tf.reduce_max(y), tf.argmax(y), tf.__version__)
reveal_type(y)  # Tensor
reveal_type(model)  # Sequential
