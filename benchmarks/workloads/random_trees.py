"""Recursion over random binary trees, 8 to 24 leaves: loss, gradient and SGD step; the structure never repeats.

The functional form compiles once: the tree is data, its nodes a padded table that `jax.lax.scan` fills from the
leaves up.
"""

import functools

import numpy as np

SMALL = {"fewest": 2, "most": 3}
COMPARED_STEPS = 60  # also warms up: what compiles compiles here
UNITS, WORDS = 16, 50
RATE = 0.05
_ONCE = "a function of trees: each new structure would be traced and compiled anew"
NOT_ON = {"tfcompat-function": _ONCE, "tf-function": _ONCE, "tf-xla": _ONCE}


def data():
    numbers = np.random.default_rng(0)
    words = numbers.normal(size=(WORDS, UNITS)).astype("float32")
    left, right = ((numbers.normal(size=(UNITS, UNITS)) / UNITS**0.5).astype("float32") for _ in range(2))
    return [words, left, right, np.zeros(UNITS, "float32")]


def trees(fewest, most):
    """Random trees without end: a tree is a word's number or a pair of trees."""
    numbers = np.random.default_rng(1)

    def tree(leaves):
        if leaves == 1:
            return int(numbers.integers(WORDS))
        left = int(numbers.integers(1, leaves))
        return tree(left), tree(leaves - left)

    while True:
        yield tree(int(numbers.integers(fewest, most + 1)))


def make(tf, fewest=8, most=24):
    variables = [tf.Variable(value) for value in data()]
    endless = trees(fewest, most)

    def encode(tree):
        words, left, right, bias = variables
        if isinstance(tree, int):
            return tf.gather(words, [tree])
        return tf.tanh(encode(tree[0]) @ left + encode(tree[1]) @ right + bias)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(encode(next(endless)) - 0.5))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * tf.convert_to_tensor(gradient))
        return loss

    return step, ()


def make_jax(fewest=8, most=24):
    import jax
    import jax.numpy as jnp

    variables = [jnp.array(value) for value in data()]
    endless = trees(fewest, most)

    def table(tree):
        """Words of the leaves; for each inner node, children first, where its children are and where it goes."""
        words, inner = [], []

        def place(tree):
            if isinstance(tree, int):
                words.append(tree)
                return len(words) - 1
            children = place(tree[0]), place(tree[1])
            inner.append(children)
            return most + len(inner) - 1

        place(tree)
        padded = np.zeros((most - 1, 2), "int32")
        padded[: len(inner)] = inner
        return np.pad(np.array(words, "int32"), (0, most - len(words))), padded, len(inner)

    def loss_of(variables, leaves, inner, count):
        words, left, right, bias = variables
        nodes = jnp.concatenate([words[leaves], jnp.zeros((most - 1, UNITS))])

        def fill(nodes, row):
            number, children = row
            value = jnp.tanh(nodes[children[0]] @ left + nodes[children[1]] @ right + bias)
            return nodes.at[most + number].set(value), None

        nodes, _ = jax.lax.scan(fill, nodes, (jnp.arange(most - 1), inner))
        return jnp.mean(jnp.square(nodes[most + count - 1] - 0.5))

    @functools.partial(jax.jit, donate_argnums=0)
    def update(variables, leaves, inner, count):
        loss, gradients = jax.value_and_grad(loss_of)(variables, leaves, inner, count)
        return [v - RATE * g for v, g in zip(variables, gradients, strict=True)], loss

    def step():
        nonlocal variables
        variables, loss = update(variables, *table(next(endless)))
        return loss

    return step, ()


def make_torch(fewest=8, most=24):
    import torch

    variables = [torch.tensor(value, requires_grad=True) for value in data()]
    endless = trees(fewest, most)

    def encode(tree):
        words, left, right, bias = variables
        if isinstance(tree, int):
            return words[tree : tree + 1]
        return torch.tanh(encode(tree[0]) @ left + encode(tree[1]) @ right + bias)

    def step():
        loss = torch.mean(torch.square(encode(next(endless)) - 0.5))
        gradients = torch.autograd.grad(loss, variables)
        with torch.no_grad():
            for variable, gradient in zip(variables, gradients, strict=True):
                variable.sub_(RATE * gradient)
        return loss.detach()

    return step, ()
