"""An input pipeline."""

from typing import reveal_type

import numpy as np

import tfcompat as tf


def parse(line: tf.Tensor, label):
    numbers = tf.strings.to_number(tf.strings.split(line, ","), tf.float32)
    return tf.cast(numbers, tf.float32), label


dataset = (
    tf.data.Dataset.from_tensor_slices((["1,2", "3,4"], [0, 1]))
    .shuffle(10, seed=1)
    .map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    .filter(lambda x, y: tf.reduce_all(y >= 0))
    .cache()
    .repeat(2)
    .batch(2, drop_remainder=True)
    .prefetch(tf.data.experimental.AUTOTUNE)
)
for numbers, label in dataset:
    print(numbers.shape, label)
for row in dataset.take(1).as_numpy_iterator():
    print(row)
generated = tf.data.Dataset.from_generator(
    lambda: iter(np.arange(3)), output_signature=tf.TensorSpec(shape=(), dtype=tf.int64)
)
zipped = tf.data.Dataset.zip((generated, tf.data.Dataset.range(3))).enumerate()
print(next(iter(zipped)), len(zipped), dataset.element_spec, dataset.cardinality())
reveal_type(dataset)  # Dataset
reveal_type(zipped.cardinality())  # Tensor
