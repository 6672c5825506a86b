"""A transformer that is spread over devices: each has some heads of the attention and a part of the wide layer.

The model is an ordinary one. `tf.distribute.shard`, which TensorFlow does not have, moves its weights; XLA divides the
steps, and adds the collectives. Without several devices, divide a CPU:

    python -m tfcompat run --devices 4 sharded_transformer.py [--epochs 4]
"""

import argparse

import jax
import numpy as np
import tensorflow as tf

TOKENS, LENGTH, WIDTH, HEADS = 12, 8, 32, 4


class Block(tf.keras.Model):
    """Embeds tokens, attends, passes through a wide layer, and scores tokens for each place."""

    def __init__(self):
        super().__init__()
        layers = tf.keras.layers
        self.token, self.place = layers.Embedding(TOKENS, WIDTH), layers.Embedding(LENGTH, WIDTH)
        self.attention = layers.MultiHeadAttention(HEADS, WIDTH // HEADS)
        self.first, self.second = layers.LayerNormalization(), layers.LayerNormalization()
        self.up, self.down = layers.Dense(4 * WIDTH, "relu"), layers.Dense(WIDTH)
        self.scores = layers.Dense(TOKENS)

    def call(self, tokens):
        x = self.token(tokens) + self.place(tf.range(LENGTH))
        h = self.first(x)
        x = x + self.attention(h, h)
        return self.scores(x + self.down(self.up(self.second(x))))


def spread(model, mesh):
    """Moves each weight that has a place of its own on the devices."""
    places = {
        "query/kernel": (None, "model", None), "query/bias": ("model", None),
        "key/kernel": (None, "model", None), "key/bias": ("model", None),
        "value/kernel": (None, "model", None), "value/bias": ("model", None),
        "attention_output/kernel": ("model", None, None),
    }  # fmt: skip
    for weight in model.attention.weights:
        place = next((places[end] for end in places if weight.name.removesuffix(":0").endswith(end)), None)
        if place is not None:
            tf.distribute.shard(weight, place, mesh)
    tf.distribute.shard(model.up.kernel, (None, "model"), mesh)
    tf.distribute.shard(model.up.bias, ("model",), mesh)
    tf.distribute.shard(model.down.kernel, ("model", None), mesh)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args(arguments)

    tokens = np.random.RandomState(0).randint(0, TOKENS, (256, LENGTH))
    data = tf.data.Dataset.from_tensor_slices((tokens, tokens[:, ::-1])).batch(64)  # the task: to reverse them
    tf.keras.utils.set_random_seed(1)
    model = Block()
    model.build((None, LENGTH))
    model.compile(tf.keras.optimizers.Adam(0.01), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    devices = len(tf.config.list_logical_devices())
    mesh = jax.make_mesh((devices,), ("model",))
    spread(model, mesh)
    print(f"{devices} devices")
    history = model.fit(data, epochs=options.epochs, verbose=0).history["loss"]
    for epoch, loss in enumerate(history, 1):
        print(f"epoch {epoch}: loss {loss:.5f}")
    kernel = model.up.kernel.value()
    if devices > 1:
        part = tf.experimental.dtensor.unpack(kernel)[0]
        print(f"each device has {part.shape} of the wide layer's {kernel.shape}")
    return history


if __name__ == "__main__":
    main()
