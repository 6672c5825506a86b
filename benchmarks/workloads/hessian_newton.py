"""Hessian of a layer's kernel (128x128) by a jacobian of a gradient, and a damped Newton step with it."""

import functools

import numpy as np

SMALL = {"units": 3}
INPUTS, OUTPUTS, BATCH = 8, 4, 64
DAMPING = 0.1


def data(units):
    numbers = np.random.default_rng(0)
    x = numbers.normal(size=(BATCH, INPUTS)).astype("float32")
    y = np.tanh(x @ numbers.normal(size=(INPUTS, OUTPUTS))).astype("float32")
    kernel = (numbers.normal(size=(INPUTS, units)) / INPUTS**0.5).astype("float32")
    last = (numbers.normal(size=(units, OUTPUTS)) / units**0.5).astype("float32")
    return x, y, kernel, last


def make(tf, units=16):
    x, y, kernel, last = data(units)
    kernel, last = tf.Variable(kernel), tf.constant(last)
    size = INPUTS * units

    def step(x, y):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_mean(tf.square(tf.tanh(x @ kernel) @ last - y))
            gradient = inner.gradient(loss, kernel)
        hessian = tf.reshape(outer.jacobian(gradient, kernel), [size, size])
        update = tf.linalg.solve(hessian + DAMPING * tf.eye(size), tf.reshape(gradient, [size, 1]))
        kernel.assign_sub(tf.reshape(update, [INPUTS, units]))
        return loss

    return step, (tf.constant(x), tf.constant(y))


def make_jax(units=16):
    import jax
    import jax.numpy as jnp

    x, y, kernel, last = data(units)
    kernel, last = jnp.array(kernel), jnp.array(last)
    size = INPUTS * units

    def loss_of(kernel, last, x, y):
        return jnp.mean(jnp.square(jnp.tanh(x @ kernel) @ last - y))

    @functools.partial(jax.jit, donate_argnums=0)
    def newton(kernel, last, x, y):
        loss, gradient = jax.value_and_grad(loss_of)(kernel, last, x, y)
        hessian = jax.hessian(loss_of)(kernel, last, x, y).reshape(size, size)
        update = jnp.linalg.solve(hessian + DAMPING * jnp.eye(size), gradient.reshape(size, 1))
        return kernel - update.reshape(INPUTS, units), loss

    def step(x, y):
        nonlocal kernel
        kernel, loss = newton(kernel, last, x, y)
        return loss

    return step, (jnp.array(x), jnp.array(y))
