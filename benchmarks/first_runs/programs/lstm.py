"""`fit` of a bidirectional LSTM on texts of numbers, in batches as long as their longest."""

import numpy as np
import tensorflow as tf

WORDS, TEXTS, BATCH = 500, 320, 32
numbers = np.random.RandomState(0)
texts = [numbers.randint(1, WORDS, length) for length in numbers.randint(5, 41, TEXTS)]
labels = [float(text.sum() % 7 > 3) for text in texts]
kinds = (tf.TensorSpec([None], tf.int64), tf.TensorSpec([], tf.float32))
pairs = tf.data.Dataset.from_generator(lambda: zip(texts, labels, strict=True), output_signature=kinds)
# Where TensorFlow must find the end of an epoch by trying, it counts a step of the optimizer too many.
batches = pairs.apply(tf.data.experimental.assert_cardinality(TEXTS)).padded_batch(BATCH)
layers = tf.keras.layers
model = tf.keras.Sequential([
    layers.Embedding(WORDS, 16, mask_zero=True),
    layers.Bidirectional(layers.LSTM(16)),
    layers.Dense(16, "relu"),
    layers.Dense(1),
])  # fmt: skip
model.build((None, None))
model.set_weights([numbers.randn(*weight.shape) / 4 for weight in model.get_weights()])
model.compile("adam", tf.keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"])
history = model.fit(batches, epochs=2, verbose=0).history
report = {
    "history": history,
    "predicted": model.predict(np.stack([text[:5] for text in texts[:4]]), verbose=0).tolist(),
}
