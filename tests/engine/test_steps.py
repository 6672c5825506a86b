"""Steps: what a captured graph does in Python, between its programs."""

import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat._core.symbolic_sizes import new_symbols

DOUBLE = engine.Operation("Double", lambda x: 2 * x)
SUM = engine.Operation("Sum", lambda x, *, size: jnp.sum(x.reshape(size)), ("size",))


def _outside(function):
    """The operation of a step of one array, and the list of what it was called with."""
    seen = []

    def step(call, nodes):
        seen.append(engine.array_of(nodes[0]))
        return (engine.leaf(function(seen[-1])),)

    return engine.Operation("Outside", None, differentiable=False, step=step), seen


def test_a_graph_with_a_step_is_played():
    operation, seen = _outside(lambda x: x + 1)
    with engine.Capture() as capture:
        x = capture.placeholder(engine.Aval((2,), np.dtype(np.float32)))
        (y,) = engine.record_step(operation, (engine.apply(DOUBLE, (x,)),), x.aval)
        unused = engine.record_step(operation, (x,), x.aval)
        captured, captures = capture.operation([engine.apply(DOUBLE, (y,))], "f")
    assert captured.step is not None and not captures and unused
    x = engine.leaf(np.float32([1, 2]))
    before = engine.stats()["programs_run"]
    for _ in range(2):
        (result,) = engine.called(captured, (x,))
        np.testing.assert_array_equal(engine.array_of(result), [6, 10])
    np.testing.assert_array_equal(seen, [[2, 4]] * 2)  # what nobody needs is not played
    assert engine.stats()["programs_run"] == before + 4  # one before each step, one after it


def test_sizes_that_a_step_decides_on():
    operation, _ = _outside(lambda x: np.repeat(x, 3))
    ((size,),) = new_symbols([["n"]])
    with engine.Capture() as capture:
        x = capture.placeholder(engine.Aval((2,), np.dtype(np.float32)))
        (y,) = engine.record_step(operation, (x,), engine.Aval((size,), x.aval.dtype))
        total = engine.apply(SUM, (y,), engine.attributes_of((size, 1)))
        captured, _ = capture.operation([total], "f")
    (result,) = engine.called(captured, (engine.leaf(np.float32([1, 2])),))
    assert engine.array_of(result) == 9


def test_tapes_see_what_stands_between_steps():
    f = tf.function(lambda a, x: tf.reduce_sum(x * x) * tf.cast(tf.strings.length(a), tf.float32))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(tf.constant("abc"), x)
    np.testing.assert_array_equal(tape.gradient(y, x), [6, 12])


def test_a_step_is_no_part_of_a_program():
    f = tf.function(tf.strings.length)
    with pytest.raises(tf.errors.UnimplementedError, match="StringLength cannot be part"):
        tf.function(lambda a: tf.recompute_grad(lambda x: x * tf.cast(f(a), tf.float32))(1.0)).get_concrete_function(
            tf.TensorSpec([], tf.string)
        )


def test_derivatives_are_traced_once_for_all_sizes_that_values_decide_on(monkeypatch):
    weight = tf.Variable([[0.5], [2.0]])

    @tf.function
    def step(x, mask):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                losses = tf.tanh(x @ weight)[:, 0]
                loss = tf.reduce_mean(tf.boolean_mask(losses, mask) ** 2)
            gradient = tape.gradient(loss, weight)
        second = outer.gradient(gradient, weight)
        weight.assign_sub(0.0 * gradient)
        return loss, gradient, second

    x = tf.constant(np.linspace(-1, 1, 24, dtype=np.float32).reshape(12, 2))
    masks = [np.arange(12) % n > 0 for n in (2, 3, 4, 5)]
    expected = [[np.asarray(r) for r in step.python_function(x, tf.constant(mask))] for mask in masks]
    for mask in masks[:2]:
        step(x, tf.constant(mask))

    def traced(*_):
        raise AssertionError("a call is traced for its sizes")

    monkeypatch.setattr(engine._bind.Call, "_traced", traced)
    for mask, wanted in zip(masks, expected, strict=True):
        for result, value in zip(step(x, tf.constant(mask)), wanted, strict=True):
            np.testing.assert_allclose(result, value, rtol=1e-5, atol=1e-6)
