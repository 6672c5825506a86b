"""Hessian-vector products, forward over reverse, and a truncated Newton method that lives on them.

A forward accumulator around a gradient tape gives H v for the price of a few gradients, whatever the
number of weights; the Hessian itself is never formed. Conjugate gradients solve (H + damping) step =
-gradient with such products alone. The network tells two interleaved half-moons apart.

    python hessian_vector_product.py [--iterations 12] [--picture moons.png]
"""

import argparse

import numpy as np
import tensorflow as tf
from sklearn.datasets import make_moons


def build_model():
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(16, activation="tanh"),
        tf.keras.layers.Dense(16, activation="tanh"),
        tf.keras.layers.Dense(1),
    ])  # fmt: skip
    model(tf.zeros([1, 2]))
    return model


def loss_of(model, x, y):
    cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=model(x))
    return tf.reduce_mean(cross_entropy) + 1e-4 * sum(tf.nn.l2_loss(v) for v in model.trainable_variables)


def gradient(model, x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(model, x, y)
    return loss, tape.gradient(loss, model.trainable_variables)


def hessian_vector_product(model, x, y, vector):
    """H v, a list like the model's variables: the derivative of the gradient in the direction `vector`."""
    variables = model.trainable_variables
    with tf.autodiff.ForwardAccumulator(variables, vector) as accumulator:
        _, gradients = gradient(model, x, y)
    return accumulator.jvp(gradients, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def reverse_over_reverse(model, x, y, vector):
    """The same product by two tapes: the gradient of <gradient, v>."""
    with tf.GradientTape() as tape:
        _, gradients = gradient(model, x, y)
        product = dot(gradients, vector)
    return tape.gradient(product, model.trainable_variables)


def dot(left, right):
    return sum(tf.reduce_sum(a * b) for a, b in zip(left, right, strict=True))


def add(left, scale, right):
    return [a + scale * b for a, b in zip(left, right, strict=True)]


def conjugate_gradients(product, target, iterations, tolerance=0.1):
    """Solves product(solution) = target; stops early on a direction of negative curvature."""
    solution = [tf.zeros_like(t) for t in target]
    residual = direction = target
    squared = start = dot(residual, residual)
    for _ in range(iterations):
        image = product(direction)
        curvature = dot(direction, image)
        if curvature <= 0.0:
            break
        length = squared / curvature
        solution = add(solution, length, direction)
        residual = add(residual, -length, image)
        previous, squared = squared, dot(residual, residual)
        if squared < tolerance**2 * start:
            break
        direction = add(residual, squared / previous, direction)
    return solution


def truncated_newton(model, x, y, iterations, inner=20):
    """Losses before each iteration and after the last."""
    damping, losses = 1.0, []
    variables = model.trainable_variables
    for _ in range(iterations):
        loss, gradients = gradient(model, x, y)
        losses.append(float(loss))

        def damped(vector, damping=damping):
            return add(hessian_vector_product(model, x, y, vector), damping, vector)

        step = conjugate_gradients(damped, [-g for g in gradients], inner)
        before = [tf.identity(v) for v in variables]
        for v, s in zip(variables, step, strict=True):
            v.assign_add(s)
        if loss_of(model, x, y) < loss:
            damping = damping / 3
        else:
            damping = damping * 5
            for v, b in zip(variables, before, strict=True):
                v.assign(b)
    return [*losses, float(loss_of(model, x, y))]


def gradient_descent(model, x, y, iterations, rate=0.5):
    losses = []
    for _ in range(iterations):
        loss, gradients = gradient(model, x, y)
        losses.append(float(loss))
        for v, g in zip(model.trainable_variables, gradients, strict=True):
            v.assign_sub(rate * g)
    return [*losses, float(loss_of(model, x, y))]


def save_picture(path, model, x, y):
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("matplotlib is not installed: no picture")
        return
    across, up = np.meshgrid(np.linspace(-1.6, 2.6, 120), np.linspace(-1.2, 1.7, 90))
    grid = np.stack([across, up], axis=-1).reshape(-1, 2).astype("float32")
    logits = model(tf.constant(grid)).numpy().reshape(across.shape)
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.contourf(across, up, logits, levels=20, cmap="RdBu_r", alpha=0.6)
    axes.contour(across, up, logits, levels=[0.0], colors="black")
    axes.scatter(*x.numpy().T, c=y.numpy()[:, 0], cmap="RdBu_r", s=8)
    axes.set(title="the model's logits after truncated Newton")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"picture: {path}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--picture", default="moons.png", help="file to save, '' for none")
    options = parser.parse_args(arguments)

    tf.keras.utils.set_random_seed(0)
    points, labels = make_moons(300, noise=0.1, random_state=0)
    x, y = tf.constant(points.astype("float32")), tf.constant(labels[:, None].astype("float32"))

    model, other = build_model(), build_model()
    other.set_weights(model.get_weights())
    numbers = np.random.default_rng(0)
    vector = [tf.constant(numbers.normal(size=v.shape).astype("float32")) for v in model.trainable_variables]
    forward = hessian_vector_product(model, x, y, vector)
    reverse = reverse_over_reverse(model, x, y, vector)
    difference = max(float(tf.reduce_max(tf.abs(a - b))) for a, b in zip(forward, reverse, strict=True))
    print(f"forward over reverse and reverse over reverse differ by at most {difference:.1e}")

    newton_losses = truncated_newton(model, x, y, options.iterations)
    descent_losses = gradient_descent(other, x, y, options.iterations)
    correct = float(tf.reduce_mean(tf.cast((model(x) > 0.0) == (y > 0.5), tf.float32)))
    print(f"{'iteration':>9}{'truncated Newton':>18}{'gradient descent':>18}")
    for number, (newtons, descent) in enumerate(zip(newton_losses, descent_losses, strict=True)):
        print(f"{number:9}{newtons:18.4f}{descent:18.4f}")
    print(f"points on the right side after truncated Newton: {100 * correct:.1f} %")
    if options.picture:
        save_picture(options.picture, model, x, y)
    return {"difference": difference, "newton": newton_losses, "gradient_descent": descent_losses,
            "correct": correct}  # fmt: skip


if __name__ == "__main__":
    main()
