"""Critic step of a WGAN with gradient penalty: dense networks on 784 pixels, two nested tapes, SGD."""

import functools

import numpy as np

SMALL = {"batch": 4, "width": 8}
PIXELS, NOISE = 784, 64
RATE, STRENGTH, SLOPE = 1e-3, 10.0, 0.2


def data(batch, width):
    numbers = np.random.default_rng(0)

    def dense(inputs, outputs):
        return (numbers.normal(size=(inputs, outputs)) / inputs**0.5).astype("float32"), np.zeros(outputs, "float32")

    generator = [*dense(NOISE, width), *dense(width, PIXELS)]
    critic = [*dense(PIXELS, width), *dense(width, width), *dense(width, 1)]
    real = numbers.uniform(size=(batch, PIXELS)).astype("float32")
    noise = numbers.normal(size=(batch, NOISE)).astype("float32")
    mix = numbers.uniform(size=(batch, 1)).astype("float32")
    return generator, critic, (real, noise, mix)


def make(tf, batch=256, width=512):
    generator, critic, arguments = data(batch, width)
    generator = [tf.Variable(value) for value in generator]
    critic = [tf.Variable(value) for value in critic]

    def generated(noise):
        w1, b1, w2, b2 = generator
        return tf.sigmoid(tf.nn.relu(noise @ w1 + b1) @ w2 + b2)

    def score(x):
        w1, b1, w2, b2, w3, b3 = critic
        h = tf.nn.leaky_relu(x @ w1 + b1, SLOPE)
        h = tf.nn.leaky_relu(h @ w2 + b2, SLOPE)
        return h @ w3 + b3

    def step(real, noise, mix):
        fake = generated(noise)
        between = fake + mix * (real - fake)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(between)
                scores = score(between)
            gradient = inner.gradient(scores, between)
            norm = tf.sqrt(tf.reduce_sum(tf.square(gradient), axis=1) + 1e-12)
            penalty = tf.reduce_mean(tf.square(norm - 1.0))
            loss = tf.reduce_mean(score(fake)) - tf.reduce_mean(score(real)) + STRENGTH * penalty
        for variable, gradient in zip(critic, outer.gradient(loss, critic), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return step, tuple(tf.constant(value) for value in arguments)


def make_jax(batch=256, width=512):
    import jax
    import jax.numpy as jnp

    generator, critic, arguments = data(batch, width)
    generator = [jnp.array(value) for value in generator]
    critic = [jnp.array(value) for value in critic]

    def generated(generator, noise):
        w1, b1, w2, b2 = generator
        return jax.nn.sigmoid(jax.nn.relu(noise @ w1 + b1) @ w2 + b2)

    def score(critic, x):
        w1, b1, w2, b2, w3, b3 = critic
        h = jax.nn.leaky_relu(x @ w1 + b1, SLOPE)
        h = jax.nn.leaky_relu(h @ w2 + b2, SLOPE)
        return h @ w3 + b3

    def loss_of(critic, fake, real, mix):
        between = fake + mix * (real - fake)
        gradient = jax.grad(lambda x: jnp.sum(score(critic, x)))(between)
        norm = jnp.sqrt(jnp.sum(jnp.square(gradient), axis=1) + 1e-12)
        penalty = jnp.mean(jnp.square(norm - 1.0))
        return jnp.mean(score(critic, fake)) - jnp.mean(score(critic, real)) + STRENGTH * penalty

    @functools.partial(jax.jit, donate_argnums=0)
    def update(critic, generator, real, noise, mix):
        loss, gradients = jax.value_and_grad(loss_of)(critic, generated(generator, noise), real, mix)
        return [v - RATE * g for v, g in zip(critic, gradients, strict=True)], loss

    def step(real, noise, mix):
        nonlocal critic
        critic, loss = update(critic, generator, real, noise, mix)
        return loss

    return step, tuple(jnp.array(value) for value in arguments)


def make_torch(batch=256, width=512):
    import torch
    from torch.nn.functional import leaky_relu

    generator, critic, arguments = data(batch, width)
    generator = [torch.tensor(value) for value in generator]
    critic = [torch.tensor(value, requires_grad=True) for value in critic]

    def generated(noise):
        w1, b1, w2, b2 = generator
        return torch.sigmoid(torch.relu(noise @ w1 + b1) @ w2 + b2)

    def score(x):
        w1, b1, w2, b2, w3, b3 = critic
        h = leaky_relu(x @ w1 + b1, SLOPE)
        h = leaky_relu(h @ w2 + b2, SLOPE)
        return h @ w3 + b3

    def step(real, noise, mix):
        fake = generated(noise)
        between = (fake + mix * (real - fake)).requires_grad_()
        (gradient,) = torch.autograd.grad(score(between).sum(), between, create_graph=True)
        norm = torch.sqrt(torch.sum(torch.square(gradient), dim=1) + 1e-12)
        penalty = torch.mean(torch.square(norm - 1.0))
        loss = torch.mean(score(fake)) - torch.mean(score(real)) + STRENGTH * penalty
        gradients = torch.autograd.grad(loss, critic, allow_unused=True)
        with torch.no_grad():
            for variable, gradient in zip(critic, gradients, strict=True):
                variable.sub_(RATE * gradient)
        return loss.detach()

    return step, tuple(torch.tensor(value) for value in arguments)
