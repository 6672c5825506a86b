"""`tf.function`: two hundred steps with other numbers of words under the mask, and epochs of batches in a loop."""

import numpy as np
import tensorflow as tf

numbers = np.random.RandomState(0)
words = tf.constant(numbers.randn(16, 20, 8), tf.float32)
labels = tf.constant(numbers.randint(0, 5, [16, 20]))
kernel = tf.Variable(numbers.randn(8, 5) * 0.3, dtype=tf.float32)
weights = tf.Variable(tf.zeros([8, 1]))


@tf.function
def step(mask):
    with tf.GradientTape() as tape:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, words @ kernel)
        loss = tf.reduce_mean(tf.boolean_mask(losses, mask))
    kernel.assign_sub(0.1 * tape.gradient(loss, kernel))
    return loss


@tf.function
def epoch(x, y):
    total = 0.0
    for k in tf.range(11):
        rows = slice(k * 30, (k + 1) * 30)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x[rows] @ weights - y[rows]) ** 2)
        weights.assign_sub(0.05 * tape.gradient(loss, weights))
        total += loss
    return total


losses = []
for share in numbers.uniform(0.3, 0.9, 200):
    losses.append(float(step(tf.constant(numbers.rand(16, 20) < share))))
rows = tf.reshape(words, [-1, 8])
totals = [float(epoch(rows, tf.reduce_sum(rows, 1, keepdims=True))) for _ in range(10)]
report = {"losses": losses[::10], "totals": totals}
