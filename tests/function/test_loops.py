"""Derivatives of loops whose number of turns is known only when they run, against the same turns one by one."""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._control import _checkpoints


def _loop(weight, start, turns, bound=None):
    def turn(state, captures):
        count, x = state
        return count + 1, jnp.sin(captures[0] * x) + 0.1 * x

    state = (jnp.int32(0), start)
    return _checkpoints.while_loop(lambda s, c: s[0] < c[1], turn, state, (weight, turns), bound)[1]


def _unrolled(weight, start, turns):
    x = start
    for _ in range(turns):
        x = jnp.sin(weight * x) + 0.1 * x
    return x


def _by_hand(weight, start, turns):
    """The gradient of the sum, in NumPy."""
    states = [np.float64(start)]
    for _ in range(turns):
        states.append(np.sin(weight * states[-1]) + 0.1 * states[-1])
    cotangent, total = np.ones_like(states[0]), 0.0
    for x in reversed(states[:-1]):
        total += np.sum(cotangent * np.cos(weight * x) * x)
        cotangent = cotangent * (weight * np.cos(weight * x) + 0.1)
    return total, cotangent


W, X = jnp.float32(1.3), jnp.float32([0.4, -0.7])
GRADIENT = jax.jit(jax.grad(lambda w, x, n: jnp.sum(_loop(w, x, n)), (0, 1)))


