"""What must hold for any program: ways of running agree, and so do ways of differentiating."""

import hypothesis.strategies as st
import jax
import numpy as np
import pytest
from hypothesis import given

import tfcompat as tf
from tfcompat import engine

# Smooth everywhere, and bounded enough for chains of them to stay finite.
UNARY = [
    "tf.math.sin",
    "tf.math.cos",
    "tf.math.tanh",
    "tf.math.sigmoid",
    "tf.math.softplus",
    "tf.math.negative",
]
BINARY = ["tf.math.add", "tf.math.subtract", "tf.math.multiply"]

SIZE = 3
numbers = st.floats(-2, 2, width=32).map(lambda x: round(x, 3))
vectors = st.lists(numbers, min_size=SIZE, max_size=SIZE).map(lambda v: np.array(v, np.float64))


@st.composite
def programs(draw):
    """Steps (name, operand, operand): each may use the input and the results of the steps before it."""
    steps = []
    for count in range(1, draw(st.integers(2, 5)) + 1):
        operand = st.integers(max(0, count - 3), count - 1)
        steps.append((draw(st.sampled_from(UNARY + BINARY)), draw(operand), draw(operand)))
    return tuple(steps)


def run(steps, x, raw=False):
    """The last result of a program on `x`, by ops, or by their pure bodies."""
    values = [x]
    for name, first, second in steps:
        function = getattr(tf.math, name.rpartition(".")[2])
        operands = [values[first]] if name in UNARY else [values[first], values[second]]
        values.append((function.raw if raw else function)(*operands))
    return values[-1]


def gradient(steps, x, weights):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(steps, x)
    # A program need not use its input.
    return y, tape.gradient(y, x, output_gradients=weights, unconnected_gradients="zero")


@given(programs(), vectors, vectors)
def test_deferred_immediate_and_function_agree(steps, x, weights):
    with engine.execution_mode("deferred"):
        deferred = [t.numpy() for t in gradient(steps, x, weights)]
    with engine.execution_mode("immediate"):
        immediate = [t.numpy() for t in gradient(steps, x, weights)]
    traced = [
        t.numpy()
        for t in tf.function(lambda v, w: gradient(steps, v, w))(tf.constant(x), tf.constant(weights))
    ]
    for one, two, three in zip(deferred, immediate, traced, strict=True):
        assert one.dtype == two.dtype == three.dtype
        np.testing.assert_allclose(two, one, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(three, one, rtol=1e-12, atol=1e-12)


@given(programs(), vectors, vectors, vectors)
def test_jvp_and_vjp_are_transposed(steps, x, tangent, cotangent):
    primal = tf.constant(x)
    with tf.autodiff.ForwardAccumulator(primal, tf.constant(tangent)) as accumulator:
        y = run(steps, primal)
    pushed = accumulator.jvp(y, unconnected_gradients="zero").numpy()
    _, pulled = gradient(steps, x, cotangent)
    np.testing.assert_allclose(
        np.dot(cotangent, pushed), np.dot(pulled.numpy(), tangent), rtol=1e-9, atol=1e-9
    )


@given(programs(), vectors)
def test_nested_tapes_are_composed_transforms(steps, x):
    t = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            y = tf.reduce_sum(run(steps, t))
        first = inner.gradient(y, t, unconnected_gradients="zero")
        total = tf.reduce_sum(first * first)
    second = outer.gradient(total, t, unconnected_gradients="zero")
    with jax.enable_x64(True):
        grad = jax.grad(lambda v: run(steps, v, raw=True).sum())
        expected = jax.jit(jax.grad(lambda v: (grad(v) ** 2).sum()))(x)
        np.testing.assert_allclose(first.numpy(), jax.jit(grad)(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(second.numpy(), expected, rtol=1e-9, atol=1e-9)


@given(programs(), vectors)
def test_forward_over_reverse_is_reverse_over_forward(steps, x):
    t, v = tf.constant(x), tf.constant(np.array([1.0, -2.0, 0.5]))
    with tf.autodiff.ForwardAccumulator(t, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = tf.reduce_sum(run(steps, t))
        slope = tape.gradient(y, t, unconnected_gradients="zero")
    forward = accumulator.jvp(slope, unconnected_gradients="zero")
    with tf.GradientTape() as tape:
        tape.watch(t)
        with tf.autodiff.ForwardAccumulator(t, v) as accumulator:
            y = tf.reduce_sum(run(steps, t))
        pushed = accumulator.jvp(y, unconnected_gradients="zero")
    reverse = tape.gradient(pushed, t, unconnected_gradients="zero")
    np.testing.assert_allclose(forward.numpy(), reverse.numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("use_pfor", [True, False])
@given(programs(), vectors)
def test_jacobian_is_a_loop_over_rows(use_pfor, steps, x):
    t = tf.constant(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t)
        y = run(steps, t)
    jacobian = tape.jacobian(y, t, unconnected_gradients="zero", experimental_use_pfor=use_pfor)
    rows = [tape.gradient(y, t, output_gradients=tf.constant(row), unconnected_gradients="zero")
            for row in np.eye(SIZE)]  # fmt: skip
    np.testing.assert_allclose(jacobian.numpy(), np.stack([r.numpy() for r in rows]), rtol=1e-12, atol=1e-12)


@given(programs(), st.lists(vectors, min_size=2, max_size=2))
def test_batch_jacobian_is_a_loop_over_the_batch(steps, batch):
    t = tf.constant(np.stack(batch))
    with tf.GradientTape() as tape:
        tape.watch(t)
        y = run(steps, t)
    together = tape.batch_jacobian(y, t, unconnected_gradients="zero").numpy()
    for item, part in zip(batch, together, strict=True):
        single = tf.constant(item)
        with tf.GradientTape() as tape:
            tape.watch(single)
            y = run(steps, single)
        alone = tape.jacobian(y, single, unconnected_gradients="zero").numpy()
        np.testing.assert_allclose(part, alone, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["softmax", "sigmoid", "reduce_mean"])
def test_half_precision_is_rounded_once(name, dtype):
    x = tf.cast(np.random.default_rng(0).normal(size=[7, 40]) * 3, dtype)
    function = getattr(tf.math, name)
    axes = (1,) if name == "reduce_mean" else ()
    expected = tf.cast(function(tf.cast(x, tf.float32), *axes), dtype)
    np.testing.assert_array_equal(function(x, *axes).numpy(), expected.numpy())
