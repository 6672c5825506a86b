"""Eighty graphs of 10 to 60 nodes and 20 to 200 edges: gather, matmul, unsorted_segment_sum, a gradient, SGD."""

import numpy as np
import tensorflow as tf

GRAPHS, FEATURES, WIDTH = 80, 6, 16
numbers = np.random.RandomState(0)


def weight(*shape):
    return tf.Variable((numbers.randn(*shape) / np.sqrt(shape[0])).astype("float32"))


first, second, output = weight(FEATURES, WIDTH), weight(WIDTH, WIDTH), weight(WIDTH, 1)
variables = [first, second, output]


def passed_on(hidden, senders, receivers, nodes):
    """What each node receives from its neighbours."""
    return tf.math.unsorted_segment_sum(tf.gather(hidden, senders), receivers, nodes)


losses = []
for _ in range(GRAPHS):
    nodes, edges = numbers.randint(10, 61), numbers.randint(20, 201)
    features = tf.constant(numbers.randn(nodes, FEATURES), tf.float32)
    senders, receivers = numbers.randint(0, nodes, (2, edges))
    target = float(numbers.rand())
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(passed_on(features @ first, senders, receivers, nodes))
        hidden = tf.nn.relu(passed_on(hidden @ second, senders, receivers, nodes) + hidden)
        prediction = tf.sigmoid(tf.reduce_mean(hidden @ output))
        loss = (prediction - target) ** 2
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(0.1 * gradient)
    losses.append(float(loss))
report = {"losses": losses, "norms": [float(tf.norm(variable)) for variable in variables]}
