"""Second and higher derivatives by the extensions of tapes, beside nested tapes.

    python -m benchmarks.higher_derivatives [--width 64] [--orders 2 4 6] [--rounds 30]

For each, the time of the first call, which compiles, and the lower quintile of the others. Both sides must agree.
"""

import argparse
import time

import numpy as np

import tfcompat as tf


def network(width):
    """(loss, weights, vectors): a three-layer perceptron's loss, its weights, and a vector for each."""
    numbers = np.random.default_rng(0)
    weights = [tf.Variable(numbers.normal(size=(width, width)).astype("float32") / width**0.5) for _ in range(3)]
    vectors = [tf.constant(numbers.normal(size=(width, width)).astype("float32")) for _ in range(3)]
    x = tf.constant(numbers.normal(size=(width, width)).astype("float32"))

    def loss():
        h = x
        for w in weights:
            h = tf.tanh(h @ w)
        return tf.reduce_mean(h**2)

    return loss, weights, vectors


def products(width):
    """Hessian-vector products: (name, function returning a list of tensors) three times."""
    loss, weights, vectors = network(width)

    def nested():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                value = loss()
            gradients = inner.gradient(value, weights)
        return outer.gradient(gradients, weights, output_gradients=vectors)

    def accumulated():
        with tf.autodiff.ForwardAccumulator(weights, vectors) as accumulator:
            with tf.GradientTape() as tape:
                value = loss()
            gradients = tape.gradient(value, weights)
        return accumulator.jvp(gradients)

    def single():
        with tf.GradientTape() as tape:
            value = loss()
        return tape.hvp(value, weights, vectors)

    return [("hvp: nested tapes", nested), ("hvp: accumulator around a tape", accumulated), ("tape.hvp", single)]


def lines(width, order):
    """Derivatives along a line, as a physics-informed network takes them: (name, function) twice."""
    numbers = np.random.default_rng(0)
    first, last = (tf.Variable(numbers.normal(size=s).astype("float32") / 2) for s in ((1, width), (width, 1)))
    at = tf.constant(numbers.normal(size=(4 * width, 1)).astype("float32"))

    def derivative(x, times):
        if times == 0:
            return tf.tanh(x @ first) @ last
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(x, times - 1)
        return tape.gradient(y, x)

    def single():
        with tf.GradientTape() as tape:
            tape.watch(at)
            y = derivative(at, 0)
        return tape.directional_derivatives(y, at, tf.ones_like(at), order)[-1:]

    return [(f"order {order}: nested tapes", lambda: [derivative(at, order)]),
            (f"order {order}: tape.directional_derivatives", single)]  # fmt: skip


def compare(peers, rounds):
    """Prints a line for each of `peers`, and checks that they compute the same."""
    expected = None
    for name, function in peers:
        times = []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            values = [value.numpy() for value in function()]
            times.append(time.perf_counter() - start)
        expected = expected or values
        for ours, theirs in zip(values, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4 * np.abs(theirs).max())
        typical = sorted(times[1:])[rounds // 5]
        print(f"{name:42}first {times[0]:6.2f} s, then {1e3 * typical:8.3f} ms", flush=True)


def main(arguments=None):
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--orders", type=int, nargs="*", default=[2, 4, 6])
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args(arguments)
    compare(products(options.width), options.rounds)
    for order in options.orders:
        compare(lines(options.width, order), options.rounds)


if __name__ == "__main__":
    main()
