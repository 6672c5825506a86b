"""`tf.function`: a `while` over tensors, a signature `[None, 4]`, a `for` over rows."""

import numpy as np
import tensorflow as tf

numbers = np.random.RandomState(0)


@tf.function
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@tf.function(input_signature=[tf.TensorSpec([None, 4])])
def scaled(x):
    x = x - tf.reduce_mean(x, axis=0)
    return tf.reduce_sum(x * x) / tf.cast(tf.shape(x)[0], tf.float32)


@tf.function
def smoothed(rows):
    state = tf.zeros([4])
    for row in rows:
        state = 0.9 * state + 0.1 * tf.tanh(row)
    return state


counts = [int(collatz(tf.constant(n))) for n in (6, 7, 27)]
sums = [float(scaled(tf.constant(numbers.randn(rows, 4), tf.float32))) for rows in (3, 5, 8, 20)]
states, gradients = [], []
for rows in (4, 9):
    x = tf.constant(numbers.randn(rows, 4), tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        state = smoothed(x)
    states.append(state.numpy().tolist())
    gradients.append(tape.gradient(state, x).numpy().tolist())
report = {"counts": counts, "sums": sums, "states": states, "gradients": gradients}
