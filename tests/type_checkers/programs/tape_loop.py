"""A training loop with a tape, variables and a schedule."""

from typing import reveal_type

import numpy as np

import tfcompat as tf

w = tf.Variable(tf.random.normal([3, 1], stddev=0.1), name="w")
b = tf.Variable(tf.zeros([1]), trainable=True)
data = tf.constant(np.ones((8, 3), np.float32))
target = tf.ones([8, 1], dtype=tf.float32)
for step in range(3):
    with tf.GradientTape(persistent=True) as tape:
        predicted = data @ w + b
        loss = tf.reduce_mean(tf.square(predicted - target))
        penalty = 0.1 * tf.nn.l2_loss(w)
    gradients = tape.gradient(loss + penalty, [w, b])
    for variable, gradient in zip([w, b], gradients, strict=True):
        variable.assign_sub(0.1 * gradient)
    print(step, float(loss), loss.numpy().item())
    reveal_type(predicted)  # Tensor
    reveal_type(loss + penalty)  # Tensor
    reveal_type(tape)  # GradientTape
reveal_type(w)  # Variable
reveal_type(w.shape)  # TensorShape
reveal_type(w.dtype)  # DType
reveal_type(w.name)  # str
reveal_type(w.assign_add(w, read_value=True))  # Variable
reveal_type(-w[0])  # Tensor
reveal_type(2.0 ** w > 1.0)  # Tensor
