"""A training loop on all devices: each takes its part of a batch, and gradients are summed.

The same program runs on one device and on many, and gives the same losses. Without several devices, divide a CPU:

    python data_parallel.py [--epochs 5]
    python -m tfcompat run --devices 4 data_parallel.py
"""

import argparse

import numpy as np
import tensorflow as tf

BATCH = 64  # of all devices together


def rings(count=480, seed=0):
    """Points of two rings, and whether each is on the outer one."""
    numbers = np.random.RandomState(seed)
    labels = numbers.randint(0, 2, count)
    angles, radii = numbers.uniform(0, 2 * np.pi, count), 1 + labels + 0.1 * numbers.randn(count)
    points = np.stack([radii * np.cos(angles), radii * np.sin(angles)], 1)
    return points.astype("float32"), labels.astype("float32")[:, None]


def build_model():
    initial = [tf.keras.initializers.GlorotUniform(seed) for seed in range(3)]
    return tf.keras.Sequential([
        tf.keras.layers.Dense(32, "tanh", kernel_initializer=initial[0], input_shape=(2,)),
        tf.keras.layers.Dense(32, "tanh", kernel_initializer=initial[1]),
        tf.keras.layers.Dense(1, kernel_initializer=initial[2]),
    ])  # fmt: skip


def train(strategy, epochs):
    """The mean loss of each epoch."""
    dataset = tf.data.Dataset.from_tensor_slices(rings()).batch(BATCH)  # the last batch has 32 rows
    with strategy.scope():
        model = build_model()
        optimizer = tf.keras.optimizers.Adam(0.03)

    def replica_step(points, labels):
        with tf.GradientTape() as tape:
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=model(points))
            loss = tf.nn.compute_average_loss(losses[:, 0], global_batch_size=BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))  # sums over the replicas
        return loss

    @tf.function
    def step(batch):
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica_step, args=batch), axis=None)

    history = []
    for _ in range(epochs):
        losses = [step(batch) for batch in strategy.experimental_distribute_dataset(dataset)]
        history.append(float(tf.add_n(losses)) / len(losses))
    return history


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args(arguments)
    strategy = tf.distribute.MirroredStrategy()
    print(f"{strategy.num_replicas_in_sync} replicas")
    history = train(strategy, options.epochs)
    for epoch, loss in enumerate(history, 1):
        print(f"epoch {epoch}: loss {loss:.5f}")
    return history


if __name__ == "__main__":
    main()