@pytest.mark.parametrize("turns", [0, 1, 2, 191, 192, 193, 400, 3000])
def test_gradient(turns):
    """Below, at and above the number of states that are kept."""
    for one, other in zip(GRADIENT(W, X, np.int32(turns)), _by_hand(1.3, X, turns), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("slots", [4, 6])
def test_little_room(monkeypatch, slots):
    """However few states are kept, each turn is walked back once, with its own state."""
    monkeypatch.setattr(_checkpoints._Loop, "_room", lambda self, state: (slots // 2 + slots // 2 % 2, slots))
    gradient = jax.jit(jax.grad(lambda w, x, n: jnp.sum(_loop(w, x, n)), (0, 1)))
    for turns in (0, 1, 3, 5, 6, 7, 37, 100, 333):
        for one, other in zip(gradient(W, X, np.int32(turns)), _by_hand(1.3, X, turns), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6, err_msg=str(turns))


MODES = {
    "forward": lambda f: jax.jacfwd(f),
    "reverse": lambda f: jax.jacrev(f),
    "forward over reverse": lambda f: jax.jacfwd(jax.jacrev(f)),
    "reverse over reverse": lambda f: jax.jacrev(jax.jacrev(f)),
    "forward over forward": lambda f: jax.jacfwd(jax.jacfwd(f)),
}


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode):
    """Derivatives in any mode and order; the bound makes them compile sooner."""
    differentiated = MODES[mode]
    one = jax.jit(differentiated(lambda w: _loop(w, X, np.int32(3), 8)))(W)
    np.testing.assert_allclose(one, differentiated(lambda w: _unrolled(w, X, 3))(W), rtol=2e-4)


@pytest.mark.parametrize("transform", [jax.jacrev, jax.jacfwd])
def test_each_of_a_batch_turns_as_often_as_it_must(transform):
    turns, weights = jnp.int32([0, 1, 5]), jnp.float32([1.3, 0.8, 1.1])
    found = jax.jit(jax.vmap(lambda w, n: jnp.sum(transform(lambda w: _loop(w, X, n))(w))))(weights, turns)
    expected = [_by_hand(w, X, int(n))[0] for w, n in zip(weights, turns, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_memory_is_bounded():
    """It depends neither on the number of turns nor, beyond 64 MiB, on the size of the state."""
    def temporary(size):
        x = jax.ShapeDtypeStruct((size,), np.float32)
        fn = jax.jit(jax.grad(lambda w, x, n: jnp.sum(_loop(w, x, n)), (0, 1)))
        return fn.lower(W, x, np.int32(10)).compile().memory_analysis().temp_size_in_bytes

    assert temporary(1 << 12) < 300 * (4 << 12)
    assert temporary(1 << 18) < 2.5 * (64 << 20)


def test_loops_in_loops_and_branches():
    """A loop is part of a turn of a loop, and of a branch, as an operation."""
    @tf.function
    def nested(x, n):
        total = tf.constant(0.0)
        for i in tf.range(n):
            y = x
            while tf.reduce_sum(y) < 10.0:
                y = y * (1.5 + 0.1 * tf.cast(i, tf.float32))
            if i > 0:
                total += tf.reduce_sum(y**2)
        return total

    def eagerly(x, n):
        total = tf.constant(0.0)
        for i in range(n):
            y = x
            while tf.reduce_sum(y) < 10.0:
                y = y * (1.5 + 0.1 * i)
            if i > 0:
                total += tf.reduce_sum(y**2)
        return total

    x, found = tf.constant([1.0, 2.0]), []
    for fn, n in ((nested, tf.constant(3)), (eagerly, 3)):
        with tf.autodiff.ForwardAccumulator(x, tf.constant([0.3, -1.0])) as accumulator, tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x, n)
        found.append((tape.gradient(y, x), accumulator.jvp(y)))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_condition_that_assigns():
    """A condition is asked once more than there are turns; TensorFlow 2.21 gives these numbers."""
    asked = tf.Variable(0)

    @tf.function
    def doubled(n, bound):
        def goes_on(i, x):
            asked.assign_add(1)
            return i < n

        return tf.while_loop(goes_on, lambda i, x: (i + 1, x * 2.0), (0, tf.constant(1.0)), maximum_iterations=bound)

    found = [(float(doubled(tf.constant(n), bound)[1]), int(asked.read_value())) for bound in (None, 2) for n in (3, 0)]
    assert found == [(8.0, 4), (1.0, 5), (4.0, 8), (1.0, 9)]


@pytest.mark.parametrize("inner", ["accumulator", "tape"])
@pytest.mark.parametrize("outer", ["accumulator", "tape"])
def test_second_derivatives_taken_inside_parts(inner, outer):
    """In TensorFlow those with an accumulator are errors."""

    def entered(kind, x, stack):
        if kind == "accumulator":
            watcher = stack.enter_context(tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)))
            return watcher.jvp
        watcher = stack.enter_context(tf.GradientTape(persistent=True))
        watcher.watch(x)
        return lambda y: watcher.gradient(y, x)

    @tf.function
    def f(x):
        first, second = tf.zeros_like(x), tf.zeros_like(x)
        with contextlib.ExitStack() as stack:
            outside, inside = entered(outer, x, stack), entered(inner, x, stack)
            for k in tf.range(3):
                slope = inside(x**3 * tf.cast(k, tf.float32))
                first += slope
                second += outside(slope)
            in_branch = tf.cond(x[0] > 0.0, lambda: outside(inside(x**3)), lambda: x)
        return first, second, in_branch, outside(first)

    x = np.float32([1.0, -2.0])
    for got, expected in zip(f(tf.constant(x)), (9 * x**2, 18 * x, 6 * x, 18 * x), strict=True):
        np.testing.assert_allclose(got.numpy(), expected)


@pytest.mark.parametrize("part", [tf.cond, tf.while_loop])
def test_a_variable_moves_in_parts(part):
    """In TensorFlow the products are None there."""
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f():
        with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 3.0])) as accumulator:
            if part is tf.cond:
                return tf.cond(v[0] > 0.0, lambda: (accumulator.jvp(v * v), accumulator.jvp(v)), lambda: (v, v))
            turn = lambda i, a, b: (i + 1, a + accumulator.jvp(v * v), b + accumulator.jvp(v))  # noqa: E731
            return tf.while_loop(lambda i, a, b: i < 1, turn, (0, tf.zeros(2), tf.zeros(2)))[1:]

    assert [x.numpy().tolist() for x in f()] == [[2.0, 12.0], [1.0, 3.0]]


@pytest.mark.parametrize("turns", [0, 1, 63, 64, 65, 5000])
def test_gradients_of_loops_of_any_length(turns):
    @tf.function
    def f(x, n):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, tf.ones_like(x)])[1]

    x = tf.constant(1.0 + 1e-4, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(turns))
    np.testing.assert_allclose(y, 1.0001**turns, rtol=1e-10)
    np.testing.assert_allclose(tape.gradient(y, x), turns * 1.0001 ** (turns - 1), rtol=1e-8)
