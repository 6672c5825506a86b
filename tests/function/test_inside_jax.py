"""`tf.function` and tensors inside JAX's transformations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf

W = np.float32([[1.0, 2.0], [3.0, 4.0]])


@tf.function
def loss(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sin(x @ W) ** 2)
    return y + tf.reduce_sum(tape.gradient(y, x) ** 2)


def reference(x):
    def y(x):
        return jnp.sum(jnp.sin(x @ W) ** 2)

    return y(x) + jnp.sum(jax.grad(y)(x) ** 2)


@pytest.mark.parametrize("transformation", ["jit", "grad", "jacfwd", "vmap", "hessian"])
def test_jax_transforms_functions(transformation):
    transform = getattr(jax, transformation)
    x = np.float32([[0.1, 0.2], [0.3, -0.4]])
    x = x[None] if transformation == "vmap" else x
    got = transform(lambda x: loss(x).__jax_array__())(x)
    np.testing.assert_allclose(got, transform(reference)(x), rtol=2e-4, atol=1e-4)


def test_control_flow_on_tracers():
    def f(x):
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x)
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 10.0, lambda y: [y * 2.0], [y])[0]

    np.testing.assert_allclose(jax.jit(f)(jnp.float32(3.0)).numpy(), 12.0)
    np.testing.assert_allclose(jax.grad(lambda x: f(x).__jax_array__())(jnp.float32(3.0)), 4.0)


def test_tensors_are_trees_of_one_array():
    x = tf.constant([1.0, 2.0])
    np.testing.assert_allclose(jnp.sin(x), np.sin([1.0, 2.0]), rtol=1e-6)
    result = jax.jit(lambda x: {"y": tf.sin(x) * 2.0})(x)
    assert isinstance(result["y"], tf.Tensor)
    assert isinstance(jax.vmap(tf.reduce_sum)(tf.ones([2, 3])), tf.Tensor)
    doubled = jax.tree.map(lambda leaf: leaf * 2, {"x": x, "y": [x]})
    np.testing.assert_allclose(doubled["y"][0], [2.0, 4.0])
