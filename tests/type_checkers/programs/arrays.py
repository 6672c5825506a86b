"""Linear algebra, random numbers, images, signals, NumPy's interface."""

from typing import reveal_type

import tfcompat as tf
import tfcompat.experimental.numpy as tnp

generator = tf.random.Generator.from_seed(1)
print(generator.uniform([2], maxval=3.0))
matrix = tf.random.normal([3, 3])
q, r = tf.linalg.qr(matrix)
s, u, v = tf.linalg.svd(matrix)
values, vectors = tf.linalg.eigh(matrix + tf.transpose(matrix))
print(q, r, s, u, v, values, vectors, tf.linalg.det(matrix), tf.linalg.norm(matrix, ord=2), tf.einsum("ij->", matrix))
picture = tf.image.resize(tf.random.uniform([1, 4, 4, 3]), [8, 8], method="bilinear")
spectrum = tf.signal.rfft(tf.ones([8]))
print(tf.image.flip_left_right(picture), tf.abs(spectrum), tnp.mean(tnp.arange(3)), tf.where(matrix > 0, matrix, 0.0))
mean, variance = tf.nn.moments(matrix, axes=[0])
parts = tf.split(matrix, 3, axis=1)
print(mean, variance, len(parts), parts[0], [row for row in tf.unstack(matrix)], tf.shape(matrix)[0], matrix.shape[0])
try:
    tf.debugging.assert_equal(mean, variance)
except tf.errors.InvalidArgumentError as error:
    print(error.message)
flat = tf.nest.flatten({"a": matrix, "b": [mean]})
reveal_type(matrix)  # Tensor
reveal_type(picture)  # Tensor
reveal_type(tf.abs(spectrum))  # Tensor
reveal_type(tf.where(matrix > 0, matrix, 0.0))  # Tensor
reveal_type(tf.concat([matrix, matrix], axis=0))  # Tensor
reveal_type(tf.gather(matrix, [0]))  # Tensor
reveal_type(tf.one_hot([1], 3))  # Tensor
