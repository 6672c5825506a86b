"""Newton's method: the full Hessian of a layer, and what it is worth against gradient descent.

The loss of a small network is differentiated twice with respect to one layer's kernel: the gradient by
an inner tape, then the Jacobian of that gradient by an outer one. Solving the damped system gives the
Newton step. Gradient descent starts from the same weights.

    python newton_method.py [--iterations 20] [--picture newton.png]
"""

import argparse

import numpy as np
import tensorflow as tf


def problem():
    """Inputs, and targets from a network of the same form, so that a loss of zero can be reached."""
    numbers = np.random.default_rng(0)
    x = numbers.normal(size=(64, 5)).astype("float32")
    first = numbers.normal(size=(5, 8)).astype("float32")
    second = numbers.normal(size=(8, 6)).astype("float32")
    targets = np.tanh(x @ first) @ second
    start = first + 0.3 * numbers.normal(size=first.shape).astype("float32")
    weights = [start, np.zeros(8, "float32")], [second, np.zeros(6, "float32")]
    return tf.constant(x), tf.constant(targets), *weights


class Network:
    """Two Dense layers, of which the first is fitted."""

    def __init__(self):
        self.x, self.targets, first, second = problem()
        self.layer = tf.keras.layers.Dense(8, activation="tanh")
        self.readout = tf.keras.layers.Dense(6)
        self.readout(self.layer(self.x))
        self.layer.set_weights(first)
        self.readout.set_weights(second)

    def loss(self):
        return tf.reduce_mean(tf.square(self.readout(self.layer(self.x)) - self.targets))


def gradient_and_hessian(network):
    """Loss, gradient [n] and Hessian [n, n] of it with respect to the kernel's n elements."""
    kernel = network.layer.kernel
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = network.loss()
        gradient = inner.gradient(loss, kernel)
    hessian = outer.jacobian(gradient, kernel)
    size = tf.reduce_prod(kernel.shape)
    return loss, tf.reshape(gradient, [size, 1]), tf.reshape(hessian, [size, size])


def newton(network, iterations):
    """Losses before each iteration and after the last; a step that does not help raises the damping."""
    kernel, damping, losses = network.layer.kernel, 1e-2, []
    for _ in range(iterations):
        loss, gradient, hessian = gradient_and_hessian(network)
        losses.append(float(loss))
        before = tf.identity(kernel)
        while damping < 1e6:
            step = tf.linalg.solve(hessian + damping * tf.eye(hessian.shape[0]), gradient)
            kernel.assign(before - tf.reshape(step, kernel.shape))
            if network.loss() < loss:
                damping = max(damping / 10, 1e-7)
                break
            damping = damping * 10
        else:
            kernel.assign(before)
            break
    return [*losses, float(network.loss())], hessian


def gradient_descent(network, iterations, rate=0.5):
    kernel, losses = network.layer.kernel, []
    for _ in range(iterations):
        with tf.GradientTape() as tape:
            loss = network.loss()
        losses.append(float(loss))
        kernel.assign_sub(rate * tape.gradient(loss, kernel))
    return [*losses, float(network.loss())]


def save_picture(path, curves, hessian):
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("matplotlib is not installed: no picture")
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(3, 2))
    for name, losses in curves.items():
        left.semilogy(losses, marker=".", label=name)
    left.set(xlabel="iteration", ylabel="loss", xticks=range(0, len(curves["gradient descent"]), 5))
    left.legend()
    limit = float(np.abs(hessian).max())
    right.imshow(hessian, cmap="RdBu_r", vmin=-limit, vmax=limit)
    right.set(title="Hessian of the kernel, last step")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"picture: {path}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--picture", default="newton.png", help="file to save, '' for none")
    options = parser.parse_args(arguments)

    newton_losses, hessian = newton(Network(), options.iterations)
    descent_losses = gradient_descent(Network(), options.iterations)

    print(f"{'iteration':>9}{'Newton':>14}{'gradient descent':>20}")
    for number, descent in enumerate(descent_losses):
        newtons = f"{newton_losses[number]:14.3e}" if number < len(newton_losses) else f"{'':14}"
        print(f"{number:9}{newtons}{descent:20.3e}")
    if options.picture:
        curves = {"Newton": newton_losses, "gradient descent": descent_losses}
        save_picture(options.picture, curves, hessian.numpy())
    return {"newton": newton_losses, "gradient_descent": descent_losses, "hessian": hessian.numpy()}


if __name__ == "__main__":
    main()
