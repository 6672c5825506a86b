"""Several devices."""

from typing import reveal_type

import tfcompat as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(0.1)
dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors(tf.ones([4, 2])).repeat(2))


@tf.function
def step(batch):
    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x)) / 4.0
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    losses = strategy.run(replica, args=(batch,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


for batch in dataset:
    print(step(batch))
print(strategy.num_replicas_in_sync, tf.config.list_physical_devices("GPU"))
reveal_type(strategy)  # MirroredStrategy
