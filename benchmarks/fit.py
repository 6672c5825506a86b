"""A step of `fit`, beside the same step in hand-written `jax.jit` and beside tf_keras: `python -m benchmarks.fit`.

Two models: one whose time is matrices (1024 wide), one whose time is Python (16 wide). And whether the input pipeline
overlaps: a `fit` whose mapper takes as long as a step, with and without `prefetch`. Least of several epochs, each of 40
steps; peers in turns. With `--peer` tf_keras is measured, too.
"""

import argparse
import time

import numpy as np

STEPS, BATCH = 40, 256


def data(width):
    generator = np.random.default_rng(0)
    x = generator.normal(size=(STEPS * BATCH, width)).astype(np.float32)
    return x, x[:, :10].copy()


def epochs_of(tf, width, repeats=4):
    """Yields seconds of a step, epoch by epoch."""
    x, y = data(width)
    layers = [tf.keras.layers.Dense(width, "relu"), tf.keras.layers.Dense(width, "relu"), tf.keras.layers.Dense(10)]
    model = tf.keras.Sequential(layers)
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    for _ in range(repeats):
        model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0, shuffle=False)  # what comes first is compiled
        start = time.perf_counter()
        model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0, shuffle=False)
        yield (time.perf_counter() - start) / STEPS


def epochs_of_jax(width, repeats=4):
    """The same by hand."""
    import jax
    import jax.numpy as jnp

    x, y = data(width)
    sizes, key = [width, width, width, 10], jax.random.key(0)
    weights = [(jax.random.normal(key, (a, b)) / a**0.5, jnp.zeros(b)) for a, b in zip(sizes, sizes[1:], strict=False)]

    def loss(weights, x, y):
        for kernel, bias in weights[:-1]:
            x = jax.nn.relu(x @ kernel + bias)
        return jnp.mean((x @ weights[-1][0] + weights[-1][1] - y) ** 2)

    def stepped(weights, x, y):
        value, gradients = jax.value_and_grad(loss)(weights, x, y)
        return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients), value

    step = jax.jit(stepped, donate_argnums=0)
    for _ in range(repeats + 1):
        start = time.perf_counter()
        for at in range(0, len(x), BATCH):
            weights, value = step(weights, x[at : at + BATCH], y[at : at + BATCH])
        float(value)
        yield (time.perf_counter() - start) / STEPS


def overlap(tf, width=512):
    """Seconds of an epoch without a slow mapper, of the mapper alone, and of both with and without prefetch."""
    x, y = data(width)
    model = tf.keras.Sequential([tf.keras.layers.Dense(2 * width, "relu"), tf.keras.layers.Dense(10)])
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True)

    def timed(dataset):
        model.fit(dataset, epochs=1, verbose=0)
        start = time.perf_counter()
        model.fit(dataset, epochs=1, verbose=0)
        return time.perf_counter() - start

    plain = timed(batches)
    pause = plain / STEPS

    def slow(x, y):
        time.sleep(pause)
        return x, y

    def wait(x, y):
        x, y = tf.numpy_function(slow, [x, y], [tf.float32, tf.float32])
        return tf.ensure_shape(x, [BATCH, width]), tf.ensure_shape(y, [BATCH, 10])

    mapped = batches.map(wait)
    return {"fit": plain, "mapper": pause * STEPS, "both": timed(mapped), "both, prefetch": timed(mapped.prefetch(2))}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", action="store_true", help="measure tf_keras, too")
    peer = parser.parse_args().peer
    import tfcompat

    modules = {"tfcompat": tfcompat}
    if peer:
        import os

        os.environ.update(TF_USE_LEGACY_KERAS="1", TF_CPP_MIN_LOG_LEVEL="3")
        import tensorflow

        modules["tf_keras"] = tensorflow
    for width in (16, 1024):
        runs = {name: epochs_of(module, width) for name, module in modules.items()}
        runs["jax.jit"] = epochs_of_jax(width)
        least = {name: float("inf") for name in runs}
        for _ in range(4):
            for name, run in runs.items():
                least[name] = min(least[name], next(run))
        print(f"{width} wide:", ", ".join(f"{name} {1e3 * seconds:.3f} ms a step" for name, seconds in least.items()))
    for name, module in modules.items():
        found = overlap(module)
        print(f"{name}:", ", ".join(f"{what} {seconds:.2f} s" for what, seconds in found.items()))


if __name__ == "__main__":
    main()
