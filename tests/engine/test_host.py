"""Small arrays of ever other shapes are computed on the host; what it computes is compared in test_golden."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine import _policy as policy
from tfcompat.engine import host
from tfcompat.engine.host.plan import Plan
from tfcompat.engine.host.rules import blas, twins
from tfcompat.random import _distributions, _philox


def _step(length):
    x = tf.constant(np.linspace(0.1, 2.0, length))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.exp(-x) * tf.sqrt(x) / (1.0 + x**3))
    return y.numpy(), tape.gradient(y, x).numpy()


def test_other_lengths_are_not_compiled():
    before = engine.stats()
    for length in range(101, 161):
        value, gradient = _step(length)
        x = np.linspace(0.1, 2.0, length)
        terms = np.exp(-x) * np.sqrt(x) / (1.0 + x**3)
        np.testing.assert_allclose(value, np.sum(terms), rtol=1e-12)
        np.testing.assert_allclose(gradient, terms * (0.5 / x - 1.0 - 3.0 * x**2 / (1.0 + x**3)), rtol=1e-10)
    after = engine.stats()
    assert all(after[name] == before[name] for name in ("programs_compiled", "kernels_compiled"))


def test_what_has_no_elements_is_not_computed():
    before = engine.stats()
    x = tf.zeros([0, 37])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.concat([tf.exp(x) * 2.0, tf.sqrt(x)], 0)
        first, index = tf.math.top_k(y, 2)
    assert [*map(np.shape, (y, first, index, tape.gradient(y, x)))] == [(0, 37), (0, 2), (0, 2), (0, 37)]
    assert tf.cast(y, tf.bfloat16).numpy().dtype == tf.bfloat16.as_numpy_dtype
    assert tf.reduce_sum(x).numpy() == 0.0 and np.isnan(tf.reduce_mean(x).numpy())
    after = engine.stats()
    assert after["kernels_compiled"] == before["kernels_compiled"]  # NumPy computes the sum and the mean as XLA does


def test_what_comes_often_is_compiled():
    x = tf.constant(np.linspace(0.0, 1.0, 77))

    def step(turn):
        before = engine.stats()["programs_compiled"]
        value = tf.reduce_sum(tf.exp(x) * (1.0 + turn)).numpy()
        np.testing.assert_allclose(value, np.exp(np.linspace(0.0, 1.0, 77)).sum() * (1.0 + turn), rtol=1e-12)
        return engine.stats()["programs_compiled"] - before

    compilations = [step(turn) for turn in range(6000)]
    assert sum(compilations) == 1
    assert compilations[0] == 0


def test_an_operation_that_comes_often_has_a_compiled_kernel(monkeypatch, steer):
    monkeypatch.setattr(policy, "interpreted_runs", lambda *_: 1 << 30)
    steer(policy.COMPILING, kernel=0.1)
    x = tf.constant(np.ones(79))
    before = engine.stats()["kernels_compiled"]
    for turn in range(100):
        np.testing.assert_array_equal(tf.math.cumsum(x * (1.0 + turn)).numpy()[-1], 79.0 * (1.0 + turn))
    assert engine.stats()["kernels_compiled"] == before + 2


def _halvings(turns):
    """A loop of so many turns, and a loop in each turn of it."""

    def inner(i, x):
        return tf.while_loop(lambda j, x: j < 20, lambda j, x: (j + 1, x * 0.5 + 1.0), [0, x])[1]

    return tf.function(lambda x: tf.while_loop(lambda i, x: i < turns, lambda i, x: (i + 1, inner(i, x)), [0, x])[1])


def _compiled_by(function, x, runs=1):
    """How many kernels so many runs compile; each gives twos."""
    before = engine.stats()["kernels_compiled"]
    for _ in range(runs):
        np.testing.assert_allclose(tf.reshape(function(x), [-1]), np.full(3, 2.0), rtol=1e-6)
    return engine.stats()["kernels_compiled"] - before


def test_a_loop_that_takes_long_is_compiled_while_it_runs():
    assert _compiled_by(_halvings(11), tf.ones([3])) == 0
    assert _compiled_by(_halvings(100_000), tf.ones([3])) == 1
    assert _compiled_by(_halvings(11), tf.ones([1, 3]), runs=20) == 1  # all runs count


def test_rows_of_a_scan_count():
    @tf.function
    def function(rows):
        x = tf.ones([3])
        for row in rows:
            x = x * 0.5 + row
        return x

    assert _compiled_by(function, tf.ones([40])) == 0
    assert _compiled_by(function, tf.ones([20_000])) == 1


def test_calls_of_many_arrays_are_interpreted_for_long():
    x = tf.constant(np.arange(1200.0).reshape(600, 2))
    before = engine.stats()
    for _ in range(5):
        np.testing.assert_array_equal(tf.stack(tf.unstack(x)[::-1])[0], [1198.0, 1199.0])
    after = engine.stats()
    assert all(after[name] == before[name] for name in ("programs_compiled", "kernels_compiled"))


def test_results_have_memory_of_their_own():
    x = tf.constant(np.arange(79.0)) * 2.0
    x.numpy()
    y = tf.reshape(x, [1, 79])
    y.numpy()
    assert not np.shares_memory(np.asarray(engine.value_of(x._node)), np.asarray(engine.value_of(y._node)))


def test_integers_that_were_computed_are_no_constants():
    x = tf.constant(np.arange(5)) + tf.cast(tf.constant(np.ones(5)) * 2.0, tf.int64)
    x.numpy()
    assert type(engine.value_of(x._node)) is not np.ndarray


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jax.pure_callback(lambda x: x, x, x),
        lambda x: jax.lax.reduce_window(x, 0.0, lambda a, b: jnp.sort(jnp.stack([a, b]))[0], (2,), (1,), "VALID"),
        lambda x: x.at[np.array([0, 0])].apply(jnp.sin),
        jax.jit(lambda x: jax.lax.igamma_grad_a(x, x)),
    ],
)
def test_what_has_no_rule_is_refused(function):
    closed = jax.make_jaxpr(function)(jnp.ones(3, jnp.float32))
    with pytest.raises(host.Unknown):
        Plan.of(closed).sized({})


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jnp.einsum("abc,dbc->ad", x, x),
        lambda x: jnp.einsum("abc,abd->acd", x, x),
        lambda x: jnp.cumsum(x[:, ::-1], 2)[1:, :2:2],
        lambda x: jax.lax.dynamic_update_slice(x, x[:1] * 2, (5, 0, 0)),
        lambda x: jax.lax.dynamic_slice(x, (1, 9, 0), (1, 2, 3)),
        lambda x: jax.lax.pad(x, jnp.float32(7), [(1, 2, 1), (0, 1, 2), (0, 0, 0)]),
        lambda x: jnp.stack(jnp.split(x, [1, 2], 1)[1:]) + jax.lax.broadcasted_iota(jnp.float32, (2, 2, 1, 4), 3),
        lambda x: (x - 4.0) ** -3 + x**0 + jnp.round(x / 3),
        lambda x: jnp.argmax(x, 1).astype(jnp.float32),
    ],
)
def test_results_are_those_of_xla(function):
    x = jnp.arange(24, dtype=jnp.float32).reshape(2, 3, 4)
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(function)(x)
        expected = function(x)
    plan = Plan.of(closed).sized({})
    with np.errstate(divide="ignore"):
        (result,) = plan(np.asarray(x))
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_products_of_middle_size_use_one_thread_and_leave_the_number_as_it_was():
    usual = blas._threads()
    if usual is None:
        pytest.skip("NumPy's products are not OpenBLAS's")
    seen, before = [], usual._get()

    class Left(np.ndarray):
        def __array_ufunc__(self, *args, **kwargs):
            seen.append(usual._get())
            raise ZeroDivisionError

    a, b = np.random.default_rng(0).normal(size=(2, 64, 64)).astype(np.float32)
    matmul = blas.matmul_of(64, 64, 64)
    np.testing.assert_array_equal(matmul(a, b), a @ b)
    with pytest.raises(ZeroDivisionError):
        matmul(a.view(Left), b)
    assert (seen, usual._get()) == ([1], before)
    assert blas.matmul_of(4, 4, 4) is blas.matmul_of(1000, 1000, 1000) is np.matmul


def test_twins_give_what_xla_gives():
    random = np.random.RandomState(0)
    for _ in range(20):
        state, seed = random.randint(-(2**63), 2**63 - 1, 3), random.randint(-(2**63), 2**63 - 1, 2)
        blocks = np.int64(random.choice([-1, 5, 256, 2**40, 3 - 2**32]))
        words = [random.randint(0, 2**32, (3,), np.uint32) for _ in range(4)]
        calls = [
            (lambda x: _distributions.normal(x, (5,), np.dtype(np.float32)), (state,)),
            (lambda x: _philox.words_32(x, 7), (state,)), (_philox.scramble, (seed,)),
            (_philox.skip, (state, blocks)), (_philox.philox_loop, (*words, np.uint32(5), np.uint32(7))),
            (_philox.philox_rounds, (*words, np.uint32(5), np.uint32(7))),
        ]  # fmt: skip
        for function, arrays in calls:
            with jax.enable_x64(True):
                expected = jax.tree.leaves(jax.jit(function)(*arrays))
                plan = Plan.of(jax.make_jaxpr(function)(*arrays))
            assert any(step[0] in twins for step in plan.steps)
            with np.errstate(all="ignore"):
                results = plan.sized({})(*map(np.asarray, arrays))
            for result, one in zip(results, expected, strict=True):
                np.testing.assert_array_equal(result, one)


def test_a_long_loop_is_compiled_for_what_is_left_when_it_is_rolled_up():
    def of_turns(turns):
        x, before = tf.constant([0.5, 1.0]), engine.stats()["programs_compiled"]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(turns):
                y = y + 0.001 * tf.sin(y)
            loss = tf.reduce_sum(y)
        gradient, expected, y = tape.gradient(loss, x).numpy(), 1.0, np.array([0.5, 1.0])
        for _ in range(turns):
            expected = expected * (1.0 + 0.001 * np.cos(y))
            y = y + 0.001 * np.sin(y)
        np.testing.assert_allclose(gradient, expected, rtol=1e-3)
        return engine.stats()["programs_compiled"] - before

    assert of_turns(20) == 0
    assert of_turns(2000) == 1
