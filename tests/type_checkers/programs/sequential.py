"""A Keras model that is compiled and fitted."""

from typing import reveal_type

import numpy as np

import tfcompat as tf

model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(8, 3, activation="relu", input_shape=(8, 8, 1)),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dropout(0.5),
        tf.keras.layers.Dense(10),
    ]
)
model.compile(
    optimizer=tf.keras.optimizers.Adam(learning_rate=1e-3),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
stop = tf.keras.callbacks.EarlyStopping(patience=2)
history = model.fit(np.ones([8, 8, 8, 1]), np.zeros(8), epochs=2, verbose=0, callbacks=[stop])
print(history.history["loss"], model.evaluate(np.ones([8, 8, 8, 1]), np.zeros(8)), model.predict(np.ones([1, 8, 8, 1])))
model.summary()
model.save("model.keras")
again = tf.keras.models.load_model("model.keras")
print(again(tf.ones([1, 8, 8, 1])), [v.name for v in model.trainable_variables])
reveal_type(model)  # Sequential
