"""Sine and cosine of arrays that are large enough for code of their own on a CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat.math._sine import cosine, sine

FUNCTIONS = [(tf.sin, np.sin), (tf.cos, np.cos)]


@pytest.mark.parametrize(("function", "exact"), FUNCTIONS, ids=["sin", "cos"])
@pytest.mark.parametrize(("dtype", "units"), [("float32", 0.6), ("float64", 2.5)])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0, 9e5, 1e9])
def test_error_in_units_of_the_last_digit(function, exact, dtype, units, scale):
    x = np.random.default_rng(0).uniform(-scale, scale, 5000).astype(dtype)
    x[:64] = (np.arange(-32, 32) * np.pi / 2).astype(dtype)  # results near zero
    wanted = exact(x.astype(np.longdouble))
    error = np.abs(function(tf.constant(x)).numpy() - wanted) / np.spacing(np.abs(wanted).astype(dtype))
    assert error.max() < (units if dtype == "float32" or scale < 1e9 else 1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_numbers(dtype):
    x = tf.constant([0.0, -0.0, np.inf, np.nan] * 1100, dtype)
    sines, cosines = tf.sin(x).numpy(), tf.cos(x).numpy()
    np.testing.assert_array_equal(sines[:4], [0.0, -0.0, np.nan, np.nan])
    np.testing.assert_array_equal(np.signbit(sines[:2]), [False, True])
    np.testing.assert_array_equal(cosines[:4], [1.0, 1.0, np.nan, np.nan])
    few = tf.constant([-0.0] * 5000, dtype)
    assert np.signbit(tf.sin(few).numpy()).all()


def test_derivatives_and_examples():
    x = np.linspace(-3.0, 3.0, 5000)
    with jax.enable_x64(True):
        for ours, theirs in ((sine, jnp.sin), (cosine, jnp.cos)):
            for wrap in (jax.vmap, jax.grad, lambda f: jax.grad(jax.grad(f))):
                function = wrap if wrap is jax.vmap else lambda f, wrap=wrap: jax.vmap(wrap(f))
                given, wanted = (jax.jit(function(f))(x) for f in (ours, theirs))
                np.testing.assert_allclose(given, wanted, rtol=1e-14, atol=1e-15)
        jet = jax.experimental.jet.jet
        series = ((jnp.float64(1.0), jnp.float64(0.0), jnp.float64(0.0)),)
        np.testing.assert_allclose(
            jet(sine, (jnp.float64(0.3),), series)[1], jet(jnp.sin, (jnp.float64(0.3),), series)[1], rtol=1e-14
        )


def test_in_code_of_the_users_in_32_bits():
    x = jnp.linspace(-3.0, 3.0, 5000, dtype=jnp.float32)
    step = tf.to_jax(lambda x: tf.sin(x) + tf.cos(x))
    np.testing.assert_allclose(jax.jit(step)(step.state(x), x)[0], np.sin(x) + np.cos(x), rtol=1e-5, atol=1e-6)
