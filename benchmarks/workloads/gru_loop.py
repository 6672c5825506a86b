"""A GRU cell in a Python loop over 50 steps, 32 sequences, loss, gradient and SGD step; `jax.lax.scan` by hand."""

import functools

import numpy as np

SMALL = {"steps": 3}
COMPARED_STEPS = 5
BATCH, INPUTS, UNITS = 32, 16, 32
RATE = 0.05


def data(steps):
    numbers = np.random.default_rng(0)

    def normal(*shape):
        return (numbers.normal(size=shape) / shape[0] ** 0.5).astype("float32")

    x = numbers.normal(size=(BATCH, steps, INPUTS)).astype("float32")
    y = np.tanh(x.mean(axis=1)[:, :1])
    start = [normal(INPUTS, 3 * UNITS), normal(UNITS, 3 * UNITS), np.zeros(3 * UNITS, "float32"), normal(UNITS, 1)]
    return x, y, start


def make(tf, steps=50):
    x, y, start = data(steps)
    variables = [tf.Variable(value) for value in start]

    def cell(x, h):
        kernel, recurrent, bias, _ = variables
        x_update, x_reset, x_new = tf.split(x @ kernel + bias, 3, axis=1)
        h_update, h_reset, h_new = tf.split(h @ recurrent, 3, axis=1)
        update, reset = tf.sigmoid(x_update + h_update), tf.sigmoid(x_reset + h_reset)
        return update * h + (1 - update) * tf.tanh(x_new + reset * h_new)

    def step(x, y):
        with tf.GradientTape() as tape:
            h = tf.zeros([BATCH, UNITS])
            for i in range(steps):
                h = cell(x[:, i], h)
            loss = tf.reduce_mean(tf.square(h @ variables[-1] - y))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return step, (tf.constant(x), tf.constant(y))


def make_jax(steps=50):
    import jax
    import jax.numpy as jnp

    x, y, start = data(steps)
    variables = [jnp.array(value) for value in start]

    def cell(variables, x, h):
        kernel, recurrent, bias, _ = variables
        x_update, x_reset, x_new = jnp.split(x @ kernel + bias, 3, axis=1)
        h_update, h_reset, h_new = jnp.split(h @ recurrent, 3, axis=1)
        update, reset = jax.nn.sigmoid(x_update + h_update), jax.nn.sigmoid(x_reset + h_reset)
        return update * h + (1 - update) * jnp.tanh(x_new + reset * h_new)

    def loss_of(variables, x, y):
        start = jnp.zeros([BATCH, UNITS])
        h, _ = jax.lax.scan(lambda h, x: (cell(variables, x, h), None), start, jnp.swapaxes(x, 0, 1))
        return jnp.mean(jnp.square(h @ variables[-1] - y))

    @functools.partial(jax.jit, donate_argnums=0)
    def update(variables, x, y):
        loss, gradients = jax.value_and_grad(loss_of)(variables, x, y)
        return [v - RATE * g for v, g in zip(variables, gradients, strict=True)], loss

    def step(x, y):
        nonlocal variables
        variables, loss = update(variables, x, y)
        return loss

    return step, (jnp.array(x), jnp.array(y))


def make_torch(steps=50):
    import torch

    x, y, start = data(steps)
    variables = [torch.tensor(value, requires_grad=True) for value in start]

    def cell(x, h):
        kernel, recurrent, bias, _ = variables
        x_update, x_reset, x_new = torch.chunk(x @ kernel + bias, 3, dim=1)
        h_update, h_reset, h_new = torch.chunk(h @ recurrent, 3, dim=1)
        update, reset = torch.sigmoid(x_update + h_update), torch.sigmoid(x_reset + h_reset)
        return update * h + (1 - update) * torch.tanh(x_new + reset * h_new)

    def step(x, y):
        h = torch.zeros([BATCH, UNITS])
        for i in range(steps):
            h = cell(x[:, i], h)
        loss = torch.mean(torch.square(h @ variables[-1] - y))
        gradients = torch.autograd.grad(loss, variables)
        with torch.no_grad():
            for variable, gradient in zip(variables, gradients, strict=True):
                variable.sub_(RATE * gradient)
        return loss.detach()

    return step, (torch.tensor(x), torch.tensor(y))
