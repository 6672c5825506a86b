"""Training step of a three-layer perceptron, 64 wide, batch 64, with Adam written by hand on variables."""

import functools

import numpy as np

from benchmarks.workloads.mlp_step import data

SMALL = {"width": 8, "batch": 4}
RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-7


def make(tf, width=64, batch=64):
    x, y, start = data(width, batch)
    variables = [tf.Variable(value) for value in start]
    means = [tf.Variable(np.zeros_like(value), trainable=False) for value in start]
    squares = [tf.Variable(np.zeros_like(value), trainable=False) for value in start]
    count = tf.Variable(0.0, trainable=False)

    def step(x, y):
        w1, w2, w3, b1, b2, b3 = variables
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            h = tf.nn.relu(h @ w2 + b2)
            loss = tf.reduce_mean(tf.square(h @ w3 + b3 - y))
        gradients = tape.gradient(loss, variables)
        count.assign_add(1.0)
        rate = RATE * tf.sqrt(1 - tf.pow(BETA2, count)) / (1 - tf.pow(BETA1, count))
        for v, g, m, s in zip(variables, gradients, means, squares, strict=True):
            m.assign(BETA1 * m + (1 - BETA1) * g)
            s.assign(BETA2 * s + (1 - BETA2) * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + EPSILON))
        return loss

    return step, (tf.constant(x), tf.constant(y))


def make_jax(width=64, batch=64):
    import jax
    import jax.numpy as jnp

    x, y, start = data(width, batch)
    state = ([jnp.array(value) for value in start], *([jnp.zeros_like(v) for v in start] for _ in range(2)), 0.0)

    def loss_of(variables, x, y):
        w1, w2, w3, b1, b2, b3 = variables
        h = jax.nn.relu(x @ w1 + b1)
        h = jax.nn.relu(h @ w2 + b2)
        return jnp.mean(jnp.square(h @ w3 + b3 - y))

    @functools.partial(jax.jit, donate_argnums=0)
    def update(state, x, y):
        variables, means, squares, count = state
        loss, gradients = jax.value_and_grad(loss_of)(variables, x, y)
        count += 1.0
        rate = RATE * jnp.sqrt(1 - BETA2**count) / (1 - BETA1**count)
        means = [BETA1 * m + (1 - BETA1) * g for m, g in zip(means, gradients, strict=True)]
        squares = [BETA2 * s + (1 - BETA2) * jnp.square(g) for s, g in zip(squares, gradients, strict=True)]
        variables = [
            v - rate * m / (jnp.sqrt(s) + EPSILON) for v, m, s in zip(variables, means, squares, strict=True)
        ]
        return (variables, means, squares, count), loss

    def step(x, y):
        nonlocal state
        state, loss = update(state, x, y)
        return loss

    return step, (jnp.array(x), jnp.array(y))


def make_torch(width=64, batch=64):
    import torch

    x, y, start = data(width, batch)
    variables = [torch.tensor(value, requires_grad=True) for value in start]
    means = [torch.zeros_like(v) for v in variables]
    squares = [torch.zeros_like(v) for v in variables]
    count = 0

    def step(x, y):
        nonlocal count
        w1, w2, w3, b1, b2, b3 = variables
        h = torch.relu(x @ w1 + b1)
        h = torch.relu(h @ w2 + b2)
        loss = torch.mean(torch.square(h @ w3 + b3 - y))
        gradients = torch.autograd.grad(loss, variables)
        count += 1
        rate = RATE * (1 - BETA2**count) ** 0.5 / (1 - BETA1**count)
        with torch.no_grad():
            for v, g, m, s in zip(variables, gradients, means, squares, strict=True):
                m.mul_(BETA1).add_((1 - BETA1) * g)
                s.mul_(BETA2).add_((1 - BETA2) * torch.square(g))
                v.sub_(rate * m / (torch.sqrt(s) + EPSILON))
        return loss.detach()

    return step, (torch.tensor(x), torch.tensor(y))
