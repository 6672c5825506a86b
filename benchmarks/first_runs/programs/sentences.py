"""Eighty sentences of 3 to 40 words through a GRU written by hand, one after the other."""

import numpy as np
import tensorflow as tf

SENTENCES, WORDS, WIDTH, CLASSES = 80, 200, 24, 5
numbers = np.random.RandomState(0)


def weight(*shape):
    return tf.Variable((numbers.randn(*shape) / np.sqrt(shape[0])).astype("float32"))


embedding = weight(WORDS, WIDTH)
inputs, states, bias = weight(WIDTH, 3 * WIDTH), weight(WIDTH, 3 * WIDTH), tf.Variable(tf.zeros(3 * WIDTH))
output = weight(WIDTH, CLASSES)
variables = [embedding, inputs, states, bias, output]


def step(state, word):
    update, reset, candidate = tf.split(word @ inputs + bias, 3, axis=-1)
    update_state, reset_state, candidate_state = tf.split(state @ states, 3, axis=-1)
    update = tf.sigmoid(update + update_state)
    candidate = tf.tanh(candidate + tf.sigmoid(reset + reset_state) * candidate_state)
    return update * state + (1.0 - update) * candidate


losses = []
for _ in range(SENTENCES):
    sentence, label = numbers.randint(0, WORDS, numbers.randint(3, 41)), numbers.randint(CLASSES)
    with tf.GradientTape() as tape:
        state = tf.zeros([1, WIDTH])
        for word in tf.unstack(tf.gather(embedding, sentence)):
            state = step(state, word[None])
        loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits([label], state @ output))
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(0.05 * tf.convert_to_tensor(gradient))
    losses.append(float(loss))
report = {"losses": losses, "norms": [float(tf.norm(variable)) for variable in variables]}
