"""A first convolutional network written by hand: twelve steps of training and one on the rest of the images."""

import numpy as np
import tensorflow as tf

STEPS, BATCH, REST, SIDE, CLASSES = 12, 32, 11, 16, 10
numbers = np.random.RandomState(0)
images = numbers.rand(STEPS * BATCH + REST, SIDE, SIDE, 1).astype("float32")
labels = numbers.randint(0, CLASSES, len(images))


def weight(*shape):
    return tf.Variable((numbers.randn(*shape) / np.sqrt(np.prod(shape[:-1]))).astype("float32"))


first, second = weight(3, 3, 1, 8), weight(3, 3, 8, 16)
dense, bias = weight(4 * 4 * 16, CLASSES), tf.Variable(tf.zeros(CLASSES))
variables = [first, second, dense, bias]


def model(x):
    x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, first, 1, "SAME")), 2, 2, "VALID")
    x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, second, 1, "SAME")), 2, 2, "VALID")
    return tf.reshape(x, [-1, 4 * 4 * 16]) @ dense + bias


losses = []
for x, y in tf.data.Dataset.from_tensor_slices((images, labels)).batch(BATCH):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x)))
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(0.1 * gradient)
    losses.append(float(loss))
report = {"losses": losses}
