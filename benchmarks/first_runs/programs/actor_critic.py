"""Actor and critic: sixty episodes of 8 to 120 steps with a look at each step, then a gradient over the episode."""

import numpy as np
import tensorflow as tf

EPISODES, HIDDEN = 60, 32
numbers = np.random.RandomState(0)


def weight(*shape):
    return tf.Variable((numbers.randn(*shape) / np.sqrt(shape[0])).astype("float32"))


variables = [weight(4, HIDDEN), tf.Variable(tf.zeros(HIDDEN)), weight(HIDDEN, 2), weight(HIDDEN, 1)]


def model(state):
    hidden = tf.tanh(state @ variables[0] + variables[1])
    return hidden @ variables[2], hidden @ variables[3]


returns, losses = [], []
for length in numbers.randint(8, 121, EPISODES):
    state = numbers.uniform(-0.05, 0.05, 4).astype("float32")
    with tf.GradientTape() as tape:
        chosen, values, rewards = [], [], []
        for _ in range(length):
            logits, value = model(tf.constant(state[None]))
            probabilities = tf.nn.softmax(logits)
            action = int(numbers.rand() < probabilities.numpy()[0, 1])
            chosen.append(probabilities[0, action])
            values.append(value[0, 0])
            push = 0.1 if action else -0.1  # a cart that is pushed to and fro
            state = (0.95 * state + push * np.float32([1, -0.5, 0.25, 0.1])).astype("float32")
            rewards.append(1.0 - abs(float(state[0])))
        total, expected = 0.0, []
        for reward in reversed(rewards):
            total = reward + 0.95 * total
            expected.append(total)
        expected = tf.constant(expected[::-1], tf.float32)
        values = tf.stack(values)
        advantage = tf.stop_gradient(expected - values)
        loss = -tf.reduce_mean(tf.math.log(tf.stack(chosen)) * advantage)
        loss += 0.05 * tf.reduce_mean(tf.square(expected - values))
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(0.01 * gradient)
    returns.append(sum(rewards))
    losses.append(float(loss))
report = {"returns": returns, "losses": losses}
