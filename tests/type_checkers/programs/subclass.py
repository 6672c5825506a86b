"""Layers and models of one's own."""

from typing import reveal_type

import tfcompat as tf


class Scaled(tf.keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.kernel = self.add_weight(name="kernel", shape=(input_shape[-1], self.units), initializer="glorot_uniform")
        super().build(input_shape)

    def call(self, inputs, training=None):
        if training:
            inputs = tf.nn.dropout(inputs, rate=0.1)
        return tf.matmul(inputs, self.kernel)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = Scaled(4, name="first")
        self.second = tf.keras.layers.Dense(1)
        self.seen = tf.keras.metrics.Mean(name="seen")

    def call(self, inputs, training=False):
        return self.second(tf.nn.relu(self.first(inputs, training=training)))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables, strict=True)
        )
        self.seen.update_state(loss)
        return {"loss": self.seen.result()}


model = Model()
model.compile(optimizer="sgd")
model.fit(tf.ones([4, 2]), tf.ones([4, 1]))
model.save_weights("weights")
reveal_type(model.first)  # Scaled
reveal_type(model.seen.result())  # Tensor
reveal_type(tf.nn.relu(tf.ones([2])))  # Tensor
