"""Jacobians: of 64 outputs by 64 inputs; of a dense layer, [7, 10] by its kernel [5, 10]; of each row of a batch."""

import numpy as np

SIZES = {
    "jacobian": {"form": "inputs"},
    "jacobian_of_layer": {"form": "kernel"},
    "batch_jacobian": {"form": "batch"},
}
TITLES = {
    "jacobian": "Jacobian of 64 outputs by 64 inputs",
    "jacobian_of_layer": "Jacobian of a dense layer's output, [7, 10], by its kernel, [5, 10]",
    "batch_jacobian": "Batch jacobian: 256 rows, 16 outputs by 32 inputs",
}
READ_EVERY_STEP = True


def data(form):
    numbers = np.random.default_rng(0)
    rows, inputs, outputs = {"inputs": (1, 64, 64), "kernel": (7, 5, 10), "batch": (256, 32, 16)}[form]
    x = numbers.normal(size=(rows, inputs)).astype("float32")
    hidden = (numbers.normal(size=(inputs, inputs)) / inputs**0.5).astype("float32")
    kernel = (numbers.normal(size=(inputs, outputs)) / inputs**0.5).astype("float32")
    return x, hidden, kernel


def make(tf, form):
    x, hidden, kernel = data(form)
    hidden, kernel = tf.Variable(hidden), tf.Variable(kernel)

    def inputs(x):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = tf.tanh(tf.tanh(x[tf.newaxis] @ hidden) @ kernel)[0]
        return tape.jacobian(y, x)

    def by_kernel(x):
        with tf.GradientTape() as tape:
            y = tf.nn.relu(x @ kernel)
        return tape.jacobian(y, kernel)

    def batch(x):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = tf.tanh(tf.tanh(x @ hidden) @ kernel)
        return tape.batch_jacobian(y, x)

    step = {"inputs": inputs, "kernel": by_kernel, "batch": batch}[form]
    return step, (tf.constant(x[0] if form == "inputs" else x),)


def make_jax(form):
    import jax
    import jax.numpy as jnp

    x, hidden, kernel = (jnp.array(value) for value in data(form))

    def network(x, hidden, kernel):
        return jnp.tanh(jnp.tanh(x @ hidden) @ kernel)

    def layer(kernel, x):
        return jax.nn.relu(x @ kernel)

    if form == "kernel":
        by_kernel = jax.jit(jax.jacrev(layer))
        return lambda x: by_kernel(kernel, x), (x,)
    of_one = jax.jacrev(network)
    of_all = jax.jit(of_one if form == "inputs" else jax.vmap(of_one, in_axes=(0, None, None)))
    return lambda x: of_all(x, hidden, kernel), (x[0] if form == "inputs" else x,)


def make_torch(form):
    import torch
    from torch.func import jacrev, vmap

    x, hidden, kernel = (torch.tensor(value) for value in data(form))

    def network(x):
        return torch.tanh(torch.tanh(x @ hidden) @ kernel)

    if form == "kernel":
        return lambda x: jacrev(lambda kernel: torch.relu(x @ kernel))(kernel), (x,)
    of_one = jacrev(network)
    return of_one if form == "inputs" else vmap(of_one), (x[0] if form == "inputs" else x,)
