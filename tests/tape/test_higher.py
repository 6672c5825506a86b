"""Second and higher derivatives without nesting: each against its formulation in JAX, and against nested tapes."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf

X = np.array([[0.3, -0.2, 0.5], [1.0, 0.4, -0.7], [0.1, 0.9, 0.2], [-0.6, 0.3, 0.8]], np.float32)
W = np.array([[0.2, -0.5], [0.7, 0.1], [-0.3, 0.4]], np.float32)
B = np.array([0.1, -0.2], np.float32)
VW, VB = np.array([[1.0, 2.0], [-1.0, 0.5], [0.3, 0.0]], np.float32), np.array([0.5, -1.5], np.float32)


def outputs_in_jax(w, b):
    return jnp.tanh(X @ w + b)


def loss_in_jax(w, b):
    return jnp.mean(jax.nn.softplus(outputs_in_jax(w, b)) ** 2)


def recorded(**options):
    """A tape with a small network on it: (tape, w, b, outputs, loss)."""
    w, b = tf.Variable(W), tf.Variable(B)
    with tf.GradientTape(**options) as tape:
        outputs = tf.tanh(X @ w + b)
        loss = tf.reduce_mean(tf.nn.softplus(outputs) ** 2)
    return tape, w, b, outputs, loss


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


@pytest.mark.usefixtures("execution")
def test_hessian_and_its_product():
    tape, w, b, _, loss = recorded(persistent=True)
    expected = jax.jit(jax.hessian(loss_in_jax, (0, 1)))(W, B)
    found = tape.hessian(loss, {"b": b, "w": w})
    for i, row in enumerate("wb"):
        for j, column in enumerate("wb"):
            close(found[row][column], expected[i][j])
    close(tape.hessian(loss, w, chunk_size=4), expected[0][0])
    product = jax.jit(lambda *v: jax.jvp(jax.grad(loss_in_jax, (0, 1)), (W, B), v)[1])(VW, VB)
    for each, right in zip(tape.hvp(loss, [w, b], [VW, VB]), product, strict=True):
        close(each, right)
    close(tape.hvp(loss, b, VB), expected[1][1] @ VB)


def test_hessian_is_that_of_nested_tapes():
    w = tf.Variable(W)
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as inner:
            loss = tf.reduce_sum(tf.nn.relu(X @ w) ** 3 * tf.gather(w, [0, 0, 1, 2]))
        gradient = inner.gradient(loss, w)
    close(inner.hessian(loss, w), outer.jacobian(gradient, w))


def test_gauss_newton_product():
    tape, w, b, outputs, loss = recorded(persistent=True)
    jw, jb = (j.reshape(8, -1) for j in jax.jit(jax.jacobian(outputs_in_jax, (0, 1)))(W, B))
    of_outputs = jax.jit(jax.hessian(lambda o: jnp.mean(jax.nn.softplus(o) ** 2)))
    curvature = of_outputs(outputs_in_jax(W, B)).reshape(8, 8)
    moved = jw @ VW.ravel() + jb @ VB
    found = tape.gauss_newton_product(outputs, [w, b], [VW, VB], loss=loss)
    close(found[0], (jw.T @ curvature @ moved).reshape(W.shape))
    close(found[1], jb.T @ curvature @ moved)
    close(tape.gauss_newton_product(outputs, b, VB), jb.T @ jb @ VB)
    with pytest.raises(ValueError, match="computed from all of `outputs`"):
        tape.gauss_newton_product(outputs, w, VW, loss=tf.constant(1.0))


def test_directional_derivatives():
    tape, w, b, _, loss = recorded(persistent=True)
    found = tape.directional_derivatives(loss, (w, b), (VW, VB), 3)
    function = lambda t: loss_in_jax(W + t * VW, B + t * VB)  # noqa: E731
    for each in found:
        function = jax.grad(function)
        np.testing.assert_allclose(each, jax.jit(function)(0.0), rtol=1e-3)
    x = tf.Variable(0.5, dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = tf.exp(2.0 * x) * tf.ones(2, tf.float64)
    sixth = tape.directional_derivatives(y, x, 1.0, 6)[-1]
    np.testing.assert_allclose(sixth, 64 * np.exp([1.0, 1.0]), rtol=1e-12)


def test_directional_derivatives_where_taylor_mode_has_no_rule():
    x = tf.Variable([0.5, 1.5])
    with tf.GradientTape() as tape:
        y = tf.math.lgamma(x) + tf.sort(x) ** 3
    found = tape.directional_derivatives(y, x, [1.0, 1.0], 3)
    polygamma = jax.scipy.special.polygamma
    at, three = np.array([0.5, 1.5], np.float32), [3 * np.array([0.25, 2.25]), 6 * np.array([0.5, 1.5]), 6.0]
    for k, each in enumerate(found):
        np.testing.assert_allclose(each, polygamma(k, at) + three[k], rtol=2e-4)


def test_per_example_gradients():
    w, b, unused = tf.Variable(W), tf.Variable(B), tf.Variable(1.0)
    targets = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]], np.float32)
    found = tf.autodiff.per_example_gradients(
        lambda x, y: tf.reduce_sum((tf.tanh(tf.linalg.matvec(w, x, transpose_a=True) + b) - y) ** 2),
        {"w": w, "b": b, "u": unused}, X, targets,
    )  # fmt: skip
    one = lambda w, b, x, y: jnp.sum((jnp.tanh(x @ w + b) - y) ** 2)  # noqa: E731
    expected = jax.jit(jax.vmap(jax.grad(one, (0, 1)), (None, None, 0, 0)))(W, B, X, targets)
    close(found["w"], expected[0])
    close(found["b"], expected[1])
    assert found["u"] is None


def test_chunked_jacobian_is_the_jacobian():
    tape, w, b, outputs, _ = recorded(persistent=True)
    whole, other = tape.jacobian(outputs, [w, b]), tf.Variable(1.0)
    chunked = tape.chunked_jacobian(outputs, [w, b, other], chunk_size=3)
    close(chunked[0], whole[0])
    close(chunked[1], whole[1])
    assert chunked[2] is None


def test_sources_computed_from_sources_and_variables_read_twice():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        x.assign(3.0)
        z = y * y * x
    # z = (a^2)^2 b with a = 2, b = 3, both moved by the shift of x.
    function = lambda s, t: ((2.0 + s) ** 2 + t) ** 2 * (3.0 + s)  # noqa: E731
    expected = jax.jit(jax.hessian(function, (0, 1)))(0.0, 0.0)
    found = tape.hessian(z, [x, y])
    for i in range(2):
        for j in range(2):
            close(found[i][j], expected[i][j])


def test_what_is_not_connected_is_none_and_what_is_linear_zero():
    x, y, z = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        t = tf.reduce_sum(x) * 2.0 + y * y + tf.stop_gradient(z)
    found = tape.hessian(t, [x, y, z])
    assert found[2] == [None, None, None]
    assert found[0][2] is None
    close(found[0][0], np.zeros((2, 2)))
    close(found[1][1], 2.0)
    assert tape.hvp(t, [z, y], [1.0, 1.0])[0] is None
    assert tape.hessian(t, z) is None
    close(tape.directional_derivatives(t, z, 1.0, 2), [0.0, 0.0])


def test_outer_tapes_differentiate_what_comes_out_and_functions_may_use_it():
    x, v = tf.Variable([1.0, 2.0]), tf.constant([1.0, -1.0])

    @tf.function(autograph=False)
    def squared():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x**4)
        return tf.reduce_sum(tape.hvp(y, x, v) ** 2)

    with tf.GradientTape() as outer:
        total = squared()
    # (12 x^2 v)^2, so the derivative is 2 (12 x^2 v) (24 x v)
    close(outer.gradient(total, x), 2 * 12 * np.array([1.0, -4.0]) * 24 * np.array([1.0, -2.0]))


def test_one_use_of_a_tape_that_is_not_persistent():
    tape, w, _, _, loss = recorded()
    tape.hessian(loss, w)
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.hvp(loss, w, VW)


def test_what_does_not_fit_is_refused():
    tape, w, b, outputs, loss = recorded(persistent=True)
    with pytest.raises(ValueError, match="must be a scalar"):
        tape.hessian(outputs, w)
    with pytest.raises(ValueError, match="shape and dtype of its source"):
        tape.hvp(loss, w, VB)
    with pytest.raises(ValueError, match="2 vectors are needed"):
        tape.hvp(loss, [w, b], [VW])
    for order in (0, 11, 2.0):
        with pytest.raises(ValueError, match="order must be"):
            tape.directional_derivatives(loss, w, VW, order)
    with pytest.raises(ValueError, match="chunk_size"):
        tape.chunked_jacobian(outputs, w, 0)
    with pytest.raises(ValueError, match="must be floating"):
        tape.hessian(tf.constant(1), w)

    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda dy: dy * 3.0

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f(w))
    with pytest.raises(tf.errors.UnimplementedError, match="nest tapes"):
        tape.hessian(y, w)
    z = tf.Variable(1j)
    with tf.GradientTape() as tape:
        y = tf.math.real(z * z)
    with pytest.raises(tf.errors.UnimplementedError, match="complex"):
        tape.hvp(y, z, 1j)


def test_benchmark_against_nested_tapes_runs_and_agrees(capsys, monkeypatch):
    monkeypatch.syspath_prepend(pathlib.Path(__file__).resolve().parents[2])
    from benchmarks import higher_derivatives

    higher_derivatives.main(["--width", "3", "--orders", "3", "--rounds", "1"])
    assert len(capsys.readouterr().out.splitlines()) == 5
