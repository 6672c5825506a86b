"""`Sequential`, `compile`, `fit` for three epochs, `evaluate`, `predict`."""

import numpy as np
import tensorflow as tf

numbers = np.random.RandomState(0)
x = numbers.randn(500, 12).astype("float32")
y = (x[:, :3].sum(1) > 0).astype("int32")
layers = tf.keras.layers
model = tf.keras.Sequential([layers.Input((12,)), layers.Dense(32, "relu"), layers.Dropout(0.0), layers.Dense(2)])
model.set_weights([numbers.randn(*weight.shape) / 4 for weight in model.get_weights()])
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
history = model.fit(x, y, batch_size=32, epochs=3, shuffle=False, validation_split=0.2, verbose=0).history
evaluated = model.evaluate(x[:90], y[:90], verbose=0)
predicted = model.predict(x[:5], verbose=0)
report = {"history": history, "evaluated": evaluated, "predicted": predicted.tolist()}
