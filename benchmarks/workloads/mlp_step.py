"""Training step of a three-layer perceptron, float32, SGD."""

import functools

import numpy as np

SIZES = {
    "mlp_step": {"width": 64, "batch": 64},
    "mlp_step_wide": {"width": 1024, "batch": 512},
}
SMALL = {"width": 8, "batch": 4}
RATE = 0.01


def data(width, batch):
    numbers = np.random.default_rng(0)
    x, y = (numbers.normal(size=(batch, width)).astype("float32") for _ in range(2))
    weights = [(numbers.normal(size=(width, width)) / width**0.5).astype("float32") for _ in range(3)]
    biases = [np.zeros(width, "float32") for _ in range(3)]
    return x, y, [*weights, *biases]


def make(tf, width=64, batch=64):
    x, y, start = data(width, batch)
    variables = [tf.Variable(value) for value in start]

    def step(x, y):
        w1, w2, w3, b1, b2, b3 = variables
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            h = tf.nn.relu(h @ w2 + b2)
            loss = tf.reduce_mean(tf.square(h @ w3 + b3 - y))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return step, (tf.constant(x), tf.constant(y))


def make_jax(width=64, batch=64):
    import jax
    import jax.numpy as jnp

    x, y, start = data(width, batch)
    variables = [jnp.array(value) for value in start]

    def loss_of(variables, x, y):
        w1, w2, w3, b1, b2, b3 = variables
        h = jax.nn.relu(x @ w1 + b1)
        h = jax.nn.relu(h @ w2 + b2)
        return jnp.mean(jnp.square(h @ w3 + b3 - y))

    @functools.partial(jax.jit, donate_argnums=0)
    def update(variables, x, y):
        loss, gradients = jax.value_and_grad(loss_of)(variables, x, y)
        return [v - RATE * g for v, g in zip(variables, gradients, strict=True)], loss

    def step(x, y):
        nonlocal variables
        variables, loss = update(variables, x, y)
        return loss

    return step, (jnp.array(x), jnp.array(y))


def make_torch(width=64, batch=64):
    import torch

    x, y, start = data(width, batch)
    variables = [torch.tensor(value, requires_grad=True) for value in start]

    def step(x, y):
        w1, w2, w3, b1, b2, b3 = variables
        h = torch.relu(x @ w1 + b1)
        h = torch.relu(h @ w2 + b2)
        loss = torch.mean(torch.square(h @ w3 + b3 - y))
        gradients = torch.autograd.grad(loss, variables)
        with torch.no_grad():
            for variable, gradient in zip(variables, gradients, strict=True):
                variable.sub_(RATE * gradient)
        return loss.detach()

    return step, (torch.tensor(x), torch.tensor(y))
