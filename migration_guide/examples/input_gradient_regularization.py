"""Input-gradient regularization: a classifier that small changes of its input cannot turn.

Trains the same network twice on scikit-learn's handwritten digits: once on the loss alone, once on the
loss plus the squared gradient of the loss with respect to the *input* (double backpropagation: the
outer tape differentiates what the inner tape returned). Then attacks both with the fast gradient sign
method and compares how many digits they still read.

    python input_gradient_regularization.py [--steps 300] [--picture robustness.png]
"""

import argparse

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


def digits():
    """Training and test images as rows of 64 values in [0, 1], with their labels."""
    data = load_digits()
    images = (data.data / 16.0).astype("float32")
    labels = data.target.astype("int32")
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:1400], order[1400:]
    return (images[train], labels[train]), (images[test], labels[test])


def build_model():
    return tf.keras.Sequential([
        tf.keras.layers.Dense(64),
        tf.keras.layers.BatchNormalization(momentum=0.9),
        tf.keras.layers.Activation("tanh"),
        tf.keras.layers.Dense(10),
    ])  # fmt: skip


class Adam:
    """Adam, written out on variables."""

    def __init__(self, variables, rate=3e-3, beta1=0.9, beta2=0.999, epsilon=1e-7):
        self.variables, self.rate, self.epsilon = variables, rate, epsilon
        self.beta1, self.beta2 = beta1, beta2
        self.means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.steps = 0

    def apply(self, gradients):
        self.steps += 1
        correction = (1 - self.beta2**self.steps) ** 0.5 / (1 - self.beta1**self.steps)
        for v, g, m, s in zip(self.variables, gradients, self.means, self.squares, strict=True):
            m.assign(self.beta1 * m + (1 - self.beta1) * g)
            s.assign(self.beta2 * s + (1 - self.beta2) * tf.square(g))
            v.assign_sub(self.rate * correction * m / (tf.sqrt(s) + self.epsilon))


def cross_entropy(model, x, y, training=False):
    logits = model(x, training=training)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)


def train(images, labels, strength, steps, batch=128):
    """A model trained on loss + strength * (squared norm of the loss's gradient at each image)."""
    model = build_model()
    model(images[:1])
    optimizer = Adam(model.trainable_variables)
    rows = np.random.default_rng(1)
    for _ in range(steps):
        chosen = rows.integers(len(images), size=batch)
        x, y = tf.constant(images[chosen]), tf.constant(labels[chosen])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as input_tape:
                input_tape.watch(x)
                losses = cross_entropy(model, x, y, training=True)
            input_gradient = input_tape.gradient(losses, x)
            penalty = tf.reduce_mean(tf.reduce_sum(tf.square(input_gradient), axis=1))
            loss = tf.reduce_mean(losses) + strength * penalty
        optimizer.apply(tape.gradient(loss, model.trainable_variables))
    return model


def attack(model, images, labels, size):
    """Fast gradient sign method: every pixel moves by `size` in the direction that raises the loss."""
    x = tf.constant(images)
    with tf.GradientTape() as tape:
        tape.watch(x)
        losses = cross_entropy(model, x, labels)
    return tf.clip_by_value(x + size * tf.sign(tape.gradient(losses, x)), 0.0, 1.0)


def accuracy(model, images, labels):
    found = tf.argmax(model(images, training=False), axis=1, output_type=tf.int32)
    return float(tf.reduce_mean(tf.cast(tf.equal(found, labels), tf.float32)))


def save_picture(path, sizes, curves, images, attacked):
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("matplotlib is not installed: no picture")
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(3, 2))
    for name, curve in curves.items():
        left.plot(sizes, [100 * value for value in curve], marker="o", label=name)
    left.set(xlabel="size of the attack (pixels lie in [0, 1])", ylabel="digits read, %", ylim=(0, 102))
    left.legend()
    tiles = [np.pad(image.reshape(8, 8), 1, constant_values=0.5) for image in (*images, *attacked)]
    half = len(images)
    right.imshow(np.concatenate([np.hstack(tiles[:half]), np.hstack(tiles[half:])]), cmap="gray_r")
    right.set(title=f"before and after an attack of size {sizes[-1]}", xticks=[], yticks=[])
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"picture: {path}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300, help="training steps of each model")
    parser.add_argument("--strength", type=float, default=1.0, help="weight of the penalty")
    parser.add_argument("--picture", default="robustness.png", help="file to save, '' for none")
    options = parser.parse_args(arguments)

    (images, labels), (test_images, test_labels) = digits()
    sizes = [0.0, 0.05, 0.1, 0.15, 0.2]
    curves = {}
    for name, strength in (("loss alone", 0.0), ("with the penalty", options.strength)):
        tf.keras.utils.set_random_seed(0)
        model = train(images, labels, strength, options.steps)
        curves[name] = [
            accuracy(model, attack(model, test_images, test_labels, size), test_labels) for size in sizes
        ]

    print("digits read, %, by size of the attack")
    print(f"{'trained on':18}" + "".join(f"{size:8.2f}" for size in sizes))
    for name, curve in curves.items():
        print(f"{name:18}" + "".join(f"{100 * value:8.1f}" for value in curve))
    if options.picture:
        shown = test_images[:4]
        attacked = attack(model, shown, test_labels[:4], sizes[-1]).numpy()
        save_picture(options.picture, sizes, curves, shown, attacked)
    return {"sizes": sizes, **curves}


if __name__ == "__main__":
    main()
