"""Physics-informed network for Burgers' equation: 8 layers of 20 tanh, second derivatives by nested tapes, SGD.

The functional form differentiates the network at a point, `jax.grad` of `jax.grad` under `jax.vmap`: reverse mode
throughout, as the tapes do.
"""

import contextlib
import functools

import numpy as np

SIZES = {
    "pinn_burgers": {"points": 10_000, "dtype": "float32"},
    "pinn_burgers_float64": {"points": 10_000, "dtype": "float64"},
}
SMALL = {"points": 20, "depth": 2}
COMPARED_STEPS = 4
WIDTH, KNOWN = 20, 100
VISCOSITY, RATE = 0.01 / np.pi, 1e-3


def data(points, dtype, depth):
    numbers = np.random.default_rng(0)
    widths = [2, *[WIDTH] * depth, 1]
    weights = [
        (numbers.normal(size=(inputs, outputs)) * (2 / (inputs + outputs)) ** 0.5).astype(dtype)
        for inputs, outputs in zip(widths, widths[1:], strict=False)
    ]
    biases = [np.zeros(outputs, dtype) for outputs in widths[1:]]
    t, x = numbers.uniform(0, 1, size=(points, 1)).astype(dtype), numbers.uniform(-1, 1, size=(points, 1)).astype(dtype)
    x_known = numbers.uniform(-1, 1, size=(KNOWN, 1)).astype(dtype)
    return [*weights, *biases], (t, x, np.zeros_like(x_known), x_known, -np.sin(np.pi * x_known).astype(dtype))


def make(tf, points=10_000, dtype="float32", depth=8):
    start, arguments = data(points, dtype, depth)
    variables = [tf.Variable(value) for value in start]

    def network(t, x):
        weights, biases = variables[: depth + 1], variables[depth + 1 :]
        h = tf.concat([t, x], axis=1)
        for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
            h = tf.tanh(h @ weight + bias)
        return h @ weights[-1] + biases[-1]

    def step(t, x, t_known, x_known, u_known):
        with tf.GradientTape() as tape:
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape(persistent=True) as first:
                    first.watch([t, x])
                    u = network(t, x)
                u_t, u_x = first.gradient(u, t), first.gradient(u, x)
            u_xx = second.gradient(u_x, x)
            residual = u_t + u * u_x - VISCOSITY * u_xx
            error = network(t_known, x_known) - u_known
            loss = tf.reduce_mean(tf.square(residual)) + tf.reduce_mean(tf.square(error))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return step, tuple(tf.constant(value) for value in arguments)


def make_jax(points=10_000, dtype="float32", depth=8):
    import jax
    import jax.numpy as jnp

    wide = functools.partial(jax.enable_x64, True) if dtype == "float64" else contextlib.nullcontext
    start, arguments = data(points, dtype, depth)
    with wide():
        variables = [jnp.array(value) for value in start]
        arguments = tuple(jnp.array(value) for value in arguments)

    def network(variables, t, x):
        weights, biases = variables[: depth + 1], variables[depth + 1 :]
        h = jnp.stack([t, x])
        for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
            h = jnp.tanh(h @ weight + bias)
        return (h @ weights[-1] + biases[-1])[0]

    def residual_at(variables, t, x):
        u, (u_t, u_x) = jax.value_and_grad(network, argnums=(1, 2))(variables, t, x)
        u_xx = jax.grad(jax.grad(network, argnums=2), argnums=2)(variables, t, x)
        return u_t + u * u_x - VISCOSITY * u_xx

    def loss_of(variables, t, x, t_known, x_known, u_known):
        residual = jax.vmap(residual_at, in_axes=(None, 0, 0))(variables, t[:, 0], x[:, 0])
        u = jax.vmap(network, in_axes=(None, 0, 0))(variables, t_known[:, 0], x_known[:, 0])
        return jnp.mean(jnp.square(residual)) + jnp.mean(jnp.square(u - u_known[:, 0]))

    @functools.partial(jax.jit, donate_argnums=0)
    def update(variables, *arguments):
        loss, gradients = jax.value_and_grad(loss_of)(variables, *arguments)
        return [v - RATE * g for v, g in zip(variables, gradients, strict=True)], loss

    def step(*arguments):
        nonlocal variables
        with wide():
            variables, loss = update(variables, *arguments)
        return loss

    return step, arguments


def make_torch(points=10_000, dtype="float32", depth=8):
    import torch

    start, arguments = data(points, dtype, depth)
    variables = [torch.tensor(value, requires_grad=True) for value in start]

    def network(t, x):
        weights, biases = variables[: depth + 1], variables[depth + 1 :]
        h = torch.concat([t, x], dim=1)
        for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
            h = torch.tanh(h @ weight + bias)
        return h @ weights[-1] + biases[-1]

    def step(t, x, t_known, x_known, u_known):
        u = network(t, x)
        u_t, u_x = torch.autograd.grad(u.sum(), [t, x], create_graph=True)
        (u_xx,) = torch.autograd.grad(u_x.sum(), x, create_graph=True)
        residual = u_t + u * u_x - VISCOSITY * u_xx
        error = network(t_known, x_known) - u_known
        loss = torch.mean(torch.square(residual)) + torch.mean(torch.square(error))
        gradients = torch.autograd.grad(loss, variables)
        with torch.no_grad():
            for variable, gradient in zip(variables, gradients, strict=True):
                variable.sub_(RATE * gradient)
        return loss.detach()

    t, x, *known = (torch.tensor(value) for value in arguments)
    return step, (t.requires_grad_(), x.requires_grad_(), *known)
