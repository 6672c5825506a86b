"""Input-gradient regularization of a dense layer: the size of the input gradient, differentiated by the weights.

Two nested tapes on 7x5 inputs and 10 units, with an SGD step: nothing but the overhead of tapes and operations.
"""

import functools

import numpy as np

SMALL = {}
RATE = 1e-3


def data():
    numbers = np.random.default_rng(0)
    x = numbers.normal(size=(7, 5)).astype("float32")
    kernel = (numbers.normal(size=(5, 10)) * 0.5).astype("float32")
    return x, kernel, (0.1 * numbers.normal(size=10)).astype("float32")


def make(tf):
    x, *start = data()
    variables = [tf.Variable(value) for value in start]

    def step(x):
        kernel, bias = variables
        with tf.GradientTape() as outer:
            with tf.GradientTape(watch_accessed_variables=False) as inner:
                inner.watch(x)
                out = tf.reduce_sum(tf.nn.relu(x @ kernel + bias) ** 2)
            size = tf.norm(inner.gradient(out, x))
        for variable, gradient in zip(variables, outer.gradient(size, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return size

    return step, (tf.constant(x),)


def make_jax():
    import jax
    import jax.numpy as jnp

    x, *start = data()
    variables = [jnp.array(value) for value in start]

    def out_of(x, kernel, bias):
        return jnp.sum(jax.nn.relu(x @ kernel + bias) ** 2)

    def size_of(variables, x):
        return jnp.linalg.norm(jax.grad(out_of)(x, *variables))

    @functools.partial(jax.jit, donate_argnums=0)
    def update(variables, x):
        size, gradients = jax.value_and_grad(size_of)(variables, x)
        return [v - RATE * g for v, g in zip(variables, gradients, strict=True)], size

    def step(x):
        nonlocal variables
        variables, size = update(variables, x)
        return size

    return step, (jnp.array(x),)


def make_torch():
    import torch

    x, *start = data()
    variables = [torch.tensor(value, requires_grad=True) for value in start]

    def step(x):
        kernel, bias = variables
        out = torch.sum(torch.relu(x @ kernel + bias) ** 2)
        size = torch.linalg.norm(torch.autograd.grad(out, x, create_graph=True)[0])
        gradients = torch.autograd.grad(size, variables)
        with torch.no_grad():
            for variable, gradient in zip(variables, gradients, strict=True):
                variable.sub_(RATE * gradient)
        return size.detach()

    return step, (torch.tensor(x, requires_grad=True),)
