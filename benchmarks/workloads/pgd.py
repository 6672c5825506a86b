"""Attack on a small classifier: tiny signed gradient steps on its input, each clipped to a box.

`fgsm_step` is one such step, compiled by itself in the functional form; `pgd` is an attack of 40 steps, there one
compiled loop. One gradient step after the other is what eager code runs in both.
"""

import numpy as np

SIZES = {
    "fgsm_step": {"steps": 1},
    "pgd": {"steps": 40},
}
SMALL = {"steps": 3}
INPUTS, HIDDEN, CLASSES, BATCH = 64, 32, 10, 16
SIZE, RADIUS = 0.01, 0.1
READ_EVERY_STEP = True


def data():
    numbers = np.random.default_rng(0)
    x = numbers.uniform(size=(BATCH, INPUTS)).astype("float32")
    labels = numbers.integers(CLASSES, size=BATCH).astype("int32")
    w1 = (numbers.normal(size=(INPUTS, HIDDEN)) / INPUTS**0.5).astype("float32")
    w2 = (numbers.normal(size=(HIDDEN, CLASSES)) / HIDDEN**0.5).astype("float32")
    return x, labels, [w1, np.zeros(HIDDEN, "float32"), w2, np.zeros(CLASSES, "float32")]


def make(tf, steps=40):
    x, labels, start = data()
    w1, b1, w2, b2 = (tf.Variable(value) for value in start)
    low, high = tf.constant(np.maximum(x - RADIUS, 0)), tf.constant(np.minimum(x + RADIUS, 1))

    def attack(x, labels):
        for _ in range(steps):
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(x)
                logits = tf.tanh(x @ w1 + b1) @ w2 + b2
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            x = x + SIZE * tf.sign(tape.gradient(losses, x))
            x = tf.clip_by_value(x, low, high)
        return x

    return attack, (tf.constant(x), tf.constant(labels))


def make_jax(steps=40):
    import jax
    import jax.numpy as jnp

    x, labels, start = data()
    w1, b1, w2, b2 = (jnp.array(value) for value in start)
    low, high = jnp.array(np.maximum(x - RADIUS, 0)), jnp.array(np.minimum(x + RADIUS, 1))

    def loss_of(x, weights, labels):
        w1, b1, w2, b2 = weights
        logits = jnp.tanh(x @ w1 + b1) @ w2 + b2
        return -jnp.sum(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))

    @jax.jit
    def attack(x, labels, weights, low, high):
        def one(_, x):
            gradient = jax.grad(loss_of)(x, weights, labels)
            return jnp.clip(x + SIZE * jnp.sign(gradient), low, high)

        return jax.lax.fori_loop(0, steps, one, x) if steps > 1 else one(0, x)

    def step(x, labels):
        return attack(x, labels, (w1, b1, w2, b2), low, high)

    return step, (jnp.array(x), jnp.array(labels))


def make_torch(steps=40):
    import torch

    x, labels, start = data()
    w1, b1, w2, b2 = (torch.tensor(value) for value in start)
    low, high = torch.tensor(np.maximum(x - RADIUS, 0)), torch.tensor(np.minimum(x + RADIUS, 1))

    def attack(x, labels):
        for _ in range(steps):
            x = x.detach().requires_grad_()
            logits = torch.tanh(x @ w1 + b1) @ w2 + b2
            loss = torch.nn.functional.cross_entropy(logits, labels, reduction="sum")
            x = x + SIZE * torch.sign(torch.autograd.grad(loss, x)[0])
            x = torch.clip(x, low, high)
        return x.detach()

    return attack, (torch.tensor(x), torch.tensor(labels.astype("int64")))
