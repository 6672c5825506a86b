"""Hessian-vector product, forward over reverse, in a power iteration for the largest curvature of a perceptron."""

import functools

import numpy as np

from benchmarks.workloads import mlp_step

SMALL = {"width": 8, "batch": 4}


def data(width, batch):
    numbers = np.random.default_rng(1)
    x, y, start = mlp_step.data(width, batch)
    return x, y, start, [numbers.normal(size=value.shape).astype("float32") for value in start]


def make(tf, width=64, batch=64):
    x, y, start, directions = data(width, batch)
    variables = [tf.Variable(value) for value in start]
    directions = [tf.Variable(value, trainable=False) for value in directions]

    def step(x, y):
        w1, w2, w3, b1, b2, b3 = variables
        length = tf.sqrt(sum(tf.reduce_sum(tf.square(d)) for d in directions))
        units = [d / length for d in directions]
        with tf.autodiff.ForwardAccumulator(variables, units) as accumulator:
            with tf.GradientTape() as tape:
                h = tf.tanh(x @ w1 + b1)
                h = tf.tanh(h @ w2 + b2)
                loss = tf.reduce_mean(tf.square(h @ w3 + b3 - y))
            gradients = tape.gradient(loss, variables)
        products = accumulator.jvp(gradients)
        for direction, product in zip(directions, products, strict=True):
            direction.assign(product)
        return sum(tf.reduce_sum(u * p) for u, p in zip(units, products, strict=True))

    return step, (tf.constant(x), tf.constant(y))


def make_jax(width=64, batch=64):
    import jax
    import jax.numpy as jnp

    x, y, start, directions = data(width, batch)
    variables = [jnp.array(value) for value in start]
    directions = [jnp.array(value) for value in directions]

    def loss_of(variables, x, y):
        w1, w2, w3, b1, b2, b3 = variables
        h = jnp.tanh(x @ w1 + b1)
        h = jnp.tanh(h @ w2 + b2)
        return jnp.mean(jnp.square(h @ w3 + b3 - y))

    @functools.partial(jax.jit, donate_argnums=0)
    def iterate(directions, variables, x, y):
        length = jnp.sqrt(sum(jnp.sum(jnp.square(d)) for d in directions))
        units = [d / length for d in directions]
        _, products = jax.jvp(lambda v: jax.grad(loss_of)(v, x, y), (variables,), (units,))
        return products, sum(jnp.sum(u * p) for u, p in zip(units, products, strict=True))

    def step(x, y):
        nonlocal directions
        directions, curvature = iterate(directions, variables, x, y)
        return curvature

    return step, (jnp.array(x), jnp.array(y))
