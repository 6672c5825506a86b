"""Training step of a three-layer perceptron, 64 wide, batch 64, float32, SGD."""

import numpy as np

WIDTH = BATCH = 64
RATE = 0.01


def data():
    numbers = np.random.default_rng(0)
    x, y = (numbers.normal(size=(BATCH, WIDTH)).astype("float32") for _ in range(2))
    weights = [(numbers.normal(size=(WIDTH, WIDTH)) / WIDTH**0.5).astype("float32") for _ in range(3)]
    biases = [np.zeros(WIDTH, "float32") for _ in range(3)]
    return x, y, [*weights, *biases]


def make(tf):
    x, y, start = data()
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


def make_jax():
    import jax
    import jax.numpy as jnp

    x, y, start = data()
    variables = [jnp.asarray(value) for value in start]

    def loss_of(variables, x, y):
        w1, w2, w3, b1, b2, b3 = variables
        h = jax.nn.relu(x @ w1 + b1)
        h = jax.nn.relu(h @ w2 + b2)
        return jnp.mean(jnp.square(h @ w3 + b3 - y))

    @jax.jit
    def update(variables, x, y):
        loss, gradients = jax.value_and_grad(loss_of)(variables, x, y)
        return [v - RATE * g for v, g in zip(variables, gradients, strict=True)], loss

    def step(x, y):
        nonlocal variables
        variables, loss = update(variables, x, y)
        return loss

    return step, (jnp.asarray(x), jnp.asarray(y))
