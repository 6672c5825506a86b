"""The objects whose checkpoint is recorded; the same text runs on TensorFlow and on tfcompat."""

import numpy as np


def build(tf, value=1):
    """A `tf.train.Checkpoint` of everything that a checkpoint may hold; `value` tells its values from others."""

    class Part(tf.Module):
        def __init__(self):
            super().__init__(name="part")
            self.v = tf.Variable([1.0, 2.0], name="v")
            self._private = tf.Variable(3, name="private")

    class Parts(tf.Module):
        def __init__(self):
            super().__init__()
            self.first = Part()
            self.list = [tf.Variable(1.0), Part(), {"with/slash": tf.Variable(2.0), "with.dot": Part()}]
            self.pair = (tf.Variable(5.0), 7)
            self.again = self.first.v
            self.number = 3
            self.text = tf.Variable("text")
            self.texts = tf.Variable(["", "a", "ab" * 100])
            self.half = tf.Variable(tf.ones([2, 3], tf.bfloat16))
            self.complex = tf.Variable(1 + 2j)
            self.flags = tf.Variable([True, False])
            self.large = tf.Variable(np.arange(9000, dtype=np.float64))

    class Scale(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(name="w", shape=[2])

        def call(self, x):
            return x * self.w

    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.second = tf.keras.layers.Dense(1)
            self.first = [tf.keras.layers.Dense(3)]

        def call(self, x):
            return self.second(self.first[0](x))

    stack = tf.keras.Sequential(
        [tf.keras.layers.Dense(2), tf.keras.layers.ReLU(), tf.keras.layers.BatchNormalization(), Scale()]
    )
    model, optimizer = Model(), tf.keras.optimizers.Adam(0.1)
    for each in (stack, model):
        each(tf.ones([1, 2]))
    optimizer.build(stack.trainable_variables)
    checkpoint = tf.train.Checkpoint(
        parts=Parts(), stack=stack, model=model, optimizer=optimizer, step=tf.Variable(3, dtype=tf.int64),
        rest=[tf.Variable(1.0)],
    )  # fmt: skip
    for i, v in enumerate(stack.variables + model.variables):
        v.assign(np.arange(np.prod(v.shape), dtype=np.float32).reshape(v.shape) + 0.5 * i + value)
    checkpoint.step.assign(value)
    return checkpoint
