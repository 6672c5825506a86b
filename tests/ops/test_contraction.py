"""Products of matrices: all derivatives are those of `dot_general`, and XLA has library code for them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _steering import steered

import tfcompat as tf
from tfcompat.engine._policy import KERNELS
from tfcompat.linalg._contraction import contracted

CASES = [  # shapes, count, whether the axes are the last ones of the second array, the same in index notation
    ((3, 4), (4, 5), 1, False, "ac,cd->ad"),
    ((3, 4), (5, 4), 1, True, "ac,dc->ad"),
    ((2, 3, 4), (4, 5), 1, False, "abc,cd->abd"),
    ((2, 3, 4), (5, 4), 1, True, "abc,dc->abd"),
    ((2, 3, 4, 5), (4, 5, 6), 2, False, "abce,ced->abd"),
    ((2, 3, 4), (4, 5, 6), 1, False, "abc,cde->abde"),
    ((2, 3, 4, 5), (6, 4, 5), 2, True, "abce,dce->abd"),
    ((3, 4), (4, 1), 1, False, "ac,cd->ad"),
    ((2, 3, 4), (4,), 1, False, "abc,c->ab"),
    ((4,), (4, 5), 1, False, "c,cd->d"),
]


def _both(case):
    first, second, count, at_the_end, equation = case
    random = np.random.RandomState(0)
    arrays = [jnp.asarray(random.randn(*shape), jnp.float32) for shape in (first, second)]
    return lambda a, b: contracted(a, b, count, at_the_end), lambda a, b: jnp.einsum(equation, a, b), arrays


def _scalar(f):
    return lambda a, b: jnp.sum(jnp.sin(f(a, b)))


DERIVED = {
    "value": lambda f: f,
    "gradient": lambda f: jax.grad(_scalar(f), (0, 1)),
    "jacobian forward": lambda f: jax.jacfwd(f, (0, 1)),
    "jacobian": lambda f: jax.jacrev(f, (0, 1)),
    "forward over reverse": lambda f: jax.hessian(_scalar(f), (0, 1)),
    "reverse over reverse": lambda f: jax.jacrev(jax.jacrev(_scalar(f), (0, 1)), (0, 1)),
    "batch of the first": lambda f: lambda a, b: jax.vmap(f, (-1, None))(jnp.stack([a, 2 * a], -1), b),
    "batch of the second": lambda f: lambda a, b: jax.vmap(f, (None, -1))(a, jnp.stack([b, 2 * b], -1)),
    "batch of both": lambda f: lambda a, b: jax.vmap(f, (0, 1))(jnp.stack([a, 2 * a]), jnp.stack([b, 2 * b], 1)),
}


@pytest.mark.parametrize("derived", DERIVED.values(), ids=DERIVED)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[-1]} {case[1]}")
def test_derivatives(case, derived):
    ours, plain, arrays = _both(case)
    found, expected = jax.jit(derived(ours))(*arrays), jax.jit(derived(plain))(*arrays)
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[-1]} {case[1]}")
def test_gradients_of_large_arrays(case):
    """They are not transposed, which a lower bound shows."""
    ours, plain, arrays = _both(case)
    with steered(KERNELS, transposed=1):
        found = jax.jit(DERIVED["gradient"](ours))(*arrays)
    for x, y in zip(found, jax.jit(DERIVED["gradient"](plain))(*arrays), strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-5, atol=2e-5)


def _products(function, *arrays):
    """Whether a compiled function has code of the library for products, and how many products have none."""
    hlo = jax.jit(function).lower(*arrays).compile().as_text()
    entry = hlo[hlo.index("ENTRY") :]
    return "ynn_fusion" in entry, entry.count(" dot(")


@pytest.mark.parametrize("shape", [(256, 64), (8, 32, 64)], ids=str)
@pytest.mark.parametrize(
    "product",
    [tf.matmul, lambda x, w: tf.tensordot(x, w, 1), lambda x, w: tf.einsum("...c,cd->...d", x, w)],
    ids=["matmul", "tensordot", "einsum"],
)
def test_the_gradient_by_weights_is_a_product_of_the_library(shape, product):
    x, weights, seed = (np.ones(s, np.float32) for s in (shape, (64, 32), (*shape[:-1], 32)))
    if _products(jnp.matmul, np.ones((256, 64), np.float32), weights) != (True, 0):
        pytest.skip("this version of XLA has no such library")

    def gradient(x, w, seed):
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = product(x, w)
        return tape.gradient(y, w, seed)

    function = tf.to_jax(gradient)
    assert _products(functools.partial(function, function.state(x, weights, seed)), x, weights, seed) == (True, 0)
