"""Arguments of many kinds, all of which TensorFlow takes."""

from typing import reveal_type

import numpy as np

import tfcompat as tf

x = tf.ones([2, 3])
v = tf.Variable([1.0, 2.0], dtype="float32", name="v")
matrix = np.ones((2, 3))
reveal_type(tf.add(x, 1))  # Tensor
reveal_type(tf.add(1.5, matrix))  # Tensor
reveal_type(tf.add([1, 2.0], (3, 1)))  # Tensor
reveal_type(tf.matmul(x, matrix, transpose_b=True, name=None))  # Tensor
reveal_type(tf.reduce_sum(x, axis=[0, 1], keepdims=np.bool_(True)))  # Tensor
reveal_type(tf.reduce_sum([v, v], 0))  # Tensor
reveal_type(tf.reshape(x, x.shape))  # Tensor
reveal_type(tf.reshape(x, (-1, tf.shape(x)[1])))  # Tensor
reveal_type(tf.reshape(range(6), [2, 3]))  # Tensor
reveal_type(tf.cast(3 + 1j, np.complex64))  # Tensor
reveal_type(tf.cast(x, matrix.dtype))  # Tensor
reveal_type(tf.cast(True, float))  # Tensor
reveal_type(tf.cast(np.float32(1), tf.int8))  # Tensor
reveal_type(tf.zeros([2, tf.constant(3)], dtype=np.dtype("int32")))  # Tensor
reveal_type(tf.zeros((), "int32"))  # Tensor
reveal_type(tf.gather(x, [[0], [1]], batch_dims=0, axis=-1))  # Tensor
reveal_type(tf.random.normal(shape=[2, 3], stddev=0.1, seed=1))  # Tensor
reveal_type(tf.nn.conv2d(np.ones((1, 4, 4, 1)), tf.ones([2, 2, 1, 1]), [1, 1], "SAME"))  # Tensor
reveal_type(tf.strings.length("text"))  # Tensor
reveal_type(tf.where(x > 0, x, 0.0))  # Tensor
reveal_type(tf.clip_by_value(v, 0, 1))  # Tensor
reveal_type(tf.one_hot([0, 1], depth=tf.constant(3), on_value=1.0))  # Tensor
policy = tf.keras.mixed_precision.Policy("float32")
layer = tf.keras.layers.Dense(np.int64(3), activation="relu", use_bias=False, dtype=policy)
other = tf.keras.layers.Conv2D(filters=2, kernel_size=(3, 3), padding="same", dtype=tf.float32, name="conv")
reveal_type(layer)  # Dense
print(layer(x), other, tf.exp(tf.keras.Input([3])))
