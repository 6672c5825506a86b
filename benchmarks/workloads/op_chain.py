"""One operation on 8x8, 1,000 times in a chain.

What one recorded operation costs, its execution included. The functional form is not one compiled program, but as
many calls of one compiled operation: the least that eager code on JAX pays.
"""

import numpy as np

SIDE = 8
SMALL = {"length": 50}
READ_EVERY_STEP = True


def data():
    numbers = np.random.default_rng(0)
    return (
        numbers.normal(size=(SIDE, SIDE)).astype("float32"),
        numbers.uniform(0.999, 1.001, size=(SIDE, SIDE)).astype("float32"),
    )


def make(tf, length=1000):
    def step(x, factor):
        for _ in range(length):
            x = tf.multiply(x, factor)
        return x

    x, factor = data()
    return step, (tf.constant(x), tf.constant(factor))


def make_jax(length=1000):
    import jax
    import jax.numpy as jnp

    multiply = jax.jit(jnp.multiply)

    def step(x, factor):
        for _ in range(length):
            x = multiply(x, factor)
        return x

    x, factor = data()
    return step, (jnp.array(x), jnp.array(factor))


def make_torch(length=1000):
    import torch

    def step(x, factor):
        for _ in range(length):
            x = torch.multiply(x, factor)
        return x

    x, factor = data()
    return step, (torch.tensor(x), torch.tensor(factor))
