"""Optimizers, schedules, losses and metrics by hand."""

from typing import reveal_type

import tfcompat as tf

schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=10, decay_rate=0.9, staircase=True)
optimizer = tf.keras.optimizers.SGD(learning_rate=schedule, momentum=0.9, nesterov=True)
adam = tf.optimizers.Adam(1e-3, beta_1=0.9, clipnorm=1.0)
variable = tf.Variable([1.0, 2.0])
loss_of = tf.keras.losses.MeanSquaredError(reduction="sum")
with tf.GradientTape() as tape:
    loss = loss_of(tf.zeros([2]), variable)
optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
adam.minimize(lambda: tf.reduce_sum(variable**2), var_list=[variable])
accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
accuracy.update_state([1, 0], [[0.1, 0.9], [0.2, 0.8]])
mean = tf.metrics.Mean("loss", dtype=tf.float32)
mean(loss)
print(accuracy.result().numpy(), float(mean.result()), optimizer.iterations, schedule(3))
accuracy.reset_state()
checkpoint = tf.train.Checkpoint(optimizer=optimizer, variable=variable)
manager = tf.train.CheckpointManager(checkpoint, "folder", max_to_keep=3)
print(manager.save(), checkpoint.restore(manager.latest_checkpoint))
reveal_type(optimizer)  # SGD
reveal_type(adam)  # Adam
reveal_type(accuracy.result())  # Tensor
