"""Gradient penalty: a Wasserstein GAN whose critic is kept 1-Lipschitz by two nested tapes (WGAN-GP).

The inner tape gives the critic's gradient with respect to its *input*, at points between real and
generated ones. The outer tape differentiates the penalty on that gradient's norm with respect to the
critic's *weights*. The data are points around eight places on a circle.

    python gradient_penalty.py [--steps 240] [--picture gan.png]

Where such a second gradient comes back as None, the usual reason is that the penalty was computed
outside the outer tape, or that the inner tape's gradient was taken after leaving the outer one.
"""

import argparse

import numpy as np
import tensorflow as tf

CENTRES = np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)], axis=1)
SPREAD = 0.05


def real_points(numbers, count):
    chosen = CENTRES[numbers.integers(8, size=count)]
    return tf.constant((chosen + SPREAD * numbers.normal(size=(count, 2))).astype("float32"))


def noise(numbers, count):
    return tf.constant(numbers.normal(size=(count, 2)).astype("float32"))


def build_generator(width=64):
    return tf.keras.Sequential([
        tf.keras.layers.Dense(width, activation="relu"),
        tf.keras.layers.Dense(width, activation="relu"),
        tf.keras.layers.Dense(2),
    ])  # fmt: skip


def build_critic(width=64):
    return tf.keras.Sequential([
        tf.keras.layers.Dense(width, activation="relu"),
        tf.keras.layers.Dense(width, activation="relu"),
        tf.keras.layers.Dense(1),
    ])  # fmt: skip


def gradient_penalty(critic, real, fake, mix):
    """Mean squared distance from 1 of the critic's gradient norm, at `mix` of the way from fake to real."""
    between = fake + mix * (real - fake)
    with tf.GradientTape() as tape:
        tape.watch(between)
        score = critic(between, training=True)
    gradient = tape.gradient(score, between)
    norm = tf.sqrt(tf.reduce_sum(tf.square(gradient), axis=1) + 1e-12)
    return tf.reduce_mean(tf.square(norm - 1.0))


def critic_gradients(critic, real, fake, mix, strength=1.0):
    """Wasserstein estimate, penalty, and the gradients of -estimate + strength * penalty."""
    with tf.GradientTape() as tape:
        estimate = tf.reduce_mean(critic(real, training=True)) - tf.reduce_mean(critic(fake, training=True))
        penalty = gradient_penalty(critic, real, fake, mix)
        loss = strength * penalty - estimate
    return estimate, penalty, tape.gradient(loss, critic.trainable_variables)


def generator_gradients(generator, critic, z):
    """Gradients that move the generated points to where the critic scores higher."""
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(critic(generator(z, training=True), training=True))
    return tape.gradient(loss, generator.trainable_variables)


class Adam:
    """Adam, written out on variables."""

    def __init__(self, variables, rate=4e-3, beta1=0.5, beta2=0.9, epsilon=1e-7):
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


def train(steps, batch=128, critic_steps=3, report=None):
    generator, critic = build_generator(), build_critic()
    numbers = np.random.default_rng(0)
    critic(generator(noise(numbers, 1)))
    critic_optimizer = Adam(critic.trainable_variables)
    generator_optimizer = Adam(generator.trainable_variables)
    for step in range(1, steps + 1):
        for _ in range(critic_steps):
            real, fake = real_points(numbers, batch), generator(noise(numbers, batch))
            mix = tf.constant(numbers.uniform(size=(batch, 1)).astype("float32"))
            estimate, penalty, gradients = critic_gradients(critic, real, fake, mix)
            critic_optimizer.apply(gradients)
        generator_optimizer.apply(generator_gradients(generator, critic, noise(numbers, batch)))
        if report and step % max(steps // 8, 1) == 0:
            report(step, float(estimate), float(penalty), generator)
    return generator, critic


def quality(points):
    """Mean distance of points to the nearest centre, and how many of the eight have points near."""
    distances = np.linalg.norm(points[:, None] - CENTRES[None], axis=2)
    nearest = distances.argmin(axis=1)
    close = distances.min(axis=1) < 0.25
    return float(distances.min(axis=1).mean()), len(np.unique(nearest[close]))


def generated(generator, count=512):
    return generator(noise(np.random.default_rng(1), count)).numpy()


def save_picture(path, generator, critic):
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("matplotlib is not installed: no picture")
        return
    side = np.linspace(-1.6, 1.6, 60, dtype="float32")
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    scores = critic(tf.constant(grid)).numpy().reshape(60, 60)
    real, fake = real_points(np.random.default_rng(2), 512).numpy(), generated(generator)
    figure, axes = plt.subplots(figsize=(6, 5))
    axes.contourf(side, side, scores, levels=20, cmap="Greys", alpha=0.6)
    axes.scatter(*real.T, s=4, label="real")
    axes.scatter(*fake.T, s=4, label="generated")
    axes.set(title="points, over the critic's score", aspect="equal")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"picture: {path}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=240, help="training steps of the generator")
    parser.add_argument("--picture", default="gan.png", help="file to save, '' for none")
    options = parser.parse_args(arguments)

    tf.keras.utils.set_random_seed(0)
    history = []

    def report(step, estimate, penalty, generator):
        distance, covered = quality(generated(generator))
        history.append({"step": step, "estimate": estimate, "penalty": penalty, "distance": distance,
                        "covered": covered})  # fmt: skip
        print(f"{step:6}{estimate:12.3f}{penalty:10.3f}{distance:20.3f}{covered:8} of 8")

    print(f"{'step':>6}{'Wasserstein':>12}{'penalty':>10}{'distance to data':>20}{'places':>13}")
    generator, critic = train(options.steps, report=report)
    if options.picture:
        save_picture(options.picture, generator, critic)
    return history


if __name__ == "__main__":
    main()
