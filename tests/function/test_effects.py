"""Prints, assertions and calls of Python in functions happen once, and in order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from function._clean import is_clean


def test_prints_when_it_is_called(capsys):
    @tf.function
    def inner(x):
        tf.print("inner", x)
        return x + 1.0

    @tf.function
    def outer(x):
        tf.print("start")
        y = inner(x)
        tf.print("y", y, {"text": "a", "twice": y * 2.0})
        return y

    for value in (1.0, 2.0):
        outer(tf.constant(value))
    expected = "start\ninner 1\ny 2 {'text': 'a', 'twice': 4}\nstart\ninner 2\ny 3 {'text': 'a', 'twice': 6}\n"
    assert capsys.readouterr().err == expected


def test_prints_in_branches_and_loops_come_in_order(capsys):
    @tf.function
    def count(n):
        tf.print("start")
        for i in tf.range(n):
            if i % 2 == 0:
                tf.print("even", i)
            else:
                tf.print("odd", i)
            twice(i)
        tf.print("end")
        return n + 1

    @tf.function
    def twice(i):
        tf.print("twice", 2 * i)
        return tf.cond(i > 1, lambda: (tf.print("large"), i)[1], lambda: i)

    @tf.function
    def both(n):
        n = count(n)
        tf.print("between")
        count(n)

    both(tf.constant(2))
    once = ["even 0", "twice 0", "odd 1", "twice 2"]
    expected = ["start", *once, "end", "between", "start", *once, "even 2", "twice 4", "large", "end"]
    assert capsys.readouterr().err.split("\n")[:-1] == expected


def test_derivatives_do_not_print_again(capsys):
    @tf.function
    def f(x, n):
        for i in tf.range(n):
            tf.print("turn", i)
            x = x * x
        return x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(2))
    assert float(tape.gradient(y, x)) == 32.0
    assert capsys.readouterr().err == "turn 0\nturn 1\n"


def test_prints_under_jit(capsys):
    @tf.function
    def f(x):
        for i in tf.range(2):
            tf.print("turn", i)
            x = x + 1.0
        return x

    assert float(jax.jit(lambda x: f(x).__jax_array__())(jnp.float32(1.0))) == 3.0
    jax.effects_barrier()
    assert capsys.readouterr().err == "turn 0\nturn 1\n"


def test_prints_in_mapped_functions_are_refused():
    @tf.function
    def f(x):
        return tf.vectorized_map(lambda v: (tf.print(v), v)[1], x)

    with pytest.raises(tf.errors.UnimplementedError, match="prints"):
        f(tf.ones([2]))
    assert is_clean()


# --- calls back to Python -----------------------------------------------------------------------------------------


def test_python_is_called_once_each_time():
    seen = []

    def cube(x):
        seen.append(float(x))
        return x**3

    @tf.function
    def f(x):
        return tf.py_function(cube, [x], tf.TensorSpec([], tf.float32)) * x

    for value in (2.0, 3.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == 4 * value**3
        assert seen.count(value) == 2  # forward, and under the tape that differentiates
        seen.clear()
        f(x)
        assert seen == [value]
        seen.clear()


def test_shapes_of_called_functions():
    @tf.function
    def f(x):
        given = tf.numpy_function(lambda v: np.repeat(v, 2), [x], tf.TensorSpec([4], tf.float32))
        tried = tf.numpy_function(lambda v: np.repeat(v, 2), [x], tf.float32)
        return given, tried

    a, b = f(tf.constant([1.0, 2.0]))
    assert a.numpy().tolist() == b.numpy().tolist() == [1.0, 1.0, 2.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="has shape"):
        tf.function(lambda x: tf.numpy_function(np.sin, [x], tf.TensorSpec([3], tf.float32)))(tf.ones([2]))
    with pytest.raises(tf.errors.UnimplementedError, match="give Tout as tf.TensorSpec"):
        tf.function(lambda x: tf.numpy_function(np.sin, [x], tf.float32)).get_concrete_function(tf.ones([2]))


def test_called_functions_whose_shapes_are_unknown_are_called_no_more_often():
    calls = []

    @tf.py_function(Tout=[tf.float32, tf.int32])
    def counted(x):
        calls.append(float(x))
        return x / x, len(calls)

    @tf.function
    def f(x):
        return counted(x)

    assert [[float(y) for y in f(tf.constant(x))] for x in (3.0, 5.0)] == [[1.0, 1.0], [1.0, 2.0]]
    assert calls == [3.0, 5.0]
    with pytest.raises(TypeError, match="Don't set the `inp` argument"):
        tf.py_function(inp=[1.0], Tout=tf.float32)
    with pytest.raises(TypeError, match="as a decorator, set `Tout`"):
        tf.numpy_function(inp=[1.0])
    assert is_clean()


def test_called_functions_compute_with_tensors():
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def f(x):
        y = tf.py_function(lambda v: tf.linalg.matvec(w, v), [x], tf.TensorSpec([2], tf.float32))
        return tf.reduce_sum(y * y)

    x = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        pending = tf.ones([200, 200]) @ tf.ones([200, 200])
        y = f(x)
    assert float(y) == 58.0 and float(pending[0, 0]) == 200.0
    np.testing.assert_allclose(tape.gradient(y, x), [48.0, 68.0])


def test_prints_come_before_the_assertion_that_fails(capsys):
    @tf.function
    def f(x):
        tf.print("seen", x)
        tf.debugging.assert_positive(x)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x > 0"):
        f(tf.constant(-1.0))
    assert capsys.readouterr().err == "seen -1\n"
