"""Functions that cannot be compiled: sizes that depend on values, assignments where they cannot be kept."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from function._clean import is_clean


@pytest.mark.parametrize(
    ("error", "function"),
    [
        (TypeError, lambda n: tf.reshape(tf.ones([4]), [n, -1])),
        (TypeError, lambda n: tf.reduce_sum(tf.ones([2, 2]), n)),
        (TypeError, lambda n: tf.ones([4])[:n]),
    ],
)
def test_sizes_that_depend_on_values_are_not_compiled(error, function, caplog):
    n, of_integer = tf.constant(1.0), function
    function = lambda n: of_integer(tf.cast(n, tf.int32))  # noqa: E731
    with pytest.raises(error, match="known|symbolic|static"):
        tf.function(function).get_concrete_function(n)
    inner = tf.function(function, jit_compile=True)
    outer = tf.function(lambda n: inner(n))
    for result, expected in zip(tf.nest.flatten(outer(n)), tf.nest.flatten(function(n)), strict=True):
        np.testing.assert_array_equal(result, expected)
    outer(n)
    assert sum("tf.function <lambda> runs as plain Python" in message for message in caplog.messages) == 2
    assert is_clean()


def test_what_is_not_compiled_differentiates_and_keeps_state():
    calls, v = tf.Variable(0), tf.Variable(2.0)

    @tf.function
    def f(x):
        calls.assign_add(1)
        kept = tf.boolean_mask(x, x > 0.0)
        if tf.size(kept) > 1:
            kept = kept * v
        return tf.reduce_sum(kept**2)

    for x, gradient, by in (([1.0, -1.0, 3.0], [8.0, 0.0, 24.0], 40.0), ([-1.0, 5.0, -2.0], [0.0, 10.0, 0.0], 0.0)):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found = tape.gradient(y, [x, v])
        np.testing.assert_array_equal(found[0], gradient)
        assert float(found[1]) == by
    assert int(calls) == 2
    with pytest.raises(tf.errors.UnimplementedError, match="known while a function is traced"):
        jax.jit(lambda x: jnp.asarray(f(x)))(jnp.ones(3))


def test_assignments_where_they_cannot_be_kept_are_refused():
    v = tf.Variable(1.0)
    with pytest.raises(tf.errors.UnimplementedError, match="assign"):
        tf.vectorized_map(v.assign_add, tf.ones([3]))
    with pytest.raises(tf.errors.UnimplementedError, match="assign"):
        tf.function(lambda x: tf.vectorized_map(v.assign_add, x))(tf.ones([3]))
    with pytest.raises(tf.errors.UnimplementedError, match="assign"):
        tf.recompute_grad(lambda x: tf.vectorized_map(v.assign_add, x))(tf.ones([3]))
    assert float(v) == 1.0
    assert is_clean()


@pytest.mark.parametrize("decorator", [lambda f: f, tf.function])
def test_what_is_recomputed_assigns_once(decorator):
    v, calls = tf.Variable(1.0), tf.Variable(0, trainable=False)

    def count(x):
        calls.assign_add(1)
        return x * tf.cast(calls, tf.float32)

    @decorator
    def f(x):
        with tf.GradientTape() as tape:
            y = tf.recompute_grad(lambda x: count(tf.recompute_grad(count)(x * v)))(x)
            v.assign(y)
        return y, v * 1.0, tape.gradient(y, v)

    assert [float(x) for x in f(tf.constant(3.0))] == [6.0, 6.0, 6.0]
    assert [float(x) for x in f(tf.constant(1.0))] == [72.0, 72.0, 12.0]
    assert int(calls) == 4
    assert is_clean()


def test_a_tape_used_up_in_captured_code_sees_no_more():
    def vectorized(tape, y, x):
        return tf.vectorized_map(lambda k: tape.gradient(y, x) * k, tf.constant([1.0]))[0]

    def function(tape, y, x):
        return tf.function(lambda: tape.gradient(y, x))()

    for gradient in (vectorized, function):
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            np.testing.assert_array_equal(gradient(tape, x * x, x), [2.0, 4.0])
        assert is_clean()


@pytest.mark.parametrize("turns", [3, 65, 3000])
def test_arrays_that_grow_in_loops_over_a_known_range_are_compiled(turns, caplog):
    @tf.function
    def running_sums(x):
        sums, total = tf.TensorArray(tf.float32, size=0, dynamic_size=True), 0.0
        for i in tf.range(tf.shape(x)[0]):
            total += x[i]
            sums = sums.write(i, total)
        return sums.stack()

    np.testing.assert_array_equal(running_sums(tf.ones([turns])), np.arange(1.0, turns + 1.0))
    assert not caplog.messages
